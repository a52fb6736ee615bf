import { mayCarrySecrets } from '../settings/service-address';

/** Set by the build, in seconds since the epoch (`electron.vite.config.ts`); null where it is not known. */
declare const __BUILD_DATE__: number | null | undefined;

/** For tests that run the sources, and for a build that knows no date: surely before it. */
const NOT_KNOWN = Date.UTC(2025, 0, 1);

/** When this program was built, ms since the epoch, UTC: no clock that is right shows an earlier time (rule 10). */
export const BUILD_DATE: number = typeof __BUILD_DATE__ === 'number' ? __BUILD_DATE__ * 1000 : NOT_KNOWN;

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
