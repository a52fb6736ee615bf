import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AGREEMENT_MS,
  advanceClock,
  type ClockEvent,
  type ClockState,
  type ClockStep,
  carryOutChange,
  readClock,
  startClock,
  TOLERANCE_MS,
} from './trusted-clock';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const noon = Date.parse('2026-11-18T12:00:00Z');

/** Both clocks, `after` ms after the start; the system's clock is wrong by `off` ms. */
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
const opened = (lastPlayAt: number, after = 0, off = 0): ClockEvent => ({
  kind: 'books-opened',
  lastPlayAt,
  sample: sample(after, off),
});

function advance(state: ClockState, ...events: ClockEvent[]): ClockStep & { now: number } {
  let step: (ClockStep & { now: number }) | undefined;
  let current = state;
  for (const event of events) {
    const next = advanceClock(current, event);
    step = { ...next, now: readClock(next.state, event.sample) };
    current = next.state;
  }
  if (step === undefined) throw new Error('no event');
  return step;
}

/** A clock that the service has set right at the start, whatever the system's clock shows. */
const trusted = (off = DAY) => advance(startClock(sample(0, off)), answered(0, off)).state;

/** The machine wakes up from a sleep of `slept` ms, for which the monotonic clock stood still. */
const woken = (after: number, slept: number, off = DAY): ClockEvent => ({
  kind: 'resumed',
  sample: sample(after, off + slept),
});

describe('without trusted time', () => {
  it('the clock is the system’s', () => {
    expect(readClock(startClock(sample(0, DAY)), sample(5000, DAY))).toBe(noon + 5000 + DAY);
    expect(advance(startClock(sample(0)), opened(noon - DAY), sampled(5000)).now).toBe(noon + 5000);
  });

  it('the clock is never behind the last stored play, even if the battery died and it shows 1970', () => {
    const step = advance(startClock(sample(0, -noon)), opened(noon, 0, -noon), sampled(3000, -noon));
    expect(step.now).toBe(noon + 3001);
  });

  it('the clock is never behind a play that was stored later', () => {
    const step = advance(startClock(sample(0)), stored(noon, 0), sampled(1000, -HOUR));
    expect(step.now).toBe(noon + 1000);
    expect(advance(step.state, stored(noon - DAY, 1000, -HOUR), sampled(2000, -HOUR)).now).toBe(noon + 2000);
  });

  it('setting the system clock forward moves the plays of this run along and frees no cap', () => {
    const step = advance(startClock(sample(0)), opened(noon - HOUR), stored(noon, 0), sampled(1000, DAY));
    expect(step.now).toBe(noon + 1000 + DAY);
    expect(step.change).toEqual({
      before: noon + 1000,
      now: noon + 1000 + DAY,
      movesPlaysAfter: noon - HOUR,
      isJump: false,
      isTrusted: false,
    });
  });

  it('the system clock counts a sleep that the monotonic clock missed', () => {
    const state = startClock({ system: noon, monotonic: 1000 });
    const step = advance(state, { kind: 'resumed', sample: { system: noon + HOUR, monotonic: 1000 } });
    expect(step).toMatchObject({ now: noon + HOUR, change: { movesPlaysAfter: null, isJump: false } });
  });
});

describe('the first trusted time of a run', () => {
  it.each([
    ['equal', 0, 0],
    ['ahead within two minutes', TOLERANCE_MS, TOLERANCE_MS],
    ['behind within two minutes', -TOLERANCE_MS, -TOLERANCE_MS],
    ['ahead by more', TOLERANCE_MS + 1, 0],
    ['behind by more', -TOLERANCE_MS - 1, 0],
    ['a day ahead', DAY, 0],
    ['in 1970', -noon, 0],
  ])('corrects a system clock %s', (_name, off, left) => {
    expect(advance(startClock(sample(0, off)), answered(1000, off)).now).toBe(noon + 1000 + left);
  });

  it('is no jump: it shows how long the machine was off, and plays of this run move along', () => {
    const night = [opened(noon - 8 * HOUR, 0, -DAY), stored(noon - 8 * HOUR + 5000, 5000, -DAY)];
    const step = advance(startClock(sample(0, -DAY)), ...night, answered(10_000, -DAY));
    expect(step.change).toEqual({
      before: noon - 8 * HOUR + 10_001,
      now: noon + 10_000,
      movesPlaysAfter: noon - 8 * HOUR,
      isJump: false,
      isTrusted: true,
    });
  });

  it('is reported even if it changes nothing, because no calendar period ends before it', () => {
    const first = advance(startClock(sample(0)), answered(1000));
    const change = { before: noon + 1000, now: noon + 1000, movesPlaysAfter: null, isJump: false };
    expect(first.change).toEqual({ ...change, isTrusted: true });
    expect(advance(first.state, answered(2000)).change).toBeNull();
  });

  it('moves plays back that earlier runs stamped in the future', () => {
    const step = advance(startClock(sample(0)), opened(noon + DAY), answered(1000));
    expect(step.change).toMatchObject({ now: noon + 1000, movesPlaysAfter: noon + 1000, isJump: false });
  });

  it('counts from its receipt, not from its handling', () => {
    const late: ClockEvent = { ...answered(0), sample: sample(5000, DAY) } as ClockEvent;
    expect(advance(startClock(sample(0, DAY)), late).now).toBe(noon + 5000);
  });
});

describe('with trusted time', () => {
  it('the clock follows the monotonic clock, however the system clock is set', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9e11, max: 9e11 }), { minLength: 1 }), (jumps) => {
        let state = trusted(0);
        for (const [index, off] of jumps.entries()) {
          const after = (index + 1) * 1000;
          const step = advance(state, sampled(after, off));
          expect(step.now).toBe(noon + after);
          expect(step.change).toBeNull();
          state = step.state;
        }
      }),
    );
  });

  it('a small deviation is corrected slowly, and a minute stays a minute', () => {
    fc.assert(
      fc.property(
        // Deviations from the time shown, in whole milliseconds; the exact time is up to 1 ms later.
        fc.array(fc.integer({ min: 1 - TOLERANCE_MS, max: TOLERANCE_MS }), {
          minLength: 1,
          maxLength: 20,
          size: 'max',
        }),
        (deviations) => {
          let state = trusted();
          let shown = noon;
          for (const [index, by] of deviations.entries()) {
            const after = (index + 1) * MINUTE;
            const step = advance(state, answered(after, DAY, readClock(state, sample(after, DAY)) + by));
            const lasted = step.now - shown;
            expect(step.change).toBeNull();
            expect(Math.abs(lasted - MINUTE)).toBeLessThanOrEqual(61);
            ({ state } = step);
            shown = step.now;
          }
        },
      ),
    );
    const slow = advance(trusted(), answered(1000, DAY, noon + 31_000), sampled(1000 + 30_000_000, DAY));
    expect(slow.now).toBe(noon + 31_000 + 30_000_000);
  });

  it('answers in whole seconds that arrive late do not change the clock', () => {
    let state = trusted();
    for (let after = 700; after < HOUR; after += 61_337) {
      const step = advance(state, answered(after, DAY, Math.floor((noon + after - 650) / 1000) * 1000));
      expect(step.now).toBe(noon + after);
      ({ state } = step);
    }
  });

  it('the clock follows the finer system clock if the service confirms it', () => {
    const step = advance(trusted(0), answered(1000, 800), sampled(HOUR, 800));
    expect(step.now).toBe(noon + HOUR + 800);
  });

  it('the clock is still right after a sleep that the monotonic clock missed', () => {
    const { state } = advance(trusted(), sampled(1000, DAY));
    const awake = { system: noon + DAY + 1000 + 8 * HOUR, monotonic: 1500 };
    expect(advance(state, { kind: 'resumed', sample: awake }).now).toBe(noon + 1000 + 8 * HOUR);
  });

  it('a sleep does not apply a correction twice', () => {
    // 100 s to gain take 28 hours. The kiosk is offline from then on.
    const state = advance(trusted(), answered(1000, DAY, noon + 101_000), sampled(2 * DAY, DAY)).state;
    expect(readClock(state, sample(2 * DAY, DAY))).toBe(noon + 2 * DAY + 100_000);
    const awake = advance(state, woken(2 * DAY, HOUR)).state;
    expect(readClock(awake, sample(4 * DAY, DAY + HOUR))).toBe(noon + 4 * DAY + HOUR + 100_000);
  });

  it('a sleep does not end a correction', () => {
    const state = advance(trusted(), answered(1000, DAY, noon + 101_000), woken(DAY, HOUR)).state;
    expect(readClock(state, sample(3 * DAY, DAY + HOUR))).toBe(noon + 3 * DAY + HOUR + 100_000);
  });

  it('a system clock that went back during a sleep is ignored', () => {
    const { state } = advance(trusted(), sampled(1000));
    expect(advance(state, { kind: 'resumed', sample: { system: 0, monotonic: 1500 } }).now).toBe(noon + 1500);
  });

  it('is in whole milliseconds', () => {
    const { state } = advance(startClock(sample(0, DAY)), answered(0.25, DAY));
    expect(Number.isInteger(readClock(state, sample(10.6, DAY)))).toBe(true);
  });
});

describe('an answer that deviates by more than two minutes', () => {
  const ahead = (after: number, by = DAY) => answered(after, DAY / 2, noon + after + by);

  it('changes nothing and requests another answer', () => {
    const step = advance(trusted(DAY / 2), ahead(5000));
    expect(step).toMatchObject({ now: noon + 5000, change: null, askAgain: true });
  });

  it('is a jump once another answer a minute later agrees', () => {
    const step = advance(trusted(DAY / 2), answered(4000, DAY / 2), ahead(5000), ahead(65_000));
    expect(step.change).toEqual({
      before: noon + 65_000,
      now: noon + 65_000 + DAY,
      movesPlaysAfter: noon + 4000,
      isJump: true,
      isTrusted: true,
    });
  });

  it.each([
    ['too soon after it', [ahead(5000), ahead(50_000)], false],
    ['that says another time', [ahead(5000), ahead(65_000, DAY + AGREEMENT_MS + 1)], true],
    ['after one that agrees with the clock', [ahead(5000), answered(30_000, DAY / 2), ahead(65_000)], true],
    ['that was sent before it', [ahead(65_000), ahead(5000)], false],
  ])('is not confirmed by an answer %s', (_name, answers, askAgain) => {
    const step = advance(trusted(DAY / 2), ...answers);
    expect(step).toMatchObject({ change: null, askAgain });
    expect(step.now).toBeLessThan(noon + HOUR);
  });

  it('is confirmed by a later answer even after one that came too soon', () => {
    const step = advance(trusted(DAY / 2), ahead(5000), ahead(30_000), ahead(65_000, DAY - AGREEMENT_MS));
    expect(step.now).toBe(noon + 65_000 + DAY - AGREEMENT_MS);
  });

  it('can move the clock forward or back', () => {
    const step = advance(trusted(DAY / 2), ahead(5000, -DAY), ahead(65_000, -DAY));
    expect(step.change).toMatchObject({ now: noon + 65_000 - DAY, movesPlaysAfter: noon, isJump: true });
  });

  it('moves no play that an earlier jump, back, left as right', () => {
    const back = [answered(4000, DAY / 2), ahead(5000, -DAY), ahead(65_000, -DAY)];
    const again = [ahead(HOUR, 3 * HOUR - DAY), ahead(HOUR + 61_000, 3 * HOUR - DAY)];
    const step = advance(trusted(DAY / 2), ...back, ...again);
    expect(step.change).toMatchObject({
      now: noon + HOUR + 61_000 + 3 * HOUR - DAY,
      movesPlaysAfter: noon + 4000,
    });
  });

  it('moves plays that were stamped while it was prepared only once, whatever jump follows', () => {
    const { state } = advance(trusted(DAY / 2), answered(4000, DAY / 2), ahead(5000));
    const { state: set, change } = advance(state, ahead(65_000));
    if (change === null) throw new Error('no jump');
    const carriedOut = carryOutChange(state, { state: set, change }, sample(125_000, DAY / 2));
    expect(carriedOut.change).toMatchObject({ before: noon + 125_000, now: noon + 125_000 + DAY });
    const step = advance(carriedOut.state, ahead(HOUR, 3 * DAY), ahead(HOUR + 61_000, 3 * DAY));
    expect(step.change).toMatchObject({ movesPlaysAfter: noon + 125_000 + DAY, isJump: true });
  });

  it('that returns to the earlier time moves all plays since then back', () => {
    const forth = [answered(4000, DAY / 2), ahead(5000), ahead(65_000), ahead(HOUR)];
    const back = [answered(HOUR + 1000, DAY / 2), answered(HOUR + 61_000, DAY / 2)];
    const step = advance(trusted(DAY / 2), ...forth, ...back);
    expect(step.change).toMatchObject({
      now: noon + HOUR + 61_000,
      movesPlaysAfter: noon + 4000,
      isJump: true,
    });
  });

  it('that returns to the earlier time after a sleep moves all plays since then back too', () => {
    const forth = [answered(4000, DAY / 2), ahead(5000), ahead(65_000)];
    // The monotonic clock stood still for an hour.
    const slept = woken(HOUR, HOUR, DAY / 2);
    const right = (after: number) => answered(after, DAY / 2 + HOUR, noon + after + HOUR);
    const back = [right(HOUR + 1000), right(HOUR + 61_000)];
    const step = advance(trusted(DAY / 2), ...forth, sampled(HOUR, DAY / 2), slept, ...back);
    expect(step.change).toMatchObject({
      now: noon + 2 * HOUR + 61_000,
      movesPlaysAfter: noon + 4000,
      isJump: true,
    });
  });

  it('only two answers that agree set the clock', () => {
    const anyAnswer = fc.record({
      pass: fc.integer({ min: 1, max: 2 * MINUTE }),
      by: fc.constantFrom(0, DAY, -DAY, 3 * HOUR, 2 * DAY),
    });
    fc.assert(
      fc.property(fc.array(anyAnswer, { maxLength: 30, size: 'max' }), (answers) => {
        let state = trusted();
        let monotonic = 0;
        const heard: { monotonic: number; by: number }[] = [];
        for (const { pass, by } of answers) {
          monotonic += pass;
          const step = advance(state, answered(monotonic, DAY, noon + monotonic + by));
          if (step.change !== null) {
            expect(heard.some((one) => one.by === by && monotonic - one.monotonic >= 59_000)).toBe(true);
            expect(step.change.now).toBe(noon + monotonic + by);
          }
          heard.push({ monotonic, by });
          ({ state } = step);
        }
      }),
    );
  });
});
