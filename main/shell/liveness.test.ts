import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { type LifeSigns, START_MS, watchLiveness } from './liveness';

interface Help {
  readonly name: string;
  readonly attempt: number;
  readonly second: number;
}

/** A monitor with a clock that is turned by hand; it checks when a test says so. */
function monitor() {
  let now = 0;
  let ends = 0;
  let look = () => {};
  const help: Help[] = [];
  const liveness = watchLiveness({
    clock: { monotonic: () => now },
    schedule(_ms, run) {
      look = run;
      return () => {};
    },
    log: silentLog,
    isEnding: () => false,
    giveUp: () => {
      ends += 1;
    },
  });
  const register = (name: string, withinMs: number, ask?: { everyMs: number; run(): void }): LifeSigns =>
    liveness.register({
      name,
      withinMs,
      ...(ask && { ask }),
      onSilence: (attempt) => void help.push({ name, attempt, second: now / 1_000 }),
    });
  return {
    liveness,
    register,
    help,
    ends: () => ends,
    at(ms: number) {
      now = ms;
    },
    look: () => look(),
  };
}

/** Checks every second; `told` is called before each check. */
function watch(seconds: number, withinMs: number, told: (second: number, signs: LifeSigns) => void) {
  const { liveness, register, help, ends, at, look } = monitor();
  const signs = register('picture', withinMs);
  for (let second = 0; second <= seconds; second += 1) {
    at(second * 1_000);
    told(second, signs);
    look();
  }
  return { help, ends: ends(), isWell: liveness.isWell() };
}

describe('the liveness monitor', () => {
  it('does not restart a part that reports every second', () => {
    const { help, isWell } = watch(120, 5_000, (_second, signs) => signs.heard());
    expect([help, isWell]).toEqual([[], true]);
  });

  it.each([5_000, 20_000, 12_000])(
    'restarts a silent part after %i ms, and again while it stays silent',
    (ms) => {
      const { help, isWell } = watch(60, ms, (second, signs) => {
        if (second <= 10) signs.heard();
      });
      const first = 10 + ms / 1_000;
      expect(help[0]).toEqual({ name: 'picture', attempt: 1, second: first });
      expect(help[1]).toEqual({ name: 'picture', attempt: 2, second: first + ms / 1_000 });
      expect(isWell).toBe(false);
    },
  );

  it('allows more time for a start and for a restart', () => {
    expect(watch(60, 5_000, () => {}).help[0]?.second).toBe(START_MS / 1_000);
    const again = watch(60, 5_000, (second, signs) => {
      if (second === 10) signs.started();
    });
    expect(again.help[0]?.second).toBe(10 + START_MS / 1_000);
  });

  it('counts attempts across restarts, resets them after a report, and ends the kiosk at the fifth', () => {
    const { help, ends } = watch(80, 5_000, (second, signs) => {
      if (second === 0) signs.heard();
      if (second === 5) signs.started();
      if (second === 40) signs.heard();
    });
    expect(help.map(({ second, attempt }) => [second, attempt])).toEqual([
      [25, 1],
      [30, 2],
      [35, 3],
      ...[45, 50, 55, 60].map((second, index) => [second, index + 1]),
    ]);
    expect(ends).toBe([65, 70, 75, 80].length);
  });

  it('does not count time in which main itself was stopped', () => {
    const { liveness, register, help, at, look } = monitor();
    register('picture', 5_000).heard();
    look();
    for (let second = 60; second <= 69; second += 1) {
      at(second * 1_000);
      if (second === 64) liveness.woke();
      look();
    }
    expect(help).toEqual([{ name: 'picture', attempt: 1, second: 69 }]);
  });

  it('expects no report from a part that is mayBeSilent or has ended', () => {
    for (const leave of ['mayBeSilent', 'end'] as const) {
      const { help, isWell } = watch(60, 5_000, (second, signs) => {
        if (second === 0) signs.heard();
        if (second === 2) signs[leave]();
      });
      expect([help, isWell]).toEqual([[], true]);
    }
  });

  it('stores the report of an mayBeSilent part, but expects no further one', () => {
    let lastHeard: number | null = null;
    const { help } = watch(60, 5_000, (second, signs) => {
      if (second === 0) signs.mayBeSilent();
      if (second === 7) signs.heard();
      lastHeard = signs.lastHeard();
    });
    expect([help, lastHeard]).toEqual([[], 7_000]);
  });

  it('says how long a part that must report has been silent', () => {
    const { register, at } = monitor();
    const signs = register('picture', 5_000);
    const silences: (number | null)[] = [];
    const steps = [
      ...[signs.started, signs.heard, () => {}, signs.mayBeSilent, () => {}, signs.started, () => {}],
      // Started over after a crash: the silence goes on.
      ...[signs.heard, signs.started, () => {}],
    ];
    for (const [second, step] of steps.entries()) {
      at(second * 1_000);
      step();
      silences.push(signs.silentMs());
    }
    expect(silences).toEqual([null, 0, 1_000, 0, 0, 0, 1_000, 0, 1_000, 2_000]);
  });

  it('is well only while all expected parts have reported in time', () => {
    const { liveness, register, at } = monitor();
    const signs = [register('picture', 5_000), register('records', 20_000)];
    at(3_000);
    expect(liveness.isWell()).toBe(false);
    signs[0]?.heard();
    expect(liveness.isWell()).toBe(false);
    signs[1]?.heard();
    expect(liveness.isWell()).toBe(true);
    at(8_000);
    expect(liveness.isWell()).toBe(false);
    signs[0]?.heard();
    expect(liveness.isWell()).toBe(true);
    signs[0]?.started();
    expect(liveness.isWell()).toBe(false);
  });

  it('looks by itself, and restarts nothing more once the kiosk ends', () => {
    const time = handTurnedTime();
    const attempts: number[] = [];
    let isEnding = false;
    const liveness = watchLiveness({
      ...time,
      log: silentLog,
      isEnding: () => isEnding,
      giveUp: () => {},
    });
    const onSilence = (attempt: number) => void attempts.push(attempt);
    liveness.register({ name: 'picture', withinMs: 5_000, onSilence }).heard();
    time.pass(11_000);
    expect(attempts).toEqual([1, 2]);
    isEnding = true;
    time.pass(60_000);
    expect(attempts).toEqual([1, 2]);
  });

  it('asks at the given interval, even if the part has not answered', () => {
    const { register, at, look } = monitor();
    const asked: number[] = [];
    let second = 0;
    const ask = { everyMs: 3_000, run: () => void asked.push(second) };
    register('service', 12_000, ask);
    for (second = 1; second <= 10; second += 1) {
      at(second * 1_000);
      look();
    }
    expect(asked).toEqual([1, 4, 7, 10]);
  });

  it('restarts only parts that were silent for their time, in every order of events', () => {
    const within = { picture: 5_000, records: 20_000, service: 12_000 } as const;
    type Name = keyof typeof within;
    const name = fc.constantFrom<Name>('picture', 'records', 'service');
    const event = fc.oneof(
      fc.tuple(fc.constantFrom('started', 'heard', 'mayBeSilent'), name),
      fc.tuple(fc.constantFrom('woke', 'look'), name),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 4_000 }), event)), (story) => {
        const { liveness, register, help, at, look } = monitor();
        const names = Object.keys(within) as Name[];
        const signs = new Map(names.map((each) => [each, register(each, within[each])]));
        const lastWord = new Map<string, number>(names.map((each) => [each, 0]));
        const mayBeSilent = new Set<string>();
        let now = 0;
        for (const [wait, [what, of]] of story) {
          now += wait;
          at(now);
          help.length = 0;
          if (what === 'look') look();
          else if (what === 'woke') liveness.woke();
          else {
            signs.get(of)?.[what as 'started' | 'heard' | 'mayBeSilent']();
            lastWord.set(of, now);
            if (what === 'mayBeSilent') mayBeSilent.add(of);
            if (what === 'started') mayBeSilent.delete(of);
          }
          for (const each of help) {
            expect(mayBeSilent.has(each.name)).toBe(false);
            expect(now - (lastWord.get(each.name) ?? now)).toBeGreaterThanOrEqual(within[each.name as Name]);
            expect(each.attempt).toBeGreaterThan(0);
          }
        }
      }),
    );
  });
});
