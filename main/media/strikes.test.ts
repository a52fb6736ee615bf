import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asideMs, isSetAsideForLong, struck } from './strikes';

const DAY_MS = 86_400_000;
const file = { content: 'c1', etag: null, lastModified: null };

describe('strikes', () => {
  it('set aside for half a minute, two minutes, then a day', () => {
    let strike = struck(undefined, file, 0);
    expect(asideMs(strike, 0)).toBe(30_000);
    strike = struck(strike, file, 30_000);
    expect(asideMs(strike, 30_000)).toBe(120_000);
    expect(isSetAsideForLong(strike)).toBe(false);
    strike = struck(strike, file, 150_000);
    expect(asideMs(strike, 150_000)).toBe(DAY_MS);
    expect(isSetAsideForLong(strike)).toBe(true);
    expect(asideMs(strike, 150_000 + DAY_MS)).toBe(0);
  });

  it('begin again for another content, and after a day', () => {
    const once = struck(undefined, file, 0);
    expect(struck(once, { ...file, content: 'c2' }, 1).count).toBe(1);
    expect(struck(once, file, DAY_MS - 1).count).toBe(2);
    expect(struck(once, file, DAY_MS).count).toBe(1);
  });

  it('never set aside for more than a day, wherever the clock goes', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.integer({ min: 1, max: 50 }), (lastAt, now, count) => {
        const ms = asideMs({ ...file, count, lastAt }, now);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(DAY_MS);
      }),
    );
  });
});
