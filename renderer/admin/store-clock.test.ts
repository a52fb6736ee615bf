import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storeDay } from './store-clock';

const MINUTE = 60_000;
const DAY = 86_400_000;

describe('a day of the store', () => {
  it.each([
    ['Europe/Berlin', '2026-11-28T12:00:00Z', 0, '2026-11-27T23:00:00Z'],
    ['America/New_York', '2026-11-29T03:00:00Z', 0, '2026-11-28T05:00:00Z'],
    ['Asia/Kathmandu', '2026-11-28T18:14:59Z', 0, '2026-11-27T18:15:00Z'],
    ['Pacific/Apia', '2026-11-28T11:00:00Z', 0, '2026-11-28T11:00:00Z'],
    ['Europe/Berlin', '2026-03-29T12:00:00Z', 1, '2026-03-29T22:00:00Z'],
    ['Europe/Berlin', '2026-03-30T12:00:00Z', -1, '2026-03-28T23:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-05T02:00:00Z', 0, '2026-04-04T13:00:00Z'],
    // There is no midnight: clocks go from 24:00 to 01:00.
    ['America/Santiago', '2026-09-06T12:00:00Z', 0, '2026-09-06T04:00:00Z'],
    // Clocks go back from 24:00 to 23:00, and in Havana from 01:00 to 00:00.
    ['America/Santiago', '2026-04-05T12:00:00Z', 0, '2026-04-05T04:00:00Z'],
    ['America/Havana', '2026-11-01T12:00:00Z', 0, '2026-11-01T04:00:00Z'],
    ['UTC', '2028-03-01T12:00:00Z', -1, '2028-02-29T00:00:00Z'],
  ])('in %s at %s, and %i days on, begins at %s', (zone, at, days, begins) => {
    expect(new Date(storeDay(Date.parse(at), zone, days)).toISOString()).toBe(begins.replace('Z', '.000Z'));
  });

  it('begins with the first minute of its date, in any zone', () => {
    const zones = [
      ...['Europe/Berlin', 'Europe/London', 'America/New_York', 'America/Sao_Paulo', 'America/Havana'],
      ...['Asia/Kathmandu', 'Asia/Beirut', 'Africa/Cairo', 'Africa/Casablanca', 'America/Santiago'],
      ...['Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Chatham', 'America/St_Johns', 'UTC'],
    ];
    const any = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2037, 0, 1) });
    // A quarter of an hour: no clock is changed, and no day begins, at another minute.
    const step = 15 * MINUTE;
    fc.assert(
      fc.property(fc.constantFrom(...zones), any, fc.integer({ min: -40, max: 1 }), (zone, at, days) => {
        const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, dateStyle: 'short' });
        const dateOf = (time: number) => {
          const [month, day, year] = format.format(time).split('/').map(Number);
          return Date.UTC(2000 + (year ?? 0), (month ?? 0) - 1, day);
        };
        const date = dateOf(at) + days * DAY;
        let first = Math.floor((date - 1.5 * DAY) / step) * step;
        while (dateOf(first) < date) first += step;
        expect(storeDay(at, zone, days)).toBe(first);
      }),
      { numRuns: 200 },
    );
  });
});
