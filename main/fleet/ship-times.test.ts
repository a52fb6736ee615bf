import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterFailuresMs, ownMoment, untilOwnMoment } from './ship-times';

const EVERY_MS = 900_000;

test('100,000 kiosks that start at the same moment send spread over the whole period', () => {
  const perSecond = new Map<number, number>();
  for (let kiosk = 0; kiosk < 100_000; kiosk += 1) {
    const moment = ownMoment(kiosk.toString(16).padStart(16, '0'), EVERY_MS);
    const second = Math.floor(
      untilOwnMoment({ now: 1_900_000_000_000, everyMs: EVERY_MS, ownMoment: moment }) / 1_000,
    );
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  // 111 a second on average; the standard deviation of such a count is about 11.
  expect(Math.max(...perSecond.values())).toBeLessThan(111 + 6 * 11);
  expect(perSecond.size).toBeGreaterThan(895);
});

test('the next moment of a kiosk is within a period, and the same whenever it is computed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 45), max: 2 ** 45 }),
      fc.integer({ min: 1_000, max: 86_400_000 }),
      fc.stringMatching(/^[0-9a-f]{16}$/),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (now, everyMs, kiosk, part) => {
        const moment = ownMoment(kiosk, everyMs);
        const wait = untilOwnMoment({ now, everyMs, ownMoment: moment });
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(everyMs);
        const later = Math.floor(part * wait);
        expect(untilOwnMoment({ now: now + later, everyMs, ownMoment: moment })).toBe(wait - later);
      },
    ),
  );
});

test('waits after failures grow to a period at most, spread over all of it, and start after Retry-After', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.nat(3_600_000),
      random,
      (failures, retryAfter, chance) => {
        const wait = afterFailuresMs(failures, EVERY_MS, null, () => chance);
        expect(wait).toBeGreaterThanOrEqual(1_000);
        expect(wait).toBeLessThanOrEqual(Math.min(EVERY_MS, 1_000 * 2 ** failures));
        expect(afterFailuresMs(failures, EVERY_MS, retryAfter, () => chance)).toBe(retryAfter + wait);
      },
    ),
  );
  expect(afterFailuresMs(100, EVERY_MS, null, () => 0)).toBe(1_000);
  expect(afterFailuresMs(100, EVERY_MS, null, () => 0.999_999)).toBeGreaterThan(EVERY_MS - 1_000);
  expect(afterFailuresMs(100, 1_000, null, () => 0.999_999)).toBeGreaterThan(59_000);
});
