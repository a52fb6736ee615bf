import { describe, expect, it } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { type CarryOut, createDecidedClock } from './decided-clock';

const MINUTE = 60_000;
const DAY = 86_400_000;
const noon = Date.UTC(2026, 10, 18, 12);

/** A correct clock, whose changes are carried out when a test does so. */
function aClock() {
  const { clock: system, drift: pass } = handTurnedTime(noon);
  const clock = createDecidedClock(system.now, system.monotonic);
  const found: CarryOut[] = [];
  const asked: number[] = [];
  clock.onChange((_change, carryOut) => found.push(carryOut));
  clock.onAskAgain((inMs) => asked.push(inMs));
  const answer = (off: number) => clock.trust({ at: system.now() + off, monotonic: system.monotonic() });
  answer(0);
  found.shift()?.(() => {});
  return { clock, found, asked, pass, answer };
}

describe('a change of the clock that takes time to prepare', () => {
  it('leaves the clock unchanged until it is carried out, and then sets it by the same amount', () => {
    const { clock, found, pass, answer } = aClock();
    answer(DAY);
    pass(MINUTE);
    answer(DAY);
    pass(3_000);
    expect(clock.now()).toBe(noon + MINUTE + 3_000);
    let isFollowed = false;
    found[0]?.((change) => {
      isFollowed = true;
      const before = noon + MINUTE + 3_000;
      expect(change).toEqual({
        before,
        now: before + DAY,
        movesPlaysAfter: noon,
        isJump: true,
        isTrusted: true,
      });
      expect(clock.now()).toBe(change.now);
    });
    expect(isFollowed).toBe(true);
    pass(1_000);
    expect(clock.now()).toBe(noon + DAY + MINUTE + 4_000);
    expect(clock.lastTrustedAt()).toBe(noon + DAY + MINUTE + 3_000);
  });

  it('is awaited by who needs the time that the service told', async () => {
    const { clock, found, pass, answer } = aClock();
    await clock.settled();
    answer(DAY);
    pass(MINUTE);
    answer(DAY);
    const seen: number[] = [];
    const settled = clock.settled().then(() => seen.push(clock.now()));
    pass(3_000);
    await Promise.resolve();
    expect(seen).toEqual([]);
    found[0]?.(() => {});
    await settled;
    expect(seen).toEqual([noon + DAY + MINUTE + 3_000]);
  });

  it('does not lose events that arrive meanwhile: another change follows', () => {
    const { clock, found, asked, pass, answer } = aClock();
    answer(DAY);
    pass(MINUTE);
    answer(DAY);
    expect(asked).toEqual([MINUTE]);
    // The service's next answers are right again.
    pass(1_000);
    answer(0);
    pass(MINUTE);
    answer(0);
    expect(found).toHaveLength(1);
    found[0]?.(() => {});
    expect(asked).toEqual([MINUTE, MINUTE]);
    expect(found).toHaveLength(2);
    found[1]?.(({ before, now }) => expect(now - before).toBe(-DAY));
    expect(clock.now()).toBe(noon + 2 * MINUTE + 1_000);
  });

  it('moves a play that is stored meanwhile, so that it does not hold back an untrusted clock', () => {
    let system = noon + DAY;
    const clock = createDecidedClock(
      () => system,
      () => 0,
    );
    const found: CarryOut[] = [];
    clock.onChange((_change, carryOut) => found.push(carryOut));
    system = noon;
    clock.sample();
    clock.playStored(clock.now());
    found[0]?.(() => {});
    clock.sample();
    expect(clock.now()).toBe(noon);
    expect(found).toHaveLength(1);
  });
});
