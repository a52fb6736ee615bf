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
  /** Whether ads requests carry the token. */
  readonly adsNeedToken: boolean;
  readonly requestPlaylist: () => Promise<AdsAnswer | ServiceFailure>;
  /** Counts the ads of a playlist without storing it. */
  readonly countAds: (document: Text) => Promise<number | ServiceFailure>;
  /** Requests native ads, and returns how many came; null: native ads are off. */
  readonly requestNative: (() => Promise<number | ServiceFailure>) | null;
  /** Called after each step. */
  readonly onStep?: (step: ConnectionStep) => void;
}

/**
 * Tries the kiosk's requests one after the other, each after those that it depends on. Changes nothing that
 * is stored. A step whose precondition failed is reported as `not-tried`.
 */
export async function testConnection(options: ConnectionTestOptions): Promise<readonly ConnectionStep[]> {
  const { clock, account, adsNeedToken, requestPlaylist, countAds, requestNative } = options;
  const steps: ConnectionStep[] = [];

  const run = async (
    step: ConnectionStep['step'],
    attempt: () => Promise<Found | ServiceFailure>,
  ): Promise<void> => {
    const from = clock.monotonic();
    const result = await attempt();
    const ms = Math.round(clock.monotonic() - from);
    report(
      'error' in result
        ? {
            ...{ step, ok: false, code: result.error.code, ads: null, ms },
            ...{ message: inFull(result), advice: result.error.advice },
          }
        : { step, ok: true, code: null, advice: null, ms, ...result },
    );
  };
  const report = (step: ConnectionStep): void => {
    steps.push(step);
    options.onStep?.(step);
  };
  const notTried = (step: ConnectionStep['step']): void =>
    report({
      step,
      ok: false,
      code: 'not-tried',
      ads: null,
      message: 'Not tried, because there is no access token.',
      advice: 'First make the access token work.',
      ms: 0,
    });

  if (account !== null) {
    await run('token', async () => {
      const token = await account.tokens.renew();
      return token.kind === 'error'
        ? token
        : { message: 'The client ID and secret are accepted.', ads: null };
    });
  }
  const tokenWorks = steps.every((step) => step.ok);

  if (account !== null && tokenWorks) {
    await run('inventory', async () => {
      const answer = await account.inventory();
      return 'error' in answer ? answer : { message: 'The service account may use the project.', ads: null };
    });
  } else if (account !== null) {
    notTried('inventory');
  }

  if (tokenWorks || !adsNeedToken) {
    await run('ads', async () => {
      const answer = await requestPlaylist();
      if (answer.kind === 'error') return answer;
      return found(answer.kind === 'document' ? await countAds(answer.text) : 0, 'The playlist');
    });
  } else {
    notTried('ads');
  }

  if (requestNative !== null) {
    await run('native', async () => found(await requestNative(), 'The native answer'));
  }
  return steps;
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
