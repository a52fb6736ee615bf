import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { explainAd } from '../decisions/explain';
import { anAd } from '../decisions/testing/ads-for-tests';
import { openAnnouncement } from '../fleet/link/announcement';
import { createOnlineSlots } from '../playback/online-slots';
import { oneFileEach } from '../playback/testing/one-file-each';
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

describe('a clock that the service sets forward', () => {
  it.each([
    ['by more than a day', DAY + MINUTE, false],
    ['by a day', DAY, true],
    ['by an hour', 60 * MINUTE, true],
  ])('%s (%i ms) lets beacons expire at once: %s', (_case, off, isAtOnce) => {
    const { clock, found, pass, answer } = aClock();
    expect(clock.isTrustedToExpire()).toBe(true);
    answer(off);
    pass(MINUTE);
    answer(off);
    found[0]?.(() => {});
    expect(clock.isTrustedToExpire()).toBe(isAtOnce);
    pass(DAY);
    expect(clock.isTrustedToExpire()).toBe(true);
  });

  it('by more than a day with its first answer lets beacons expire a day later', () => {
    const { clock: system, drift: pass } = handTurnedTime(noon);
    const clock = createDecidedClock(system.now, system.monotonic);
    clock.onChange((_change, carryOut) => carryOut(() => {}));
    expect(clock.isTrustedToExpire()).toBe(false);
    clock.trust({ at: noon + 31 * DAY, monotonic: system.monotonic() });
    pass(DAY - 1);
    expect([clock.isTrusted(), clock.isTrustedToExpire()]).toEqual([true, false]);
    pass(1);
    expect(clock.isTrustedToExpire()).toBe(true);
  });

  it('a little lets beacons expire at once, though the last play set it forward by days before', () => {
    const { clock: system } = handTurnedTime(noon);
    const clock = createDecidedClock(system.now, system.monotonic);
    clock.onChange((_change, carryOut) => carryOut(() => {}));
    clock.booksOpened(noon + 2 * DAY);
    expect(clock.now()).toBeGreaterThan(noon + 2 * DAY);
    clock.trust({ at: noon + 2 * DAY + MINUTE, monotonic: system.monotonic() });
    expect(clock.isTrustedToExpire()).toBe(true);
  });
});

describe('a sleep of the machine', () => {
  const HOUR = 60 * MINUTE;

  /** Follows the service, whose time is a day behind the system's. The monotonic clock stands still in a sleep. */
  function aSleeper() {
    const time = handTurnedTime(noon);
    let slept = 0;
    const clock = createDecidedClock(() => time.clock.now() + slept + DAY, time.clock.monotonic);
    clock.onChange((_change, carryOut) => carryOut(() => {}));
    clock.trust({ at: noon, monotonic: time.clock.monotonic() });
    return {
      time,
      clock,
      sleep(ms: number) {
        clock.fallsAsleep();
        slept += ms;
      },
      setSystem(ahead: number) {
        slept += ahead;
      },
    };
  }

  it.each([
    ['nothing else', () => {}],
    ['a look at the clocks', (clock) => clock.sample()],
    ['a stored play', (clock) => clock.playStored(clock.now())],
    [
      'an answer of the service',
      (clock) => clock.trust({ at: noon + 8 * HOUR, monotonic: clock.monotonic() }),
    ],
  ] as [string, (clock: ReturnType<typeof createDecidedClock>) => void][])(
    'is counted whole, whatever comes before its end is reported: %s',
    (_what, happens) => {
      const { time, clock, sleep } = aSleeper();
      sleep(8 * HOUR);
      time.drift(400);
      happens(clock);
      clock.resumed();
      expect(clock.now()).toBe(noon + 8 * HOUR + 400);
      time.drift(5_000);
      clock.sample();
      expect(clock.now()).toBe(noon + 8 * HOUR + 5_400);
    },
  );

  it('that was announced and did not come changes nothing, and the next one counts too', () => {
    const { time, clock, sleep } = aSleeper();
    sleep(0);
    clock.resumed();
    time.drift(5_000);
    sleep(HOUR);
    clock.resumed();
    expect(clock.now()).toBe(noon + HOUR + 5_000);
  });

  it('whose end is never reported does not let the system’s clock move this one for longer than a minute', () => {
    const { time, clock, setSystem } = aSleeper();
    clock.fallsAsleep();
    time.drift(MINUTE);
    setSystem(DAY);
    clock.sample();
    expect(clock.now()).toBe(noon + MINUTE);
  });

  it('moves no play, even before the service has told its time', () => {
    const time = handTurnedTime(noon);
    let slept = 0;
    const clock = createDecidedClock(() => time.clock.now() + slept, time.clock.monotonic);
    const moved: unknown[] = [];
    clock.onChange(({ movesPlaysAfter }, carryOut) => carryOut(() => moved.push(movesPlaysAfter)));
    clock.booksOpened(noon - DAY);
    clock.playStored(noon);
    clock.fallsAsleep();
    slept = 8 * HOUR;
    clock.sample();
    clock.resumed();
    expect(moved).toEqual([null]);
    expect(clock.now()).toBe(noon + 8 * HOUR);
  });

  it('that begins while the clock is being set is counted too', () => {
    const time = handTurnedTime(noon);
    let slept = 0;
    const clock = createDecidedClock(() => time.clock.now() + slept + DAY, time.clock.monotonic);
    const found: CarryOut[] = [];
    clock.onChange((_change, carryOut) => found.push(carryOut));
    clock.trust({ at: noon, monotonic: time.clock.monotonic() });
    clock.playStored(noon + DAY);
    clock.fallsAsleep();
    slept = 8 * HOUR;
    clock.sample();
    clock.resumed();
    while (found.length > 0) found.shift()?.(() => {});
    expect(clock.now()).toBe(noon + 8 * HOUR);
  });

  it('does not prolong an announcement', async () => {
    const { time, clock, sleep } = aSleeper();
    const folder = mkdtempSync(join(tmpdir(), 'endcap-sleep-'));
    const announcement = await openAnnouncement(join(folder, 'announcement.json'), {
      clock: clock.throughSleep,
      schedule: time.schedule,
      log: silentLog,
    });
    await announcement.begin({ text: 'We close at nine.', severity: 'information', language: 'en' }, HOUR);
    const shown = announcement.current()?.until;
    await time.advance(10 * MINUTE);
    sleep(20 * MINUTE);
    clock.resumed();
    expect(announcement.current()?.until).toBe(shown);
    sleep(8 * HOUR);
    clock.resumed();
    await time.advance(10_000);
    expect(announcement.current()).toBeNull();
    rmSync(folder, { recursive: true });
  });

  it('does not prolong how long an online ad waits for its slot', async () => {
    const { time, clock, sleep } = aSleeper();
    const slots = createOnlineSlots({
      clock: clock.throughSleep,
      delivery: 'online',
      judge: (ad, at) =>
        explainAd(ad, { at, context: EMPTY_CONTEXT, counters: null, media: { state: 'ready' } }),
      request: async () => ({ kind: 'ads', ads: [anAd({}, 'https://media.test/a.png', 'a')], rejected: [] }),
      files: oneFileEach(() => true),
      media: { want() {}, onChange() {} },
      capHit() {},
      answered() {},
      changed() {},
      schedule: time.schedule,
      pause: async () => {},
      log: silentLog,
    });
    slots.slotBegan(clock.now() + 10_000);
    await time.settle();
    const candidate = () => slots.candidate(clock.now() + 10_000)?.id ?? null;
    expect(candidate()).toBe('a');
    sleep(HOUR);
    clock.resumed();
    expect(candidate()).toBeNull();
  });
});
