/** Passed to every part that needs the time, so that all decide by one clock (rule 10). */
export interface Clock {
  /** Time for decisions and records: ms since the epoch, UTC, corrected by trusted time. */
  now(): number;
  /** For intervals: ms from an arbitrary start, never going back. */
  monotonic(): number;
}

/** Durations in ms. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** RFC 3339 knows the years 0000 to 9999. */
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A time as RFC 3339 in UTC with milliseconds. Never throws: a time that RFC 3339 cannot express becomes the nearest
 * one that it can, and NaN becomes 1970.
 *
 * @param at ms since the epoch
 */
export function instant(at: number): string {
  return new Date(Number.isNaN(at) ? 0 : Math.min(Math.max(at, EARLIEST), LATEST)).toISOString();
}
