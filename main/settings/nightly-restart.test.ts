import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createLiveSettings } from './live-settings';
import { isRestartDue, nightlyRestart } from './nightly-restart';
import type { Settings } from './settings';

const HOUR = 3_600_000;
const at = (hour: number, minute = 0) => hour * 60 + minute;

describe('the nightly restart', () => {
  it.each([
    ['before its time', at(3, 59), 24 * HOUR, false],
    ['at its minute', at(4), 24 * HOUR, true],
    ['while nobody was idle yet', at(5, 59), 24 * HOUR, true],
    ['two hours later, when the night is over', at(6), 24 * HOUR, false],
    ['in the evening', at(22), 24 * HOUR, false],
    ['right after itself', at(4), 20_000, false],
    ['a minute after itself', at(4, 1), 80_000, false],
    ['half an hour after itself', at(4, 30), 0.5 * HOUR, false],
    ['for a kiosk that was switched on after it', at(5), 0.5 * HOUR, false],
    ['for a kiosk that was switched on before it', at(5), 2 * HOUR, true],
  ])('%s', (_when, localMinute, upMs, due) => {
    expect(isRestartDue(at(4), localMinute * 60_000, 'UTC', upMs)).toBe(due);
  });

  it('stays due across midnight', () => {
    expect(isRestartDue(at(23, 30), at(0, 15) * 60_000, 'UTC', 24 * HOUR)).toBe(true);
    expect(isRestartDue(at(0), at(23, 59) * 60_000, 'UTC', 24 * HOUR)).toBe(false);
  });

  /** Hours from `from` on at which a kiosk restarts within some days, if it looks every five seconds. */
  function restarts(restartAt: number, from: number, timeZone: string, days: number): number[] {
    let startedAt = from - 10 * HOUR;
    const found: number[] = [];
    for (let now = from; now < from + days * 24 * HOUR; now += 5_000) {
      if (!isRestartDue(restartAt, now, timeZone, now - startedAt)) continue;
      found.push((now - from) / HOUR);
      startedAt = now + 3_000;
    }
    return found;
  }

  it('comes later on each kiosk by its own time, and still once a night', () => {
    const lateMinutes = [7, 2, 9.5, 0.5];
    let start = 0;
    let startedAt = -10 * HOUR;
    const found: number[] = [];
    for (let now = 0; now < 4 * 24 * HOUR; now += 5_000) {
      const lateMs = (lateMinutes[start] ?? 0) * 60_000;
      if (!isRestartDue(at(4), now, 'UTC', now - startedAt, lateMs)) continue;
      found.push((now / HOUR - 4 - 24 * start) * 60);
      startedAt = now + 3_000;
      start += 1;
    }
    for (const [index, minutes] of lateMinutes.entries()) expect(found[index]).toBeCloseTo(minutes, 1);
    expect(found).toHaveLength(4);
  });

  it('happens once a night, however often the kiosk checks', () => {
    expect(restarts(at(4), 0, 'UTC', 4)).toEqual([4, 28, 52, 76]);
  });

  it.each([
    ['goes ahead', at(4), Date.UTC(2026, 2, 28), [3, 26]],
    ['goes ahead over it', at(2, 30), Date.UTC(2026, 2, 28), [1.5, 25]],
    ['goes back', at(4), Date.UTC(2026, 9, 24), [2, 27]],
    ['goes back over it', at(2, 30), Date.UTC(2026, 9, 24), [0.5, 24.5]],
  ])(
    'happens once by the local time of the store in a night when the clock %s',
    (_how, restartAt, from, hours) => {
      expect(restarts(restartAt, from, 'Europe/Berlin', 2)).toEqual(hours);
    },
  );

  // Clocks go back half an hour at two: half past one comes twice.
  it.each([
    ['23:45', at(23, 45)],
    ['00:30', at(0, 30)],
    ['01:30', at(1, 30)],
    ['01:45', at(1, 45)],
    ['02:15', at(2, 15)],
  ])('at %s happens once in a night when the clock goes back half an hour', (_time, restartAt) => {
    const eve = Date.UTC(2026, 3, 4);
    expect(restarts(restartAt, eve, 'Australia/Lord_Howe', 1)).toHaveLength(1);
  });
});

/** A kiosk that started at noon, or so many hours after it, and restarts at four or never. It looks every five seconds. */
function kiosk(restartAt: number | null = at(4), timeZone = 'UTC', { later = 0, random = 0 } = {}) {
  const time = handTurnedTime(Date.UTC(2026, 0, 5, 12) + later * HOUR);
  const settings = { ads: {}, playback: { restartAt, openHours: null } } as unknown as Settings;
  const state = {
    isIdle: true,
    mayTryHardware: false,
    isOnTrial: false,
    unusable: null as string | null,
    full: null as string | null,
    restarts: 0,
    /** How often the settings were read, and what happens meanwhile. */
    reads: 0,
    meanwhile() {},
  };
  const warnings: string[] = [];
  const look = nightlyRestart({
    live: createLiveSettings(settings),
    timeZone: () => timeZone,
    clock: time.clock,
    random: () => random,
    isIdle: () => state.isIdle,
    async whyUnusable() {
      state.reads += 1;
      await Promise.resolve();
      state.meanwhile();
      return state.unusable;
    },
    whyDiskFull: async () => state.full,
    mayTryHardware: () => state.mayTryHardware,
    isOnTrial: () => state.isOnTrial,
    restart() {
      state.restarts += 1;
    },
    log: { ...silentLog, warn: (text, data) => void warnings.push(`${text}: ${data?.problem}`) },
  });
  return {
    state,
    warnings,
    look,
    async pass(hours: number) {
      for (let passed = 0; passed < hours * HOUR; passed += 5_000) {
        time.drift(5_000);
        if (state.restarts === 0) await look();
      }
    },
  };
}

const WAITS =
  'the nightly restart waits, because the player could not start again: fleet.clientKeyFile: Unreadable.';

describe('a kiosk at the hour of its restart', () => {
  it('restarts once nobody uses it', async () => {
    const { state, pass } = kiosk();
    state.isIdle = false;
    await pass(16.5);
    expect(state.restarts).toBe(0);
    state.isIdle = true;
    await pass(0.1);
    expect(state.restarts).toBe(1);
  });

  it('restarts up to ten minutes later than others of its fleet', async () => {
    const { state, pass } = kiosk(at(4), 'UTC', { random: 0.9 });
    await pass(16 + 8.9 / 60);
    expect(state.restarts).toBe(0);
    await pass(0.2 / 60);
    expect(state.restarts).toBe(1);
  });

  it('plays until the next night if it was started soon after that hour', async () => {
    const { state, pass } = kiosk(at(4), 'UTC', { later: 16.1 });
    await pass(23.8);
    expect(state.restarts).toBe(0);
    await pass(0.2);
    expect(state.restarts).toBe(1);
  });

  it('restarts by the zone of the store, whether or not it has opening hours', async () => {
    const { state, pass } = kiosk(at(4), 'Asia/Tokyo');
    await pass(6.9);
    expect(state.restarts).toBe(0);
    await pass(0.2);
    expect(state.restarts).toBe(1);
  });

  it.each([
    ['once nobody uses it', null, 1],
    ['at night, if it restarts then anyway', at(4), 0],
  ])('restarts to try its graphics hardware again: %s', async (_when, restartAt, restarts) => {
    const { state, pass } = kiosk(restartAt);
    await pass(2);
    expect(state.restarts).toBe(0);
    state.mayTryHardware = true;
    state.isIdle = false;
    await pass(2);
    expect(state.restarts).toBe(0);
    state.isIdle = true;
    await pass(0.1);
    expect(state.restarts).toBe(restarts);
  });

  it('plays on while its settings cannot be used, and the log says why, once an hour', async () => {
    const { state, warnings, pass } = kiosk();
    state.unusable = 'fleet.clientKeyFile: Unreadable.';
    await pass(48);
    expect(state.restarts).toBe(0);
    expect(new Set(warnings)).toEqual(new Set([WAITS]));
    // Within two hours of each of the two nights.
    expect(warnings).toHaveLength(4);
  });

  it('says it again where it waits for the same problem in a later night', async () => {
    const { state, warnings, pass } = kiosk();
    state.unusable = 'fleet.clientKeyFile: Unreadable.';
    await pass(16.1);
    const before = warnings.length;
    await pass(24);
    expect(warnings.slice(before)).toContain(WAITS);
  });

  it('looks again after a reading that failed unexpectedly', async () => {
    const { state, pass, look } = kiosk();
    state.isIdle = false;
    await pass(16.5);
    state.isIdle = true;
    state.meanwhile = () => {
      throw new Error('unexpected');
    };
    await expect(look()).rejects.toThrow('unexpected');
    state.meanwhile = () => {};
    await look();
    expect(state.restarts).toBe(1);
  });

  it.each([
    ['somebody touches it', { isIdle: false }],
    ['remote settings begin their trial', { isOnTrial: true }],
  ])('plays on where %s while its settings are read', async (_what, change) => {
    const { state, pass } = kiosk();
    state.meanwhile = () => void Object.assign(state, change);
    await pass(16.5);
    expect([state.reads, state.restarts]).toEqual([1, 0]);
    Object.assign(state, { isIdle: true, isOnTrial: false, meanwhile() {} });
    await pass(0.1);
    expect(state.restarts).toBe(1);
  });

  it('restarts once where its settings take longer to read than the time between two checks', async () => {
    const { state, look, pass } = kiosk();
    state.isIdle = false;
    await pass(16.5);
    state.isIdle = true;
    await Promise.all([look(), look()]);
    expect([state.reads, state.restarts]).toEqual([1, 1]);
  });

  it('does not try its graphics hardware again while its settings file cannot be used', async () => {
    const { state, pass } = kiosk(null);
    state.mayTryHardware = true;
    state.unusable = 'fleet.clientKeyFile: Unreadable.';
    await pass(1);
    expect(state.restarts).toBe(0);
    state.unusable = null;
    await pass(0.1);
    expect(state.restarts).toBe(1);
  });

  it('restarts in the same night once the file is corrected', async () => {
    const { state, pass } = kiosk();
    state.unusable = 'fleet.clientKeyFile: Unreadable.';
    await pass(17);
    state.unusable = null;
    await pass(0.1);
    expect(state.restarts).toBe(1);
  });

  it('restarts once its disk is no longer full', async () => {
    const { state, warnings, pass } = kiosk();
    state.full = 'The disk is full.';
    await pass(17);
    expect(state.restarts).toBe(0);
    expect(warnings.at(-1)).toMatch(/^the nightly restart waits, .*: The disk is full\.$/);
    state.full = null;
    await pass(0.1);
    expect(state.restarts).toBe(1);
  });

  it('restarts once remote settings have ended their trial, which a restart would take back', async () => {
    const { state, pass } = kiosk();
    state.isOnTrial = true;
    await pass(16.5);
    expect(state.restarts).toBe(0);
    state.isOnTrial = false;
    await pass(0.1);
    expect(state.restarts).toBe(1);
  });
});
