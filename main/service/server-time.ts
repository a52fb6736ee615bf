/** What a service's clock said, and when it was heard (rule 10). */
export interface ServerTime {
  /** ms since the epoch, UTC; whole seconds, as HTTP has them. */
  readonly at: number;
  /** The monotonic time of receipt, ms. */
  readonly monotonic: number;
}

/** No answer is older than this program. */
const EARLIEST = Date.UTC(2020, 0, 1);

/** The `Date` of an answer less its `Age` (rule 10), or null without a believable `Date`. */
export function serverTime(headers: Headers, monotonic: number): ServerTime | null {
  const date = headers.get('date');
  if (date === null) return null;
  const age = /^\d{1,9}$/.exec(headers.get('age')?.trim() ?? '')?.[0] ?? '0';
  const at = Date.parse(date) - Number(age) * 1000;
  return at >= EARLIEST ? { at, monotonic } : null;
}
