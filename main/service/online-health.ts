/**
 * How well per-slot requests work, for `ads.delivery: "auto"`. It switches with hysteresis, so that one lost
 * packet does not end online delivery, and one lucky answer does not start it on a bad line. Times: monotonic
 * ms.
 */
export type OnlineHealth =
  /** Slots are filled online. */
  | { readonly state: 'online'; readonly failuresInARow: number; readonly recent: readonly boolean[] }
  /** Slots are filled from the playlist; probes test now and then whether answers come in time again. */
  | { readonly state: 'offline'; readonly successesInARow: number; readonly nextProbeAt: number };

/** Whether a request got an answer before its deadline; no fill is an answer. */
export type OnlineAttempt = 'in-time' | 'failed';

/** Failures in a row that lead offline. */
const FAILURES_IN_A_ROW = 3;
/** Alternatively, this many failures among the last ten lead offline. */
const RECENT = 10;
const RECENT_FAILURES = 5;
/** Successful probes in a row that lead back online. */
const SUCCESSES_IN_A_ROW = 3;
const PROBE_AFTER_SUCCESS_MS = 10_000;
const PROBE_AFTER_FAILURE_MS = 30_000;

/** The state before any measurement: offline, with a probe due at once. */
export function unmeasuredHealth(at: number): OnlineHealth {
  return { state: 'offline', successesInARow: 0, nextProbeAt: at };
}

/** Whether to request the next slot online. */
export function deliversOnline(health: OnlineHealth): boolean {
  return health.state === 'online';
}

/** Whether a request only to measure is due. Never while online, because the slots' requests measure. */
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
