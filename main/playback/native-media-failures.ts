import type { NativeAd } from '../../shared/native';

/** A file that failed so often is given up for the ads that need it: its retries take some seconds. */
const TRIES = 3;

export interface MediaFailuresParts {
  /** The ads at hand. */
  readonly ads: () => readonly NativeAd[];
  /** Whether the card of an ad can be drawn with what is on disk. */
  readonly canBeShown: (ad: NativeAd) => boolean;
  /** Every file the card of an ad can use. */
  readonly files: (ad: NativeAd) => readonly string[];
}

export interface MediaFailures {
  /**
   * A file could not be fetched, or not be kept. Returns the ads that are to be dropped for it: none of their
   * files can be had, and without one there is nothing to show.
   */
  failed(url: string): readonly NativeAd[];
  /** Forgets the files of all other ads. */
  keepOnly(ads: readonly NativeAd[]): void;
}

/**
 * Finds native ads whose media cannot be fetched: held on, they would keep the
 * next request waiting as if there were something to show (rule 19).
 */
export function createMediaFailures({ ads, canBeShown, files }: MediaFailuresParts): MediaFailures {
  const failures = new Map<string, number>();
  const isGivenUp = (url: string) => (failures.get(url) ?? 0) >= TRIES;
  return {
    failed(url) {
      const users = ads().filter((ad) => files(ad).includes(url));
      if (users.length === 0) return [];
      failures.set(url, (failures.get(url) ?? 0) + 1);
      return users.filter((ad) => files(ad).every(isGivenUp) && !canBeShown(ad));
    },
    keepOnly(kept) {
      const urls = new Set(kept.flatMap(files));
      for (const url of failures.keys()) if (!urls.has(url)) failures.delete(url);
    },
  };
}
