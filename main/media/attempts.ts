import type { Clock } from '../../shared/clock';
import { backOffMs } from '../egress/back-off';

const HOUR_MS = 3_600_000;
const CEILING_MS = HOUR_MS;

export interface AttemptsParts {
  readonly clock: Clock;
  /** First pause after a failed download, ms; doubles up to an hour. */
  readonly retryMs: number;
  /** Numbers in [0, 1): spreads the retries of many kiosks. */
  readonly random: () => number;
}

/** When the server of each URL is asked again. */
export interface Attempts {
  /** A transfer failed. @param retryAfterMs what the server asked for; null: nothing */
  failed(url: string, retryAfterMs: number | null): void;
  succeeded(url: string): void;
  /** Time until the next try, ms; 0: now. */
  waitMs(url: string): number;
  /** The server answered for this file. @param at ms since the epoch; absent: now */
  answered(url: string, at?: number): void;
  /** Marks files whose server last answered over an hour ago: it is to be asked whether they changed. */
  revalidate(urls: Iterable<string>): void;
  isToBeAsked(url: string): boolean;
  toBeAsked(): Iterable<string>;
  /** The server is being asked, or need not be. */
  settle(url: string): void;
  /** Forgets files that are not wanted and whose pause is over: a service may name new files for months. */
  keepOnly(wanted: { has(url: string): boolean }): void;
}

export function createAttempts({ clock, retryMs, random }: AttemptsParts): Attempts {
  /** Failed transfers in a row, and when to try again (monotonic ms). */
  const failures = new Map<string, { readonly count: number; readonly until: number }>();
  const stale = new Set<string>();
  const askedAt = new Map<string, number>();
  return {
    failed(url, retryAfterMs) {
      const count = (failures.get(url)?.count ?? 0) + 1;
      const pause = backOffMs(count, { minMs: retryMs, maxMs: CEILING_MS }, random);
      failures.set(url, { count, until: clock.monotonic() + Math.max(pause, retryAfterMs ?? 0) });
    },
    succeeded: (url) => void failures.delete(url),
    waitMs(url) {
      const failure = failures.get(url);
      return failure ? Math.max(0, failure.until - clock.monotonic()) : 0;
    },
    answered: (url, at = clock.now()) => void askedAt.set(url, at),
    revalidate(urls) {
      const now = clock.now();
      for (const url of urls) {
        const asked = askedAt.get(url);
        // In the future: the clock was put back since.
        if (asked !== undefined && (now - asked >= HOUR_MS || asked > now)) stale.add(url);
      }
    },
    isToBeAsked: (url) => stale.has(url),
    toBeAsked: () => stale,
    settle: (url) => void stale.delete(url),
    keepOnly(wanted) {
      const now = clock.monotonic();
      for (const [url, { until }] of failures) if (until <= now && !wanted.has(url)) failures.delete(url);
      for (const url of askedAt.keys()) if (!wanted.has(url)) askedAt.delete(url);
      for (const url of stale) if (!wanted.has(url)) stale.delete(url);
    },
  };
}
