import { describe, expect, it } from 'vitest';
import { milestonesOf } from './milestones';

const said = (...args: Parameters<typeof milestonesOf>) =>
  milestonesOf(...args).map(({ atMs, reached }) => [
    atMs,
    'quartile' in reached ? reached.quartile : reached.mark,
  ]);

describe('milestones', () => {
  it('are the quartiles', () => {
    expect(said(10_000, [])).toEqual([
      [2_500, 'firstQuartile'],
      [5_000, 'midpoint'],
      [7_500, 'thirdQuartile'],
    ]);
  });

  it('are marks by time and by length, each by its place in the list, in the order of playing', () => {
    const marks = [
      { of: 'length', share: 1 },
      { of: 'time', ms: 3_000 },
      { of: 'time', ms: 0 },
      { of: 'length', share: 0.1 },
    ] as const;
    expect(said(4_000, marks)).toEqual([
      [0, 2],
      [400, 3],
      [1_000, 'firstQuartile'],
      [2_000, 'midpoint'],
      [3_000, 'thirdQuartile'],
      [3_000, 1],
      [4_000, 0],
    ]);
  });

  it('beyond the end are none', () => {
    expect(said(4_000, [{ of: 'time', ms: 4_001 }])).toHaveLength(3);
  });
});
