import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examplePlay } from '../../renderer/records/testing/example-play';
import { AdminTimeline } from '../../shared/admin';
import type { Play } from '../../shared/play';
import { MAX_RECENT_PLAYS } from '../status/status-bounds';
import { minutesOf, timelineOf } from './home-timeline';

const MINUTE = 60_000;
/** Half a minute after the last of sixty minutes began. */
const NOW = Date.UTC(2026, 10, 20, 12, 0, 30);
const FROM = Date.UTC(2026, 10, 20, 11, 1);

const play = (at: number, change: Partial<Play> = {}) => examplePlay({ at, ...change });

describe('the last hour', () => {
  it('has sixty minutes, up to the current one', () => {
    const plays = Array.from({ length: 30 }, (_, index) =>
      play(NOW - (30 - index) * 9_000, { adId: `ad-${index}` }),
    );
    const timeline = AdminTimeline.parse(timelineOf({ plays, startedAt: NOW - 5 * MINUTE }, NOW));
    expect(timeline.from).toBe(FROM);
    expect(timeline.minutes).toHaveLength(60);
    expect(timeline.minutes.reduce((sum, minute) => sum + minute.plays, 0)).toBe(30);
    expect(timeline.startedAt).toBe(NOW - 5 * MINUTE);
  });

  it.each([
    ['of all of the hour, where the list of plays has room', MAX_RECENT_PLAYS - 1, 2_000, FROM],
    [
      'from the oldest play on, where the list is full',
      MAX_RECENT_PLAYS,
      2_000,
      NOW - MAX_RECENT_PLAYS * 2_000,
    ],
    ['of all of the hour, where the full list reaches further back', MAX_RECENT_PLAYS, 4_000, FROM],
  ])('says that it counts plays %s', (_, count, everyMs, expected) => {
    const plays = Array.from({ length: count }, (_, index) => play(NOW - (count - index) * everyMs));
    expect(timelineOf({ plays, startedAt: 0 }, NOW).countedFrom).toBe(expected);
  });

  it('counts a play in the minute it began, and its viewed time in the minutes it was visible', () => {
    const [first, second, third] = minutesOf(
      [
        play(FROM + 50_000, { viewedMs: 30_000 }),
        play(FROM + MINUTE + 30_000, { outcome: 'interrupted', viewedMs: 2_000 }),
        play(FROM + MINUTE + 40_000, { outcome: 'failed', viewedMs: 0 }),
      ],
      FROM,
    );
    expect(first).toEqual({ plays: 1, interrupted: 0, failed: 0, viewedMs: 10_000 });
    expect(second).toEqual({ plays: 2, interrupted: 1, failed: 1, viewedMs: 22_000 });
    expect(third).toEqual({ plays: 0, interrupted: 0, failed: 0, viewedMs: 0 });
  });

  it('counts no void play, and of a play that began earlier only the viewed time', () => {
    const [first] = minutesOf(
      [play(FROM - 5_000), play(FROM + 9_000, { outcome: 'given-back', viewedMs: 0 })],
      FROM,
    );
    expect(first).toEqual({ plays: 0, interrupted: 0, failed: 0, viewedMs: 3_000 });
  });

  it('has the same viewed time per minute as a count of every second', () => {
    const second = fc.integer({ min: -200, max: 3_800 });
    fc.assert(
      fc.property(
        fc.uniqueArray(second, { maxLength: 40, size: 'max' }),
        fc.integer({ min: 0, max: 300 }),
        (starts, most) => {
          const ordered = [...starts].sort((one, other) => one - other);
          const seen = ordered.map((start, index) => ({
            start,
            end: Math.min(start + most, ordered[index + 1] ?? Number.POSITIVE_INFINITY),
          }));
          const minutes = minutesOf(
            seen.map(({ start, end }) => play(FROM + start * 1_000, { viewedMs: (end - start) * 1_000 })),
            FROM,
          );
          for (const [index, { viewedMs }] of minutes.entries()) {
            const filled = Array.from({ length: 60 }, (_, of) => index * 60 + of).filter((at) =>
              seen.some(({ start, end }) => start <= at && at < end),
            );
            expect(viewedMs).toBe(filled.length * 1_000);
          }
        },
      ),
    );
  });
});
