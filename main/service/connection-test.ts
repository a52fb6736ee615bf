import type { ConnectionStep } from '../../shared/admin';
import type { Clock } from '../../shared/clock';
import type { Text } from '../reading/reading';
import type { AdsAnswer } from './ads';
import type { ServiceFailure } from './service-error';
import type { AccessTokens } from './token';

export interface ConnectionTestOptions {
  readonly clock: Clock;
  /** Null: the kiosk has no service account, so the token and inventory steps are left out. */
  readonly account: {
    readonly tokens: Pick<AccessTokens, 'renew'>;
    readonly inventory: () => Promise<{ readonly kind: string } | ServiceFailure>;
  } | null;
  readonly adsNeedToken: boolean;
  readonly requestPlaylist: () => Promise<AdsAnswer | ServiceFailure>;
  /** Counts the ads of a playlist without storing it. */
  readonly countAds: (document: Text) => Promise<number | ServiceFailure>;
  /** Requests native ads, and returns how many came; null: native ads are off. */
  readonly requestNative: (() => Promise<number | ServiceFailure>) | null;
  readonly onStep?: (step: ConnectionStep) => void;
}

/**
 * Tries the kiosk's requests one after the other, each after those that it depends on. Changes nothing that
 * is stored. A step whose precondition failed is reported as `not-tried`.
 */
export async function testConnection(options: ConnectionTestOptions): Promise<readonly ConnectionStep[]> {
  const { clock, account, adsNeedToken, requestPlaylist, countAds, requestNative } = options;
  const steps: ConnectionStep[] = [];

  /** Returns whether the step succeeded. */
  const run = async (
    name: ConnectionStep['step'],
    isTried: boolean,
    attempt: () => Promise<Found | ServiceFailure>,
  ): Promise<boolean> => {
    const from = clock.monotonic();
    const outcome = isTried ? outcomeOf(await attempt()) : NOT_TRIED;
    const step = { step: name, ms: Math.round(clock.monotonic() - from), ...outcome };
    steps.push(step);
    options.onStep?.(step);
    return step.ok;
  };

  let tokenWorks = true;
  if (account !== null) {
    tokenWorks = await run('token', true, async () => {
      const token = await account.tokens.renew();
      return token.kind === 'error'
        ? token
        : { message: 'The client ID and secret are accepted.', ads: null };
    });
    await run('inventory', tokenWorks, async () => {
      const answer = await account.inventory();
      return 'error' in answer ? answer : { message: 'The service account may use the project.', ads: null };
    });
  }
  await run('ads', tokenWorks || !adsNeedToken, async () => {
    const answer = await requestPlaylist();
    if (answer.kind === 'error') return answer;
    return found(answer.kind === 'document' ? await countAds(answer.text) : 0, 'The playlist');
  });
  if (requestNative !== null)
    await run('native', true, async () => found(await requestNative(), 'The native answer'));
  return steps;
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
