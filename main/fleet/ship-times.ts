import { createHash } from 'node:crypto';

/** Shortest wait after a failed try, ms; it doubles with each further failure. */
const BACK_OFF_MS = 1_000;
/** Where segments go out more often than this, waits grow up to it all the same, ms. */
const SMALLEST_LONGEST_MS = 60_000;

/**
 * The kiosk's own moment in `everyMs`, ms: always the same for one key, spread evenly over a fleet.
 * A power cut that ends for 100,000 kiosks at once does not bring them all at once.
 *
 * @param kiosk fingerprint of its key
 */
export function ownMoment(kiosk: string, everyMs: number): number {
  const spread = createHash('sha256').update(kiosk).digest().readUIntBE(0, 6) / 2 ** 48;
  return Math.floor(spread * everyMs);
}

/** ms from `now` (ms since the epoch) to the kiosk's next moment; more than 0, at most `everyMs`. */
export function untilOwnMoment(now: number, everyMs: number, moment: number): number {
  const since = (((now - moment) % everyMs) + everyMs) % everyMs;
  return everyMs - since;
}

/**
 * Wait after so many failures (≥ 1) in a row, ms: full jitter, so that kiosks that failed together
 * come back spread over the whole span; never longer than a period, so that a fleet asks a receiver
 * that is down no more often than it sends otherwise. What `Retry-After` asks for (ms) comes before it.
 */
export function afterFailuresMs(
  failures: number,
  everyMs: number,
  retryAfterMs: number | null,
  random: () => number,
): number {
  const longest = Math.max(SMALLEST_LONGEST_MS, everyMs);
  const span = Math.min(longest, BACK_OFF_MS * 2 ** Math.min(failures, 30));
  const wait = BACK_OFF_MS + random() * (span - BACK_OFF_MS);
  return (retryAfterMs ?? 0) + wait;
}
