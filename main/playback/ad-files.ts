import { createHash } from 'node:crypto';
import type { Ad, MediaFile } from '../../shared/ad';
import type { MediaCache, WantedMedia } from '../media/media-cache';
import { PAGE_TYPE } from '../media/media-type';
import { chooseMedia, mediaTypeOf, type ScreenSize } from '../service/ads-reading/choose-media';
import { inTurns, type Turns } from './turns';

/** Which of its files an ad is shown with: the best one for this screen, or, where that one fails, the next. */
export interface AdFiles {
  /**
   * Looks at the files of these ads a portion at a time: of ten thousand ads at once
   * everything else would wait. What is asked about them later costs next to nothing.
   *
   * @param pause lets other work run; resolves when it is this one's turn again
   */
  lookAt(ads: readonly Ad[], pause: () => Promise<void>): Promise<void>;
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
  /** The same, a portion at a time. */
  wantedInTurns(ads: readonly Ad[], turns: Turns): Promise<readonly WantedMedia[]>;
}

/** A longer key is told by its checksum: it goes into the books with every play. */
const LONGEST_KEY = 512;

/** What this kiosk could show of an ad, best first. */
interface Choice {
  readonly files: readonly MediaFile[];
  readonly urls: readonly string[];
  readonly key: string | null;
}

export function createAdFiles(screen: ScreenSize, media: Pick<MediaCache, 'lookup' | 'problems'>): AdFiles {
  const chosen = new WeakMap<Ad, Choice>();
  // Where the screen's size is asked of the system, a question costs as much as the whole choice.
  const sizeNow = (): ScreenSize => ({ width: screen.width, height: screen.height });
  const choiceOf = (ad: Ad, size?: ScreenSize): Choice => {
    let choice = chosen.get(ad);
    if (!choice) {
      const files = chooseMedia(ad, size ?? sizeNow());
      const urls = files.map(({ url }) => url);
      choice = { files, urls, key: keyOf(urls) };
      chosen.set(ad, choice);
    }
    return choice;
  };

  /** What to fetch for an ad, by what has failed until now. */
  const wantedNow = (): ((ad: Ad) => readonly WantedMedia[]) => {
    // A file that vanished is fetched again: that is no failure of it.
    const failed = new Set(media.problems().flatMap(({ url, code }) => (code === 'lost' ? [] : [url])));
    const isHopeless = ({ url }: MediaFile) => failed.has(url) && media.lookup(url) === null;
    return (ad) => {
      const { files } = choiceOf(ad);
      const settled = files.findIndex((file) => !isHopeless(file));
      const { expiresAt } = ad.metadata;
      return files.slice(0, settled < 0 ? files.length : settled + 1).map((file): WantedMedia => {
        const isPage = mediaTypeOf(file) === PAGE_TYPE;
        return { url: file.url, expiresAt, ...(isPage ? { form: 'page' } : {}) };
      });
    };
  };

  return {
    async lookAt(ads, pause) {
      const turns = inTurns(pause);
      const size = sizeNow();
      for (const ad of ads) {
        choiceOf(ad, size);
        if (turns.isOver()) await turns.next();
      }
      await turns.next();
    },
    urls: (ad) => choiceOf(ad).urls,
    key: (ad) => choiceOf(ad).key,
    playable: (ad) => choiceOf(ad).urls.find((url) => media.lookup(url) !== null) ?? null,
    wanted(ads) {
      const wantedOf = wantedNow();
      return ads.flatMap(wantedOf);
    },
    async wantedInTurns(ads, turns) {
      const wantedOf = wantedNow();
      const wanted: WantedMedia[] = [];
      for (const ad of ads) {
        wanted.push(...wantedOf(ad));
        if (turns.isOver()) await turns.next();
      }
      return wanted;
    },
  };
}

function keyOf([best, ...others]: readonly string[]): string | null {
  if (best === undefined || others.length === 0) return best ?? null;
  const key = JSON.stringify([best, ...others]);
  if (key.length <= LONGEST_KEY) return key;
  return `files ${createHash('sha256').update(key).digest('hex')}`;
}
