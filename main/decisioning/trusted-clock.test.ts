import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceClock,
  type ClockEvent,
  type ClockState,
  type ClockStep,
  readClock,
  startClock,
  TOLERANCE_MS,
} from './trusted-clock';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const noon = Date.parse('2026-11-18T12:00:00Z');

/** Both clocks, `after` ms after the start, with the system's `off` from the truth. */
const sample = (after: number, off = 0) => ({ system: noon + after + off, monotonic: after });
const sampled = (after: number, off = 0): ClockEvent => ({ kind: 'sampled', sample: sample(after, off) });
const answered = (after: number, off = 0, serverTime = noon + after): ClockEvent => ({
  kind: 'answered',
  serverTime,
  monotonicAtReceipt: after,
  sample: sample(after, off),
});
const stored = (at: number, after: number, off = 0): ClockEvent => ({
  kind: 'play-stored',
  at,
  sample: sample(after, off),
});

function advance(state: ClockState, ...events: ClockEvent[]): ClockStep {
  let step: ClockStep | undefined;
  let current = state;
  for (const event of events) {
    step = advanceClock(current, event);
    current = step.state;
  }
  if (step === undefined) throw new Error('no event');
  return step;
}

describe('without trusted time', () => {
  it('the clock is the system’s', () => {
    expect(readClock(startClock(null, sample(0)), sample(5000, DAY))).toBe(noon + 5000 + DAY);
    expect(readClock(startClock(noon - DAY, sample(0)), sample(5000))).toBe(noon + 5000);
  });

  it('but never behind the last stored play, from which time goes on: a battery died and it is 1970', () => {
    const state = startClock(noon, { system: 0, monotonic: 100 });
    expect(readClock(state, { system: 0, monotonic: 100 })).toBe(noon);
    const later = advanceClock(state, { kind: 'sampled', sample: { system: 3000, monotonic: 3100 } });
    expect(later).toMatchObject({ now: noon + 3000, governedBy: 'last-play', restampTo: null });
  });

  it('a play stored in the meantime moves that floor', () => {
    const step = advance(startClock(null, sample(0)), stored(noon, 0), sampled(1000, -HOUR));
    expect(step).toMatchObject({ now: noon + 1000, governedBy: 'last-play' });
  });

  it('an older play does not lower it', () => {
    const state = startClock(noon, sample(0, -DAY));
    expect(advance(state, stored(noon - DAY, 1000, -DAY)).now).toBe(noon + 1000);
  });

  it('a sleep that the monotonic clock missed is counted from the system’s', () => {
    const state = startClock(noon, { system: 1000, monotonic: 1000 });
    const step = advanceClock(state, { kind: 'resumed', sample: { system: 1000 + HOUR, monotonic: 2000 } });
    expect(step.now).toBe(noon + HOUR);
  });
});

describe('with trusted time', () => {
  it.each([
    ['equal', 0, 'system'],
    ['ahead within two minutes', TOLERANCE_MS, 'system'],
    ['behind within two minutes', -TOLERANCE_MS, 'system'],
    ['ahead by more', TOLERANCE_MS + 1, 'trusted'],
    ['behind by more', -TOLERANCE_MS - 1, 'trusted'],
    ['a day ahead', DAY, 'trusted'],
    ['in 1970', -noon, 'trusted'],
  ])('a system clock %s', (_name, off, governedBy) => {
    const step = advance(startClock(null, sample(0, off)), answered(1000, off));
    expect(step.governedBy).toBe(governedBy);
    expect(step.now).toBe(noon + 1000 + (governedBy === 'system' ? off : 0));
  });

  it('goes on by the monotonic clock, however the system clock jumps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9e11, max: 9e11 }), { minLength: 1 }), (jumps) => {
        let { state } = advance(startClock(null, sample(0)), answered(0));
        for (const [index, off] of jumps.entries()) {
          const after = (index + 1) * 1000;
          const step = advance(state, sampled(after, off));
          expect(Math.abs(step.now - (noon + after))).toBeLessThanOrEqual(TOLERANCE_MS);
          expect(step.now).toBe(readClock(step.state, sample(after, off)));
          state = step.state;
        }
      }),
    );
  });

  it('changes sides by itself when the system clock is set right, and back', () => {
    const start = advance(startClock(null, sample(0)), answered(0)).state;
    const wrong = advance(start, sampled(1000, DAY));
    const right = advance(wrong.state, sampled(2000));
    const wrongAgain = advance(right.state, sampled(3000, -DAY));
    expect([wrong, right, wrongAgain].map((step) => step.governedBy)).toEqual([
      'trusted',
      'system',
      'trusted',
    ]);
    expect(wrongAgain.now).toBe(noon + 3000);
  });

  it('may lie before the last stored play', () => {
    expect(advance(startClock(noon + DAY, sample(0)), answered(0)).now).toBe(noon);
  });

  it('an answer is taken as of its receipt, not of its handling', () => {
    const late: ClockEvent = {
      kind: 'answered',
      serverTime: noon,
      monotonicAtReceipt: 0,
      sample: sample(5000, DAY),
    };
    expect(advance(startClock(null, sample(0, DAY)), late).now).toBe(noon + 5000);
  });

  it('of two answers the one received later counts, in whatever order they are handed in', () => {
    const start = startClock(null, sample(0, DAY));
    const first = answered(1000, DAY, noon + 1000);
    const second = answered(2000, DAY, noon + 2000 + HOUR);
    const expected = noon + 3000 + HOUR;
    expect(advance(start, first, second, sampled(3000, DAY)).now).toBe(expected);
    expect(advance(start, second, first, sampled(3000, DAY)).now).toBe(expected);
  });

  it('answers in whole seconds never set it back, and move it up to the latest second told', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ pass: fc.nat(5_000), onTheWay: fc.nat(900) }), { minLength: 2, maxLength: 20 }),
        (answers) => {
          let monotonic = 0;
          let { state } = advance(startClock(null, sample(0, DAY)), answered(0, DAY));
          let before = noon;
          for (const { pass, onTheWay } of answers) {
            const told = Math.floor((noon + monotonic + pass) / 1000) * 1000;
            monotonic += pass + onTheWay;
            const step = advance(state, answered(monotonic, DAY, told));
            expect(step.now).toBeGreaterThanOrEqual(before);
            expect(step.now).toBeGreaterThanOrEqual(told);
            expect(step.now).toBeLessThanOrEqual(noon + monotonic);
            expect(step.restampTo).toBeNull();
            ({ state } = advance(step.state, stored(step.now, monotonic, DAY)));
            before = step.now;
          }
        },
      ),
    );
  });

  it('a sleep that the monotonic clock missed does not leave it behind', () => {
    const { state } = advance(startClock(null, sample(0, DAY)), answered(0, DAY), sampled(1000, DAY));
    const awake = { system: noon + DAY + 1000 + 8 * HOUR, monotonic: 1500 };
    const step = advanceClock(state, { kind: 'resumed', sample: awake });
    expect(step).toMatchObject({ now: noon + 1000 + 8 * HOUR, governedBy: 'trusted' });
  });

  it('a system clock that went back in its sleep is not believed', () => {
    const { state } = advance(startClock(null, sample(0)), answered(0), sampled(1000));
    const awake = { system: 0, monotonic: 1500 };
    expect(advanceClock(state, { kind: 'resumed', sample: awake }).now).toBe(noon + 1500);
  });

  it('is in whole milliseconds', () => {
    const { state } = advance(startClock(null, sample(0, DAY)), answered(0.25, DAY));
    expect(Number.isInteger(readClock(state, sample(10.6, DAY)))).toBe(true);
  });
});

describe('plays stamped after trusted time', () => {
  it('are restamped to it once', () => {
    const step = advance(startClock(noon + DAY, sample(0, DAY)), answered(1000, DAY));
    expect(step.restampTo).toBe(noon + 1000);
    expect(advance(step.state, answered(2000, DAY)).restampTo).toBeNull();
    expect(advance(step.state, sampled(2000, DAY)).restampTo).toBeNull();
  });

  it('also when the system clock was set right before the answer came', () => {
    const step = advance(startClock(noon + DAY, sample(0)), answered(1000));
    expect(step).toMatchObject({ governedBy: 'system', restampTo: noon + 1000 });
  });

  it('but not for the difference that the system clock is allowed', () => {
    const step = advance(startClock(noon + MINUTE, sample(0)), answered(0));
    expect(step.restampTo).toBeNull();
  });

  it('also when the system clock runs off later', () => {
    const start = advance(startClock(null, sample(0, MINUTE)), answered(0, MINUTE)).state;
    const step = advance(start, stored(noon + MINUTE, 0, MINUTE), sampled(1000, DAY));
    expect(step).toMatchObject({ governedBy: 'trusted', restampTo: noon + 1000 });
  });

  it('not while nothing is stored after it', () => {
    expect(advance(startClock(noon - 1, sample(0, DAY)), answered(0, DAY)).restampTo).toBeNull();
    expect(advance(startClock(null, sample(0, DAY)), answered(0, DAY)).restampTo).toBeNull();
  });

  it('a play whose first frame is planned a moment ahead does not set it off', () => {
    const start = advance(startClock(null, sample(0, DAY)), answered(0, DAY)).state;
    const onTheBooks = advance(start, stored(noon + 1500, 1000, DAY));
    expect(onTheBooks.restampTo).toBeNull();
    expect(advance(onTheBooks.state, sampled(1100, DAY)).restampTo).toBeNull();
    expect(advance(onTheBooks.state, answered(1100, DAY)).restampTo).toBeNull();
  });
});
