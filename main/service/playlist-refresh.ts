import type { Basics } from '../basics';
import { type BackOff, backOffMs } from '../egress/back-off';
import type { AdsAnswer, Validators } from './ads';
import { failure, type ServiceError, type ServiceFailure } from './service-error';

/** Whether an answer was used. An empty playlist is a success: the stored one plays on (rule 3). */
export type OfferVerdict = { readonly kind: 'accepted' | 'no-fill' } | ServiceFailure;

/** A request this much before `wantedBy` serves as well, ms: `APART_MS` in `trusted-clock.ts` allows for that. */
const EARLY_MS = 1_000;

export interface PlaylistRefreshOptions extends Pick<Basics, 'clock' | 'schedule' | 'random' | 'log'> {
  readonly request: (
    validators: Validators | null,
    signal: AbortSignal,
  ) => Promise<AdsAnswer | ServiceFailure>;
  /** The service's host, for messages. */
  readonly host: string;
  /** Called with every successful answer, `not-modified` and `no-fill` included. */
  readonly offer: (answer: AdsAnswer) => Promise<OfferVerdict>;
  /** Validators of the last accepted playlist; null: request unconditionally. */
  readonly validators: () => Validators | null;
  /** Called with the result of each attempt, after the answer was read and stored. */
  readonly tell?: (result: OfferVerdict) => void;
  readonly refreshSeconds: number;
}

/**
 * Keeps the playlist fresh: a request every `refreshSeconds` ± 5 %, with back-off after a failure, and never
 * before a `Retry-After` is over.
 */
export function createPlaylistRefresh(options: PlaylistRefreshOptions) {
  const { clock, random, schedule, log } = options;
  const refreshMs = options.refreshSeconds * 1000;
  const backOff = refreshBackOff(refreshMs);
  let lastError: ServiceError | null = null;
  let failures = 0;
  let underWay: Promise<void> | null = null;
  let cancelWait = (): void => {};
  /** Latest time of the next request, monotonic ms. */
  let wantedBy = Number.POSITIVE_INFINITY;
  /** Time of the next attempt, monotonic ms; -Infinity while an attempt is under way. */
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
    if (clock.monotonic() >= wantedBy - EARLY_MS) wantedBy = Number.POSITIVE_INFINITY;
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

  const judge = async (answer: AdsAnswer): Promise<OfferVerdict> => {
    try {
      return await options.offer(answer);
    } catch (error) {
      // The records window may be down for a moment. The refresh has to go on.
      log.error('playlist could not be stored', { error });
      return failure('playlist', 'not-stored', { host: options.host });
    }
  };

  const succeeded = (lastResult: string): number => {
    if (failures > 0) log.info('playlist refresh works again', { lastResult });
    lastError = null;
    failures = 0;
    return refreshMs * (0.95 + 0.1 * random());
  };

  const failed = (error: ServiceError): number => {
    lastError = error;
    failures += 1;
    const waitMs = backOffMs(failures, backOff, random, error.retryAfterMs);
    log.warn('playlist refresh failed', { ...error, failures, retryInMs: Math.round(waitMs) });
    return waitMs;
  };

  return {
    start: () => void refresh(),
    /** Requests now, or joins the request under way. Resolves to the error; null: success. */
    async refreshNow(): Promise<ServiceError | null> {
      if (!stopping.signal.aborted) await refresh();
      return lastError;
    },
    /**
     * Requests again within `inMs` ms, to confirm a deviating clock (rule 10), but not before the pause after a
     * failure is over. The last call counts: it is for another deviation.
     */
    askAgain(inMs: number): void {
      wantedBy = clock.monotonic() + inMs;
      if (lastError === null && dueAt > wantedBy) wait(inMs);
    },
    /** Requests now if the last request, or the one under way, gets no answer: then the pause after it spares nobody. */
    async networkIsBack(): Promise<void> {
      await underWay;
      if (lastError !== null && lastError.status === undefined && !stopping.signal.aborted) void refresh();
    },
    /** Cancels the request under way; `offer` is not called afterwards. */
    stop(): void {
      stopping.abort();
      cancelWait();
      dueAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/**
 * From 5 seconds to 15 minutes, but never slower than a normal refresh (or a minute): the service has agreed
 * to that load.
 */
export function refreshBackOff(refreshMs: number): BackOff {
  return { minMs: Math.min(5_000, refreshMs), maxMs: Math.min(15 * 60_000, Math.max(60_000, refreshMs)) };
}
