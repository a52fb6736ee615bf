import type { AdminMinute, AdminTimeline } from '../../shared/admin';
import { MINUTE_MS } from '../../shared/clock';
import type { Status } from '../status/status';
import { MAX_RECENT_PLAYS } from '../status/status-bounds';

const MINUTES = 60;

/** The last hour at `now`, ms since the epoch. Pure. */
export function timelineOf(
  { plays, startedAt }: Pick<Status, 'plays' | 'startedAt'>,
  now: number,
): AdminTimeline {
  const from = (Math.floor(now / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
  const oldest = plays.length < MAX_RECENT_PLAYS ? from : (plays[0]?.at ?? from);
  return { from, minutes: minutesOf(plays, from), countedFrom: Math.max(from, oldest), startedAt };
}

/**
 * Sixty minutes from `from`, ms since the epoch. A play is counted in the minute in which it began; its viewed time
 * is added to each minute in which it was seen. Plays before and after are left out.
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
    const begins = at - from;
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
      // Plays overlap when the clock was set back.
      if (minute) minute.viewedMs = Math.min(MINUTE_MS, minute.viewedMs + until - passed);
      passed = until;
    }
  }
  return minutes;
}
