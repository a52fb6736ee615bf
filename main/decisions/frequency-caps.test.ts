import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CAP_WINDOWS,
  type CalendarWindow,
  capWindow,
  isReached,
  isUncountable,
  nextPeriodStart,
  periodStart,
  windowWords,
} from './frequency-caps';

const utc = (text: string) => Date.parse(text);
const calendar = (period: string) =>
  capWindow(`FREQUENCY_CAP_WINDOW_${period.toUpperCase()}`) as CalendarWindow;

describe('windows', () => {
  it.each([
    ['FREQUENCY_CAP_WINDOW_MINUTE', { kind: 'look-back', length: 60_000 }],
    ['FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', { kind: 'look-back', length: 1_800_000 }],
    ['FREQUENCY_CAP_WINDOW_HOUR', { kind: 'calendar', length: 3_600_000, first: 0 }],
    ['FREQUENCY_CAP_WINDOW_DAY', { kind: 'calendar', length: 86_400_000, first: 0 }],
    [
      'FREQUENCY_CAP_WINDOW_WEEK',
      { kind: 'calendar', length: 604_800_000, first: utc('1969-12-29T00:00:00Z') },
    ],
    ['FREQUENCY_CAP_WINDOW_FLIGHT', { kind: 'flight' }],
    ['FREQUENCY_CAP_WINDOW_FORTNIGHT', { kind: 'flight' }],
    ['frequency_cap_window_hour', { kind: 'flight' }],
    ['', { kind: 'flight' }],
    ['toString', { kind: 'flight' }],
  ])('%s', (window, expected) => {
    expect(capWindow(window)).toEqual(expected);
  });

  it('have words if they are known', () => {
    expect(windowWords('FREQUENCY_CAP_WINDOW_THIRTY_MINUTES')).toEqual({ en: '30 min', de: '30 min' });
    expect(windowWords('toString')).toBeNull();
  });

  it('look back over a whole calendar period while the clock is not trusted', () => {
    const lengths = CAP_WINDOWS.map((window) => capWindow(window, false));
    expect(lengths).toEqual([
      ...[60_000, 1_800_000, 3_600_000, 86_400_000, 604_800_000].map((length) => ({
        kind: 'look-back',
        length,
      })),
      { kind: 'flight' },
    ]);
  });
});

describe('calendar periods are UTC', () => {
  it.each([
    ['hour', '2026-03-29T01:59:59.999Z', '2026-03-29T01:00:00Z'],
    ['hour', '2026-03-29T02:00:00Z', '2026-03-29T02:00:00Z'],
    ['day', '2024-02-29T23:59:59.999Z', '2024-02-29T00:00:00Z'],
    ['day', '2023-03-01T00:00:00Z', '2023-03-01T00:00:00Z'],
    ['week: 29 February', '2024-02-29T12:00:00Z', '2024-02-26T00:00:00Z'],
    ['week: Sunday is its last day', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00Z'],
    ['week: Monday is its first', '2026-11-23T00:00:00Z', '2026-11-23T00:00:00Z'],
    ['week: 53 of 2020 goes on in 2021', '2021-01-03T23:59:59Z', '2020-12-28T00:00:00Z'],
    ['week: 1 of 2021', '2021-01-04T00:00:00Z', '2021-01-04T00:00:00Z'],
    ['week: 1 of 2025 begins in 2024', '2024-12-30T00:00:00Z', '2024-12-30T00:00:00Z'],
    ['week: 53 of 2026', '2027-01-01T00:00:00Z', '2026-12-28T00:00:00Z'],
    ['week: before the epoch', '1969-12-28T23:00:00Z', '1969-12-22T00:00:00Z'],
    ['week: of the epoch', '1970-01-01T00:00:00Z', '1969-12-29T00:00:00Z'],
  ])('%s: %s is in the period that starts %s', (name, at, start) => {
    const period = name.startsWith('hour') ? 'hour' : name.startsWith('day') ? 'day' : 'week';
    expect(new Date(periodStart(calendar(period), utc(at))).toISOString()).toBe(
      new Date(utc(start)).toISOString(),
    );
  });

  it('agree with the calendar for any date', () => {
    const slowStart = (period: string, at: number): number => {
      const date = new Date(at);
      date.setUTCMinutes(0, 0, 0);
      if (period !== 'hour') date.setUTCHours(0);
      while (period === 'week' && date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
      return date.getTime();
    };
    fc.assert(
      fc.property(
        fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
        fc.integer({ min: utc('1950-01-01T00:00:00Z'), max: utc('2150-01-01T00:00:00Z') }),
        (period, at) => {
          const window = calendar(period);
          const start = periodStart(window, at);
          expect(start).toBe(slowStart(period, at));
          const next = nextPeriodStart(window, at);
          expect(next).toBeGreaterThanOrEqual(at);
          expect(periodStart(window, next)).toBe(next);
          expect(nextPeriodStart(window, next)).toBe(next);
          expect(next === at || periodStart(window, next - 1) === start).toBe(true);
        },
      ),
    );
  });
});

it('a cap is reached at its limit, and a limit of 0 before any play', () => {
  expect(isReached({ window: '', limit: 3, used: 2 })).toBe(false);
  expect(isReached({ window: '', limit: 3, used: 3 })).toBe(true);
  expect(isReached({ window: '', limit: 3, used: 4 })).toBe(true);
  expect(isReached({ window: '', limit: 0, used: 0 })).toBe(true);
});

it('caps without a flight cannot be counted; without caps there is nothing to count', () => {
  expect(isUncountable(null, [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 1 }])).toBe(true);
  expect(isUncountable('flight', [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 1 }])).toBe(false);
  expect(isUncountable(null, [])).toBe(false);
});
