import type { Clock } from '../../shared/clock';
import type { Text } from '../reading/reading';
import type { AdsAnswer, Validators } from './ads';
import type { InventoryAnswer } from './inventory';
import type { ServiceErrorCode, ServiceFailure } from './service-error';
import type { AccessTokens } from './token';

export type ConnectionStepName = 'token' | 'inventory' | 'ads' | 'native';

/** One line of the test, for whoever stands before the kiosk. */
export interface ConnectionStep {
  readonly step: ConnectionStepName;
  readonly ok: boolean;
  /** A stable word for what went wrong, or null. */
  readonly code: ServiceErrorCode | 'not-tried' | null;
  /** How many ads the answer held; null where that is not the question. */
  readonly ads: number | null;
  /** What was found, in plain words. */
  readonly message: string;
  /** What to do about it; null when it is fine. */
  readonly advice: string | null;
  /** How long the step took; 0 when it was not tried. */
  readonly ms: number;
}

export interface ConnectionTestOptions {
  readonly clock: Clock;
  /** Null on a kiosk without a service account: token and inventory are then no steps. */
  readonly account: {
    readonly tokens: Pick<AccessTokens, 'renew'>;
    readonly inventory: () => Promise<InventoryAnswer | ServiceFailure>;
  } | null;
  /** Whether ads requests carry the token. */
  readonly adsNeedToken: boolean;
  readonly requestPlaylist: (validators: Validators | null) => Promise<AdsAnswer | ServiceFailure>;
  /** Reads a playlist without storing it: the number of ads in it, or the failure. */
  readonly countAds: (
    document: Text,
  ) => Promise<{ readonly kind: 'ads'; readonly ads: number } | ServiceFailure>;
  /** Asks for a native ad; null where native ads are off. */
  readonly requestNative:
    | (() => Promise<{ readonly kind: 'ads'; readonly ads: number } | ServiceFailure>)
    | null;
  /** Told of each step as it ends. */
  readonly onStep?: (step: ConnectionStep) => void;
}

/**
 * Tries what a kiosk needs of the service, in the order in which one needs the
 * other. Changes nothing stored. A step whose condition failed is not tried.
 */
export async function testConnection(options: ConnectionTestOptions): Promise<readonly ConnectionStep[]> {
  const { clock, account, adsNeedToken, requestPlaylist, countAds, requestNative } = options;
  const steps: ConnectionStep[] = [];

  const run = async (
    step: ConnectionStepName,
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
  const notTried = (step: ConnectionStepName): void =>
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
      return answer.kind === 'error'
        ? answer
        : { message: 'The service account may use the project.', ads: null };
    });
  } else if (account !== null) {
    notTried('inventory');
  }

  if (tokenWorks || !adsNeedToken) {
    await run('ads', async () => {
      const answer = await requestPlaylist(null);
      if (answer.kind === 'error') return answer;
      const read =
        answer.kind === 'document' ? await countAds(answer.text) : ({ kind: 'ads', ads: 0 } as const);
      return read.kind === 'error' ? read : found(read.ads, 'The playlist');
    });
  } else {
    notTried('ads');
  }

  if (requestNative !== null) {
    await run('native', async () => {
      const answer = await requestNative();
      return answer.kind === 'error' ? answer : found(answer.ads, 'The native answer');
    });
  }
  return steps;
}

type Found = Pick<ConnectionStep, 'message' | 'ads'>;

function found(ads: number, what: string): Found {
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
