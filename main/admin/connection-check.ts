import { randomUUID } from 'node:crypto';
import type { Ad } from '../../shared/ad';
import type { ConnectionStep } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { configuredNativeClient } from '../native/native-client';
import type { NativeDevice } from '../native/native-device';
import { isPlayable, nothingPlayable, unreadableCode } from '../playback/playlist-answers';
import type { Reading } from '../reading/reading';
import type { AdsAnswer } from '../service/ads';
import type { Http } from '../service/http';
import { createServiceClients } from '../service/service-clients';
import { failure, type ServiceFailure } from '../service/service-error';
import type { Settings } from '../settings/settings';
import { inTurns, pause } from '../turns';

export interface ConnectionCheckParts {
  /** A client with the proxy, CAs and headers of these settings. */
  readonly httpOf: (settings: Settings) => Http;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly device: NativeDevice;
  readonly reading: Pick<Reading, 'read'>;
}

type AdsDocument = Extract<AdsAnswer, { readonly kind: 'document' }>;

/**
 * Tests the service of these settings with separate clients: those of the kiosk are not used, and nothing is stored.
 * The steps are in the order of their dependencies: token, inventory, a first playlist, native. A step whose
 * precondition failed is reported as `not-tried`; the first two are left out where there is no service account.
 */
export async function checkConnection(
  settings: Settings,
  { httpOf, random, log, device, reading }: ConnectionCheckParts,
  onStep: (step: ConnectionStep) => void,
): Promise<readonly ConnectionStep[]> {
  const http = httpOf(settings);
  const { tokens, ads, inventory } = createServiceClients(settings, { http, random, log });
  const native = configuredNativeClient({
    settings,
    http,
    wrappers: null,
    reading,
    device,
    newId: randomUUID,
  });
  const steps: ConnectionStep[] = [];

  /** Returns whether the step succeeded. */
  const run = async (
    name: ConnectionStep['step'],
    isTried: boolean,
    attempt: () => Promise<Found | ServiceFailure>,
  ): Promise<boolean> => {
    const from = http.clock.monotonic();
    const outcome = isTried ? outcomeOf(await attempt()) : NOT_TRIED;
    const step = { step: name, ms: Math.round(http.clock.monotonic() - from), ...outcome };
    steps.push(step);
    onStep(step);
    return step.ok;
  };

  /** Counts the ads that the kiosk would take. Wrappers are not followed: any may lead to an ad. */
  async function countAds({ text, serverTime }: AdsDocument): Promise<number | ServiceFailure> {
    const { metadataExtension } = settings.ads;
    const read = await reading.read('ads', text, { metadataExtension });
    const { host } = new URL(settings.service.baseUrl);
    if (read.kind === 'unreadable') {
      const detail = `${read.code}: ${read.message}`;
      return failure('playlist', unreadableCode(read), { host, detail });
    }
    const { ads, rejected } = read;
    if (ads.length === 0 && rejected.length === 0) return 0;
    // The kiosk goes by the service's time.
    const at = serverTime?.at ?? http.clock.now();
    const inline = ads.filter((ad): ad is Ad => !('wrapper' in ad));
    let playable = ads.length - inline.length;
    await inTurns(pause).each(inline, (ad) => {
      if (isPlayable(ad, at)) playable += 1;
    });
    if (playable > 0) return playable;
    return failure('playlist', 'malformed', { host, detail: nothingPlayable(inline, rejected, at) });
  }

  try {
    let tokenWorks = true;
    if (tokens && inventory) {
      tokenWorks = await run('token', true, async () => {
        const token = await tokens.renew();
        return token.kind === 'error'
          ? token
          : { message: 'The client ID and secret are accepted.', ads: null };
      });
      await run('inventory', tokenWorks, async () => {
        const answer = await inventory();
        return answer.kind === 'error'
          ? answer
          : { message: 'The service account may use the project.', ads: null };
      });
    }
    await run('ads', tokenWorks || settings.ads.authentication !== 'bearer', async () => {
      const answer = await ads.requestPlaylist(null);
      if (answer.kind === 'error') return answer;
      return found(answer.kind === 'document' ? await countAds(answer) : 0, 'The playlist');
    });
    const { nativeUrl } = settings.service;
    if (native && nativeUrl !== null)
      await run('native', true, async () => {
        const answer = await native.request({ shopper: null, cart: null, weather: null });
        if (answer.kind === 'error') return answer;
        if (answer.kind !== 'unusable') return found(answer.ads.length, 'The native answer');
        const detail = `none of its ${answer.leftOut} ads can be used: ${answer.remarks.join('; ')}`;
        return failure('native', 'malformed', { host: new URL(nativeUrl).host, detail });
      });
    return steps;
  } finally {
    tokens?.stop();
  }
}

type Outcome = Omit<ConnectionStep, 'step' | 'ms'>;

const NOT_TRIED: Outcome = {
  ok: false,
  code: 'not-tried',
  ads: null,
  message: 'Not tried, because there is no access token.',
  advice: 'First make the access token work.',
};

function outcomeOf(result: Found | ServiceFailure): Outcome {
  if (!('error' in result)) return { ok: true, code: null, advice: null, ...result };
  const { code, advice } = result.error;
  return { ok: false, code, advice, ads: null, message: inFull(result) };
}

type Found = Pick<ConnectionStep, 'message' | 'ads'>;

function found(ads: number | ServiceFailure, what: string): Found | ServiceFailure {
  if (typeof ads !== 'number') return ads;
  if (ads === 0) {
    return { message: `${what} arrived; the service has no ad for this kiosk just now (no fill).`, ads };
  }
  return { message: `${what} arrived with ${ads === 1 ? 'one ad' : `${ads} ads`}.`, ads };
}

function inFull({ error }: ServiceFailure): string {
  return error.serviceMessage === undefined
    ? error.message
    : `${error.message} It says: “${error.serviceMessage}”`;
}
