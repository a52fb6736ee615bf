import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockWorld, type Happening, RIGHT_MS } from './testing/clock-world-for-tests';
import { slowCount } from './testing/history-for-tests';

// Caps and clocks together (rules 7 and 10), against a world that knows the real time.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const monday = Date.UTC(2026, 10, 16, 9, 40);

/** Each window's length, and how many times its limit may play within that length: a calendar period can end in it. */
const WINDOWS = [
  ['FREQUENCY_CAP_WINDOW_MINUTE', MINUTE, 1],
  ['FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', 30 * MINUTE, 1],
  ['FREQUENCY_CAP_WINDOW_HOUR', HOUR, 2],
  ['FREQUENCY_CAP_WINDOW_DAY', DAY, 2],
  ['FREQUENCY_CAP_WINDOW_WEEK', 7 * DAY, 2],
  ['FREQUENCY_CAP_WINDOW_FLIGHT', Number.POSITIVE_INFINITY, 1],
] as const;

/** The most plays in any stretch of real time of this length, ms. */
const mostWithin = (plays: readonly number[], length: number) =>
  Math.max(0, ...plays.map((end) => plays.filter((at) => at > end - length && at <= end).length));

const away = fc.oneof(
  fc.constantFrom(DAY, -DAY, 7 * DAY, HOUR, -HOUR, 0, 0),
  fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
  fc.integer({ min: -40 * DAY, max: 400 * DAY }),
  fc.integer({ min: -2 * MINUTE, max: 2 * MINUTE }),
);
const span = fc.oneof(
  fc.integer({ min: 1, max: 2 * MINUTE }),
  fc.integer({ min: 1, max: 2 * HOUR }),
  fc.integer({ min: 1, max: 2 * DAY }),
);
const slotsApart = fc.constantFrom(5_000, 10_000, MINUTE, 10 * MINUTE, 5 * HOUR);
const playing: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('play' as const),
  slots: fc.integer({ min: 1, max: 12 }),
  every: slotsApart,
});
const passing: fc.Arbitrary<Happening> = fc.record({ kind: fc.constant('pass' as const), ms: span });
const systemSet: fc.Arbitrary<Happening> = fc.record({ kind: fc.constant('system-set' as const), off: away });
const answers: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom('answer' as const, 'answers' as const, 'answers' as const),
  off: away,
  slots: fc.constantFrom(0, 0, 1, 3),
});
const sleeping: fc.Arbitrary<Happening> = fc.record({ kind: fc.constant('sleep' as const), ms: span });
const restart: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constant('restart' as const),
  ms: span,
  behind: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 * DAY }), fc.constant(monday)),
  played: fc.integer({ min: 0, max: 8 }),
  every: slotsApart,
});
const anything = fc.oneof(
  { weight: 6, arbitrary: playing },
  { weight: 3, arbitrary: answers },
  { weight: 2, arbitrary: passing },
  { weight: 1, arbitrary: systemSet },
  { weight: 1, arbitrary: sleeping },
  { weight: 1, arbitrary: restart },
);
const drift = fc.constantFrom(0, 0, 1e-4, -1e-4);

describe('plays in any real period as long as a window stay within its cap', () => {
  it.each(WINDOWS)('%s', (window, length, times) => {
    let [jumps, restarts] = [0, 0];
    fc.assert(
      fc.property(
        fc.array(anything, { minLength: 3, maxLength: 25, size: 'max' }),
        fc.integer({ min: 1, max: 4 }),
        drift,
        (happenings, limit, drifts) => {
          const world = clockWorld(monday, [{ window, limit }], drifts);
          for (const happening of happenings) world.happen(happening);
          jumps += world.jumps();
          restarts += world.restarts();
          // Deviations are corrected by a thousandth of the time, and the monotonic clock drifts.
          const most = mostWithin(world.plays(), length * 0.998 - 2 * RIGHT_MS);
          expect(most).toBeLessThanOrEqual(times * limit);
        },
      ),
      { numRuns: 300 },
    );
    expect(jumps).toBeGreaterThan(100);
    expect(restarts).toBeGreaterThan(50);
  });
});

it('a clock that jumps a day and back five times frees no cap', () => {
  const world = clockWorld(monday, [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 3 }]);
  world.happen({ kind: 'play', slots: 6, every: 10_000 });
  for (let times = 0; times < 5; times += 1) {
    world.happen({ kind: 'answers', off: DAY, slots: 0 });
    world.happen({ kind: 'play', slots: 6, every: 10_000 });
    world.happen({ kind: 'answers', off: 0, slots: 0 });
    world.happen({ kind: 'play', slots: 6, every: 10_000 });
  }
  expect(world.jumps()).toBe(10);
  expect(world.plays()).toHaveLength(3);
  // The cap holds for one day of running time, and no longer.
  world.happen({ kind: 'pass', ms: 23 * HOUR });
  world.happen({ kind: 'play', slots: 3, every: 10_000 });
  expect(world.plays()).toHaveLength(3);
  world.happen({ kind: 'pass', ms: HOUR });
  world.happen({ kind: 'play', slots: 6, every: 10_000 });
  expect(world.plays()).toHaveLength(6);
});

it('carried counts continue after a restart, and do not age while the machine is off', () => {
  const world = clockWorld(monday, [{ window: 'FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', limit: 2 }]);
  world.happen({ kind: 'play', slots: 2, every: 10_000 });
  world.happen({ kind: 'answers', off: DAY, slots: 0 });
  world.happen({ kind: 'restart', ms: 8 * HOUR, behind: 0, played: 3, every: 10_000 });
  world.happen({ kind: 'play', slots: 26, every: MINUTE });
  expect(world.plays()).toHaveLength(2);
  world.happen({ kind: 'play', slots: 6, every: MINUTE });
  expect(world.plays()).toHaveLength(4);
});

it('a new hour of a slow clock does not free an hourly cap before the service has answered', () => {
  const world = clockWorld(monday, [{ window: 'FREQUENCY_CAP_WINDOW_HOUR', limit: 1 }]);
  // The system's clock starts five seconds before ten o'clock of another day.
  const behind = 6 * DAY - (20 * MINUTE - 5_000);
  world.happen({ kind: 'restart', ms: 0, behind, played: 8, every: 5_000 });
  world.happen({ kind: 'play', slots: 60, every: MINUTE });
  expect(world.plays()).toEqual([monday, monday + 20 * MINUTE + 40_000]);
});

it('without a jump plays follow the real time', () => {
  // Below two minutes, the system's clock may be the better one.
  const farOff = fc.constantFrom(DAY, -DAY, HOUR, 400 * DAY, 0);
  const noJump = fc.oneof(
    playing,
    passing,
    fc.record({ kind: fc.constant('system-set' as const), off: farOff }),
    sleeping,
    restart,
  );
  const anyCap = fc.record({
    window: fc.constantFrom(...WINDOWS.map(([window]) => window)),
    limit: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(noJump, { maxLength: 20, size: 'max' }), anyCap, (happenings, cap) => {
      const world = clockWorld(monday, [cap]);
      let real = monday;
      const expected: number[] = [];
      const playSlots = (slots: number, every: number, isTrusted: boolean) => {
        for (let slot = 0; slot < slots; slot += 1) {
          if (slowCount(expected, cap.window, real, isTrusted) < cap.limit) expected.push(real);
          real += every;
        }
      };
      for (const happening of happenings) {
        // Until the service has answered, it is unknown for how long a machine with a wrong clock was off.
        const it = happening.kind === 'restart' ? { ...happening, behind: 0 } : happening;
        if (it.kind === 'system-set') world.happen({ kind: 'answer', off: 0 });
        world.happen(it);
        if (it.kind === 'play') playSlots(it.slots, it.every, true);
        else if (it.kind === 'restart') {
          real += it.ms;
          playSlots(it.played, it.every, false);
        } else if (it.kind === 'pass' || it.kind === 'sleep') real += it.ms;
      }
      expect(world.jumps()).toBe(0);
      expect(world.plays()).toEqual(expected);
      expect(world.counters()?.carried).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});
