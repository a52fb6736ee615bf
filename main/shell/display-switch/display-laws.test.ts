import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../shared/log';
import { isOpen, type OpenHours, readOpenHours } from '../../settings/open-hours';
import { DisplayControl, type StoredPower } from './display-control';
import { type DisplayWay, MAX_WAIT_MS, WAY_NAMES, type WayName } from './power-rounds';

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
  const found = (name: WayName) => {
    if (!wayOf(name).isThere) throw new Error('is not there');
    return wayOf(name);
  };
  return {
    wayOf,
    isLit: () => isLit,
    ways: WAY_NAMES.map((name): DisplayWay => {
      return {
        name,
        obeysWithinMs: 0,
        readEveryMs: MINUTE_MS,
        probe: async () => (wayOf(name).isThere ? null : 'is not there'),
        async turn(on) {
          const { obeys, tells } = found(name);
          if (obeys || !tells) isLit = on;
        },
        read: async () => (found(name).tells ? isLit : null),
      };
    }),
  };
}

/** A kiosk with these hours, checked once a minute. `onStep` is called at every change of the display's state. */
function pretendKiosk(hours: OpenHours | null, startAt: number, onStep: () => void = () => {}) {
  const display = pretendDisplay();
  let at = startAt;
  let monotonic = 0;
  let stored: StoredPower = { version: 1, offBy: [], override: null };
  let look = () => {};
  let count = 0;
  const begin = (): DisplayControl =>
    new DisplayControl(
      {
        store: {
          read: async () => stored,
          async write(next) {
            stored = next;
          },
        },
        hours,
        ways: display.ways,
        log: silentLog,
        clock: { now: () => at, monotonic: () => monotonic, isTrusted: () => true },
        schedule(_ms, run) {
          look = run;
          return () => {};
        },
        changed() {
          count += 1;
          onStep();
        },
        switched() {},
      },
      stored,
    );
  let control = begin();
  /** Everything here answers at once, so that a round ends in one turn; and it ends. */
  const settled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expect(count).toBeLessThan(30);
    count = 0;
  };
  return {
    display,
    at: () => at,
    holds: () => control.holds(),
    using: () => control.power()?.how ?? null,
    problem: () => control.power()?.problem ?? null,
    offBy: () => stored.offBy,
    isLeftAlone: () => control.power() === null,
    async look() {
      control.start();
      look();
      await settled();
    },
    pass(minutes: number) {
      at += minutes * MINUTE_MS;
      monotonic += minutes * MINUTE_MS;
    },
    jump(minutes: number) {
      at += minutes * MINUTE_MS;
    },
    async choose(on: boolean | null) {
      void control.switch(on);
      await settled();
    },
    restart() {
      control.stop();
      control = begin();
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
  it('is not switched without hours and without a choice', async () => {
    const kiosk = pretendKiosk(null, NOON);
    await kiosk.look();
    expect(kiosk.isLeftAlone()).toBe(true);
    expect(kiosk.holds()).toBe(false);
  });

  it('is switched off by the first available way, and on by the same', async () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    kiosk.display.wayOf('wlopm').isThere = false;
    await kiosk.look();
    expect([kiosk.display.isLit(), kiosk.using(), kiosk.offBy()]).toEqual([false, 'sway', ['sway']]);
    kiosk.pass(8 * 60);
    await kiosk.look();
    expect([kiosk.display.isLit(), kiosk.offBy()]).toEqual([true, []]);
  });

  it('is switched by the next way if a command has no effect', async () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    kiosk.display.wayOf('wlopm').obeys = false;
    await kiosk.look();
    expect([kiosk.display.isLit(), kiosk.using()]).toEqual([false, 'sway']);
  });

  it('is switched on by the next way where the one that switched it off is gone', async () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    await kiosk.look();
    kiosk.display.wayOf('wlopm').isThere = false;
    kiosk.pass(8 * 60);
    await kiosk.look();
    kiosk.pass(1);
    await kiosk.look();
    expect([kiosk.display.isLit(), kiosk.holds()]).toEqual([true, false]);
  });

  it('that cannot be switched off counts as on: ads play, and the kiosk keeps trying', async () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    for (const name of WAY_NAMES) kiosk.display.wayOf(name).obeys = false;
    expect(kiosk.holds()).toBe(true);
    await kiosk.look();
    expect(kiosk.holds()).toBe(false);
    expect(kiosk.problem()).toBe('The display could not be switched off: cec: the display did not obey.');
    kiosk.display.wayOf('ddc').obeys = true;
    kiosk.pass(6);
    await kiosk.look();
    expect([kiosk.display.isLit(), kiosk.using(), kiosk.problem()]).toEqual([false, 'ddc', null]);
  });

  it('that another way switched off counts as off after a restart, until it is switched on', async () => {
    const kiosk = pretendKiosk(DAY, NIGHT);
    kiosk.display.wayOf('wlopm').obeys = false;
    await kiosk.look();
    expect(kiosk.offBy()).toEqual(['wlopm', 'sway']);
    kiosk.pass(8 * 60);
    kiosk.restart();
    expect(kiosk.holds()).toBe(true);
    await kiosk.look();
    expect([kiosk.display.isLit(), kiosk.holds(), kiosk.offBy()]).toEqual([true, false, []]);
  });

  it('is switched again on request, even if it already seems to be in that state', async () => {
    const kiosk = pretendKiosk(null, NOON);
    for (const name of WAY_NAMES) kiosk.display.wayOf(name).tells = false;
    await kiosk.choose(false);
    expect(kiosk.display.isLit()).toBe(false);
    await kiosk.choose(true);
    expect(kiosk.display.isLit()).toBe(true);
    await kiosk.choose(true);
    expect([kiosk.display.isLit(), kiosk.holds()]).toEqual([true, false]);
  });

  it('that was switched off by choice is switched on when the choice ends', async () => {
    const kiosk = pretendKiosk(null, NOON);
    await kiosk.choose(false);
    await kiosk.choose(null);
    await kiosk.look();
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
  it('the display follows hours and choices in every minute', async () => {
    await fc.assert(
      fc.asyncProperty(week, start, fc.array(happening, { maxLength: 8 }), async (hours, at, happenings) => {
        const kiosk = pretendKiosk(hours, at);
        const expected = oracle(hours);
        const check = async () => {
          await kiosk.look();
          const wanted = expected.wanted(kiosk.at());
          expect([kiosk.display.isLit(), kiosk.holds()]).toEqual([wanted, !wanted]);
        };
        await check();
        for (const each of happenings) {
          if (each.kind === 'restart') kiosk.restart();
          if (each.kind === 'jump') kiosk.jump(each.minutes);
          if (each.kind === 'choose') {
            await kiosk.choose(each.on);
            expected.choose(each.on, kiosk.at());
          }
          for (let minute = 0; minute < (each.kind === 'pass' ? each.minutes : 1); minute += 1) {
            kiosk.pass(1);
            await check();
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('nothing is reserved while the display is off; after errors it works again within the longest wait', async () => {
    const change = fc.record({
      minutes: fc.integer({ min: 1, max: 300 }),
      ways: waysOf,
      isRestart: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(week, start, fc.array(change, { maxLength: 10 }), async (hours, at, changes) => {
        const kiosk: ReturnType<typeof pretendKiosk> = pretendKiosk(hours, at, () => {
          if (!kiosk.display.isLit()) expect(kiosk.holds()).toBe(true);
        });
        for (const { minutes, ways, isRestart } of changes) {
          WAY_NAMES.forEach((name, index) => void Object.assign(kiosk.display.wayOf(name), ways[index]));
          if (isRestart) kiosk.restart();
          for (let minute = 0; minute < minutes; minute += 1) {
            kiosk.pass(1);
            await kiosk.look();
          }
        }
        for (const name of WAY_NAMES)
          Object.assign(kiosk.display.wayOf(name), { isThere: true, obeys: true, tells: true });
        for (let minute = 0; minute <= 2 * (MAX_WAIT_MS / MINUTE_MS); minute += 1) {
          kiosk.pass(1);
          await kiosk.look();
        }
        expect(kiosk.display.isLit()).toBe(isOpen(hours, kiosk.at()));
      }),
      { numRuns: 50 },
    );
  });
});
