import { httpDate } from '../egress/back-off';
import { mayCarrySecrets } from '../settings/service-address';

/** Set by the build (`electron.vite.config.ts`), seconds since the epoch; null: not known. */
declare const __BUILD_DATE__: number | null | undefined;

/** For tests that run the sources, and for builds without a date; surely earlier than either. */
const NOT_KNOWN = Date.UTC(2025, 0, 1);

/** When this program was built, ms since the epoch, UTC. A correct clock never shows an earlier time (rule 10). */
export const BUILD_DATE: number = typeof __BUILD_DATE__ === 'number' ? __BUILD_DATE__ * 1000 : NOT_KNOWN;

/** The time according to the service's clock, and when it was received (rule 10). */
export interface ServerTime {
  /** ms since the epoch, UTC; whole seconds, the resolution of HTTP. */
  readonly at: number;
  /** Monotonic time of receipt, ms. */
  readonly monotonic: number;
}

/** Twenty years after the build; later times are rejected. */
const LATEST = (() => {
  const date = new Date(BUILD_DATE);
  return date.setUTCFullYear(date.getUTCFullYear() + 20);
})();

/**
 * The server's time in an answer (rule 10): its `Date` minus its `Age`. Null: there is none, others could
 * have changed it on the way (neither TLS nor loopback), or it is before the build of this program or more
 * than 20 years later.
 * @param url source of the answer
 * @param monotonic when the headers arrived, ms
 */
export function serverTime(url: string, headers: Headers, monotonic: number): ServerTime | null {
  const date = headers.get('date');
  if (date === null || !mayCarrySecrets(url)) return null;
  const age = /^\d{1,9}$/.exec(headers.get('age')?.trim() ?? '')?.[0] ?? '0';
  const at = httpDate(date) - Number(age) * 1000;
  return at >= BUILD_DATE && at <= LATEST ? { at, monotonic } : null;
}
