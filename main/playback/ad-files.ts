import { createHash } from 'node:crypto';
import type { Ad, MediaFile } from '../../shared/ad';
import type { MediaCache, WantedMedia } from '../media/media-cache';
import { PAGE_TYPE } from '../media/media-type';
import { chooseMedia, mediaTypeOf, type ScreenSize } from '../service/ads-reading/choose-media';

/** Which of its files an ad is shown with: the best one for this screen, or, where that one fails, the next. */
export interface AdFiles {
  /** By which an ad's media is known, whichever of its files plays; null: this kiosk can show none of them. */
  key(ad: Ad): string | null;
  /** Every address of a file this kiosk could show, best first. */
  urls(ad: Ad): readonly string[];
  /** The best file of those that may play now, or null while there is none. */
  playable(ad: Ad): string | null;
  /**
   * What to fetch for these ads: of each the best file and, as long as what was tried
   * failed (download, check, decoder), the next one too.
   */
  wanted(ads: readonly Ad[]): readonly WantedMedia[];
}

/** A longer key is told by its checksum: it goes into the books with every play. */
const LONGEST_KEY = 512;

export function createAdFiles(screen: ScreenSize, media: Pick<MediaCache, 'lookup' | 'problems'>): AdFiles {
  const chosen = new WeakMap<Ad, readonly MediaFile[]>();
  const filesOf = (ad: Ad): readonly MediaFile[] => {
    let files = chosen.get(ad);
    if (!files) {
      files = chooseMedia(ad, screen);
      chosen.set(ad, files);
    }
    return files;
  };
  const urls = (ad: Ad) => filesOf(ad).map(({ url }) => url);

  return {
    urls,
    key(ad) {
      const [best, ...others] = urls(ad);
      if (best === undefined || others.length === 0) return best ?? null;
      const key = JSON.stringify([best, ...others]);
      if (key.length <= LONGEST_KEY) return key;
      return `files ${createHash('sha256').update(key).digest('hex')}`;
    },
    playable: (ad) => urls(ad).find((url) => media.lookup(url) !== null) ?? null,
    wanted(ads) {
      // A file that vanished is fetched again: that is no failure of it.
      const failed = new Set(media.problems().flatMap(({ url, code }) => (code === 'lost' ? [] : [url])));
      const isHopeless = ({ url }: MediaFile) => failed.has(url) && media.lookup(url) === null;
      return ads.flatMap((ad) => {
        const files = filesOf(ad);
        const settled = files.findIndex((file) => !isHopeless(file));
        const { expiresAt } = ad.metadata;
        return files.slice(0, settled < 0 ? files.length : settled + 1).map((file): WantedMedia => {
          const isPage = mediaTypeOf(file) === PAGE_TYPE;
          return { url: file.url, expiresAt, ...(isPage ? { form: 'page' } : {}) };
        });
      });
    },
  };
}
