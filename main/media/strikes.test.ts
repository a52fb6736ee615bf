import { describe, expect, it } from 'vitest';
import { afterStrike, isSetAsideForLong, setAsideMs } from './strikes';

const DAY_MS = 86_400_000;
const file = { content: 'c1', etag: null, lastModified: null };

describe('strikes', () => {
  it('set a file aside for half a minute, two minutes, then a day', () => {
    let strike = afterStrike(undefined, file, 0);
    expect(setAsideMs(strike, 0)).toBe(30_000);
    strike = afterStrike(strike, file, 30_000);
    expect(setAsideMs(strike, 30_000)).toBe(120_000);
    expect(isSetAsideForLong(strike)).toBe(false);
    strike = afterStrike(strike, file, 150_000);
    expect(setAsideMs(strike, 150_000)).toBe(DAY_MS);
    expect(isSetAsideForLong(strike)).toBe(true);
    expect(setAsideMs(strike, 150_000 + DAY_MS)).toBe(0);
  });

  it('start again for changed content, and after a day', () => {
    const once = afterStrike(undefined, file, 0);
    expect(afterStrike(once, { ...file, content: 'c2' }, 1).count).toBe(1);
    expect(afterStrike(once, file, DAY_MS - 1).count).toBe(2);
    expect(afterStrike(once, file, DAY_MS).count).toBe(1);
  });
});
