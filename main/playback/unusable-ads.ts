import type { Ad } from '../../shared/ad';
import type { Basics } from '../basics';
import type { MediaCache } from '../media/media-cache';
import type { MediaProblemCode } from '../media/media-problem';
import { VAST_ERROR } from '../service/ads-reading/vast-document';
import { inTurns } from '../turns';
import type { AdFiles } from './ad-files';

/** VAST error codes of files that fail on every kiosk. With other problems, this kiosk or its network may be at fault. */
export const UNUSABLE: Readonly<Partial<Record<MediaProblemCode, number>>> = {
  status: VAST_ERROR.mediaNotFound,
  encoded: VAST_ERROR.mediaNotShown,
  'not-media': VAST_ERROR.mediaNotShown,
  truncated: VAST_ERROR.mediaNotShown,
  undecodable: VAST_ERROR.mediaNotShown,
  'too-large': VAST_ERROR.mediaNotShown,
  'too-many-pixels': VAST_ERROR.mediaNotShown,
};
/** A file that failed so often in a row is given up: before that, its server may only be overloaded. */
export const GIVEN_UP_AFTER = 3;
/** Most files whose failures are counted. */
const MAX_COUNTED = 1_000;

export interface UnusableAdsParts extends Pick<Basics, 'pause'> {
  readonly files: Pick<AdFiles, 'urls'>;
  readonly media: Pick<MediaCache, 'lookup' | 'problemOf'>;
  /** Called with ads of which no file can be used, and the VAST error code of the file that failed last. */
  readonly unusable: (ads: readonly Ad[], errorCode: number) => void;
}

/**
 * Reports the ads of which every file has now failed three times (rule 15).
 *
 * @returns a function to call with each file that can be used now, or that failed
 */
export function watchUnusable(
  { files, media, pause, unusable }: UnusableAdsParts,
  ads: () => readonly Ad[],
): (url: string, ready: boolean) => Promise<void> {
  /** How often each file has failed as on every kiosk, since it could last be used. */
  const failures = new Map<string, number>();
  const hasFailed = (url: string) => media.lookup(url) === null && (failures.get(url) ?? 0) >= GIVEN_UP_AFTER;

  return async (url, ready) => {
    if (ready) {
      failures.delete(url);
      return;
    }
    const code = media.problemOf(url)?.code;
    const errorCode = code && UNUSABLE[code];
    if (errorCode === undefined) return;
    const count = (failures.get(url) ?? 0) + 1;
    failures.set(url, count);
    const [oldest] = failures.keys();
    if (failures.size > MAX_COUNTED && oldest !== undefined) failures.delete(oldest);
    if (count !== GIVEN_UP_AFTER) return;
    const turns = inTurns(pause);
    const found: Ad[] = [];
    await turns.each(ads(), (ad) => {
      const urls = files.urls(ad);
      if (urls.includes(url) && urls.every(hasFailed)) found.push(ad);
    });
    unusable(found, errorCode);
  };
}
