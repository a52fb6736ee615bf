import { randomUUID } from 'node:crypto';
import type { ConnectionStep } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { createNativeClient } from '../native/native-client';
import type { NativeDevice } from '../native/native-device';
import type { Reading } from '../reading/reading';
import { createAdsClient } from '../service/ads';
import { testConnection } from '../service/connection-test';
import type { Http } from '../service/http';
import { callInventory } from '../service/inventory';
import { failure } from '../service/service-error';
import { createAccessTokens } from '../service/token';
import { maySendDemographics } from '../settings/native-params';
import { type Settings, serviceAccount } from '../settings/settings';
import { cut, cutOrNull } from '../status/shown-text';

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
 * Tests the service of these settings with clients of its own: those of the
 * kiosk are not used, and nothing is stored. Steps in the order
 * in which one needs the other: token, inventory, a first playlist, native.
 */
export async function checkConnection(
  settings: Settings,
  { httpOf, random, log, device, reading }: ConnectionCheckParts,
  onStep: (step: ConnectionStep) => void,
): Promise<ConnectionStep[]> {
  const http = httpOf(settings);
  const account = serviceAccount(settings);
  const { baseUrl, nativeUrl, projectId } = settings.service;
  const namespaceHeader = settings.ads.namespaceHeader;
  const tokens = account ? createAccessTokens({ account, http, random, log }) : null;
  const adsNeedToken = settings.ads.authentication === 'bearer';
  const ads = createAdsClient({
    http,
    baseUrl,
    tokens: adsNeedToken ? tokens : null,
    namespace: account && { header: namespaceHeader, projectId: account.projectId },
    params: settings.ads.params,
    offlineParams: settings.ads.offlineParams,
    onlineParams: settings.ads.onlineParams,
    sendDemographics: maySendDemographics(settings.native),
  });
  const native =
    settings.native.enabled && nativeUrl !== null
      ? createNativeClient({
          http,
          nativeUrl,
          wrappers: null,
          reading,
          newId: randomUUID,
          settings: settings.native,
          device,
          language: settings.ui.language,
        })
      : null;
  try {
    const steps = await testConnection({
      clock: http.clock,
      account: tokens && {
        tokens,
        inventory: () =>
          callInventory({ http, tokens, baseUrl, projectId: projectId ?? '', namespaceHeader }),
      },
      adsNeedToken: adsNeedToken && tokens !== null,
      requestPlaylist: (validators) => ads.requestPlaylist(validators),
      async countAds(document) {
        const { metadataExtension } = settings.ads;
        const found = await reading.read('ads', document, { metadataExtension });
        if (found.kind === 'unreadable') {
          const { host } = new URL(baseUrl);
          return failure('playlist', 'malformed', { host, detail: `${found.code}: ${found.message}` });
        }
        return { kind: 'ads', ads: found.ads.length };
      },
      requestNative:
        native?.kind === 'client'
          ? async () => {
              const answer = await native.client.request({ shopper: null, cart: null, weather: null });
              if (answer.kind === 'error') return answer;
              return { kind: 'ads', ads: answer.kind === 'ads' ? answer.ads.length : 0 };
            }
          : null,
      onStep: (step) => onStep(bounded(step)),
    });
    return steps.map(bounded);
  } finally {
    tokens?.stop();
  }
}

function bounded(step: ConnectionStep): ConnectionStep {
  return { ...step, message: cut(step.message, 500), advice: cutOrNull(step.advice, 500) };
}
