import type { Ad, TrackingUrl } from '../../shared/ad';
import type { Mark } from '../../shared/stage';
import { type MacroEvent, NOT_SUPPORTED } from '../beacons/ad-macros';
import { timeMs } from '../service/ads-reading/vast-values';
import type { SlotEvent } from './slot-ad';

/** Most marks that the stage is given; more than any ad needs. */
const MAX_MARKS = 100;

/**
 * Reads the offsets of `progress` tracking (VAST 4.2, section 3.14.1): `HH:MM:SS`, `HH:MM:SS.mmm` or a percentage of
 * the length. Invalid offsets are left out. Returns each mark once, for the stage to report when it is reached, and by
 * the same index the URLs that are fired there.
 */
export function progressMarks(tracking: readonly TrackingUrl[]) {
  const points = new Map<string, { mark: Mark; urls: string[] }>();
  for (const { event, offset, url } of tracking) {
    if (event !== 'progress' || offset === null) continue;
    const mark = markOf(offset);
    if (mark === null) continue;
    const key = JSON.stringify(mark);
    const known = points.get(key);
    if (known) known.urls.push(url);
    else if (points.size < MAX_MARKS) points.set(key, { mark, urls: [url] });
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

/** An event that VAST names, the URLs that it is reported to, at least one, and values of their macros. */
interface VastEvent extends Pick<MacroEvent, 'share' | 'reason'> {
  readonly name: string;
  readonly urls: readonly string[];
}

/** The share of an ad that was played at these events. */
const SHARES = { firstQuartile: 0.25, midpoint: 0.5, thirdQuartile: 0.75, complete: 1 } as const;

/** What is reported of an ad, or of a native ad's video, when something happens to it on the screen. */
export function vastEvents(
  ad: Pick<Ad, 'impressions' | 'tracking' | 'durationMs' | 'notVerified' | 'viewable'>,
  event: SlotEvent,
): readonly VastEvent[] {
  const { impressions, tracking, notVerified = [], viewable = [], durationMs } = ad;
  const track = (name: string, share: number): VastEvent => ({
    name,
    share,
    urls: tracking.filter((one) => one.event === name).map(({ url }) => url),
  });
  const all = (): VastEvent[] => {
    if (typeof event === 'object') {
      const { marks, urls } = progressMarks(tracking);
      const share = shareAt(marks[event.mark], durationMs);
      return [{ name: 'progress', urls: urls[event.mark] ?? [], share }];
    }
    // Impressions are due at the first frame: only viewable impressions need a view.
    if (event === 'viewed') return [{ name: 'viewable', urls: viewable, share: null }];
    if (event !== 'shown') return [track(event, SHARES[event])];
    return [
      { name: 'impression', urls: impressions, share: 0 },
      { name: 'verificationNotExecuted', urls: notVerified, share: 0, reason: NOT_SUPPORTED },
      track('loaded', 0),
      track('creativeView', 0),
      track('start', 0),
    ];
  };
  return all().filter(({ urls }) => urls.length > 0);
}

/** VAST 4.2 error codes (section 2.3.6.3) of what can go wrong on the stage. */
const CODES: Readonly<Record<string, number>> = {
  // Its file is on disk, so it was found. A film that is too long fails so, too.
  'load-failed': 405,
  'start-timeout': 402,
  stalled: 402,
  'decode-failed': 405,
  error: 405,
};

/** The `[ERRORCODE]` of a stage error; 400, "general linear error", for unknown codes. */
export function vastErrorCode(failure: string): number {
  return CODES[failure] ?? 400;
}
