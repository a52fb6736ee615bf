import { randomUUID } from 'node:crypto';
import type { ConnectionStep } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { configuredNativeClient } from '../native/native-client';
import type { NativeDevice } from '../native/native-device';
import type { Reading } from '../reading/reading';
import { testConnection } from '../service/connection-test';
import type { Http } from '../service/http';
import { createServiceClients } from '../service/service-clients';
import { failure } from '../service/service-error';
import type { Settings } from '../settings/settings';

export interface ConnectionCheckParts {
  /** A client with the proxy, CAs and headers of these settings. */
  readonly httpOf: (settings: Settings) => Http;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly device: NativeDevice;
  readonly reading: Pick<Reading, 'read'>;
}

/**
 * Tests the service of these settings with separate clients: those of the kiosk are not used, and nothing is stored.
 * The steps are in the order of their dependencies: token, inventory, a first playlist, native.
 */
export async function checkConnection(
  settings: Settings,
  { httpOf, random, log, device, reading }: ConnectionCheckParts,
  onStep: (step: ConnectionStep) => void,
): Promise<readonly ConnectionStep[]> {
  const http = httpOf(settings);
  const { tokens, ads, inventory } = createServiceClients(settings, { http, random, log });
  const native = configuredNativeClient({
    ...{ settings, http, wrappers: null, reading, device, newId: randomUUID },
  });
  try {
    return await testConnection({
      clock: http.clock,
      account: tokens && inventory && { tokens, inventory },
      adsNeedToken: settings.ads.authentication === 'bearer' && tokens !== null,
      requestPlaylist: () => ads.requestPlaylist(null),
      async countAds(document) {
        const { metadataExtension } = settings.ads;
        const found = await reading.read('ads', document, { metadataExtension });
        if (found.kind === 'unreadable') {
          const { host } = new URL(settings.service.baseUrl);
          return failure('playlist', 'malformed', { host, detail: `${found.code}: ${found.message}` });
        }
        return found.ads.length;
      },
      requestNative:
        native &&
        (async () => {
          const answer = await native.request({ shopper: null, cart: null, weather: null });
          return answer.kind === 'error' ? answer : answer.ads.length;
        }),
      onStep,
    });
  } finally {
    tokens?.stop();
  }
}
