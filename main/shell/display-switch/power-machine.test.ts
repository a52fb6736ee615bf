import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOpen, type OpenHours, readOpenHours } from '../../settings/open-hours';
import {
  holdsForPower,
  MAX_WAIT_MS,
  type PowerEvent,
  powerAtStart,
  stepPower,
  WAY_NAMES,
  type WayName,
} from './power-machine';
import { isInForce, type Override, overrideOf, wantedAt } from './power-plan';

const MINUTE_MS = 60_000;

interface PretendWay {
  isThere: boolean;
  obeys: boolean;
  /** Whether it can be read. If not, its commands are believed, so it has to obey. */
  tells: boolean;
}

/** One display and what switches it; commands take no time. */
function pretendDisplay() {
  let isLit = true;
  const ways = new Map<WayName, PretendWay>(
    WAY_NAMES.map((name) => [name, { isThere: true, obeys: true, tells: true }]),
  );
  const wayOf = (name: WayName) => ways.get(name) as PretendWay;
  const read = (name: WayName) => (wayOf(name).tells ? isLit : null);
  return {
    wayOf,
    isLit: () => isLit,
    answer(effect: NonNullable<ReturnType<typeof stepPower>['effect']>): PowerEvent {
      if (effect.kind === 'probe')
        return { kind: 'probed', ways: WAY_NAMES.filter((name) => wayOf(name).isThere), errors: [] };
      if (!wayOf(effect.way).isThere) return { kind: 'failed', message: 'is not there' };
      if (effect.kind === 'read') return { kind: 'read', isOn: read(effect.way) };
      if (wayOf(effect.way).obeys || !wayOf(effect.way).tells) isLit = effect.to;
      return { kind: 'switched', isOn: read(effect.way) };
    },
  };
}

/** A kiosk with these hours, checked once a minute. `onStep` is called after every single step. */
function pretendKiosk(hours: OpenHours | null, startAt: number, onStep: () => void = () => {}) {
  const display = pretendDisplay();
  let at = startAt;
  let monotonic = 0;
  let override: Override | null = null;
  const wanted = () => wantedAt({ hours, override }, at).on;
  let state = powerAtStart([], wanted());
  function run(event: PowerEvent): void {
    let stepped = stepPower(state, event, monotonic);
    for (let steps = 0; ; steps += 1) {
      state = stepped.state;
      onStep();
      if (stepped.effect === null) return;
      expect(steps).toBeLessThan(30);
      stepped = stepPower(state, display.answer(stepped.effect), monotonic);
    }
  }
  return {
    display,
    at: () => at,
    holds: () => holdsForPower(state),
    state: () => state,
    look() {
      if (override && !isInForce(override, hours, at)) override = null;
      run({ kind: 'look', wanted: wanted(), readEveryMs: MINUTE_MS });
    },
    pass(minutes: number) {
      at += minutes * MINUTE_MS;
      monotonic += minutes * MINUTE_MS;
    },
    jump(minutes: number) {
      at += minutes * MINUTE_MS;
    },
    choose(on: boolean | null) {
      override = on === null ? null : overrideOf(on, hours, at);
      run({ kind: 'asked', wanted: wanted() });
    },
    restart() {
      state = powerAtStart(state.offBy, wanted());
    },
  };
}

const hoursOf = (setting: Record<string, string>): OpenHours => {
  const read = readOpenHours({ timeZone: 'Europe/Berlin', ...setting });
  if (read.kind === 'error') throw new Error('wrong hours');
  return read.hours;
};
const DAY = hoursOf({ 'mon-sun': '06:30-21:30' });
const NOON = Date.parse('2026-11-20T12:00+01:00');
const NIGHT = Date.parse('2026-11-20T23:00+01:00');

describe('the display', () => {
  it('is not switched without hours and without a choice', () => {
    const kiosk = pretendKiosk(null, NOON);
    kiosk.look();
    expect(kiosk.state().work).toEqual({ kind: 'rest' });
    expect(kiosk.holds()).toBe(false);
  });

  it('is switched off by the first available way, and on by the same', () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    kiosk.display.wayOf('wlopm').isThere = false;
    kiosk.look();
    expect([kiosk.display.isLit(), kiosk.state().using, kiosk.state().offBy]).toEqual([
      false,
      'sway',
      ['sway'],
    ]);
    kiosk.pass(8 * 60);
    kiosk.look();
    expect([kiosk.display.isLit(), kiosk.state().offBy]).toEqual([true, []]);
  });

  it('is switched by the next way if a command has no effect', () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    kiosk.display.wayOf('wlopm').obeys = false;
    kiosk.look();
    expect([kiosk.display.isLit(), kiosk.state().using]).toEqual([false, 'sway']);
  });

  it('is switched on by the next way where the one that switched it off is gone', () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    kiosk.look();
    kiosk.display.wayOf('wlopm').isThere = false;
    kiosk.pass(8 * 60);
    kiosk.look();
    kiosk.pass(1);
    kiosk.look();
    expect([kiosk.display.isLit(), kiosk.holds()]).toEqual([true, false]);
  });

  it('that cannot be switched off counts as on: ads play, and the kiosk keeps trying', () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    for (const name of WAY_NAMES) kiosk.display.wayOf(name).obeys = false;
    expect(kiosk.holds()).toBe(true);
    kiosk.look();
    expect(kiosk.holds()).toBe(false);
    expect(kiosk.state().error).toEqual({ way: 'cec', message: 'the display did not obey' });
    kiosk.display.wayOf('ddc').obeys = true;
    kiosk.pass(6);
    kiosk.look();
    expect([kiosk.display.isLit(), kiosk.state().using, kiosk.state().error]).toEqual([false, 'ddc', null]);
  });

  it('that another way switched off counts as off after a restart, until it is switched on', () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    kiosk.display.wayOf('wlopm').obeys = false;
    kiosk.look();
    expect(kiosk.state().offBy).toEqual(['sway']);
    kiosk.pass(8 * 60);
    kiosk.restart();
    expect(kiosk.holds()).toBe(true);
    kiosk.look();
    expect([kiosk.display.isLit(), kiosk.holds(), kiosk.state().offBy]).toEqual([true, false, []]);
  });

  it('is switched again on request, even if it already seems to be in that state', () => {
    const kiosk = pretendKiosk(null, NOON);
    for (const name of WAY_NAMES) kiosk.display.wayOf(name).tells = false;
    kiosk.choose(false);
    expect(kiosk.display.isLit()).toBe(false);
    kiosk.choose(true);
    expect(kiosk.display.isLit()).toBe(true);
    kiosk.choose(true);
    expect([kiosk.display.isLit(), kiosk.holds()]).toEqual([true, false]);
  });

  it('that was switched off by choice is switched on when the choice ends', () => {
    const kiosk = pretendKiosk(null, NOON);
    kiosk.choose(false);
    kiosk.choose(null);
    kiosk.look();
    expect([kiosk.display.isLit(), kiosk.holds()]).toEqual([true, false]);
  });
});

// Laws

const hour = fc.integer({ min: 0, max: 23 });
const week = fc
  .tuple(fc.constantFrom('mon-sun', 'mon-fri', 'sat', 'sun-mon,thu'), hour, hour, fc.boolean())
  .filter(([, from, to]) => from !== to)
  .map(([days, from, to, isHalf]) => {
    const clock = (at: number) => `${String(at).padStart(2, '0')}:${isHalf ? '30' : '00'}`;
    return hoursOf({ [days]: `${clock(from)}-${clock(to)}` });
  });
/** Includes the nights in which clocks change. */
const start = fc
  .oneof(
    fc.integer({ min: Date.UTC(2026, 2, 27), max: Date.UTC(2026, 2, 30) }),
    fc.integer({ min: Date.UTC(2026, 9, 23), max: Date.UTC(2026, 9, 26) }),
    fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) }),
  )
  .map((at) => Math.floor(at / MINUTE_MS) * MINUTE_MS);
const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 200 }) }),
  },
  fc.record({ kind: fc.constant('jump' as const), minutes: fc.integer({ min: -600, max: 600 }) }),
  fc.record({ kind: fc.constant('choose' as const), on: fc.constantFrom(true, false, null) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);
const waysOf = fc.array(fc.record({ isThere: fc.boolean(), obeys: fc.boolean(), tells: fc.boolean() }), {
  minLength: WAY_NAMES.length,
  maxLength: WAY_NAMES.length,
});

/** The expected state: a choice holds while the hours say what they said then, each minute since and at each check. */
function oracle(hours: OpenHours) {
  let chosen: { on: boolean; at: number; said: boolean; seen: number } | null = null;
  return {
    choose(on: boolean | null, at: number) {
      chosen = on === null ? null : { on, at, said: isOpen(hours, at), seen: at };
    },
    wanted(at: number): boolean {
      if (chosen) {
        let isSame = isOpen(hours, at) === chosen.said;
        for (; chosen.seen <= at && isSame; chosen.seen += MINUTE_MS)
          isSame = isOpen(hours, chosen.seen) === chosen.said;
        if (!isSame) chosen = null;
      }
      return chosen?.on ?? isOpen(hours, at);
    },
  };
}

describe('laws', () => {
  it('the display follows hours and choices in every minute', () => {
    fc.assert(
      fc.property(week, start, fc.array(happening, { maxLength: 8 }), (hours, at, happenings) => {
        const kiosk = pretendKiosk(hours, at);
        const expected = oracle(hours);
        const check = () => {
          kiosk.look();
          const wanted = expected.wanted(kiosk.at());
          expect([kiosk.display.isLit(), kiosk.holds()]).toEqual([wanted, !wanted]);
        };
        check();
        for (const each of happenings) {
          if (each.kind === 'restart') kiosk.restart();
          if (each.kind === 'jump') kiosk.jump(each.minutes);
          if (each.kind === 'choose') {
            kiosk.choose(each.on);
            expected.choose(each.on, kiosk.at());
          }
          for (let minute = 0; minute < (each.kind === 'pass' ? each.minutes : 1); minute += 1) {
            kiosk.pass(1);
            check();
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('nothing is reserved while the display is off; after errors it works again within the longest wait', () => {
    const change = fc.record({
      minutes: fc.integer({ min: 1, max: 300 }),
      ways: waysOf,
      isRestart: fc.boolean(),
    });
    fc.assert(
      fc.property(week, start, fc.array(change, { maxLength: 10 }), (hours, at, changes) => {
        const kiosk: ReturnType<typeof pretendKiosk> = pretendKiosk(hours, at, () => {
          if (!kiosk.display.isLit()) expect(kiosk.holds()).toBe(true);
        });
        for (const { minutes, ways, isRestart } of changes) {
          WAY_NAMES.forEach((name, index) => void Object.assign(kiosk.display.wayOf(name), ways[index]));
          if (isRestart) kiosk.restart();
          for (let minute = 0; minute < minutes; minute += 1) {
            kiosk.pass(1);
            kiosk.look();
          }
        }
        for (const name of WAY_NAMES)
          Object.assign(kiosk.display.wayOf(name), { isThere: true, obeys: true, tells: true });
        for (let minute = 0; minute <= 2 * (MAX_WAIT_MS / MINUTE_MS); minute += 1) {
          kiosk.pass(1);
          kiosk.look();
        }
        expect(kiosk.display.isLit()).toBe(isOpen(hours, kiosk.at()));
      }),
      { numRuns: 50 },
    );
  });
});
