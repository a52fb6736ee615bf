import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { askedWaitMs, backOffMs, doublingMs, httpDate, MAX_RETRY_AFTER_MS } from './back-off';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a wait is never outside its bounds, however many failures', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 0, max: 3_600_000 }),
      random,
      (failures, minMs, more, at) => {
        const wait = backOffMs(failures, { minMs, maxMs: minMs + more }, () => at);
        expect(wait).toBeGreaterThanOrEqual(minMs);
        expect(wait).toBeLessThanOrEqual(minMs + more);
      },
    ),
  );
});

test('the longest wait doubles with each failure until its bound', () => {
  const longest = [1, 2, 3, 4, 5].map((failures) =>
    backOffMs(failures, { minMs: 5_000, maxMs: 100_000 }, () => 1),
  );
  expect(longest).toEqual([10_000, 20_000, 40_000, 80_000, 100_000]);
});

test('a doubled time begins at its shortest and never exceeds its longest, however often it doubles', () => {
  const bounds = { minMs: 5_000, maxMs: 30_000 };
  expect([1, 2, 3, 4, 100_000].map((times) => doublingMs(times, bounds))).toEqual([
    ...[5_000, 10_000, 20_000, 30_000, 30_000],
  ]);
});

test('waits at the bound are still spread', () => {
  const bounds = { minMs: 5_000, maxMs: 900_000 };
  expect(backOffMs(99, bounds, () => 0)).toBe(450_000);
  expect(backOffMs(99, bounds, () => 0.5)).toBe(675_000);
});

test('kiosks that were told the same time do not come back together, and none comes back early', () => {
  const bounds = { minMs: 5_000, maxMs: 300_000 };
  expect([0, 0.5, 1].map((at) => backOffMs(1, bounds, () => at, 600_000))).toEqual([
    600_000, 630_000, 660_000,
  ]);
  expect(backOffMs(1, bounds, () => 0, 1_000)).toBe(5_000);
});

const NOW = Date.UTC(2026, 0, 5, 12);

test.each<[string, number | null]>([
  ['', null],
  ['0', 0],
  [' 120 ', 120_000],
  ['99999999', MAX_RETRY_AFTER_MS],
  ['99999999999999999999', MAX_RETRY_AFTER_MS],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['Mon, 05 Jan 2026 12:00:10 GMT', 10_000],
  ['Monday, 05-Jan-26 12:00:10 GMT', 10_000],
  ['Mon Jan  5 12:00:10 2026', 10_000],
  ['Mon, 05 Jan 2026 11:00:00 GMT', 0],
  ['Mon, 05 Jan 2030 12:00:00 GMT', MAX_RETRY_AFTER_MS],
])('Retry-After: %j is %j ms', (header, ms) => {
  expect(askedWaitMs(new Headers({ 'retry-after': header }), NOW)).toBe(ms);
});

test('an answer without Retry-After asks for no wait', () => {
  expect(askedWaitMs(new Headers(), NOW)).toBeNull();
});

test.each([
  ['Mon, 05 Jan 2026 11:59:00 GMT', 70_000],
  ['Mon Jan  5 11:59:00 2026', 70_000],
  ['yesterday', 10_000],
])('a date in Retry-After counts from the Date of its answer, if that can be read: %s', (date, ms) => {
  const headers = new Headers({ date, 'retry-after': 'Mon, 05 Jan 2026 12:00:10 GMT' });
  expect(askedWaitMs(headers, NOW)).toBe(ms);
});

test('an HTTP date that names no time zone is read as UTC, also where the tests run in UTC', () => {
  const parse = vi.spyOn(Date, 'parse');
  onTestFinished(() => void parse.mockRestore());
  httpDate('Mon Jan  5 12:00:10 2026');
  expect(parse).toHaveBeenCalledWith('Mon Jan  5 12:00:10 2026 GMT');
});
