import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOpen, nextChange, type OpenHours, readOpenHours } from './open-hours';

function hours(setting: Record<string, string>): OpenHours {
  const result = readOpenHours(setting);
  if (result.kind === 'error') throw new Error(JSON.stringify(result.errors));
  return result.hours;
}

/** Local time in Berlin in ms since the epoch; `offset` is the one in force then. */
const berlin = (local: string, offset: '+01:00' | '+02:00') => Date.parse(`${local}:00${offset}`);

describe('an ordinary week', () => {
  const week = hours({ timeZone: 'Europe/Berlin', 'mon-fri': '07:00-21:00', sat: '08:00-12:00,13:00-16:00' });
  test.each([
    ['2026-01-05T06:59', false],
    ['2026-01-05T07:00', true],
    ['2026-01-05T20:59', true],
    ['2026-01-05T21:00', false],
    ['2026-01-09T12:00', true],
    ['2026-01-10T07:30', false],
    ['2026-01-10T12:30', false],
    ['2026-01-10T15:59', true],
    ['2026-01-11T12:00', false],
  ])('%s in Berlin is open: %s', (local, open) => {
    expect(isOpen(week, berlin(local, '+01:00'))).toBe(open);
  });
});

test('hours over midnight belong to the evening they began in', () => {
  const late = hours({ timeZone: 'Europe/Berlin', sat: '20:00-02:00' });
  const open = [
    '2026-01-10T01:00',
    '2026-01-10T20:00',
    '2026-01-11T01:59',
    '2026-01-11T02:00',
    '2026-01-11T20:00',
  ];
  expect(open.map((local) => isOpen(late, berlin(local, '+01:00')))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});

test('Sunday night runs into Monday', () => {
  const late = hours({ timeZone: 'UTC', sun: '22:00-01:00' });
  expect(isOpen(late, Date.UTC(2026, 0, 12, 0, 30))).toBe(true);
  expect(isOpen(late, Date.UTC(2026, 0, 11, 0, 30))).toBe(false);
});

test('all day is 00:00-24:00', () => {
  const always = hours({ timeZone: 'Asia/Kathmandu', 'mon-sun': '00:00-24:00' });
  fc.assert(fc.property(fc.date({ noInvalidDate: true }), (at) => isOpen(always, at.getTime())));
});

describe('days on which the clocks change', () => {
  const morning = hours({ timeZone: 'Europe/Berlin', sun: '01:30-03:30' });
  test('spring forward: the hours end by local time', () => {
    // 2026-03-29: 02:00 becomes 03:00.
    expect(isOpen(morning, berlin('2026-03-29T01:59', '+01:00'))).toBe(true);
    expect(isOpen(morning, berlin('2026-03-29T03:00', '+02:00'))).toBe(true);
    expect(isOpen(morning, berlin('2026-03-29T03:30', '+02:00'))).toBe(false);
  });
  test('fall back: the hour that comes twice is open twice', () => {
    // 2026-10-25: 03:00 becomes 02:00.
    expect(isOpen(morning, berlin('2026-10-25T02:30', '+02:00'))).toBe(true);
    expect(isOpen(morning, berlin('2026-10-25T02:30', '+01:00'))).toBe(true);
    expect(isOpen(morning, berlin('2026-10-25T03:30', '+01:00'))).toBe(false);
  });
});

describe('names of days', () => {
  const days = (key: string) =>
    hours({ timeZone: 'UTC', [key]: '10:00-11:00' }).week.map((spans) => spans.length);
  test.each([
    ['mon', [1, 0, 0, 0, 0, 0, 0]],
    ['Mon-Wed', [1, 1, 1, 0, 0, 0, 0]],
    ['sat-mon', [1, 0, 0, 0, 0, 1, 1]],
    ['tue,thu-fri', [0, 1, 0, 1, 1, 0, 0]],
    ['sun-sun', [0, 0, 0, 0, 0, 0, 1]],
  ])('%s', (key, expected) => {
    expect(days(key)).toEqual(expected);
  });
});

test.each([
  [{}, 'timeZone'],
  [{ timeZone: 'Europe/Atlantis' }, 'timeZone'],
  [{ timeZone: '+02:00' }, 'timeZone'],
  [{ timeZone: 'UTC', monday: '10:00-11:00' }, 'monday'],
  [{ timeZone: 'UTC', 'mon-': '10:00-11:00' }, 'mon-'],
  [{ timeZone: 'UTC', 'mon-tue-wed': '10:00-11:00' }, 'mon-tue-wed'],
  [{ timeZone: 'UTC', mon: '7:00-21:00' }, 'mon'],
  [{ timeZone: 'UTC', mon: '07:00-24:30' }, 'mon'],
  [{ timeZone: 'UTC', mon: '24:00-01:00' }, 'mon'],
  [{ timeZone: 'UTC', mon: '07:60-21:00' }, 'mon'],
  [{ timeZone: 'UTC', mon: '07:00-07:00' }, 'mon'],
  [{ timeZone: 'UTC', mon: '' }, 'mon'],
  [{ timeZone: 'UTC', 'mon-fri': '07:00-21:00', fri: '07:00-22:00' }, 'fri'],
] as [Record<string, string>, string][])('%o has an error at %s', (setting, key) => {
  const result = readOpenHours(setting);
  expect(result.kind === 'error' && result.errors.map((error) => error.key)).toEqual([key]);
});

test('agrees with an independent calculation', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'UTC'];
  const minutes = fc.integer({ min: 0, max: 1439 });
  const clock = (at: number) =>
    `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'),
      minutes,
      minutes,
      fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }),
      (timeZone, day, from, to, at) => {
        fc.pre(from !== to);
        // Swedish writes dates as ISO does: the wall clock becomes a plain number of minutes since Monday.
        const wall = new Date(`${new Date(at).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
        const inWeek = ((wall.getUTCDay() + 6) % 7) * 1440 + wall.getUTCHours() * 60 + wall.getUTCMinutes();
        const start = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].indexOf(day) * 1440 + from;
        const length = (to - from + 1440) % 1440;
        const expected = (inWeek - start + 7 * 1440) % (7 * 1440) < length;
        const setting = hours({ timeZone, [day]: `${clock(from)}-${clock(to)}` });
        expect(isOpen(setting, at)).toBe(expected);
      },
    ),
    { numRuns: 500 },
  );
});

describe('the next change', () => {
  test.each([
    ['2026-01-05T12:00', '2026-01-05T21:00'],
    ['2026-01-05T21:00', '2026-01-06T07:00'],
    ['2026-01-09T21:30', '2026-01-12T07:00'],
  ])('after %s in Berlin comes at %s', (at, next) => {
    const week = hours({ timeZone: 'Europe/Berlin', 'mon-fri': '07:00-21:00' });
    expect(nextChange(week, berlin(at, '+01:00'))).toBe(berlin(next, '+01:00'));
  });

  test('is null if the store is always open or never open', () => {
    expect(nextChange(hours({ timeZone: 'Europe/Berlin', 'mon-sun': '00:00-24:00' }), 0)).toBeNull();
    expect(nextChange(hours({ timeZone: 'Europe/Berlin' }), 0)).toBeNull();
  });

  test('equals the result of checking every minute', () => {
    const zones = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];
    const time = fc.integer({ min: 0, max: 95 }).map((quarter) => quarter * 15 + (quarter % 3));
    const clock = (at: number) =>
      `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
    const days = fc.constantFrom('mon', 'sun', 'mon-sun', 'fri-sat', 'tue,sun');
    // Around the nights in which clocks change, and any time.
    const start = fc.oneof(
      fc.integer({ min: Date.UTC(2026, 2, 27), max: Date.UTC(2026, 3, 6) }),
      fc.integer({ min: Date.UTC(2026, 9, 23), max: Date.UTC(2026, 10, 2) }),
      fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...zones), days, time, time, start, (timeZone, day, from, to, at) => {
        fc.pre(from !== to);
        const week = hours({ timeZone, [day]: `${clock(from)}-${clock(to)}` });
        const next = nextChange(week, at);
        const first = Math.floor(at / 60_000) * 60_000;
        const last = next ?? first + 8 * 86_400_000;
        let minute = first;
        while (minute < last && isOpen(week, minute) === isOpen(week, at)) minute += 60_000;
        expect(minute).toBe(last);
        if (next !== null) expect(isOpen(week, next)).not.toBe(isOpen(week, at));
      }),
      { numRuns: 30 },
    );
  });
});
