import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { type BackOff, backOffMs } from '../egress/back-off';
import type { AdsAnswer, Validators } from './ads';
import type { Schedule } from './schedule';
import { failure, type ServiceError, type ServiceFailure } from './service-error';

/** Whether an answer was used. An empty playlist is a good answer: the stored one keeps playing (rule 3). */
export type OfferVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'no-fill' }
  /** The document could not be read; `error` says so as `malformed`. */
  | { readonly kind: 'rejected'; readonly error: ServiceError };

export interface PlaylistRefreshOptions {
  readonly request: (
    validators: Validators | null,
    signal: AbortSignal,
  ) => Promise<AdsAnswer | ServiceFailure>;
  /** The service's host, for messages. */
  readonly host: string;
  /** Called with every good answer, `not-modified` and `no-fill` too. */
  readonly offer: (answer: AdsAnswer) => Promise<OfferVerdict>;
  /** Those of the playlist that was last accepted; null asks unconditionally. */
  readonly validators: () => Validators | null;
  /** Called with the result of each attempt: an answer is a success only once it was read, and `not-modified` once stored. */
  readonly tell?: (
    result: { readonly kind: 'accepted' | 'no-fill' | 'not-modified' } | ServiceFailure,
  ) => void;
  readonly refreshSeconds: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly log: Log;
}

export interface PlaylistRefresh {
  /** Begins with a request at once. */
  start(): void;
  /** Requests now, or joins the request under way. Resolves to its error; null: it was good. */
  refreshNow(): Promise<ServiceError | null>;
  /**
   * Requests within so many ms, to confirm a deviating clock (rule 10); not before the
   * pause after a failure is over.
   */
  askAgain(inMs: number): void;
  /** Ends the request under way; nothing is offered afterwards. */
  stop(): void;
}

/**
 * Keeps the playlist fresh: a request every `refreshSeconds` ± 5 %, after a
 * failure with back-off, and never before a `Retry-After` is over.
 */
export function createPlaylistRefresh(options: PlaylistRefreshOptions): PlaylistRefresh {
  const { clock, random, schedule, log } = options;
  const refreshMs = options.refreshSeconds * 1000;
  const backOff = refreshBackOff(refreshMs);
  let lastError: ServiceError | null = null;
  let failures = 0;
  let underWay: Promise<void> | null = null;
  let cancelWait = (): void => {};
  /** When to request at the latest, ms on the monotonic clock. */
  let wantedBy = Number.POSITIVE_INFINITY;
  /** When the next attempt is due, ms on the same clock; none is while one is under way. */
  let dueAt = Number.NEGATIVE_INFINITY;
  const stopping = new AbortController();

  const refresh = (): Promise<void> => {
    underWay ??= attempt().finally(() => {
      underWay = null;
    });
    return underWay;
  };

  const attempt = async (): Promise<void> => {
    cancelWait();
    wantedBy = Number.POSITIVE_INFINITY;
    dueAt = Number.NEGATIVE_INFINITY;
    const answer = await options.request(options.validators(), stopping.signal);
    if (stopping.signal.aborted) return;
    const result = answer.kind === 'error' ? answer : await judge(answer);
    if (stopping.signal.aborted) return;
    options.tell?.(result);
    if (result.kind === 'error') wait(failed(result.error));
    else wait(Math.min(succeeded(result.kind), Math.max(0, wantedBy - clock.monotonic())));
  };

  const wait = (waitMs: number): void => {
    cancelWait();
    dueAt = clock.monotonic() + waitMs;
    cancelWait = schedule(waitMs, () => void refresh());
  };

  const judge = async (
    answer: AdsAnswer,
  ): Promise<{ readonly kind: 'accepted' | 'no-fill' | 'not-modified' } | ServiceFailure> => {
    let verdict: OfferVerdict;
    try {
      verdict = await options.offer(answer);
    } catch (error) {
      // The records window may be down for a moment: that must not end the loop.
      log.error('playlist could not be stored', { error });
      return failure('playlist', 'not-stored', { host: options.host });
    }
    if (verdict.kind === 'rejected') return { kind: 'error', error: verdict.error };
    return { kind: answer.kind === 'not-modified' ? 'not-modified' : verdict.kind };
  };

  const succeeded = (lastResult: 'accepted' | 'no-fill' | 'not-modified'): number => {
    if (failures > 0) log.info('playlist refresh works again', { lastResult });
    lastError = null;
    failures = 0;
    return refreshMs * (0.95 + 0.1 * random());
  };

  const failed = (error: ServiceError): number => {
    lastError = error;
    failures += 1;
    const waitMs = waitAfterFailure(error, failures, backOff, random);
    log.warn('playlist refresh failed', {
      code: error.code,
      message: error.message,
      consecutiveFailures: failures,
      retryInMs: Math.round(waitMs),
    });
    return waitMs;
  };

  return {
    start: () => void refresh(),
    refreshNow: async () => {
      if (!stopping.signal.aborted) await refresh();
      return lastError;
    },
    askAgain(inMs) {
      wantedBy = Math.min(wantedBy, clock.monotonic() + inMs);
      if (lastError === null && dueAt > wantedBy) wait(inMs);
    },
    stop() {
      stopping.abort();
      cancelWait();
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/**
 * Five seconds to fifteen minutes, but never slower than a refresh that works
 * (or a minute): the service has agreed to that load.
 */
export function refreshBackOff(refreshMs: number): BackOff {
  return { minMs: Math.min(5_000, refreshMs), maxMs: Math.min(15 * 60_000, Math.max(60_000, refreshMs)) };
}

function waitAfterFailure(
  error: ServiceError,
  failures: number,
  backOff: BackOff,
  random: () => number,
): number {
  const own = backOffMs(failures, backOff, random);
  // Spread beyond `Retry-After`: the service may have named the same moment to all kiosks.
  const asked = error.retryAfterMs === undefined ? 0 : error.retryAfterMs * (1 + 0.1 * random());
  return Math.max(own, asked);
}
