import { DAY_MS } from '../../shared/clock';

/**
 * What the wall clock shows at `at` (ms since the epoch), as if it were UTC; to the second.
 *
 * @param timeZone of the store; null: the machine's own
 */
function wallClock(at: number, timeZone: string | null): number {
  // Swedish writes times as ISO does.
  const text = new Date(at).toLocaleString('sv-SE', { timeZone: timeZone ?? undefined });
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

/** The beginning of the store's day that is `days` after the day of `at`. Both times are ms since the epoch. */
export function storeDay(at: number, timeZone: string | null, days = 0): number {
  const midnight = (Math.floor(wallClock(at, timeZone) / DAY_MS) + days) * DAY_MS;
  // By the clock of the day before and by that of the day after, in case it is changed in between.
  const begins = [midnight - DAY_MS, midnight + DAY_MS].map(
    (near) => midnight - (wallClock(near, timeZone) - near),
  );
  // Where clocks go forward at midnight, a day begins at one.
  return Math.min(...begins.filter((begin) => wallClock(begin, timeZone) >= midnight));
}
