import { HOUR_MS } from '../../shared/clock';
import type { Basics } from '../basics';
import { backOffMs } from '../egress/back-off';
import type { MediaProblemCode } from './media-problem';
import type { Need } from './want-list';

/** First pause after a failed download, ms; doubles up to an hour, or to `UNREACHABLE_MS`. */
const RETRY_MS = 2_000;
/** Longest pause while a server cannot be reached or a house file not be read, ms: both may be over at any time. */
const UNREACHABLE_MS = 5 * 60_000;
/** It is at least this for each failing file, ms, so that tries of silent servers leave a download place for others. */
const UNREACHABLE_MS_PER_FILE = 60_000;
/** With more failing files than this, unwanted ones are forgotten after their pause. */
const MAX_REMEMBERED = 1_000;

interface FailedTransfer {
  readonly code: MediaProblemCode;
  /** The server's `Retry-After`, ms; null: none. */
  readonly retryAfterMs?: number | null;
  /** How long it lasted if it continued one before and got further, ms; null: it did not. */
  readonly furtherMs?: number | null;
  /** The newest URL of the file when the transfer began. */
  readonly newest?: string | undefined;
}

/** Failed transfers of a file in a row. `until`: time of the next try, monotonic ms. */
interface Failures {
  readonly count: number;
  /** Those since it last got further: the pauses grow with them. */
  readonly inPlace: number;
  readonly until: number;
  /** The last problem, and how often in a row it was this one; null: the disk did not take the last transfer. */
  readonly last: { readonly code: MediaProblemCode; readonly times: number } | null;
  /** Whether the server refused the last transfer, and did not ask to wait: a signature may be the reason. */
  readonly isRefused: boolean;
  /** The newest URL of the file at the last transfer. */
  readonly newest: string;
}

const NONE: Failures = { count: 0, inPlace: 0, until: 0, last: null, isRefused: false, newest: '' };

export type Attempts = ReturnType<typeof createAttempts>;

/** When to contact the server of each URL again. */
export function createAttempts({ clock, random }: Pick<Basics, 'clock' | 'random'>) {
  const failures = new Map<string, Failures>();
  const stale = new Set<string>();
  /** When the server of each URL answered last, and for how long it is not asked again, ms. */
  const lastAnswers = new Map<string, { readonly at: number; readonly restMs: number }>();
  const longestUnreachableMs = () =>
    Math.min(HOUR_MS, Math.max(UNREACHABLE_MS, failures.size * UNREACHABLE_MS_PER_FILE));
  return {
    /**
     * Records a failed transfer. After one that got further the pauses begin anew: a file that a weak line brings in
     * many pieces would soon wait an hour for each. The pause lasts as long as that transfer, so that other files have
     * half of the time (rule 31).
     */
    failed(url: string, { code, retryAfterMs = null, furtherMs = null, newest = url }: FailedTransfer): void {
      const { count: before, inPlace: beforeInPlace, last } = failures.get(url) ?? NONE;
      const inPlace = furtherMs === null ? beforeInPlace + 1 : 1;
      const minMs = Math.max(RETRY_MS, furtherMs ?? 0);
      // A house file that cannot be read keeps its URL when its rights are put right, so only a try shows it.
      const mayBeThereSoon = code === 'unreachable' || (code === 'short' && url.startsWith('house:'));
      const maxMs = mayBeThereSoon ? longestUnreachableMs() : HOUR_MS;
      const pause = backOffMs(inPlace, { minMs, maxMs }, random, retryAfterMs);
      const times = last?.code === code ? last.times + 1 : 1;
      const until = clock.monotonic() + pause;
      const isRefused = code === 'status' && retryAfterMs === null;
      failures.set(url, { count: before + 1, inPlace, until, last: { code, times }, isRefused, newest });
    },
    /** Records a transfer that the disk did not take. The pause after disk errors is one for all files. */
    notStored(url: string): void {
      const { count, inPlace } = failures.get(url) ?? NONE;
      failures.set(url, { ...NONE, count: count + 1, inPlace: inPlace + 1, until: clock.monotonic() });
    },
    succeeded: (url: string): void => void failures.delete(url),
    /**
     * Where to fetch a file: at its newest URL, and after each refusal at the next one, because an ad may name a URL
     * whose signature is wrong, and must not keep the file from the other ads.
     */
    urlOf({ url, urls }: Pick<Need, 'url' | 'urls'>): string {
      const { isRefused, last } = failures.get(url) ?? NONE;
      return urls[isRefused ? (last?.times ?? 0) % urls.length : 0] ?? url;
    },
    /**
     * Forgets the failures of files that their server refused before their newest URL was known: the signature of the
     * older one may have expired. Returns these files.
     */
    readdressed(needs: ReadonlyMap<string, Pick<Need, 'urls'>>): readonly string[] {
      const found = [...failures].filter(
        ([url, { isRefused, newest }]) => isRefused && (needs.get(url)?.urls[0] ?? newest) !== newest,
      );
      for (const [url] of found) failures.delete(url);
      return found.map(([url]) => url);
    },
    /** How many transfers of it failed in a row, or were not stored. */
    failures: (url: string): number => failures.get(url)?.count ?? 0,
    /** With which problem its transfers failed last, and how often in a row; null: with none, or the disk's. */
    failedAs: (url: string): Failures['last'] => failures.get(url)?.last ?? null,
    /** Time until the next try, ms; 0: now. */
    waitMs(url: string): number {
      const failure = failures.get(url);
      return failure ? Math.max(0, failure.until - clock.monotonic()) : 0;
    },
    /** Records that the server answered for this file. @param at ms since the epoch @param restMs until it is asked again */
    answered: (url: string, at = clock.now(), restMs = HOUR_MS): void =>
      void lastAnswers.set(url, { at, restMs }),
    /** Marks files for revalidation whose server has not been asked for as long as they may rest. */
    revalidate(urls: Iterable<string>): void {
      const now = clock.now();
      for (const url of urls) {
        const last = lastAnswers.get(url);
        // A time in the future means that the clock was put back since.
        if (last && (now - last.at >= last.restMs || last.at > now)) stale.add(url);
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
      for (const url of lastAnswers.keys()) if (!wanted.has(url)) lastAnswers.delete(url);
      for (const url of stale) if (!wanted.has(url)) stale.delete(url);
    },
  };
}
