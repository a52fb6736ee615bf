import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../shared/log';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { readOpenHours } from '../../settings/open-hours';
import { endedWithin, type RunProgram } from '../run-program';
import { openDisplayControl, type PowerStore, powerFile, type StoredPower } from './display-control';
import type { DisplayWay, WayName } from './power-rounds';
import { ddcWay } from './ways';

const read = readOpenHours({ timeZone: 'UTC', 'mon-sun': '06:30-21:30' });
const HOURS = read.kind === 'hours' ? read.hours : null;
const NIGHT = Date.UTC(2026, 10, 20, 23);
const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

/** A display with one way to switch it. */
function pretendDisplay(name: WayName = 'sway') {
  const state = {
    isOn: true,
    isThere: true,
    obeysAfter: 0,
    turns: [] as boolean[],
  };
  const way: DisplayWay = {
    name,
    obeysWithinMs: 5_000,
    readEveryMs: MINUTE_MS,
    probe: async () => (state.isThere ? null : 'is not installed'),
    async turn(on) {
      if (!state.isThere) throw new Error(`${name} is not installed`);
      state.turns.push(on);
      if (state.obeysAfter === 0) state.isOn = on;
    },
    async read() {
      if (state.obeysAfter > 0) {
        state.obeysAfter -= 1;
        if (state.obeysAfter === 0) state.isOn = state.turns.at(-1) ?? state.isOn;
      }
      return state.isOn;
    },
  };
  return Object.assign(state, { way });
}

function pretendStore(): PowerStore & { kept: StoredPower } {
  const store = {
    kept: { version: 1, offBy: [], override: null } as StoredPower,
    read: async () => store.kept,
    async write(kept: StoredPower) {
      store.kept = kept;
    },
  };
  return store;
}

async function world(
  options: { at?: number; hours?: typeof HOURS; store?: PowerStore; others?: readonly DisplayWay[] } = {},
) {
  const { at = NOON, hours = HOURS, store = pretendStore(), others = [] } = options;
  const time = handTurnedTime(at);
  const display = pretendDisplay();
  const switched: string[] = [];
  const { monotonic, now } = time.clock;
  /** By how much its clock is ahead; the service corrects it then, so it is not trusted. */
  const clock = {
    aheadMs: 0,
    monotonic,
    now: () => now() + clock.aheadMs,
    isTrusted: () => clock.aheadMs === 0,
  };
  const control = await openDisplayControl({
    store,
    hours,
    schedule: time.schedule,
    clock,
    log: silentLog,
    changed: () => {},
    ways: [display.way, ...others],
    switched: (way, isDone) => void switched.push(`${way} ${isDone}`),
  });
  return { time, clock, display, control, switched, store };
}

describe('the display control', () => {
  it('switches the display off and on by its hours, and reports until when', async () => {
    const { time, display, control, switched } = await world({ at: Date.UTC(2026, 10, 20, 21, 29) });
    control.start();
    await time.settle();
    expect(control.power()).toEqual({
      how: 'sway',
      on: true,
      by: 'hours',
      problem: null,
      until: Date.UTC(2026, 10, 20, 21, 30),
    });
    await time.advance(2 * MINUTE_MS);
    expect([display.isOn, control.holds()]).toEqual([false, true]);
    expect(control.power()).toMatchObject({ on: false, until: Date.UTC(2026, 10, 21, 6, 30) });
    await time.advance(9 * 60 * MINUTE_MS);
    expect([display.isOn, control.holds(), switched]).toEqual([true, false, ['sway true', 'sway true']]);
  });

  it('holds from the start if it is night, and switches nothing before it is started', async () => {
    const { time, display, control } = await world({ at: NIGHT });
    expect([control.holds(), display.turns]).toEqual([true, []]);
    control.start();
    await time.settle();
    expect([display.isOn, control.holds()]).toEqual([false, true]);
  });

  it('switches on a display that an earlier run switched off, and holds until it is on', async () => {
    const store = pretendStore();
    const before = await world({ at: NIGHT, store });
    before.control.start();
    await before.time.settle();
    before.control.stop();
    const after = await world({ at: NOON + 24 * 60 * MINUTE_MS, store });
    after.display.isOn = false;
    after.display.obeysAfter = 4;
    expect(after.control.holds()).toBe(true);
    after.control.start();
    await after.time.settle();
    expect([after.display.isOn, after.control.holds()]).toEqual([false, true]);
    await after.time.advance(2_000);
    expect([after.display.isOn, after.control.holds()]).toEqual([true, false]);
  });

  it('switches on a display that an earlier run switched off, even if no way is found while it is off', async () => {
    const store = pretendStore();
    store.kept = { version: 1, offBy: ['sway'], override: null };
    const { time, display, control } = await world({ store });
    Object.assign(display, { isOn: false });
    Object.assign(display.way, {
      probe: async () => (display.isOn ? null : 'no answer'),
      async read() {
        if (!display.isOn) throw new Error('no answer');
        return true;
      },
    });
    control.start();
    await time.advance(MINUTE_MS);
    expect([display.isOn, control.holds(), store.kept.offBy]).toEqual([true, false, []]);
    expect(control.power()).toMatchObject({ how: 'sway', on: true, problem: null });
  });

  it.each([
    ['by its hours', HOURS],
    ['left alone', null],
  ])('%s: goes on where staff see the screen on that nothing can switch on any more', async (_how, hours) => {
    const store = pretendStore();
    store.kept = { version: 1, offBy: ['sway'], override: null };
    const { time, display, control } = await world({ store, hours });
    display.isThere = false;
    control.start();
    await time.settle();
    const failed = control.switch(true);
    await time.settle();
    expect([await failed, control.holds()]).toEqual([expect.stringContaining('not installed'), true]);
    const seen = control.switch(true, true);
    await time.settle();
    expect([await seen, control.holds()]).toEqual([expect.stringContaining('not installed'), false]);
    expect(store.kept.offBy).toEqual([]);
    await time.advance(10 * MINUTE_MS);
    expect(control.holds()).toBe(false);
  });

  it('holds after a touch that comes while the display goes off', async () => {
    const { time, display, control } = await world({ at: Date.UTC(2026, 10, 20, 21, 29) });
    control.start();
    await time.settle();
    display.way.read = () => new Promise(() => {});
    await time.advance(2 * MINUTE_MS);
    expect([display.isOn, control.holds()]).toEqual([false, true]);
    control.touched();
    expect(control.holds()).toBe(true);
  });

  it.each(['detect', 'getvcp', 'setvcp'])(
    'counts a program that never ends as failed, and switches by another way: ddcutil %s',
    async (hanging) => {
      const other = pretendDisplay('cec');
      const { time, display, control, switched } = await world({ at: NIGHT, others: [other.way] });
      const output: Record<string, string> = {
        detect: 'Display 1\n',
        getvcp: 'VCP D6 SNC x01\n',
        setvcp: '',
      };
      const ddcutil: RunProgram = (_program, [command = '']) =>
        command === hanging ? new Promise(() => {}) : Promise.resolve(output[command] ?? '');
      Object.assign(display.way, ddcWay(endedWithin(ddcutil, 11_000, time.schedule)));
      control.start();
      await time.advance(MINUTE_MS);
      expect([other.isOn, control.power()?.how, control.power()?.on]).toEqual([false, 'cec', false]);
      expect(switched.at(-1)).toBe('cec true');
    },
  );

  it('does nothing without hours', async () => {
    const { time, display, control } = await world({ at: NIGHT, hours: null });
    control.start();
    await time.advance(10 * MINUTE_MS);
    expect([display.turns, control.holds(), control.power()]).toEqual([[], false, null]);
  });

  it('keeps a manual choice until the hours change, even after a restart', async () => {
    const { time, display, control, store } = await world({ at: NIGHT });
    control.start();
    await time.settle();
    const done = control.switch(true);
    await time.settle();
    expect([await done, display.isOn, control.holds()]).toEqual([null, true, false]);
    expect(control.power()).toMatchObject({ by: 'switch', until: Date.UTC(2026, 10, 21, 6, 30) });
    control.stop();
    const again = await world({ at: NIGHT + 60 * MINUTE_MS, store });
    again.control.start();
    await again.time.advance(MINUTE_MS);
    expect([again.display.isOn, again.display.turns]).toEqual([true, []]);
    // The next evening it turns off as usual.
    await again.time.advance(22 * 60 * MINUTE_MS);
    expect([again.display.isOn, again.control.power()?.by]).toEqual([false, 'hours']);
  });

  it('keeps a manual choice over a restart with a clock that is ahead until the service corrects it', async () => {
    const { time, display, control, store } = await world();
    const done = control.switch(false);
    await time.settle();
    expect([await done, display.isOn]).toEqual([null, false]);
    control.stop();
    const again = await world({ store, at: NOON + MINUTE_MS });
    again.display.isOn = false;
    // By its own clock the hours are over.
    again.clock.aheadMs = 12 * 60 * MINUTE_MS;
    again.control.start();
    await again.time.advance(MINUTE_MS);
    again.clock.aheadMs = 0;
    await again.time.advance(MINUTE_MS);
    expect([again.display.isOn, again.control.power()?.by]).toEqual([false, 'switch']);
    await again.time.advance(19 * 60 * MINUTE_MS);
    expect([again.display.isOn, again.control.power()?.by]).toEqual([true, 'hours']);
  });

  it('switches on for two minutes after a touch, but not after the touch that switched it off', async () => {
    const { time, display, control } = await world();
    control.start();
    const done = control.switch(false);
    control.touched();
    await time.settle();
    expect([await done, display.isOn]).toEqual([null, false]);
    await time.advance(MINUTE_MS);
    control.touched();
    await time.settle();
    expect([display.isOn, control.power()?.by]).toEqual([true, 'touch']);
    expect(control.power()?.until).toBe(time.clock.now() + 2 * MINUTE_MS);
    await time.advance(3 * MINUTE_MS);
    expect([display.isOn, control.power()?.by]).toEqual([false, 'switch']);
  });

  it('tells whom another switch overtook that it did', async () => {
    const { time, display, control } = await world();
    control.start();
    await time.settle();
    display.obeysAfter = 4;
    const off = control.switch(false);
    const on = control.switch(true);
    const again = control.switch(true);
    await time.advance(MINUTE_MS);
    expect(await Promise.all([off, on, again])).toEqual(['Another switch took its place.', null, null]);
  });

  it.each([true, false])(
    'keeps a switch by hand that comes while switching off hangs and then fails (the display stays on: %s)',
    async (staysOn) => {
      const { time, display, control } = await world({ at: Date.UTC(2026, 10, 20, 21, 29) });
      let fails = () => {};
      const { turn } = display.way;
      const hangs = () =>
        new Promise<void>((_resolve, reject) => {
          fails = () => reject(new Error('no answer'));
        });
      Object.assign(display.way, { turn: (on: boolean) => (on ? turn(on) : hangs()) });
      control.start();
      await time.advance(2 * MINUTE_MS);
      expect([display.isOn, control.holds()]).toEqual([true, true]);
      const asked = control.switch(true).then((problem) => [problem, display.isOn]);
      display.isOn = staysOn;
      fails();
      await time.advance(60 * MINUTE_MS);
      expect(await asked).toEqual([null, true]);
      expect([display.isOn, control.power()]).toEqual([
        true,
        expect.objectContaining({ by: 'switch', problem: null }),
      ]);
    },
  );

  describe('where a switch by hand comes while a round looks for ways', () => {
    /** A round begins, and finds ways only when `found` is called. Commands `to` fail when `fails` is called. */
    async function looking(at: number, to: boolean) {
      const all = await world({ at });
      const { time, display, control } = all;
      let found = () => {};
      let fails = () => {};
      const tries: boolean[] = [];
      const { turn, probe } = display.way;
      Object.assign(display.way, {
        probe: () => new Promise<null>((resolve) => (found = () => resolve(null))),
        turn(on: boolean) {
          tries.push(on);
          if (on !== to) return turn(on);
          return new Promise<void>((_resolve, reject) => (fails = () => reject(new Error('no answer'))));
        },
      });
      control.start();
      await time.settle();
      return {
        ...all,
        tries,
        async found() {
          Object.assign(display.way, { probe });
          found();
          await time.settle();
        },
        async fails() {
          fails();
          await time.settle();
        },
      };
    }

    it('an error of its command is told at once', async () => {
      const { display, control, tries, found, fails, time } = await looking(NIGHT, true);
      display.isOn = false;
      let told: string | null = null;
      void control.switch(true).then((problem) => {
        told = problem;
      });
      await time.settle();
      await found();
      await fails();
      expect([told, tries]).toEqual([expect.stringContaining('no answer'), [true]]);
    });

    it('an error of its command is not told to whoever switched back meanwhile', async () => {
      const { control, tries, found, fails, time } = await looking(NOON, false);
      const off = control.switch(false);
      await found();
      expect(tries).toEqual([false]);
      const on = control.switch(true);
      await fails();
      await time.advance(MINUTE_MS);
      expect(await Promise.all([off, on])).toEqual(['Another switch took its place.', null]);
      expect(control.power()).toMatchObject({ on: true, by: 'switch', problem: null });
    });
  });

  it('reports an error, tries again, and clears the error when it works', async () => {
    const { time, display, control } = await world({ at: NIGHT });
    display.isThere = false;
    control.start();
    await time.settle();
    expect(control.power()?.problem).toBe('The display could not be switched off: sway: is not installed.');
    expect(control.holds()).toBe(false);
    const asked = control.switch(false);
    await time.settle();
    expect(await asked).toContain('is not installed');
    display.isThere = true;
    await time.advance(6 * MINUTE_MS);
    expect([display.isOn, control.power()?.problem, control.holds()]).toEqual([false, null, true]);
  });

  it('starts no other way after a stop, and keeps the way that is still switching the display off', async () => {
    const store = pretendStore();
    const other = pretendDisplay('cec');
    const { time, display, control } = await world({ at: NIGHT, store, others: [other.way] });
    // Only a few seconds after the command the display says that it is off.
    display.obeysAfter = 8;
    control.start();
    await time.advance(1_000);
    expect([display.turns, store.kept.offBy]).toEqual([[false], ['sway']]);
    control.stop();
    await time.advance(MINUTE_MS);
    expect([display.turns, other.turns, store.kept.offBy]).toEqual([[false], [], ['sway']]);
  });

  it('switches nothing after a stop that comes while it looks for ways', async () => {
    const { time, display, control } = await world({ at: NIGHT });
    control.start();
    control.stop();
    await time.advance(MINUTE_MS);
    control.touched();
    await time.advance(MINUTE_MS);
    expect(display.turns).toEqual([]);
  });

  it('switches the display off again if something else switched it on', async () => {
    const { time, display, control } = await world({ at: NIGHT });
    control.start();
    await time.settle();
    display.isOn = true;
    await time.advance(2 * MINUTE_MS);
    expect(display.isOn).toBe(false);
  });
});

describe('a display that another way switched off, because the first one was not obeyed in time', () => {
  /** The first way is not obeyed. The other one may be. */
  async function switchedByOther(options: { otherObeys: boolean }) {
    const store = pretendStore();
    const other = pretendDisplay('ddc');
    const { time, display, control } = await world({ at: NIGHT, store, others: [other.way] });
    display.obeysAfter = Number.POSITIVE_INFINITY;
    if (!options.otherObeys) other.obeysAfter = Number.POSITIVE_INFINITY;
    control.start();
    await time.advance(MINUTE_MS);
    return { store, other, time, display, control };
  }

  it('is switched on by both', async () => {
    const { store, other, time, display, control } = await switchedByOther({ otherObeys: true });
    expect([display.isOn, other.isOn, store.kept.offBy]).toEqual([true, false, ['sway', 'ddc']]);
    Object.assign(display, { obeysAfter: 0, isOn: false });
    await time.advance(8 * 60 * MINUTE_MS);
    expect([display.isOn, other.isOn, control.holds(), store.kept.offBy]).toEqual([true, true, false, []]);
  });

  it('is switched on by the first one too where its command fails at first, which is reported', async () => {
    const { store, other, time, display, control } = await switchedByOther({ otherObeys: true });
    Object.assign(display, { obeysAfter: 0, isOn: false, isThere: false });
    await time.advance(8 * 60 * MINUTE_MS);
    expect([display.isOn, other.isOn, control.holds()]).toEqual([false, true, false]);
    expect(control.power()?.problem).toBe(
      'The display could not be switched on: sway: sway is not installed.',
    );
    display.isThere = true;
    await time.advance(6 * MINUTE_MS);
    expect([display.isOn, control.power()?.problem, store.kept.offBy]).toEqual([true, null, []]);
  });

  it('is not switched on by a way that this machine does not have', async () => {
    const store = pretendStore();
    store.kept = { version: 1, offBy: ['wlopm', 'sway'], override: null };
    const { time, display, control } = await world({ store });
    display.isOn = false;
    control.start();
    await time.settle();
    expect([display.isOn, control.power()?.problem, store.kept.offBy]).toEqual([true, null, []]);
  });

  it('is switched off again if something else switched it on', async () => {
    const { other, time, control } = await switchedByOther({ otherObeys: true });
    other.isOn = true;
    await time.advance(2 * MINUTE_MS);
    expect([other.isOn, control.holds()]).toEqual([false, true]);
  });

  it('is switched on by a way that obeys only after all have failed, unseen by the others', async () => {
    const { other, time, display, control } = await switchedByOther({ otherObeys: false });
    expect(control.power()).toMatchObject({ on: true, problem: expect.stringContaining('did not obey') });
    Object.assign(display, { obeysAfter: 0 });
    Object.assign(other, { obeysAfter: 0, isOn: false });
    control.touched();
    await time.advance(MINUTE_MS);
    expect([display.isOn, other.isOn, control.holds()]).toEqual([true, true, false]);
  });

  it('is switched off again also after the first one obeyed, after all had failed', async () => {
    const { time, display, control } = await switchedByOther({ otherObeys: false });
    Object.assign(display, { obeysAfter: 0, isOn: false });
    await time.advance(6 * MINUTE_MS);
    expect([control.power()?.problem, control.holds()]).toEqual([null, true]);
    display.isOn = true;
    await time.advance(2 * MINUTE_MS);
    expect([display.isOn, control.holds()]).toEqual([false, true]);
  });
});

describe('two displays on DDC/CI, of which the second takes no command', () => {
  const PROBLEM = 'ddc: display 2: DDC communication failed.';

  async function twoDisplays(at: number, store = pretendStore(), others: readonly DisplayWay[] = []) {
    interface Display {
      readonly isOn: boolean;
      readonly takesCommands: boolean;
      readonly answers: 'always' | 'while on' | 'never';
    }
    const displays: readonly [Display, Display] = [
      { isOn: true, takesCommands: true, answers: 'always' },
      { isOn: true, takesCommands: true, answers: 'always' },
    ];
    const ddc = ddcWay(async (_program, args) => {
      if (args[0] === 'detect') return 'Display 1\nDisplay 2\n';
      const display = displays[args.at(-1) === '1' ? 0 : 1];
      const { isOn, takesCommands, answers } = display;
      const isSilent = answers === 'never' || (answers === 'while on' && !isOn);
      if (args[0] === 'getvcp' && !isSilent) return `VCP D6 SNC x0${isOn ? 1 : 4}\n`;
      if (args[0] === 'getvcp' || !takesCommands) throw new Error('DDC communication failed');
      Object.assign(display, { isOn: args[2] === '0x01' });
      return '';
    });
    const all = await world({ at, store, others: [ddc, ...others] });
    all.display.isThere = false;
    const take = (...takes: readonly boolean[]) =>
      displays.forEach((display, index) => void Object.assign(display, { takesCommands: takes[index] }));
    return { ...all, displays, take, areOn: () => displays.map(({ isOn }) => isOn) };
  }

  it('hold at night, because the ads may be on the dark one, and report the other', async () => {
    const { time, control, take, areOn } = await twoDisplays(NIGHT);
    take(false, false);
    control.start();
    await time.advance(MINUTE_MS);
    expect([areOn(), control.holds()]).toEqual([[true, true], false]);
    take(true, false);
    const steps: string[] = [];
    for (let second = 0; second < 20 * 60; second += 1) {
      // Later neither takes a command.
      if (second === 10 * 60) take(false, false);
      await time.advance(1_000);
      steps.push(`${areOn()} ${control.holds()}`);
    }
    expect([...new Set(steps)]).toEqual(['true,true false', 'false,true true']);
    expect(control.power()).toMatchObject({
      on: null,
      problem: expect.stringMatching(/^The display could not be switched off: ddc: .*display 2/),
    });
    await time.advance(8 * 60 * MINUTE_MS);
    take(true, true);
    await time.advance(10 * MINUTE_MS);
    expect([areOn(), control.holds(), control.power()?.problem]).toEqual([[true, true], false, null]);
  });

  it.each([0, 4])(
    'hold and report the second, although a television obeys after %s reads',
    async (obeysAfter) => {
      const television = pretendDisplay('cec');
      const { time, control, take, areOn } = await twoDisplays(NIGHT, pretendStore(), [television.way]);
      take(false, false);
      television.isThere = false;
      control.start();
      await time.advance(MINUTE_MS);
      expect(control.holds()).toBe(false);
      take(true, false);
      Object.assign(television, { isThere: true, obeysAfter });
      const steps: string[] = [];
      for (let second = 0; second < 6 * 60; second += 1) {
        await time.advance(1_000);
        steps.push(`${areOn()} ${control.holds()}`);
      }
      expect([...new Set(steps)]).toEqual(['true,true false', 'false,true true']);
      expect([television.isOn, control.power()?.problem]).toEqual([
        false,
        `The display could not be switched off: ${PROBLEM}`,
      ]);
      take(true, true);
      await time.advance(6 * MINUTE_MS);
      expect([areOn(), control.holds(), control.power()?.problem]).toEqual([[false, false], true, null]);
    },
  );

  it.each(['always', 'never'])(
    'keep a switch by hand, and the problem; the second answers %s',
    async (answers) => {
      const { time, control, displays, take, areOn } = await twoDisplays(NOON);
      Object.assign(displays[1], { answers });
      control.start();
      await time.settle();
      take(true, false);
      const asked = control.switch(false);
      await time.advance(10 * MINUTE_MS);
      const problem = `The display could not be switched off: ${PROBLEM}`;
      expect([await asked, areOn()]).toEqual([problem, [false, true]]);
      expect(control.power()).toMatchObject({ by: 'switch', on: null, problem });
    },
  );

  it('count as off after a restart at night, although the second does not answer while it is off', async () => {
    const store = pretendStore();
    store.kept = { version: 1, offBy: ['ddc'], override: null };
    const { time, control, displays, take, areOn } = await twoDisplays(NIGHT, store);
    for (const display of displays) Object.assign(display, { isOn: false });
    Object.assign(displays[1], { answers: 'while on' });
    take(true, false);
    control.start();
    await time.advance(10 * MINUTE_MS);
    expect([areOn(), control.holds(), store.kept.offBy]).toEqual([[false, false], true, ['ddc']]);
  });

  it('keep a switch on by hand, and tell whoever did it about the second', async () => {
    const { time, control, take, areOn } = await twoDisplays(NIGHT);
    control.start();
    await time.settle();
    take(true, false);
    const asked = control.switch(true);
    await time.advance(10 * MINUTE_MS);
    const problem = `The display could not be switched on: ${PROBLEM}`;
    expect([await asked, areOn(), control.holds()]).toEqual([problem, [true, false], false]);
    expect(control.power()).toMatchObject({ by: 'switch', on: true, problem });
  });

  it('play on the first in the morning, and switch on the second as soon as it takes the command', async () => {
    const { time, control, take, areOn } = await twoDisplays(NIGHT);
    control.start();
    await time.settle();
    expect([areOn(), control.holds()]).toEqual([[false, false], true]);
    take(true, false);
    await time.advance(8 * 60 * MINUTE_MS);
    expect([areOn(), control.holds()]).toEqual([[true, false], false]);
    expect(control.power()?.problem).toBe(`The display could not be switched on: ${PROBLEM}`);
    take(true, true);
    await time.advance(6 * MINUTE_MS);
    expect([areOn(), control.holds(), control.power()?.problem]).toEqual([[true, true], false, null]);
  });
});

describe('the stored state of the display', () => {
  it('is in a file, is empty if the file cannot be read, and keeps what switched the display off', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'endcap-display-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'display.json');
    const nothing: StoredPower = { version: 1, offBy: [], override: null };
    expect(await powerFile(path, silentLog).read()).toEqual(nothing);
    const kept: StoredPower = {
      ...nothing,
      offBy: ['ddc'],
      override: { on: true, until: 5, hoursSaid: false },
    };
    await powerFile(path, silentLog).write(kept);
    expect(await powerFile(path, silentLog).read()).toEqual(kept);
    await writeFile(path, '{"version":1,"offBy":["magic"]}');
    expect(await powerFile(path, silentLog).read()).toEqual(nothing);
    // A link to itself: reading fails, as from a bad disk.
    await rm(path);
    await symlink(path, path);
    const file = powerFile(path, silentLog);
    expect(await file.read()).toEqual(nothing);
    await powerFile(`${path}.good`, silentLog).write(kept);
    await rename(`${path}.good`, path);
    await file.write({ ...nothing, offBy: ['sway'] });
    expect(await powerFile(path, silentLog).read()).toEqual({ ...nothing, offBy: ['ddc', 'sway'] });
    // This run does not know of the first one, so it is kept for the next start.
    await file.write({ ...nothing, offBy: [] });
    expect(await powerFile(path, silentLog).read()).toEqual({ ...nothing, offBy: ['ddc'] });
  });
});

it('forgets a switch by hand that failed: no problem stays, and nothing is switched later', async () => {
  const store = pretendStore();
  const { time, display, control } = await world({ hours: null, store });
  display.isThere = false;
  control.start();
  const asked = control.switch(false);
  await time.settle();
  expect(await asked).toContain('is not installed');
  await time.advance(MINUTE_MS);
  expect([control.power()?.problem ?? null, store.kept.override]).toEqual([null, null]);
  display.isThere = true;
  await time.advance(60 * MINUTE_MS);
  expect(display.isOn).toBe(true);
});

describe('a display that obeys later than it may', () => {
  /** Switches it by hand. It obeys only after the answer that it did not. */
  async function switchedLate(on: boolean, options: Parameters<typeof world>[0]) {
    const all = await world(options);
    const { time, display, control } = all;
    control.start();
    await time.settle();
    display.obeysAfter = Number.POSITIVE_INFINITY;
    const asked = control.switch(on);
    await time.advance(6_000);
    expect(await asked).toContain('the display did not obey');
    Object.assign(display, { obeysAfter: 0, isOn: on });
    return all;
  }

  it('stays on outside the hours, until they change', async () => {
    const { time, display, control } = await switchedLate(true, { at: NIGHT });
    await time.advance(20 * MINUTE_MS);
    expect([display.isOn, control.holds()]).toEqual([true, false]);
    expect(control.power()).toMatchObject({ by: 'switch', problem: null });
  });

  it('counts as off without hours, and a touch brings it back', async () => {
    const { time, display, control } = await switchedLate(false, { hours: null });
    await time.advance(20 * MINUTE_MS);
    expect([display.isOn, control.holds()]).toEqual([false, true]);
    expect(control.power()).toMatchObject({ on: false, by: 'switch', problem: null });
    control.touched();
    await time.settle();
    expect([display.isOn, control.holds()]).toEqual([true, false]);
  });

  it('is switched on when the choice ends, even after a restart', async () => {
    const store = pretendStore();
    const before = await switchedLate(false, { hours: null, store });
    await before.time.advance(MINUTE_MS);
    before.control.stop();
    const after = await world({ hours: null, store });
    after.display.isOn = false;
    after.control.start();
    await after.time.settle();
    void after.control.switch(null);
    await after.time.advance(MINUTE_MS);
    expect([after.display.isOn, after.control.holds()]).toEqual([true, false]);
  });
});

describe('a display that was switched off by hand, where no hours are set', () => {
  it('whoever leaves it alone again is told that it stayed off, and then that it is on', async () => {
    const { time, display, control } = await world({ hours: null });
    const off = control.switch(false);
    await time.settle();
    expect([await off, display.isOn]).toEqual([null, false]);
    display.isThere = false;
    const left = control.switch(null);
    await time.settle();
    expect([await left, display.isOn, control.holds()]).toEqual([
      'The display could not be switched on: sway: sway is not installed.',
      false,
      true,
    ]);
    display.isThere = true;
    const again = control.switch(null);
    await time.settle();
    expect([await again, display.isOn, control.holds()]).toEqual([null, true, false]);
  });

  it('whoever leaves it alone while it is being switched off waits until it is on', async () => {
    const { time, display, control } = await world({ hours: null });
    display.obeysAfter = 3;
    const off = control.switch(false);
    await time.settle();
    expect(display.turns).toEqual([false]);
    const left = control.switch(null).then((problem) => [problem, display.isOn]);
    await time.advance(MINUTE_MS);
    expect([await off, await left]).toEqual(['Another switch took its place.', [null, true]]);
  });
});
