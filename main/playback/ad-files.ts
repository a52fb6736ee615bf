import { createHash } from 'node:crypto';
import type { Ad, MediaFile } from '../../shared/ad';
import type { MediaCache } from '../media/media-cache';
import { mediaIdentity } from '../media/media-identity';
import { PAGE_TYPE } from '../media/media-type';
import type { WantedMedia } from '../media/want-list';
import { chooseMedia, isSameSize, mediaTypeOf, type ScreenSize } from '../service/ads-reading/choose-media';
import { inTurns, type Turns } from '../turns';

export type AdFiles = ReturnType<typeof createAdFiles>;

/** A longer key is replaced by its SHA-256, because the key is stored in the books with every play. */
const MAX_KEY_LENGTH = 512;

/** What this kiosk could show of an ad, best first. */
interface Choice {
  readonly screen: ScreenSize;
  readonly files: readonly MediaFile[];
  /** The identity of each file. */
  readonly urls: readonly string[];
  readonly key: string | null;
}

/**
 * Chooses which of its files an ad is shown with: the best one for the screen's size at the moment or, if that one
 * fails, the next.
 */
export function createAdFiles(screen: ScreenSize, media: Pick<MediaCache, 'lookup' | 'problems'>) {
  const chosen = new WeakMap<Ad, Choice>();
  const choiceOf = (ad: Ad): Choice => {
    let choice = chosen.get(ad);
    if (!choice || !isSameSize(choice.screen, screen)) {
      const files = chooseMedia(ad, screen);
      const urls = files.map(({ url }) => mediaIdentity(url));
      choice = { screen: { ...screen }, files, urls, key: keyOf(urls) };
      chosen.set(ad, choice);
    }
    return choice;
  };

  /** Returns the files to fetch for an ad, given the errors so far. */
  const wantedNow = (): ((ad: Ad) => readonly WantedMedia[]) => {
    // A lost file is fetched again; it did not fail.
    const failed = new Set(media.problems().flatMap(({ url, code }) => (code === 'lost' ? [] : [url])));
    const isFailed = (url: string) => failed.has(url) && media.lookup(url) === null;
    return (ad) => {
      const { files, urls } = choiceOf(ad);
      const settled = urls.findIndex((url) => !isFailed(url));
      const { expiresAt } = ad.metadata;
      return files.slice(0, settled < 0 ? files.length : settled + 1).map((file, index): WantedMedia => {
        const isPage = mediaTypeOf(file) === PAGE_TYPE;
        const { url } = file;
        return { url, identity: urls[index] ?? url, expiresAt, ...(isPage ? { form: 'page' } : {}) };
      });
    };
  };

  return {
    /**
     * Chooses the files of these ads in advance, in turns: for ten thousand ads at once all other work would wait.
     * Later calls for these ads are cheap.
     *
     * @param pause lets other work run; resolves when this work may continue
     */
    async lookAt(ads: readonly Ad[], pause: () => Promise<void>): Promise<void> {
      const turns = inTurns(pause);
      await turns.each(ads, choiceOf);
      await turns.next();
    },
    /** The identity of every file this kiosk could show, best first. */
    urls: (ad: Ad): readonly string[] => choiceOf(ad).urls,
    /**
     * The key of an ad's media, the same whichever of its files plays or is best for the screen; null when this kiosk can
     * show none of them.
     */
    key: (ad: Ad): string | null => choiceOf(ad).key,
    /** The identity of the best file of those that may play now, or null while there is none. */
    playable: (ad: Ad): string | null => choiceOf(ad).urls.find((url) => media.lookup(url) !== null) ?? null,
    /**
     * The files to fetch for these ads: of each ad the best one and, while the files tried so far have failed
     * (download, check, decoder), the next one too.
     */
    wanted: (ads: readonly Ad[]): readonly WantedMedia[] => ads.flatMap(wantedNow()),
    async wantedInTurns(ads: readonly Ad[], turns: Turns): Promise<readonly WantedMedia[]> {
      const wantedOf = wantedNow();
      const wanted: WantedMedia[] = [];
      await turns.each(ads, (ad) => wanted.push(...wantedOf(ad)));
      return wanted;
    },
  };
}

function keyOf(urls: readonly string[]): string | null {
  const [only, ...others] = urls;
  if (only === undefined) return null;
  // Sorted: the order of the files depends on the screen, and recency outlives its size.
  const key = others.length === 0 ? only : JSON.stringify(urls.toSorted());
  if (key.length <= MAX_KEY_LENGTH) return key;
  return `files ${createHash('sha256').update(key).digest('hex')}`;
}
