import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learnStart, milestonesOf, planSlot, runUpMs } from './slot-plan';

/** Plays slots one after the other, each late by its `lateMs`; returns how far behind schedule each began, ms. */
function behind(slots: ReadonlyArray<{ lateMs: number; durationMs: number }>): number[] {
  let plannedAt: number | null = null;
  let endedAt = 0;
  let nominal = 0;
  return slots.map(({ lateMs, durationMs }) => {
    const raisedAt = endedAt + lateMs;
    const plan = planSlot(plannedAt, raisedAt, durationMs);
    const found = raisedAt - nominal;
    plannedAt = plan.nextAt;
    endedAt = plan.startedAt + durationMs;
    nominal += durationMs;
    return found;
  });
}

const onTime = { lateMs: 0, durationMs: 10_000 };

describe('the plan of slots', () => {
  it('starts with the first slot, at any time', () => {
    expect(planSlot(null, 7_000, 500)).toEqual({ startedAt: 7_000, nextAt: 7_500 });
  });

  it('ends a slot that starts a little late at its planned time', () => {
    expect(planSlot(1_000, 1_080, 500)).toEqual({ startedAt: 1_000, nextAt: 1_500 });
    expect(planSlot(1_000, 1_400, 10_000)).toEqual({ startedAt: 1_000, nextAt: 11_000 });
  });

  it('compensates a slot that started much too late over several slots, each a little shorter', () => {
    expect(behind([onTime, { ...onTime, lateMs: 1_200 }, onTime, onTime, onTime])).toEqual([
      0, 1_200, 700, 200, 0,
    ]);
  });

  it('starts again after a standstill', () => {
    expect(planSlot(1_000, 9_000, 500)).toEqual({ startedAt: 9_000, nextAt: 9_500 });
  });

  it('accumulates no delay over a thousand slots, if each delay is less than the allowed shortening', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ lateMs: fc.double({ min: 0, max: 100, noNaN: true }), durationMs: length() }), {
          minLength: 1_000,
          maxLength: 1_000,
        }),
        (slots) => {
          const [first = 0, ...rest] = behind(slots);
          rest.forEach((found, index) => {
            expect(found - first).toBeCloseTo(slots[index + 1]?.lateMs ?? 0, 3);
          });
        },
      ),
      { numRuns: 20 },
    );
  });

  it('is never further behind than all delays minus what could be compensated', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ lateMs: fc.double({ min: 0, max: 1_000, noNaN: true }), durationMs: length() }),
          {
            minLength: 2,
            maxLength: 300,
          },
        ),
        (slots) => {
          const found = behind(slots);
          const first = found[0] ?? 0;
          let debt = 0;
          for (const [index, { lateMs, durationMs }] of slots.entries()) {
            debt = index === 0 ? 0 : debt + lateMs;
            if (debt > 5_000) return;
            expect((found[index] ?? 0) - first).toBeCloseTo(debt, 3);
            debt = Math.max(0, debt - Math.max(100, durationMs / 20));
          }
        },
      ),
    );
  });
});

const length = () => fc.integer({ min: 500, max: 30_000 });

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

  it('are progress offsets in time and in percent, by their index, in the order of playing', () => {
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

  it('beyond the end do not exist', () => {
    expect(said(4_000, [{ of: 'time', ms: 4_001 }])).toHaveLength(3);
  });
});

describe('the time before its slot at which a video is started', () => {
  it.each<[string, number[], number]>([
    ['before any was seen is a guess', [], 80],
    ['is what the slowest of the latest took', [40, 70, 50], 70],
    ['is two frames at least', [3, 5], 34],
    ['is a quarter of a second at most', [40, 900], 250],
    ['forgets what is more than eight starts ago', [200, 40, 41, 42, 43, 44, 45, 46, 47], 47],
  ])('%s', (_what, took, expected) => {
    expect(runUpMs(took.reduce(learnStart, []))).toBe(expected);
  });

  it.each([3, 5, 8])('is long enough where one video of %d is slow in every round', (round) => {
    let [starts, lateMs]: [readonly number[], number] = [[], 0];
    for (let slot = 0; slot < 10 * round; slot += 1) {
      const took = slot % round === 0 ? 200 : 40;
      if (slot >= round) lateMs = Math.max(lateMs, took - runUpMs(starts));
      starts = learnStart(starts, took);
    }
    expect(lateMs).toBe(0);
  });
});
