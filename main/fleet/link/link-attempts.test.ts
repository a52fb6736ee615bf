import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Attempt,
  type AttemptEnd,
  FIRST_SPAN_MS,
  firstAttempt,
  MAX_SPAN_MS,
  nextAttempt,
} from './link-attempts';

const world = { brokers: 3, random: () => 0.5 };
const attemptAfter = (ends: readonly AttemptEnd[], from = firstAttempt(world)): Attempt =>
  ends.reduce((attempt, end) => nextAttempt(attempt, end, world), from);
const failed = (at: AttemptEnd['at']): AttemptEnd => ({ at, connectedMs: null });
const lostAfter = (connectedMs: number): AttemptEnd => ({ at: 'network', connectedMs });

describe('the link', () => {
  test('tries a random broker after a random wait', () => {
    expect(firstAttempt(world)).toEqual({
      broker: 1,
      version: 5,
      isOld: false,
      failures: 0,
      waitMs: FIRST_SPAN_MS / 2,
    });
  });

  test.each(['version', 'handshake'] as const)(
    'falls back to MQTT 3.1.1 at once where version 5 is not taken (%s), and then to the next broker',
    (at) => {
      const greeted = attemptAfter([failed(at)]);
      expect(greeted).toMatchObject({ broker: 1, version: 4, waitMs: 0 });
      expect(attemptAfter([failed(at)], greeted)).toMatchObject({
        broker: 2,
        version: 5,
        isOld: false,
        failures: 1,
        waitMs: FIRST_SPAN_MS / 2,
      });
    },
  );

  test.each(['network', 'refused'] as const)('tries no other version after the error %s', (at) => {
    expect(attemptAfter([failed(at)])).toMatchObject({ broker: 2, version: 5 });
    expect(attemptAfter([failed(at), failed(at)]), 'the first again').toMatchObject({ broker: 0 });
  });

  test('reconnects to the same broker with MQTT 3.1.1 if that broker refused version 5', () => {
    const lost = attemptAfter([failed('version'), lostAfter(1_000)]);
    expect(lost).toMatchObject({ broker: 1, version: 4, failures: 1 });
    expect(lost.waitMs).toBeGreaterThan(0);
    expect(attemptAfter([lostAfter(60_000)], lost)).toMatchObject({ broker: 1, version: 4 });
  });

  test('tries version 5 again with a broker that only closed the connection, and then 3.1.1 once more', () => {
    const lost = attemptAfter([failed('handshake'), lostAfter(60_000)]);
    expect(lost).toMatchObject({ broker: 1, version: 5, failures: 1 });
    const again = attemptAfter([failed('handshake')], lost);
    expect(again).toMatchObject({ broker: 1, version: 4, waitMs: 0 });
    expect(attemptAfter([lostAfter(60_000)], again)).toMatchObject({ broker: 1, version: 5 });
  });

  test('tries the next broker if one accepts it and ends the connection again and again', () => {
    const [again, next] = [
      attemptAfter([lostAfter(1_000)]),
      attemptAfter([lostAfter(1_000), lostAfter(1_000)]),
    ];
    expect([again, next]).toMatchObject([{ broker: 1 }, { broker: 2, version: 5, failures: 2 }]);
    expect(attemptAfter([lostAfter(60_000)], next)).toMatchObject({ broker: 2 });
  });

  test('tries the next broker at once if one refuses the kiosk after it accepted its connection', () => {
    expect(attemptAfter([{ at: 'refused', connectedMs: 600_000 }])).toMatchObject({ broker: 2, failures: 1 });
  });

  test('waits longer after each short connection, and resets the wait after a steady one', () => {
    const flapping = attemptAfter([lostAfter(59_999), lostAfter(0), lostAfter(1)]);
    expect(flapping).toMatchObject({ failures: 3, waitMs: 2 * FIRST_SPAN_MS });
    expect(attemptAfter([lostAfter(60_000)], flapping)).toMatchObject({ failures: 1 });
  });
});

test('spreads the reconnects of ten thousand kiosks over the whole span, within the bounds', () => {
  const random = fc.sample(fc.double({ min: 0, max: 0.999_999, noNaN: true }), 1)[0] ?? 0;
  for (const failures of [1, 2, 5, 50]) {
    const span = Math.min(MAX_SPAN_MS, FIRST_SPAN_MS * 2 ** (failures - 1));
    const before: Attempt = { failures: failures - 1, broker: 0, version: 4, isOld: true, waitMs: 0 };
    const wait = (value: number) =>
      nextAttempt(before, failed('network'), { brokers: 1, random: () => value }).waitMs;
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let kiosk = 0; kiosk < 10_000; kiosk += 1) {
      const ms = wait((kiosk + random) / 10_000);
      const tenth = Math.floor((ms / span) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(tenths.length, 'none beyond the span').toBe(10);
    expect(Math.max(...tenths)).toBeLessThanOrEqual(1_001);
  }
});
