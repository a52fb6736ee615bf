import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { interleaved, median, pairedRatio, percentile, slopeOf } from './statistics';

const samples = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 });

describe('percentile', () => {
  it('is a sample, at least the share of all samples do not exceed it, and no smaller sample will do', () => {
    fc.assert(
      fc.property(samples, fc.double({ min: 0.001, max: 1, noNaN: true }), (values, share) => {
        const found = percentile(values, share);
        const within = (limit: number) => values.filter((value) => value <= limit).length;
        expect(values).toContain(found);
        expect(within(found)).toBeGreaterThanOrEqual(share * values.length);
        for (const smaller of values.filter((value) => value < found)) {
          expect(within(smaller)).toBeLessThan(share * values.length);
        }
      }),
    );
  });

  it('leaves the samples in their order', () => {
    const values = [3, 1, 2];
    percentile(values, 0.5);
    expect(values).toEqual([3, 1, 2]);
  });

  it('throws for an empty list', () => {
    expect(() => percentile([], 0.5)).toThrow('no samples');
  });
});

describe('median', () => {
  it.each([
    [[5], 5],
    [[3, 1], 2],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

test('the median is right for every number of samples', () => {
  for (let length = 1; length <= 400; length += 1) {
    const samples = Array.from({ length }, (_, index) => index);
    expect(median(samples)).toBe((length - 1) / 2);
  }
});

describe('the ratio of pairs', () => {
  it('does not change when a drift affects both values of a pair', () => {
    const drift = [1, 5, 2, 9, 1];
    const ratio = pairedRatio(
      drift.map((factor) => 30 * factor),
      drift.map((factor) => 20 * factor),
    );
    expect(ratio).toBeCloseTo(1.5, 10);
  });

  it('needs a baseline for every sample', () => {
    expect(() => pairedRatio([1, 2], [1])).toThrow('baseline');
  });
});

it('interleaved measurements take turns', async () => {
  const order: string[] = [];
  const turn = (name: string) => () => order.push(name);
  const taken = await interleaved(3, turn('a'), turn('b'));
  expect(order.join('')).toBe('ababab');
  expect(taken).toEqual({ a: [1, 3, 5], b: [2, 4, 6] });
});

describe('the slope', () => {
  const points = (count: number, y: (x: number) => number) =>
    Array.from({ length: count }, (_, x) => [x, y(x)] as const);

  it('is that of the line through the points, without uncertainty', () => {
    const { per, least, most } = slopeOf(points(20, (x) => 5 + 0.2 * x));
    for (const slope of [per, least, most]) expect(slope).toBeCloseTo(0.2);
  });

  it('is not changed by a few outliers', () => {
    const { per } = slopeOf(points(40, (x) => (x % 9 === 4 ? 1_000 * x : 3 * x)));
    expect(per).toBeCloseTo(3);
  });

  it('of values that only vary may be zero', () => {
    const { least, most } = slopeOf(points(40, (x) => (x * 7) % 11));
    expect(least).toBeLessThan(0);
    expect(most).toBeGreaterThan(0);
  });

  it('lies between its bounds, and so does the true slope under noise', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 30, maxLength: 60 }),
        (noise) => {
          const { per, least, most } = slopeOf(noise.map((y, x) => [x, 2 * x + y] as const));
          expect(least).toBeLessThanOrEqual(per);
          expect(per).toBeLessThanOrEqual(most);
          expect(per).toBeCloseTo(2, 0);
        },
      ),
    );
  });

  it('is found for a growth under noise ten times as large', () => {
    const { least } = slopeOf(points(60, (x) => x + (((x * 37) % 41) - 20) / 2));
    expect(least).toBeGreaterThan(0);
  });

  it('needs more than two points', () => {
    expect(() => slopeOf(points(2, (x) => x))).toThrow('too few');
  });
});
