import type { Ad } from '../../shared/ad';
import type { Basics } from '../basics';
import type { MediaCache } from '../media/media-cache';
import type { MediaProblemCode } from '../media/media-problem';
import { VAST_ERROR } from '../service/ads-reading/vast-document';
import { inTurns } from '../turns';
import type { AdFiles } from './ad-files';

/** VAST error codes of files that fail on every kiosk. With other problems, this kiosk or its network may be at fault. */
const UNUSABLE: Readonly<Partial<Record<MediaProblemCode, number>>> = {
  status: VAST_ERROR.mediaNotFound,
  'not-media': VAST_ERROR.mediaNotShown,
  truncated: VAST_ERROR.mediaNotShown,
  undecodable: VAST_ERROR.mediaNotShown,
  'too-large': VAST_ERROR.mediaNotShown,
  'too-many-pixels': VAST_ERROR.mediaNotShown,
};
/** A file that failed so often in a row counts as unusable: before that, its server may only be overloaded. */
const TRIES = 3;

export interface UnusableAdsParts extends Pick<Basics, 'pause'> {
  readonly files: Pick<AdFiles, 'urls'>;
  readonly media: Pick<MediaCache, 'lookup' | 'problemOf' | 'failures'>;
  /** Called with ads of which no file can be used, and the VAST error code of the file that failed last. */
  readonly unusable: (ads: readonly Ad[], errorCode: number) => void;
}

/** Reports the ads that cannot play because this file has failed now for the last of its tries (rule 15). */
export async function reportUnusable(
  { files, media, pause, unusable }: UnusableAdsParts,
  url: string,
  ads: () => readonly Ad[],
): Promise<void> {
  const code = media.problemOf(url)?.code;
  const errorCode = code && UNUSABLE[code];
  if (errorCode === undefined || media.failures(url) !== TRIES) return;
  const hasFailed = (each: string) => media.lookup(each) === null && media.problemOf(each) !== null;
  const turns = inTurns(pause);
  const found: Ad[] = [];
  for (const ad of ads()) {
    const urls = files.urls(ad);
    if (urls.includes(url) && urls.every(hasFailed)) found.push(ad);
    if (turns.isOver()) await turns.next();
  }
  unusable(found, errorCode);
}
