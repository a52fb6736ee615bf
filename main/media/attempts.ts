import type { Basics } from '../basics';
import { backOffMs } from '../egress/back-off';

const HOUR_MS = 3_600_000;
/** With more failing files than this, unwanted ones are forgotten after their pause. */
const MAX_REMEMBERED = 1_000;

interface AttemptsParts extends Pick<Basics, 'clock' | 'random'> {
  /** First pause after a failed download, ms; doubles up to an hour. */
  readonly retryMs: number;
}

export type Attempts = ReturnType<typeof createAttempts>;

/** When to contact the server of each URL again. */
export function createAttempts({ clock, retryMs, random }: AttemptsParts) {
  /** Number of failed transfers in a row, and the time of the next try (monotonic ms). */
  const failures = new Map<string, { readonly count: number; readonly until: number }>();
  const stale = new Set<string>();
  const askedAt = new Map<string, number>();
  return {
    /** Records a failed transfer. @param retryAfterMs the server's `Retry-After`, ms; null: none */
    failed(url: string, retryAfterMs: number | null): void {
      const count = (failures.get(url)?.count ?? 0) + 1;
      const pause = backOffMs(count, { minMs: retryMs, maxMs: HOUR_MS }, random, retryAfterMs);
      failures.set(url, { count, until: clock.monotonic() + pause });
    },
    /** Records a transfer that the disk did not take. The pause after disk errors is one for all files. */
    notStored(url: string): void {
      failures.set(url, { count: (failures.get(url)?.count ?? 0) + 1, until: clock.monotonic() });
    },
    succeeded: (url: string): void => void failures.delete(url),
    /** How many transfers of it failed in a row, or were not stored. */
    failures: (url: string): number => failures.get(url)?.count ?? 0,
    /** Time until the next try, ms; 0: now. */
    waitMs(url: string): number {
      const failure = failures.get(url);
      return failure ? Math.max(0, failure.until - clock.monotonic()) : 0;
    },
    /** Records that the server answered for this file, at this time, ms since the epoch. */
    answered: (url: string, at = clock.now()): void => void askedAt.set(url, at),
    /** Marks files whose server last answered at least an hour ago for revalidation. */
    revalidate(urls: Iterable<string>): void {
      const now = clock.now();
      for (const url of urls) {
        const asked = askedAt.get(url);
        // A time in the future means that the clock was put back since.
        if (asked !== undefined && (now - asked >= HOUR_MS || asked > now)) stale.add(url);
      }
    },
    isToBeAsked: (url: string): boolean => stale.has(url),
    /** Clears the mark: a request has started, or none is needed. */
    settle: (url: string): void => void stale.delete(url),
    /**
     * Forgets unwanted files. Bounds memory: services name new files for months. Failures are remembered for an
     * hour, because the next answers often name the same files.
     */
    keepOnly(wanted: { has(url: string): boolean }): void {
      const now = clock.monotonic();
      const keptMs = failures.size > MAX_REMEMBERED ? 0 : HOUR_MS;
      for (const [url, { until }] of failures)
        if (until + keptMs <= now && !wanted.has(url)) failures.delete(url);
      for (const url of askedAt.keys()) if (!wanted.has(url)) askedAt.delete(url);
      for (const url of stale) if (!wanted.has(url)) stale.delete(url);
    },
  };
}
