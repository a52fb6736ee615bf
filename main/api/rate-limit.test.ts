import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fullBucket, takeOne } from './rate-limit';

const rates = fc.record({
  perSecond: fc.integer({ min: 1, max: 100 }),
  burst: fc.integer({ min: 1, max: 50 }),
});
const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 });

it('lets through at most the burst and the rate in any stretch of time', () => {
  fc.assert(
    fc.property(rates, gaps, (rate, waits) => {
      let now = 0;
      let bucket = fullBucket(rate, now);
      const passed: number[] = [];
      for (const wait of waits) {
        now += wait;
        const taken = takeOne(bucket, rate, now);
        bucket = taken.bucket;
        if (taken.waitMs === 0) passed.push(now);
      }
      for (const [i, from] of passed.entries()) {
        for (const [j, to] of passed.entries()) {
          if (j < i) continue;
          expect(j - i + 1).toBeLessThanOrEqual(rate.burst + ((to - from) / 1000) * rate.perSecond + 1e-6);
        }
      }
    }),
    { numRuns: 50 },
  );
});

it('lets through whoever waits as long as it is told', () => {
  fc.assert(
    fc.property(rates, gaps, (rate, waits) => {
      let now = 0;
      let bucket = fullBucket(rate, now);
      for (const wait of waits) {
        now += wait;
        const taken = takeOne(bucket, rate, now);
        bucket = taken.bucket;
        if (taken.waitMs > 0) {
          now += taken.waitMs + 1e-6;
          const again = takeOne(bucket, rate, now);
          expect(again.waitMs).toBe(0);
          bucket = again.bucket;
        }
      }
    }),
  );
});
