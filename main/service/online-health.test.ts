import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterOnlineAttempt,
  type OnlineAttempt,
  type OnlineHealth,
  probeDue,
  unmeasuredHealth,
} from './online-health';

/** The health after one attempt per second: `.` in time, `x` failed. */
function after(attempts: string, health: OnlineHealth = unmeasuredHealth(0), from = 0): OnlineHealth {
  return [...attempts].reduce(
    (state, attempt, index) =>
      afterOnlineAttempt(state, attempt === '.' ? 'in-time' : 'failed', (from + index) * 1000),
    health,
  );
}

test.each([
  ['', false],
  ['..', false],
  ['xxxxx', false],
  ['...', true],
  ['..x..', false],
  ['..x...', true],
  ['...xx', true],
  ['...xx.xx', true],
  ['...xxx', false],
  ['...xxx..', false],
  ['...xxx...', true],
  // Never three in a row, but every second one: five of the last ten.
  ['....x.x.x.x.', true],
  ['....x.x.x.x.x', false],
  // Old failures are forgotten.
  ['...x.x.x.x..........x', true],
])('after the attempts %j online delivery is %s', (attempts, online) => {
  expect(after(attempts).isOnline).toBe(online);
});

describe('probes', () => {
  test('are due at once at start, ten seconds after a good one, thirty after a bad one', () => {
    expect(probeDue(unmeasuredHealth(5_000), 5_000)).toBe(true);
    const good = afterOnlineAttempt(unmeasuredHealth(0), 'in-time', 1_000);
    expect([probeDue(good, 10_999), probeDue(good, 11_000)]).toEqual([false, true]);
    const bad = afterOnlineAttempt(unmeasuredHealth(0), 'failed', 1_000);
    expect([probeDue(bad, 30_999), probeDue(bad, 31_000)]).toEqual([false, true]);
  });

  test('are not due while slots are filled online', () => {
    expect(probeDue(after('...'), 1e12)).toBe(false);
  });
});

test('a switch between online and offline takes at least three attempts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom<OnlineAttempt>('in-time', 'failed'), { maxLength: 200, size: 'max' }),
      (attempts) => {
        let health = unmeasuredHealth(0);
        let changedAt = 0;
        attempts.forEach((attempt, index) => {
          const next = afterOnlineAttempt(health, attempt, index);
          if (next.isOnline !== health.isOnline) {
            expect(index + 1 - changedAt).toBeGreaterThanOrEqual(3);
            changedAt = index + 1;
          }
          health = next;
        });
      },
    ),
  );
});
