import { expect, it } from 'vitest';
import type { Play } from '../../shared/play';
import { judge } from './judgement';

const NOON = Date.parse('2026-11-30T12:00:00Z');
const seconds = (times: readonly number[]) => times.map((time) => NOON + time * 1_000);

/** Caps exceeded by plays of a flight that may play four times a minute; times in s. */
function exceeded(stamped: readonly number[], shown: readonly number[]): readonly string[] {
  const plays = seconds(stamped).map(
    (at, index) => ({ id: `${index}`, adId: 'a', flightId: 'f', at, shownAt: null }) as Play,
  );
  return judge({
    books: { plays, flights: [], environments: [] },
    impressions: seconds(shown).map((shownAt) => ({ adId: 'a', flightId: 'f', shownAt, url: `${shownAt}` })),
    seenBefore: new Map(),
    capsOf: new Map([['f', [{ window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: 4 }]]]),
  }).capsExceeded;
}

it('a frame that a busy machine shows late exceeds no cap', () => {
  expect(exceeded([0, 1, 2, 3, 60], [0.1, 1.1, 2.1, 3.1, 60.1])).toEqual([]);
  expect(exceeded([0, 6, 7, 8, 60], [5, 6.1, 7.1, 8.1, 60.1])).toEqual([]);
});

it('a frame without a play of its time does, and so does a stamp', () => {
  expect(exceeded([0, 1, 2, 3, 60], [0.1, 1.1, 2.1, 3.1, 50])).toEqual([expect.stringContaining('as shown')]);
  expect(exceeded([0, 1, 2, 3, 50], [0.1, 1.1, 2.1, 3.1])).toEqual([expect.stringContaining('in the books')]);
});
