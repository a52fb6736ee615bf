/** The only source of time. No part reads `Date.now()` by itself (rule 10). */
export interface Clock {
  /** Time for decisions and records: ms since the epoch, UTC, corrected by trusted time. */
  now(): number;
  /** For intervals: ms from an arbitrary start, never going back. */
  monotonic(): number;
}
