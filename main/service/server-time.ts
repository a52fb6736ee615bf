import { BUILD_DATE } from '../build-date';
import { mayCarrySecrets } from '../settings/service-address';

/** What a service's clock said, and when it was heard (rule 10). */
export interface ServerTime {
  /** ms since the epoch, UTC; whole seconds, as HTTP has them. */
  readonly at: number;
  /** The monotonic time of receipt, ms. */
  readonly monotonic: number;
}

/** Twenty years after the build: later times are not believed. */
const LATEST = (() => {
  const date = new Date(BUILD_DATE);
  return date.setUTCFullYear(date.getUTCFullYear() + 20);
})();

/**
 * The time that an answer tells (rule 10): its `Date` less its `Age`. Null where it tells
 * none, where it came over a connection that others can write to (neither TLS nor
 * loopback), and where it lies before this program was built or over 20 years later.
 *
 * @param url where the answer came from
 * @param monotonic when its head arrived, ms
 */
export function serverTime(url: string, headers: Headers, monotonic: number): ServerTime | null {
  const date = headers.get('date');
  if (date === null || !mayCarrySecrets(url)) return null;
  const age = /^\d{1,9}$/.exec(headers.get('age')?.trim() ?? '')?.[0] ?? '0';
  const at = Date.parse(date) - Number(age) * 1000;
  return at >= BUILD_DATE && at <= LATEST ? { at, monotonic } : null;
}
