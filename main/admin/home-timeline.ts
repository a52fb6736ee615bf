import type { AdminMinute, AdminTimeline } from '../../shared/admin';
import type { Status } from '../signals/status';
import { cut, cutOrNull } from './bounded-text';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** As many as are read at a glance. */
const MOST_PAST = 8;
const ID = 200;

/** The last hour at `now` (ms since the epoch), what was last in it, and what comes. Pure. */
export function timelineOf(
  { plays, startedAt, upcoming = [] }: Pick<Status, 'plays' | 'startedAt' | 'upcoming'>,
  now: number,
): AdminTimeline {
  const from = (Math.floor(now / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
  return {
    from,
    minutes: minutesOf(plays, from),
    startedAt: Date.parse(startedAt),
    past: plays
      .slice(-MOST_PAST)
      .reverse()
      .map((play) => ({
        at: Date.parse(play.at),
        adId: cut(play.adId, ID),
        flightId: cutOrNull(play.flightId, ID),
        sourceId: cutOrNull(play.sourceId, ID),
        delivery: play.delivery,
        mediaUrl: cut(play.mediaUrl, 500),
        durationMs: play.durationMs,
        viewedMs: play.viewedMs,
        outcome: play.outcome,
        endReason: cutOrNull(play.endReason, ID),
      })),
    upcoming: upcoming.map((slot) => ({
      kind: slot.kind,
      adId: cutOrNull(slot.adId, ID),
      flightId: cutOrNull(slot.flightId, ID),
      campaignId: cutOrNull(slot.campaignId, ID),
      sourceId: cutOrNull(slot.sourceId, ID),
      mediaUrl: cutOrNull(slot.mediaUrl, 500),
      durationMs: slot.durationMs,
      startsAt: Date.parse(slot.startsAt),
    })),
  };
}

/**
 * Sixty minutes from `from` on: a play counts in the minute it began in, and fills
 * those it was seen in. What lies before or after is left out.
 */
export function minutesOf(
  plays: ReadonlyArray<Pick<Status['plays'][number], 'at' | 'outcome' | 'viewedMs'>>,
  from: number,
): AdminMinute[] {
  const minutes = Array.from({ length: MINUTES }, () => ({
    plays: 0,
    interrupted: 0,
    failed: 0,
    viewedMs: 0,
  }));
  for (const { at, outcome, viewedMs } of plays) {
    const begins = Date.parse(at) - from;
    const first = minutes[Math.floor(begins / MINUTE_MS)];
    if (first && outcome !== 'given-back') {
      first.plays += 1;
      if (outcome === 'interrupted') first.interrupted += 1;
      if (outcome === 'failed') first.failed += 1;
    }
    const ends = Math.min(begins + viewedMs, MINUTES * MINUTE_MS);
    for (let passed = Math.max(0, begins); passed < ends; ) {
      const index = Math.floor(passed / MINUTE_MS);
      const until = Math.min(ends, (index + 1) * MINUTE_MS);
      const minute = minutes[index];
      // A clock that was set back lets plays overlap; a minute holds no more than itself.
      if (minute) minute.viewedMs = Math.min(MINUTE_MS, minute.viewedMs + until - passed);
      passed = until;
    }
  }
  return minutes;
}
