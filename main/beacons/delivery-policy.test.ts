import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BeaconPolicy } from '../../shared/beacon';
import {
  afterTry,
  HEALTHY,
  hostAfterTry,
  mustNotRepeat,
  retentionMs,
  type SendResult,
  scriptEnded,
  verdictOn,
} from './delivery-policy';

const now = Date.UTC(2026, 10, 20, 9, 30);
const at = { now, random: () => 0.5 };
const answered = (status: number, retryAfterMs: number | null = null, redirected = false): SendResult => ({
  kind: 'answered',
  status,
  retryAfterMs,
  redirected,
});
const busyBehindRedirect = answered(503, null, true);
const policies: readonly BeaconPolicy[] = ['at-least-once', 'at-most-once', 'once'];

describe('the verdict on a result', () => {
  it.each<[string, SendResult, string, string, string]>([
    ['200', answered(200), 'sent', 'sent', 'sent'],
    ['204', answered(204), 'sent', 'sent', 'sent'],
    ['204 after a redirect', answered(204, null, true), 'sent', 'sent', 'sent'],
    ['no name', { kind: 'not-sent', code: 'name' }, 'repeat', 'repeat', 'repeat'],
    ['no TLS', { kind: 'not-sent', code: 'tls' }, 'repeat', 'repeat', 'repeat'],
    ['300', answered(300), 'refused', 'refused', 'unknown'],
    ['429', answered(429), 'repeat', 'repeat', 'repeat'],
    ['503', answered(503), 'repeat', 'repeat', 'repeat'],
    ['511', answered(511), 'repeat', 'repeat', 'repeat'],
    ['503 after a redirect', busyBehindRedirect, 'repeat', 'unknown', 'unknown'],
    ['408', answered(408), 'repeat', 'unknown', 'unknown'],
    ['500', answered(500), 'repeat', 'unknown', 'unknown'],
    ['504', answered(504), 'repeat', 'unknown', 'unknown'],
    ['404', answered(404), 'refused', 'refused', 'unknown'],
    ['a redirect to nowhere', answered(302), 'refused', 'refused', 'unknown'],
    ['no answer', { kind: 'unknown', code: 'timeout' }, 'repeat', 'unknown', 'unknown'],
    ['no name after a redirect', { kind: 'unknown', code: 'name' }, 'repeat', 'unknown', 'unknown'],
    ['too many redirects', { kind: 'unknown', code: 'redirects' }, 'unknown', 'unknown', 'unknown'],
    ['a redirect to the fence', { kind: 'unknown', code: 'fenced' }, 'repeat', 'unknown', 'unknown'],
    ['the fence', { kind: 'forbidden', code: 'fenced' }, 'refused', 'refused', 'refused'],
  ])('%s: %#', (_case, result, ...expected) => {
    expect(policies.map((policy) => verdictOn(policy, result))).toEqual(expected);
  });
});

const anyResult: fc.Arbitrary<SendResult> = fc.oneof(
  fc.record({
    kind: fc.constant('answered' as const),
    status: fc.integer({ min: 100, max: 599 }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 3_600_000 })),
    redirected: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('not-sent' as const), code: fc.constantFrom('name', 'connection', 'tls') }),
  fc.record({ kind: fc.constant('unknown' as const), code: fc.string() }),
  fc.record({ kind: fc.constant('forbidden' as const), code: fc.string() }),
);
const random = fc.double({ min: 0, max: 0.999, noNaN: true });

describe('a beacon after a try', () => {
  const beacon = { attempts: 0, dueAt: now - 5_000, expiresAt: now + 1_000_000 };

  it('either waits or has an end time', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...policies),
        fc.nat(100),
        anyResult,
        random,
        (policy, attempts, result, r) => {
          const next = afterTry({ ...beacon, policy, attempts }, result, { now, random: () => r });
          expect(next.state === 'waiting').toBe(next.finishedAt === null);
          expect(next.lastError === null).toBe(next.state === 'sent');
          expect(next.attempts - attempts).toBe(
            result.kind === 'not-sent' || result.kind === 'forbidden' ? 0 : 1,
          );
          // No further ahead than the longest wait of its own, or than its host asks for and a tenth (back-off.ts).
          const asked = result.kind === 'answered' ? (result.retryAfterMs ?? 0) : 0;
          expect(next.dueAt - now).toBeLessThanOrEqual(Math.max(3_600_000, asked * 1.1));
          if (next.dueAt > now) expect(next.dueAt - now).toBeGreaterThanOrEqual(asked);
        },
      ),
      { examples: [['at-least-once', 5, answered(500, 3_273_026), 0.999]] },
    );
  });

  it('waits for another try only if it cannot count twice', () => {
    fc.assert(
      fc.property(fc.constantFrom(...policies), anyResult, (policy, result) => {
        const next = afterTry({ ...beacon, policy }, result, at);
        if (next.state !== 'waiting' || !mustNotRepeat(policy)) return;
        const surelyNot = result.kind === 'not-sent';
        const refusedForNow =
          result.kind === 'answered' &&
          !result.redirected &&
          (result.status === 429 || result.status === 503 || result.status === 511);
        expect(surelyNot || refusedForNow).toBe(true);
      }),
    );
  });

  it('keeps its place in the queue while its host is unreachable', () => {
    let next = { ...beacon, policy: 'at-least-once' as const };
    for (let tries = 0; tries < 1000; tries += 1) {
      next = { ...next, ...afterTry(next, { kind: 'not-sent', code: 'connection' }, at) };
    }
    expect(next).toMatchObject({ dueAt: beacon.dueAt, attempts: 0 });
  });

  it('is postponed, longer each time, when its host has not answered more than five tries', () => {
    const tries = Array.from({ length: 7 }, (_, attempts) =>
      afterTry({ ...beacon, attempts, policy: 'at-least-once' }, { kind: 'unknown', code: 'timeout' }, at),
    );
    const kept = new Array(5).fill(beacon.dueAt);
    expect(tries.map(({ dueAt }) => dueAt)).toEqual([...kept, now + 45_000, now + 90_000]);
  });

  it.each([
    ['at-least-once', 30 * 24 * 60],
    ['at-most-once', 30 * 24 * 60],
    ['once', 30],
  ] as const)('with policy %s expires after %i minutes', (policy, minutes) => {
    expect(retentionMs(policy)).toBe(minutes * 60_000);
  });
});

it.each([
  ['ran', 'sent', 1, null],
  ['threw', 'unknown', 1, 'threw'],
  ['timed-out', 'unknown', 1, 'timed-out'],
  ['refused', 'refused', 0, 'refused'],
] as const)(
  'a script that ended as %s is %s after %i tries, with the error %s',
  (result, state, attempts, lastError) => {
    expect(scriptEnded({ dueAt: 5 }, { result, detail: 'as it is' }, now)).toEqual({
      ...{ state, attempts, lastError, dueAt: 5, finishedAt: now },
      script: { result, detail: 'as it is' },
    });
  },
);

describe('a host', () => {
  const noAnswer: SendResult = { kind: 'unknown', code: 'timeout' };

  it('is paused longer with each failure, up to a minute', () => {
    let health = HEALTHY;
    const pauses: number[] = [];
    for (let failures = 0; failures < 9; failures += 1) {
      health = hostAfterTry(health, noAnswer, { monotonic: 0, random: () => 0 });
      pauses.push(health.pausedUntil);
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(0)).toBe(1_000);
    expect(pauses.at(-1)).toBeLessThanOrEqual(60_000);
  });

  it('counts as healthy again after any answer, even an error', () => {
    const failing = hostAfterTry(HEALTHY, noAnswer, { monotonic: 0, random: () => 0 });
    for (const status of [500, 502, 504])
      expect(hostAfterTry(failing, answered(status), { monotonic: 0, random: () => 0 })).toEqual(HEALTHY);
    expect(hostAfterTry(failing, busyBehindRedirect, { monotonic: 0, random: () => 0 })).toEqual(HEALTHY);
  });

  it.each(['name', 'connection', 'tls', 'fenced', 'redirects'])(
    'counts as healthy if its redirect leads nowhere: %s',
    (code) => {
      const health = hostAfterTry(HEALTHY, { kind: 'unknown', code }, { monotonic: 0, random: () => 0 });
      expect(health).toEqual(HEALTHY);
    },
  );

  it.each([
    [429, null],
    [503, null],
    [511, null],
    [502, 60_000],
    [504, 60_000],
  ])('fails if it, or a gateway before it, asks to wait: %i, Retry-After %o ms', (status, retryAfterMs) => {
    const health = hostAfterTry(HEALTHY, answered(status, retryAfterMs), { monotonic: 0, random: () => 0 });
    expect(health.failures).toBe(1);
    const elsewhere = answered(status, retryAfterMs, true);
    expect(hostAfterTry(health, elsewhere, { monotonic: 0, random: () => 0 })).toEqual(HEALTHY);
  });

  it.each(['answer', 'timeout', 'failed'])('fails if no answer comes: %s', (code) => {
    const health = hostAfterTry(HEALTHY, { kind: 'unknown', code }, { monotonic: 0, random: () => 0 });
    expect(health.failures).toBe(1);
  });

  it('is paused for as long as it asks', () => {
    const busy = answered(429, 600_000);
    expect(hostAfterTry(HEALTHY, busy, { monotonic: 5, random: () => 0 }).pausedUntil).toBe(600_005);
    // All kiosks may have been told the same time.
    expect(hostAfterTry(HEALTHY, busy, { monotonic: 5, random: () => 0.5 }).pausedUntil).toBe(630_005);
  });

  it('stays the same if the egress policy forbids a beacon', () => {
    const failing = hostAfterTry(HEALTHY, noAnswer, { monotonic: 0, random: () => 0 });
    const forbidden: SendResult = { kind: 'forbidden', code: 'fenced' };
    expect(hostAfterTry(failing, forbidden, { monotonic: 9, random: () => 0 })).toBe(failing);
  });
});
