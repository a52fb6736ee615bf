/**
 * How well per-slot requests work, for `ads.delivery: "auto"`. It switches with hysteresis, so that one lost
 * packet does not end online delivery, and one lucky answer does not start it on a bad line.
 */
export interface OnlineHealth {
  /** Slots are filled online; else from the playlist, and probes test now and then whether answers come in time. */
  readonly isOnline: boolean;
  /** Whether the attempts since the last switch were in time: at most the last ten. */
  readonly recent: readonly boolean[];
  /** Monotonic ms. */
  readonly nextProbeAt: number;
}

/** Whether a request got an answer before its deadline; no fill is an answer. */
export type OnlineAttempt = 'in-time' | 'failed';

/** This many failures in a row lead offline, and as many successful probes in a row lead back online. */
const IN_A_ROW = 3;
/** Alternatively, this many failures among the last ten lead offline. */
const RECENT = 10;
const RECENT_FAILURES = 5;
const PROBE_AFTER_SUCCESS_MS = 10_000;
const PROBE_AFTER_FAILURE_MS = 30_000;

/** The state before any measurement: offline, with a probe due at once. @param at monotonic ms */
export const unmeasuredHealth = (at: number): OnlineHealth => ({
  isOnline: false,
  recent: [],
  nextProbeAt: at,
});

/** Whether a request only to measure is due. Never while online, because the slots' requests measure. */
export const probeDue = ({ isOnline, nextProbeAt }: OnlineHealth, at: number) =>
  !isOnline && at >= nextProbeAt;

/** The health after an attempt that ended at `at`, monotonic ms. */
export function afterOnlineAttempt(health: OnlineHealth, attempt: OnlineAttempt, at: number): OnlineHealth {
  const { isOnline } = health;
  const inTime = attempt === 'in-time';
  const recent = [...health.recent, inTime].slice(-RECENT);
  const last = recent.slice(-IN_A_ROW);
  const areOpposed = last.length === IN_A_ROW && last.every((one) => one !== isOnline);
  const isBad = isOnline && recent.filter((one) => !one).length >= RECENT_FAILURES;
  const nextProbeAt = at + (inTime ? PROBE_AFTER_SUCCESS_MS : PROBE_AFTER_FAILURE_MS);
  return areOpposed || isBad
    ? { isOnline: !isOnline, recent: [], nextProbeAt }
    : { isOnline, recent, nextProbeAt };
}
