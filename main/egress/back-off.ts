/** How long to wait between failing attempts, in ms. */
export interface BackOff {
  readonly minMs: number;
  readonly maxMs: number;
}

/** `minMs` for the first time (`times` 1), and twice as much each further time, up to `maxMs`. */
export const doublingMs = (times: number, { minMs, maxMs }: BackOff): number =>
  Math.min(maxMs, minMs * 2 ** (times - 1));

/**
 * Wait before the next attempt after `failures` (≥ 1) in a row: doubling, never
 * outside [minMs, maxMs] unless the server asks for more, spread over the upper half of its span so that a
 * thousand kiosks that failed together do not come back together.
 * `random` gives numbers in [0, 1).
 *
 * @param retryAfterMs how long the server asks to wait, ms: the wait is never shorter, and up to a tenth
 *   longer, because it may have told all kiosks the same time; null: it does not ask
 */
export function backOffMs(
  failures: number,
  bounds: BackOff,
  random: () => number,
  retryAfterMs: number | null = null,
): number {
  const { minMs, maxMs } = bounds;
  const span = doublingMs(Math.max(1, failures) + 1, bounds);
  const shortest = Math.min(maxMs, Math.max(minMs, span / 2));
  const own = shortest + random() * (span - shortest);
  return Math.max(own, (retryAfterMs ?? 0) * (1 + 0.1 * random()));
}

/** Longest wait a service may impose on a kiosk, in ms: a header typed wrong must not silence it for a year. */
export const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/**
 * An HTTP date, ms since the epoch; NaN: it is none. The oldest of its forms, as C's `asctime` writes it, names no time
 * zone and is UTC (RFC 9110, 5.6.7); `Date.parse` takes the store's.
 */
export const httpDate = (text: string): number =>
  Date.parse(/^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/.test(text) ? `${text} GMT` : text);

/**
 * How long an answer asks to wait, ms from 0 to one hour; null: it does not, or not readably. A date in its `Retry-After`
 * counts from its own `Date`, because both come from one clock, or else from `now`.
 *
 * @param now ms since the epoch, UTC
 */
export function askedWaitMs(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, MAX_RETRY_AFTER_MS);
  // Only dates with a weekday or month name: `Date.parse` would take "-5" for a year.
  const at = /[A-Za-z]{3}/.test(value) ? httpDate(value) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const answeredAt = httpDate(headers.get('date') ?? '');
  return Math.min(Math.max(0, at - (Number.isNaN(answeredAt) ? now : answeredAt)), MAX_RETRY_AFTER_MS);
}
