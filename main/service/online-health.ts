/**
 * Measured health of per-slot requests, for `ads.delivery: "auto"`. It changes
 * sides with hysteresis, so that one lost packet does not empty the screen and
 * one lucky answer does not bet the next slot on a bad line. Times: monotonic ms.
 */
export type OnlineHealth =
  /** Slots are filled online. */
  | { readonly state: 'online'; readonly failuresInARow: number; readonly recent: readonly boolean[] }
  /** Slots are filled from the playlist; now and then a request is tried, to see whether answers come in time again. */
  | { readonly state: 'offline'; readonly successesInARow: number; readonly nextProbeAt: number };

/** What a request showed: back with an answer (a no-fill is one) before its deadline, or not. */
export type OnlineAttempt = 'in-time' | 'failed';

/** This many failures in a row … */
const FAILURES_IN_A_ROW = 3;
/** … or this many among the latest ten lead offline. */
const RECENT = 10;
const RECENT_FAILURES = 5;
/** This many good probes in a row lead back online. */
const SUCCESSES_IN_A_ROW = 3;
const PROBE_AFTER_SUCCESS_MS = 10_000;
const PROBE_AFTER_FAILURE_MS = 30_000;

/** Before anything is measured: offline, with a probe due at once. */
export function unmeasuredHealth(at: number): OnlineHealth {
  return { state: 'offline', successesInARow: 0, nextProbeAt: at };
}

/** Whether the next slot is to be asked for online. */
export function deliversOnline(health: OnlineHealth): boolean {
  return health.state === 'online';
}

/** Whether a request should be made only to measure. Never while online: the slots measure. */
export function probeDue(health: OnlineHealth, at: number): boolean {
  return health.state === 'offline' && at >= health.nextProbeAt;
}

/** The health after an attempt that ended at `at`. */
export function afterOnlineAttempt(health: OnlineHealth, attempt: OnlineAttempt, at: number): OnlineHealth {
  if (health.state === 'online') {
    const failuresInARow = attempt === 'failed' ? health.failuresInARow + 1 : 0;
    const recent = [...health.recent, attempt === 'in-time'].slice(-RECENT);
    const failures = recent.filter((good) => !good).length;
    return failuresInARow >= FAILURES_IN_A_ROW || failures >= RECENT_FAILURES
      ? { state: 'offline', successesInARow: 0, nextProbeAt: at + PROBE_AFTER_FAILURE_MS }
      : { state: 'online', failuresInARow, recent };
  }
  if (attempt === 'failed') {
    return { state: 'offline', successesInARow: 0, nextProbeAt: at + PROBE_AFTER_FAILURE_MS };
  }
  const successesInARow = health.successesInARow + 1;
  return successesInARow >= SUCCESSES_IN_A_ROW
    ? { state: 'online', failuresInARow: 0, recent: [] }
    : { state: 'offline', successesInARow, nextProbeAt: at + PROBE_AFTER_SUCCESS_MS };
}
