import { describe, expect, test } from 'vitest';
import { type Log, silentLog } from '../../shared/log';
import type { AdsAnswer, Validators } from './ads';
import { createPlaylistRefresh, type OfferVerdict, refreshBackOff } from './playlist-refresh';
import { failure, type ServiceFailure } from './service-error';
import { handTurnedTime } from './testing/hand-turned-time';

const document: AdsAnswer = {
  kind: 'document',
  text: '<VAST/>',
  validators: null,
  serverTime: null,
  leftMs: 120_000,
};
const down = failure('playlist', 'server-error', { host: 'h', status: 503 });
const busy = (retryAfterMs: number) =>
  failure('playlist', 'rate-limited', { host: 'h', status: 429, retryAfterMs });

function loop(options: {
  answers: readonly (AdsAnswer | ServiceFailure)[];
  verdict?: () => Promise<OfferVerdict>;
  validators?: () => Validators | null;
  random?: () => number;
  refreshSeconds?: number;
  log?: Log;
}) {
  const time = handTurnedTime(0);
  const requestedAt: number[] = [];
  const asked: (Validators | null)[] = [];
  const offered: AdsAnswer[] = [];
  const told: string[] = [];
  const refresh = createPlaylistRefresh({
    tell: (result) => told.push(result.kind === 'error' ? result.error.code : result.kind),
    request: async (validators) => {
      const answer = options.answers[Math.min(requestedAt.length, options.answers.length - 1)] ?? down;
      requestedAt.push(time.clock.now());
      asked.push(validators);
      return answer;
    },
    host: 'h',
    offer: async (answer) => {
      offered.push(answer);
      return (await options.verdict?.()) ?? { kind: answer.kind === 'no-fill' ? 'no-fill' : 'accepted' };
    },
    validators: options.validators ?? (() => null),
    refreshSeconds: options.refreshSeconds ?? 300,
    clock: time.clock,
    random: options.random ?? (() => 0.5),
    schedule: time.schedule,
    log: options.log ?? silentLog,
  });
  return { time, refresh, requestedAt, asked, offered, told };
}

test("the log has the service's own words, which tell a wrong player from a wrong address", async () => {
  const said: unknown[] = [];
  const serviceMessage = 'player "store-17" is not registered';
  const unknown = failure('playlist', 'unexpected-status', { host: 'h', status: 404, serviceMessage });
  const log = { ...silentLog, warn: (...line: unknown[]) => void said.push(line) };
  const { time, refresh } = loop({ answers: [unknown], log });
  refresh.start();
  await time.settle();
  expect(said).toEqual([['playlist refresh failed', expect.objectContaining({ serviceMessage })]]);
});

describe('a service that works', () => {
  test('is asked at once and then every refreshSeconds', async () => {
    const { time, refresh, requestedAt, offered, told } = loop({ answers: [document] });
    await time.settle();
    expect(requestedAt).toEqual([]);
    refresh.start();
    await time.advance(650_000);
    expect(requestedAt).toEqual([0, 300_000, 600_000]);
    expect(offered).toEqual([document, document, document]);
    expect(told).toEqual(['accepted', 'accepted', 'accepted']);
    expect(time.waits()).toEqual([250_000]);
  });

  test.each([
    [0, 285_000],
    [0.999999, 315_000],
  ])('is asked at spread times: random %d', async (random, ms) => {
    const { time, refresh } = loop({ answers: [document], random: () => random });
    refresh.start();
    await time.settle();
    expect(time.waits()[0]).toBeCloseTo(ms, -1);
  });

  test('is asked with the current validators', async () => {
    let validators: Validators | null = null;
    const { time, refresh, asked } = loop({ answers: [document], validators: () => validators });
    refresh.start();
    await time.settle();
    validators = { etag: '"1"', lastModified: null };
    await time.advance(300_000);
    expect(asked).toEqual([null, { etag: '"1"', lastModified: null }]);
  });

  test.each<[AdsAnswer, OfferVerdict, string]>([
    [{ kind: 'no-fill', serverTime: null }, { kind: 'no-fill' }, 'no-fill'],
    [document, { kind: 'no-fill' }, 'no-fill'],
    [{ kind: 'not-modified', serverTime: null }, { kind: 'accepted' }, 'accepted'],
  ])('may have nothing new: %o is a success', async (answer, verdict, result) => {
    const { time, refresh, told } = loop({ answers: [answer], verdict: async () => verdict });
    refresh.start();
    await time.settle();
    expect(told).toEqual([result]);
    expect(time.waits()).toEqual([300_000]);
  });
});

describe('a service that must be asked again at a given time (rule 10)', () => {
  test('is asked once at that time, and at the usual interval afterwards', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [document] });
    refresh.start();
    await time.advance(100_000);
    refresh.askAgain(60_000);
    await time.advance(600_000);
    expect(requestedAt).toEqual([0, 160_000, 460_000]);
  });

  test('is asked at that time even if the need is found while its answer is processed', async () => {
    let refresh: ReturnType<typeof loop>['refresh'] | null = null;
    let asked = 0;
    const running = loop({
      answers: [document],
      verdict: async () => {
        asked += 1;
        if (asked === 1) refresh?.askAgain(60_000);
        return { kind: 'accepted' };
      },
    });
    refresh = running.refresh;
    refresh.start();
    await running.time.advance(400_000);
    expect(running.requestedAt).toEqual([0, 60_000, 360_000]);
  });

  test.each([
    ['the usual one', 90_000, () => {}, [0, 90_000, 120_000, 210_000]],
    [
      'one that staff ask for',
      300_000,
      ({ refreshNow }: ReturnType<typeof loop>['refresh']) => void refreshNow(),
      [0, 60_000, 120_000, 420_000],
    ],
  ])('is asked at that time also if a request is sent before: %s', async (_what, refreshMs, before, at) => {
    const { time, refresh, requestedAt } = loop({ answers: [document], refreshSeconds: refreshMs / 1_000 });
    refresh.start();
    await time.advance(60_000);
    refresh.askAgain(60_000);
    before(refresh);
    await time.advance(380_000);
    expect(requestedAt.slice(0, at.length)).toEqual(at);
  });

  test('is asked at that time also if a request before it gets no answer', async () => {
    const { time, refresh, requestedAt } = loop({
      answers: [document, down, document],
      refreshSeconds: 90,
    });
    refresh.start();
    await time.advance(60_000);
    refresh.askAgain(60_000);
    await time.advance(140_000);
    expect(requestedAt).toEqual([0, 90_000, 97_500, 120_000]);
  });

  test('is asked once, where another request is sent within a second before that time', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [document] });
    refresh.start();
    await time.advance(100_000);
    refresh.askAgain(60_000);
    await time.advance(59_000);
    await refresh.refreshNow();
    await time.advance(200_000);
    expect(requestedAt).toEqual([0, 159_000]);
  });

  test('is asked at the later time if that is told meanwhile: only an answer from then on confirms', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [document] });
    refresh.start();
    await time.advance(60_000);
    refresh.askAgain(60_000);
    await time.advance(40_000);
    refresh.askAgain(60_000);
    await refresh.refreshNow();
    await time.advance(100_000);
    expect(requestedAt).toEqual([0, 100_000, 160_000]);
  });

  test('is asked no later than at the usual interval', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [document], refreshSeconds: 10 });
    refresh.start();
    await time.advance(5_000);
    refresh.askAgain(60_000);
    await time.advance(20_000);
    expect(requestedAt).toEqual([0, 10_000, 20_000]);
  });

  test('is not asked until its Retry-After time is over', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [busy(200_000), document] });
    refresh.start();
    await time.settle();
    refresh.askAgain(60_000);
    await time.advance(199_000);
    expect(requestedAt).toEqual([0]);
  });
});

describe('a service that fails', () => {
  test.each([
    ['at once, if it gave no answer', failure('playlist', 'timeout', { host: 'h' }), [0, 1_000, 301_000]],
    ['after the pause, if it answered', down, [0, 7_500, 307_500]],
  ])('is asked, when the network is back, %s', async (_when, failed, at) => {
    const { time, refresh, requestedAt } = loop({ answers: [failed, document] });
    refresh.start();
    await time.advance(1_000);
    refresh.networkIsBack();
    await time.advance(310_000);
    expect(requestedAt).toEqual(at);
  });

  test('is asked again at once if the network came back during a request that then got no answer', async () => {
    const noAnswer = failure('playlist', 'timeout', { host: 'h' });
    const { time, refresh, requestedAt } = loop({ answers: [noAnswer, noAnswer, document] });
    refresh.start();
    refresh.networkIsBack();
    await time.advance(1_000);
    expect(requestedAt).toEqual([0, 0]);
  });

  test('is tried again after growing waits, and at the usual interval once it works', async () => {
    const { time, refresh, requestedAt, told } = loop({ answers: [down, down, down, document] });
    refresh.start();
    await time.advance(51_000);
    // With `random` at 0.5: 7.5 s after the first failure, 15 s after the second, 30 s after the third.
    expect(requestedAt).toEqual([0, 7_500, 22_500]);
    expect(told).toEqual(['server-error', 'server-error', 'server-error']);
    await time.advance(2_000);
    expect(requestedAt[3]).toBe(52_500);
    expect(told.at(-1)).toBe('accepted');
    expect(time.waits()).toEqual([299_500]);
  });

  test('is asked at the refresh interval at the latest, and after 5 seconds at the earliest', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [down], random: () => 0.999 });
    refresh.start();
    await time.advance(24 * 3600_000);
    const waits = requestedAt.slice(1).map((at, index) => at - (requestedAt[index] ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(300_000);
  });

  test.each([
    [1_000, { minMs: 1_000, maxMs: 60_000 }],
    [300_000, { minMs: 5_000, maxMs: 300_000 }],
    [86_400_000, { minMs: 5_000, maxMs: 900_000 }],
  ])('a refresh of %d ms backs off within %o', (refreshMs, bounds) => {
    expect(refreshBackOff(refreshMs)).toEqual(bounds);
  });

  test('is not asked before its Retry-After time', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [busy(1_800_000), document], random: () => 0 });
    refresh.start();
    await time.advance(1_799_999);
    expect(requestedAt).toHaveLength(1);
    await time.advance(1);
    expect(requestedAt).toHaveLength(2);
  });

  test('does not shorten the wait with a short Retry-After time', async () => {
    const { time, refresh } = loop({ answers: [busy(0)], random: () => 0 });
    refresh.start();
    await time.settle();
    expect(time.waits()).toEqual([5_000]);
  });

  test('is also one that sends an unreadable document', async () => {
    const error = failure('playlist', 'malformed', { host: 'h' }).error;
    const { refresh, told } = loop({
      answers: [document],
      verdict: async () => ({ kind: 'error', error }),
    });
    expect(await refresh.refreshNow()).toBe(error);
    expect(told).toEqual(['malformed']);
  });
});

test('an unavailable database does not stop the refresh loop', async () => {
  const { time, refresh, requestedAt, told } = loop({
    answers: [document],
    verdict: async () => {
      throw new Error('records are restarting');
    },
  });
  refresh.start();
  await time.advance(10_000);
  expect(requestedAt).toEqual([0, 7_500]);
  expect(told).toEqual(['not-stored', 'not-stored']);
});

describe('refresh now', () => {
  test('does not wait, and the next refresh counts from it', async () => {
    const { time, refresh, requestedAt } = loop({ answers: [document] });
    refresh.start();
    await time.advance(100_000);
    expect(await refresh.refreshNow()).toBeNull();
    await time.advance(299_999);
    expect(requestedAt).toEqual([0, 100_000]);
    await time.advance(1);
    expect(requestedAt).toEqual([0, 100_000, 400_000]);
  });

  test('joins a request under way', async () => {
    const { time, refresh, requestedAt, told } = loop({ answers: [document] });
    refresh.start();
    const results = await Promise.all([refresh.refreshNow(), refresh.refreshNow()]);
    expect(results).toEqual([null, null]);
    expect(told).toEqual(['accepted']);
    expect(requestedAt).toEqual([0]);
    expect(time.waits()).toHaveLength(1);
  });
});

test('after stop nothing is requested or offered any more', async () => {
  const { time, refresh, requestedAt, offered } = loop({ answers: [document] });
  refresh.start();
  refresh.stop();
  await time.advance(1_000_000);
  expect(offered).toEqual([]);
  expect(requestedAt).toEqual([0]);
  expect(await refresh.refreshNow()).toBeNull();
  expect(requestedAt).toEqual([0]);
});

test('each attempt is reported with its result: no answer, answer rejected, not stored, or accepted', async () => {
  const refused = failure('playlist', 'malformed', { host: 'h' }).error;
  const verdicts: Array<() => OfferVerdict> = [
    () => ({ kind: 'error', error: refused }),
    () => {
      throw new Error('the books are closed');
    },
    () => ({ kind: 'accepted' }),
  ];
  const { time, refresh, told } = loop({
    answers: [down, document],
    verdict: async () => (verdicts.shift() ?? (() => ({ kind: 'accepted' })))(),
    refreshSeconds: 1,
  });
  refresh.start();
  await time.advance(60_000);
  expect(told.slice(0, 4)).toEqual(['server-error', 'malformed', 'not-stored', 'accepted']);
  refresh.stop();
});
