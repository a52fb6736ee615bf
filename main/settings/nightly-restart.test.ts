import { describe, expect, it } from 'vitest';
import { isRestartDue, minuteOfDay } from './open-hours';

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
    expect(isRestartDue(at(4), localMinute, upMs)).toBe(due);
  });

  it('stays due across midnight', () => {
    expect(isRestartDue(at(23, 30), at(0, 15), 24 * HOUR)).toBe(true);
    expect(isRestartDue(at(0), at(23, 59), 24 * HOUR)).toBe(false);
  });

  it('happens once a night, however often the kiosk checks', () => {
    let startedAt = -10 * HOUR;
    const restarts: number[] = [];
    for (let now = 0; now < 4 * 24 * HOUR; now += 5_000) {
      const localMinute = Math.floor(now / 60_000) % (24 * 60);
      if (!isRestartDue(at(4), localMinute, now - startedAt)) continue;
      restarts.push(now);
      startedAt = now + 3_000;
    }
    expect(restarts.map((each) => each / HOUR)).toEqual([4, 28, 52, 76]);
  });

  it('uses the local time of the store, summer time included', () => {
    expect(minuteOfDay(Date.UTC(2026, 0, 10, 3), 'Europe/Berlin')).toBe(at(4));
    expect(minuteOfDay(Date.UTC(2026, 6, 10, 3), 'Europe/Berlin')).toBe(at(5));
    expect(minuteOfDay(Date.UTC(2026, 6, 10, 0, 7), 'UTC')).toBe(7);
  });
});
