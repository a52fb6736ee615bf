import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FlightCounters } from '../../shared/books';
import { type DeclaredWindow, KNOWN_WINDOWS } from './cap-windows';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/*
 * Adds windows that the service does not name today: a look-back of three days, and calendar periods of half a day and
 * four weeks. All that is derived from the windows is derived when it is loaded, so it is loaded after this.
 */
const words = { en: '', de: '' };
/** A Friday. */
const FIRST = Date.parse('2027-01-01T00:00:00Z');
(KNOWN_WINDOWS as DeclaredWindow[]).push(
  { name: 'THREE_DAYS', counts: { kind: 'look-back', length: 3 * DAY }, words },
  { name: 'HALF_DAY', counts: { kind: 'calendar', length: 12 * HOUR, first: 0 }, words },
  { name: 'FOUR_WEEKS', counts: { kind: 'calendar', length: 28 * DAY, first: FIRST }, words },
);
const { countPlay, countWindow, countBelowFrom, noPlays, shrinkUnseen } = await import('./flight-counters');
const { carryCounts, usedInWindow } = await import('./judge-caps');
const WINDOWS = ['THREE_DAYS', 'HALF_DAY', 'FOUR_WEEKS'] as const;

/** Counts word for word over the whole history: slow and obvious. */
function slowCount(plays: readonly number[], window: (typeof WINDOWS)[number], now: number): number {
  if (window === 'THREE_DAYS') return plays.filter((at) => at > now - 3 * DAY).length;
  const start = new Date(now);
  start.setUTCHours(window === 'HALF_DAY' && start.getUTCHours() >= 12 ? 12 : 0, 0, 0, 0);
  if (window === 'FOUR_WEEKS')
    while ((start.getTime() - FIRST) % (28 * DAY) !== 0) start.setUTCDate(start.getUTCDate() - 1);
  return plays.filter((at) => at >= start.getTime()).length;
}

const start = Date.parse('2026-12-30T23:20:00Z');
const anyPause = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 * 60_000 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 2 * DAY }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 400 * DAY }) },
);
const anyPauses = fc.array(anyPause, { maxLength: 120, size: 'max' });

function playAfter(pauses: readonly number[]) {
  let now = start;
  let counters: FlightCounters = noPlays('f');
  const plays: number[] = [];
  for (const pause of pauses) {
    now += pause;
    plays.push(now);
    counters = countPlay(shrinkUnseen(counters, now), now);
  }
  return { now, counters, plays };
}

it('a window that is longer than the others is counted exactly', () => {
  fc.assert(
    fc.property(anyPauses, anyPause, fc.integer({ min: 1, max: 50 }), (pauses, later, limit) => {
      const { now, counters, plays } = playAfter(pauses);
      const at = now + later;
      for (const window of WINDOWS) {
        const used = slowCount(plays, window, at);
        expect(countWindow(counters, window, at)).toEqual({ used, exact: true });
        expect(countBelowFrom(counters, { window, limit }) <= at).toBe(used < limit);
      }
    }),
  );
});

it('a jump of the clock frees none of these windows before its length has passed', () => {
  fc.assert(
    fc.property(anyPauses, fc.integer({ min: -800 * DAY, max: 800 * DAY }), (pauses, jump) => {
      const { now, counters, plays } = playAfter(pauses);
      const moved = carryCounts(counters, now + jump, { at: now, ran: 0, isTrusted: true });
      for (const [window, length] of [
        ['THREE_DAYS', 3 * DAY],
        ['FOUR_WEEKS', 28 * DAY],
      ] as const) {
        const running = { at: now + jump + length - 1, ran: length - 1, isTrusted: true };
        expect(usedInWindow(moved, window, running.at, running)).toBeGreaterThanOrEqual(
          slowCount(plays, window, now),
        );
      }
    }),
  );
});

it('if a version carried counts without knowing a window, every play counts in that window', () => {
  const { now, counters } = playAfter([0, 30 * DAY, 30 * DAY]);
  const { carried, ...rest } = carryCounts(counters, now + 3 * DAY, { at: now, ran: 0, isTrusted: true });
  if (!carried) throw new Error('nothing was carried');
  const earlier = { ...rest, carried: { ...carried, used: carried.used.slice(0, 5) } };
  const running = { at: now + 4 * DAY, ran: DAY, isTrusted: true };
  expect(usedInWindow(earlier, 'FOUR_WEEKS', running.at, running)).toBe(3);
  expect(usedInWindow(earlier, 'FREQUENCY_CAP_WINDOW_WEEK', running.at, running)).toBe(1);
});
