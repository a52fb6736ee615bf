import { createHash } from 'node:crypto';
import { doublingMs } from '../egress/back-off';

/** Shortest wait after a failed try, ms; it doubles with each further failure. */
const BACK_OFF_MS = 1_000;
/** Waits after failures grow to this, or to one period if that is longer, ms. */
const MAX_WAIT_MS = 60_000;

/**
 * The kiosk's own offset within each period of `everyMs`, ms. It is constant for a key and spread evenly over a
 * fleet, so that 100,000 kiosks that start together after a power cut do not send together.
 *
 * @param kiosk fingerprint of its key
 */
export function ownMoment(kiosk: string, everyMs: number): number {
  const spread = createHash('sha256').update(kiosk).digest().readUIntBE(0, 6) / 2 ** 48;
  return Math.floor(spread * everyMs);
}

/** ms from `now` (ms since the epoch) to the kiosk's next moment; more than 0, at most `everyMs`. */
export const untilOwnMoment = ({
  now,
  everyMs,
  ownMoment,
}: Record<'now' | 'everyMs' | 'ownMoment', number>) =>
  everyMs - ((((now - ownMoment) % everyMs) + everyMs) % everyMs);

/**
 * Wait after `failures` (≥ 1) failures in a row, ms. It is random, so that kiosks that failed together retry spread
 * over the whole span. The span grows to one period, so that a fleet then asks a receiver that is down about as often
 * as it sends otherwise. `retryAfterMs` (the answer's `Retry-After`) is added to the wait.
 */
export function afterFailuresMs(
  failures: number,
  everyMs: number,
  retryAfterMs: number | null,
  random: () => number,
): number {
  const longest = Math.max(MAX_WAIT_MS, everyMs);
  const span = doublingMs(failures + 1, { minMs: BACK_OFF_MS, maxMs: longest });
  const wait = BACK_OFF_MS + random() * (span - BACK_OFF_MS);
  return (retryAfterMs ?? 0) + wait;
}
