import type { Clock } from '../../shared/clock';
import type { NativeAd } from '../../shared/native';

/** Failures in a row after which a file is given up; its retries take some seconds. */
const TRIES = 3;
/** How long a file stays given up, ms: the next answers often contain the same ad. */
const REMEMBERED_MS = 60 * 60_000;
/** A file that the cache will not try again within this time is given up at once, ms. */
const LONGEST_WAIT_MS = 60_000;
/** Most given-up files remembered that no held ad needs; the oldest are forgotten first. */
const MOST_REMEMBERED = 500;

/**
 * Finds native ads that can never be shown because of their media. While held, they would delay the next
 * request as if there were something to show (rule 19).
 */
export function createMediaFailures(parts: {
  /** Every file the card of an ad can use. */
  readonly files: (ad: NativeAd) => readonly string[];
  /** Whether the card of an ad can be drawn with those of its files that `isThere` names. */
  readonly canBeShown: (ad: NativeAd, isThere: (url: string) => boolean) => boolean;
  readonly isOnDisk: (url: string) => boolean;
  /** In how many ms the cache tries to fetch a file; 0: now. */
  readonly waitMs: (url: string) => number;
  readonly clock: Pick<Clock, 'monotonic'>;
}) {
  const { files, canBeShown, isOnDisk, waitMs, clock } = parts;
  /** Failures in a row by file, the latest last; `at`: monotonic ms. */
  const failures = new Map<string, { readonly count: number; readonly at: number }>();
  let needed: ReadonlySet<string> = new Set();

  const isRemembered = (url: string): boolean => {
    const failure = failures.get(url);
    return failure !== undefined && failure.count >= TRIES && clock.monotonic() - failure.at < REMEMBERED_MS;
  };
  const isGivenUp = (url: string) => !isOnDisk(url) && (isRemembered(url) || waitMs(url) > LONGEST_WAIT_MS);

  return {
    /**
     * To be called when a file was stored, or could not be downloaded or stored. Returns false, and remembers
     * nothing, if no held ad needs it.
     */
    changed(url: string, ready: boolean): boolean {
      if (!needed.has(url)) return false;
      if (ready) {
        failures.delete(url);
        return true;
      }
      const count = failures.get(url)?.count ?? 0;
      // After its hour a file has all its tries again.
      const isOver = count >= TRIES && !isRemembered(url);
      failures.delete(url);
      failures.set(url, { count: isOver ? 1 : count + 1, at: clock.monotonic() });
      return true;
    },
    /**
     * Sets the ads that are held now. Forgets failures of other files, except those given up within the last
     * hour.
     */
    keepOnly(ads: readonly NativeAd[]): void {
      needed = new Set(ads.flatMap(files));
      const others = [...failures.keys()].filter((url) => !needed.has(url));
      const remembered = others.filter(isRemembered).slice(-MOST_REMEMBERED);
      for (const url of others) if (!remembered.includes(url)) failures.delete(url);
    },
    /**
     * Whether the card does without this file: it failed three times within the last hour, or is not tried
     * soon.
     */
    isGivenUp,
    /**
     * Why an ad will never be shown, in words: even with all its files, or without those that are given up. Null:
     * it may be.
     */
    neverShowable(ad: NativeAd): string | null {
      const own = new Set(files(ad));
      if (!canBeShown(ad, (url) => own.has(url))) return 'nothing of it can be shown here';
      return canBeShown(ad, (url) => own.has(url) && !isGivenUp(url)) ? null : 'its media cannot be fetched';
    },
  };
}
