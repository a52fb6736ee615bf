import { beforeEach, describe, expect, it } from 'vitest';
import { type Attempts, createAttempts } from './attempts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const URL = 'https://media.example/a.png';

describe('attempts to reach a server', () => {
  let now: number;
  let monotonic: number;
  let attempts: Attempts;
  beforeEach(() => {
    now = Date.UTC(2026, 10, 20);
    monotonic = 0;
    attempts = createAttempts({
      clock: { now: () => now, monotonic: () => monotonic },
      random: () => 0,
    });
  });

  it('wait longer after each failure, at most an hour, and not at all after a success', () => {
    const waits = Array.from({ length: 14 }, () => {
      attempts.failed(URL, { code: 'status' });
      return attempts.waitMs(URL);
    });
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits[0]).toBe(2_000);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(HOUR_MS / 2);
    expect(waits.at(-1)).toBeLessThanOrEqual(HOUR_MS);
    attempts.succeeded(URL);
    expect(attempts.waitMs(URL)).toBe(0);
  });

  it('wait at most five minutes while no server can be reached, so that an outage costs no more than that', () => {
    for (let failure = 0; failure < 14; failure += 1) attempts.failed(URL, { code: 'unreachable' });
    expect(attempts.waitMs(URL)).toBeGreaterThanOrEqual(2.5 * MINUTE_MS);
    expect(attempts.waitMs(URL)).toBeLessThanOrEqual(5 * MINUTE_MS);
  });

  it.each([
    ['short', 5],
    ['not-media', 60],
  ] as const)(
    'of a house file wait at most five minutes while it cannot be read, because its rights may be put right: %s, %i',
    (code, minutes) => {
      const house = 'house:a.png?1&2&3';
      for (let failure = 0; failure < 20; failure += 1) attempts.failed(house, { code });
      expect(attempts.waitMs(house)).toBeGreaterThanOrEqual((minutes / 2) * MINUTE_MS);
      expect(attempts.waitMs(house)).toBeLessThanOrEqual(minutes * MINUTE_MS);
    },
  );

  it('wait longer where many files fail, so that tries of silent servers leave places for others', () => {
    const many = Array.from({ length: 30 }, (_none, file) => `${URL}?${file}`);
    for (let failure = 0; failure < 14; failure += 1)
      for (const each of many) attempts.failed(each, { code: 'unreachable' });
    for (const each of many) {
      expect(attempts.waitMs(each)).toBeGreaterThanOrEqual(15 * MINUTE_MS);
      expect(attempts.waitMs(each)).toBeLessThanOrEqual(30 * MINUTE_MS);
    }
  });

  it('wait as long as the server asks for, where that is longer', () => {
    attempts.failed(URL, { code: 'status', retryAfterMs: 90_000 });
    monotonic = 30_000;
    expect(attempts.waitMs(URL)).toBe(60_000);
    monotonic = 100_000;
    expect(attempts.waitMs(URL)).toBe(0);
  });

  it('are spread where the server may have told all kiosks the same time', () => {
    const parts = { clock: { now: () => now, monotonic: () => monotonic } };
    const late = createAttempts({ ...parts, random: () => 0.5 });
    late.failed(URL, { code: 'status', retryAfterMs: 90_000 });
    expect(late.waitMs(URL)).toBe(94_500);
  });

  /** The file was answered for just now: its server is asked again after exactly this time, ms. */
  function expectToBeAskedAfter(ms: number) {
    now += ms - 1;
    attempts.revalidate([URL]);
    expect(attempts.isToBeAsked(URL)).toBe(false);
    now += 1;
    attempts.revalidate([URL]);
    expect(attempts.isToBeAsked(URL)).toBe(true);
    attempts.settle(URL);
  }

  it('check a file for changes an hour after the last answer, or when the clock went back before it', () => {
    attempts.answered(URL);
    expectToBeAskedAfter(HOUR_MS);
    attempts.answered(URL);
    now -= 1;
    attempts.revalidate([URL]);
    expect(attempts.isToBeAsked(URL)).toBe(true);
  });

  it('check a file for changes a day after an answer after which it may rest so long, but no later one', () => {
    attempts.answered(URL, now, 24 * HOUR_MS);
    expectToBeAskedAfter(24 * HOUR_MS);
    attempts.answered(URL);
    expectToBeAskedAfter(HOUR_MS);
  });

  it('are forgotten an hour after their pause once the file is not wanted, so that memory is bounded', () => {
    attempts.failed(URL, { code: 'status', retryAfterMs: 90_000 });
    attempts.keepOnly(new Set());
    expect(attempts.waitMs(URL)).toBe(90_000);
    monotonic = 90_000;
    attempts.keepOnly(new Set([URL]));
    attempts.failed(URL, { code: 'status' });
    expect(attempts.waitMs(URL)).toBe(4_000);
    monotonic += 4_000 + HOUR_MS - 1;
    attempts.keepOnly(new Set());
    expect(attempts.failures(URL)).toBe(2);
    monotonic += 1;
    attempts.keepOnly(new Set());
    expect(attempts.failures(URL)).toBe(0);
    attempts.failed(URL, { code: 'status' });
    expect(attempts.waitMs(URL)).toBe(2_000);
    attempts.answered(URL);
    now += HOUR_MS;
    attempts.keepOnly(new Set());
    attempts.revalidate([URL]);
    expect(attempts.isToBeAsked(URL)).toBe(false);
  });

  it('are forgotten right after their pause where very many files fail', () => {
    for (let file = 0; file <= 1_000; file += 1) attempts.failed(`${URL}?${file}`, { code: 'status' });
    monotonic = 2_000;
    attempts.keepOnly(new Set());
    expect(attempts.failures(`${URL}?0`)).toBe(0);
  });

  it('remember the last problem and how often in a row it came, also while the file is not wanted', () => {
    for (const code of ['unreachable', 'unreachable', 'status', 'status'] as const)
      attempts.failed(URL, { code });
    attempts.keepOnly(new Set());
    expect(attempts.failedAs(URL)).toEqual({ code: 'status', times: 2 });
    attempts.notStored(URL);
    expect(attempts.failedAs(URL)).toBeNull();
    attempts.failed(URL, { code: 'status' });
    expect(attempts.failedAs(URL)).toEqual({ code: 'status', times: 1 });
    attempts.succeeded(URL);
    expect(attempts.failedAs(URL)).toBeNull();
  });

  it('do not check a file for changes before its first answer', () => {
    attempts.revalidate([URL]);
    expect(attempts.isToBeAsked(URL)).toBe(false);
  });
});
