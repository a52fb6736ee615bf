import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { AdsAnswer, Validators } from './ads';
import { type BackOff, backOffMs } from './back-off';
import type { Schedule } from './schedule';
import { failure, type ServiceError, type ServiceFailure } from './service-error';

/** What became of an answer. An empty playlist is a good answer: the stored one keeps playing (rule 3). */
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
  /** Takes every good answer, `not-modified` and `no-fill` too, and says what became of it. */
  readonly offer: (answer: AdsAnswer) => Promise<OfferVerdict>;
  /** Those of the playlist that was last accepted; null asks unconditionally. */
  readonly validators: () => Validators | null;
  /** What each attempt came to: an answer that came whole is a success only once it was read and taken. */
  readonly tell?: (
    result: { readonly kind: 'accepted' | 'no-fill' | 'not-modified' } | ServiceFailure,
  ) => void;
  readonly refreshSeconds: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly log: Log;
}

/** For the status. Times: ms since the epoch, UTC. */
export interface RefreshState {
  readonly phase: 'idle' | 'requesting' | 'waiting' | 'stopped';
  readonly lastSuccessAt: number | null;
  /** What the last success was, or null before the first. */
  readonly lastResult: 'accepted' | 'no-fill' | 'not-modified' | null;
  /** Of the last attempt, or null when it was good. */
  readonly lastError: ServiceError | null;
  readonly nextAttemptAt: number | null;
  readonly consecutiveFailures: number;
}

export interface PlaylistRefresh {
  /** Begins with a request at once. */
  start(): void;
  /** Requests now, whatever was waited for; joins a request under way. Resolves to the state after it. */
  refreshNow(): Promise<RefreshState>;
  /**
   * Requests in so many ms at the latest, counted from now: what was heard has to be heard again (rule 10).
   * Not before a failure's time is over.
   */
  askAgain(inMs: number): void;
  /** Calls off what is under way; nothing is offered afterwards. */
  stop(): void;
  state(): RefreshState;
}

/**
 * Keeps the playlist fresh: a request every `refreshSeconds` ± 5 %, after a
 * failure with back-off, and never before a `Retry-After` is over.
 */
export function createPlaylistRefresh(options: PlaylistRefreshOptions): PlaylistRefresh {
  const { clock, random, schedule, log } = options;
  const refreshMs = options.refreshSeconds * 1000;
  const backOff = refreshBackOff(refreshMs);
  let state: RefreshState = {
    phase: 'idle',
    lastSuccessAt: null,
    lastResult: null,
    lastError: null,
    nextAttemptAt: null,
    consecutiveFailures: 0,
  };
  let underWay: Promise<void> | null = null;
  let cancelWait = (): void => {};
  /** When to request at the latest, ms on the monotonic clock. */
  let wantedBy = Number.POSITIVE_INFINITY;
  /** When the next attempt is due, ms on the same clock. */
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
    state = { ...state, phase: 'requesting', nextAttemptAt: null };
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
    state = { ...state, phase: 'waiting', nextAttemptAt: clock.now() + waitMs };
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
      // Whoever stores playlists may be down for a moment: that must not end the loop.
      log.error('playlist could not be stored', { error });
      return failure('playlist', 'not-stored', { host: options.host });
    }
    if (verdict.kind === 'rejected') return { kind: 'error', error: verdict.error };
    return { kind: answer.kind === 'not-modified' ? 'not-modified' : verdict.kind };
  };

  const succeeded = (lastResult: 'accepted' | 'no-fill' | 'not-modified'): number => {
    if (state.consecutiveFailures > 0) log.info('playlist refresh works again', { lastResult });
    state = { ...state, lastSuccessAt: clock.now(), lastResult, lastError: null, consecutiveFailures: 0 };
    return refreshMs * (0.95 + 0.1 * random());
  };

  const failed = (error: ServiceError): number => {
    const consecutiveFailures = state.consecutiveFailures + 1;
    state = { ...state, lastError: error, consecutiveFailures };
    const waitMs = waitAfterFailure(error, consecutiveFailures, backOff, random);
    log.warn('playlist refresh failed', {
      code: error.code,
      message: error.message,
      consecutiveFailures,
      retryInMs: Math.round(waitMs),
    });
    return waitMs;
  };

  return {
    start: () => void refresh(),
    refreshNow: async () => {
      if (!stopping.signal.aborted) await refresh();
      return state;
    },
    askAgain(inMs) {
      wantedBy = Math.min(wantedBy, clock.monotonic() + inMs);
      if (state.phase === 'waiting' && state.lastError === null && dueAt > wantedBy) wait(inMs);
    },
    stop() {
      stopping.abort();
      cancelWait();
      state = { ...state, phase: 'stopped', nextAttemptAt: null };
    },
    state: () => state,
  };
}

/**
 * Five seconds to fifteen minutes, but never slower than a refresh that works
 * (or a minute): that load the service has agreed to.
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
  // A little later than asked, each kiosk at its own moment: the service named one moment to all of them.
  const asked = error.retryAfterMs === undefined ? 0 : error.retryAfterMs * (1 + 0.1 * random());
  return Math.max(own, asked);
}
