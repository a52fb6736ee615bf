import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Rate, tokenBucket } from './token-bucket';

/** Whether one may go on. */
function taking(rate: Rate): (now: number) => boolean {
  const waitMs = tokenBucket(rate);
  return (now) => waitMs(now) === 0;
}

test('a burst and then a steady rate are accepted, and one more is refused', () => {
  const take = taking({ burst: 3, perSecond: 10 });
  expect([take(0), take(0), take(0), take(0)]).toEqual([true, true, true, false]);
  expect([take(100), take(100)]).toEqual([true, false]);
});

test('law: no period accepts more than the burst and its share of the rate', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200, size: 'max' });
  fc.assert(
    fc.property(
      gaps,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 50 }),
      (each, burst, rate) => {
        const take = taking({ burst, perSecond: rate });
        let now = 0;
        const taken: number[] = [];
        for (const gap of each) {
          now += gap;
          if (take(now)) taken.push(now);
        }
        // The oracle counts every stretch between two that were taken.
        for (const [first, from] of taken.entries())
          for (const [index, to] of taken.entries())
            if (index >= first)
              expect(index - first + 1).toBeLessThanOrEqual(burst + ((to - from) / 1_000) * rate + 1e-6);
      },
    ),
  );
});

test('law: a caller within the rate is never refused', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (burst, rate) => {
      const take = taking({ burst, perSecond: rate });
      for (let count = 0; count < 300; count += 1) expect(take(count * Math.ceil(1_000 / rate))).toBe(true);
    }),
  );
});

test('law: a caller that waits for the returned time is accepted', () => {
  const rates = fc.record({
    perSecond: fc.integer({ min: 1, max: 100 }),
    burst: fc.integer({ min: 1, max: 50 }),
  });
  const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200, size: 'max' });
  fc.assert(
    fc.property(rates, gaps, (rate, waits) => {
      const waitMs = tokenBucket(rate);
      let now = 0;
      for (const wait of waits) {
        now += wait;
        const told = waitMs(now);
        if (told === 0) continue;
        now += told + 1e-6;
        expect(waitMs(now)).toBe(0);
      }
    }),
  );
});
