import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localDay, playBars } from './play-bars';

const HOUR = 3_600_000;
const hour = (at: number, plays: number) => ({ hour: at, plays, completed: plays, viewedMs: 0 });
const FROM = localDay(1_795_162_074_000);

describe('the bars of a period', () => {
  it('are one an hour, those without plays too', () => {
    const bars = playBars([hour(FROM + 2 * HOUR, 7)], FROM, FROM + 4 * HOUR);
    expect(bars).toEqual({
      unit: 'hour',
      starts: [0, 1, 2, 3].map((n) => FROM + n * HOUR),
      plays: [0, 0, 7, 0],
    });
  });

  it('are one a day where hours would be too many', () => {
    const to = localDay(FROM, 7);
    const bars = playBars([hour(FROM + HOUR, 2), hour(FROM + 5 * HOUR, 3), hour(to - HOUR, 4)], FROM, to);
    expect(bars.unit).toBe('day');
    expect(bars.plays).toEqual([5, 0, 0, 0, 0, 0, 4]);
  });

  it('hold every play of the period once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.uniqueArray(fc.nat(59 * 24), { maxLength: 200 }),
        (days, offsets) => {
          const to = localDay(FROM, days);
          const hours = offsets
            .map((offset) => hour(FROM + offset * HOUR, 1 + (offset % 5)))
            .filter(({ hour: at }) => at < to);
          const bars = playBars(hours, FROM, to);
          const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
          expect(sum(bars.plays)).toBe(sum(hours.map(({ plays }) => plays)));
          expect([...bars.starts].sort((a, b) => a - b)).toEqual(bars.starts);
        },
      ),
    );
  });
});
