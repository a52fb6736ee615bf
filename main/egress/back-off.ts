/** Longest wait a service may impose on a kiosk, in ms: a header typed wrong must not silence it for a year. */
export const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/**
 * Reads a `Retry-After` header: whole seconds or an HTTP date, taken against
 * `now` (ms since the epoch, UTC; the answer's own `Date` is best, because both
 * come from the same clock). In ms within 0 and one hour; null when unreadable.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const value = header.trim();
  if (/^\d{1,15}$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  // Only dates with a weekday or month name: `Date.parse` would take "-5" for a year.
  const at = /[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max(0, at - now), MAX_RETRY_AFTER_MS);
}
