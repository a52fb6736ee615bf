import type { HourTotals } from '../../shared/proof-of-play';

const HOUR = 3_600_000;
/** Longer periods are drawn by days: more bars could not be told apart. */
const MAX_HOUR_BARS = 96;

export interface PlayBars {
  readonly unit: 'hour' | 'day';
  /** Beginnings of the bars, ms since the epoch, ascending and without gaps. */
  readonly starts: readonly number[];
  readonly plays: readonly number[];
}

/**
 * The bars of a chart of a period (`from` inclusive, `to` exclusive; ms since the
 * epoch). Hours and days without plays have a bar of 0. Days are those of the
 * local calendar, also when the clocks change.
 */
export function playBars(hours: readonly HourTotals[], from: number, to: number): PlayBars {
  const unit = (to - from) / HOUR <= MAX_HOUR_BARS ? 'hour' : 'day';
  const beginning = (at: number) => {
    if (unit === 'hour') return Math.floor(at / HOUR) * HOUR;
    return new Date(at).setHours(0, 0, 0, 0);
  };
  const following = (start: number) => {
    if (unit === 'hour') return start + HOUR;
    const day = new Date(start);
    return day.setDate(day.getDate() + 1);
  };
  const counts = new Map<number, number>();
  for (let start = beginning(from); start < to; start = following(start)) counts.set(start, 0);
  for (const { hour, plays } of hours) {
    // In time zones with half hours a UTC hour can begin before the period: it counts in the first bar.
    const bar = beginning(Math.max(hour, from));
    if (counts.has(bar)) counts.set(bar, (counts.get(bar) ?? 0) + plays);
  }
  return { unit, starts: [...counts.keys()], plays: [...counts.values()] };
}

/** A day's beginning by the local calendar, `days` after the one `at` is in. */
export function localDay(at: number, days = 0): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.setDate(day.getDate() + days);
}
