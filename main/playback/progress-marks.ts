import type { TrackingUrl } from '../../shared/ad';
import type { Mark } from '../../shared/stage';
import { timeMs } from '../service/ads-reading/vast-values';

/** Most marks that the stage is given; more than any ad needs. */
const MOST_MARKS = 100;

/** The points of an ad's `progress` tracking, and what is fired at each. */
export interface ProgressMarks {
  /** Each mark once; the stage reports when it is reached. */
  readonly marks: readonly Mark[];
  /** The URLs of each mark, by its index in `marks`. */
  readonly urls: ReadonlyArray<readonly string[]>;
}

/**
 * Reads the offsets of `progress` tracking (VAST 4.2, section 3.14.1): `HH:MM:SS`, `HH:MM:SS.mmm` or a percentage of
 * the length. Invalid offsets are left out.
 */
export function progressMarks(tracking: readonly TrackingUrl[]): ProgressMarks {
  const points = new Map<string, { mark: Mark; urls: string[] }>();
  for (const { event, offset, url } of tracking) {
    if (event !== 'progress' || offset === null) continue;
    const mark = markOf(offset);
    if (mark === null) continue;
    const key = JSON.stringify(mark);
    const known = points.get(key);
    if (known) known.urls.push(url);
    else if (points.size < MOST_MARKS) points.set(key, { mark, urls: [url] });
  }
  const all = [...points.values()];
  return { marks: all.map(({ mark }) => mark), urls: all.map(({ urls }) => urls) };
}

/**
 * How far an ad was played at a mark, as a share of `durationMs`, its stated length; null: not known. More than 1 if the
 * ad is longer than stated.
 */
export function shareAt(mark: Mark | undefined, durationMs: number | null): number | null {
  if (mark === undefined) return null;
  if (mark.of === 'length') return mark.share;
  if (mark.ms === 0) return 0;
  return durationMs === null ? null : mark.ms / durationMs;
}

function markOf(offset: string): Mark | null {
  const percent = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(offset)?.[1];
  if (percent !== undefined) {
    const share = Number(percent) / 100;
    return share <= 1 ? { of: 'length', share } : null;
  }
  const ms = timeMs(offset);
  return ms === null ? null : { of: 'time', ms };
}
