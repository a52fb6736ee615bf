import { describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import type { NativeAd } from '../../shared/native';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { failure, type ServiceErrorCode, type ServiceFailure } from '../service/service-error';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { NativeAnswer } from './native-client';
import { createNativeSupply } from './native-supply';
import { nativeAdForTest } from './testing/native-ad-for-test';

const fill = (...names: readonly string[]): NativeAnswer => ({
  kind: 'ads',
  ads: names.map((name) => nativeAdForTest(name)),
  leftOut: 0,
  remarks: [],
  videoErrors: [],
  serverTime: null,
});
const NO_FILL: NativeAnswer = {
  kind: 'no-fill',
  ads: [],
  leftOut: 0,
  remarks: [],
  videoErrors: [],
  serverTime: null,
};
const error = (code: ServiceErrorCode, retryAfterMs?: number): ServiceFailure =>
  failure('native', code, { host: 'native.example', retryAfterMs: retryAfterMs ?? null });

/** A supply whose service gives these answers in turn, and then no fill. */
function supplied(...answers: ReadonlyArray<NativeAnswer | ServiceFailure>) {
  const time = handTurnedTime();
  const waiting = [...answers];
  const held: (readonly string[])[] = [];
  const told: string[] = [];
  let requests = 0;
  let aborted = false;
  let mayRequest = true;
  let random = 0;
  const rules: { refreshMs: number | null; sessionIdleMs: number } = {
    refreshMs: 90_000,
    sessionIdleMs: 60_000,
  };
  const warned: string[] = [];
  let aheadMs = 0;
  let settled = Promise.resolve();
  let onTold = () => {};
  const supply = createNativeSupply({
    client: {
      request: async (context, signal) => {
        expect(context).toBe(EMPTY_CONTEXT);
        requests += 1;
        signal?.addEventListener('abort', () => {
          aborted = true;
        });
        return waiting.shift() ?? NO_FILL;
      },
    },
    context: () => EMPTY_CONTEXT,
    rules,
    clock: { ...time.clock, now: () => time.clock.now() + aheadMs },
    settled: () => settled,
    schedule: time.schedule,
    random: () => random,
    log: { ...silentLog, warn: (message) => warned.push(message) },
    tell(answer) {
      told.push(answer.kind);
      onTold();
    },
    mayRequest: () => mayRequest,
    onHeld: (ads: readonly NativeAd[]) => held.push(ads.map(({ instance }) => instance)),
  });
  const allow = (may: boolean) => {
    mayRequest = may;
  };
  const setRandom = (value: number) => {
    random = value;
  };
  const waitBySession = () => {
    rules.refreshMs = null;
  };
  const setClock = () => {
    aheadMs = 9 * 3_600_000;
  };
  /** The next answer tells the right time, and the clock is set once that is prepared. */
  const answerSetsClock = () => {
    onTold = () => {
      settled = time.settle().then(setClock);
    };
  };
  const onAnswer = (then: () => void) => {
    onTold = then;
  };
  return {
    supply,
    onAnswer,
    time,
    held,
    told,
    warned,
    allow,
    setClock,
    setRandom,
    waitBySession,
    answerSetsClock,
    requests: () => requests,
    wasAborted: () => aborted,
  };
}

describe('the supply', () => {
  test('requests ads at the start and returns them one by one', async () => {
    const { supply, time, held, told } = supplied(fill('a', 'b'));
    expect(supply.next(() => true)).toBeNull();
    supply.look();
    await time.settle();
    expect(told).toEqual([]);
    supply.start();
    supply.look();
    await time.settle();
    expect(told).toEqual(['ads']);
    expect(supply.next(() => true)?.instance).toBe('a');
    supply.presented('a');
    supply.confirmed('a');
    supply.leftScreen('a');
    expect(supply.next(() => true)?.instance).toBe('b');
    supply.dropped(new Map([['b', 'its picture is broken']]));
    expect(supply.next(() => true)).toBeNull();
    expect(held).toEqual([['a', 'b'], ['b'], []]);
    expect(time.waits()).toHaveLength(1);
  });

  test('holds no answer if it stops while the clock is being set by it', async () => {
    const { supply, time, held, onAnswer } = supplied(fill('a'));
    onAnswer(supply.stop);
    supply.start();
    supply.look();
    await time.settle();
    expect(held).toEqual([]);
    expect(time.waits()).toEqual([]);
  });

  test('renews its contact after a random time, so that kiosks that open together do not go on together', async () => {
    const { supply, time, requests, setRandom, waitBySession } = supplied(fill('a', 'b'), fill());
    waitBySession();
    setRandom(0.5);
    supply.start();
    await time.advance(251_999);
    expect(requests()).toBe(1);
    await time.advance(1);
    expect(requests()).toBe(2);
  });

  test('requests ads again after the time of non-engagement, before the last ad is used', async () => {
    const { supply, time, requests } = supplied(fill('a'), fill('b'));
    supply.start();
    await time.advance(89_999);
    expect(requests()).toBe(1);
    await time.advance(1);
    expect(requests()).toBe(2);
    expect(supply.next(() => true)?.instance).toBe('a');
  });

  test('shows the ads of an answer that sets the clock (rule 10)', async () => {
    const { supply, time, answerSetsClock } = supplied(fill('a', 'b'));
    answerSetsClock();
    supply.start();
    await time.settle();
    await time.settle();
    expect(supply.state().held).toBe(2);
    expect(supply.next(() => true)?.instance).toBe('a');
  });

  test('counts no ad that is too old after the clock was set, and requests others sooner', async () => {
    const { supply, time, setClock, requests } = supplied(fill('a', 'b'), fill('c', 'd'));
    supply.start();
    await time.advance(1_000);
    setClock();
    supply.look();
    expect(supply.state()).toMatchObject({ held: 0, reachable: true });
    await time.advance(89_000);
    expect(requests()).toBe(2);
    expect(supply.next(() => true)?.instance).toBe('c');
  });

  test('requests ads at once after a click', async () => {
    const { supply, time, requests } = supplied(fill('a', 'b', 'c'));
    supply.start();
    await time.settle();
    supply.engaged();
    await time.settle();
    expect(requests()).toBe(2);
  });

  test('says once why ads of an answer cannot be used, and nothing of no fill', async () => {
    const UNUSABLE: NativeAnswer = { ...NO_FILL, kind: 'unusable', leftOut: 1 };
    const unusable = (why: string): NativeAnswer => ({ ...UNUSABLE, remarks: [`ad 1: ${why}`] });
    const USABLE = { ...fill('x'), remarks: ['ad 2: b'] };
    const PARTLY = { ...USABLE, leftOut: 1 };
    const answers = [NO_FILL, unusable('a'), unusable('a'), USABLE, unusable('a'), NO_FILL, PARTLY];
    const { supply, time, warned } = supplied(...answers);
    supply.start();
    await time.settle();
    expect(warned).toEqual([]);
    for (const lines of [1, 1, 1, 1, 1, 2]) {
      await time.advance(90_000);
      expect(warned).toEqual(Array.from({ length: lines }, () => 'native ads of an answer cannot be used'));
    }
  });

  test('works with no fill', async () => {
    const { supply, time, requests } = supplied(NO_FILL, fill('a'));
    supply.start();
    await time.settle();
    expect(supply.next(() => true)).toBeNull();
    expect(supply.state()).toEqual({ lastResult: 'no-fill', reachable: true, held: 0 });
    await time.advance(90_000);
    expect(requests()).toBe(2);
    expect(supply.next(() => true)?.instance).toBe('a');
  });

  test('requests ads with growing pauses while the service fails, and returns none meanwhile', async () => {
    const down = error('unreachable-connection');
    const { supply, time, requests } = supplied(fill('a'), down, down, down, fill('b'));
    supply.start();
    await time.advance(90_000);
    expect(requests()).toBe(2);
    expect(supply.next(() => true)).toBeNull();
    expect(supply.state().reachable).toBe(false);
    await time.advance(5_000);
    expect(requests()).toBe(3);
    await time.advance(10_000);
    expect(requests()).toBe(4);
    await time.advance(20_000);
    expect(requests()).toBe(5);
    expect(supply.next(() => true)?.instance).toBe('a');
    expect(supply.state()).toEqual({ lastResult: 'ads', reachable: true, held: 2 });
  });

  test('begins with the shortest pause again after an answer', async () => {
    const down = error('unreachable-connection');
    const { supply, time, requests } = supplied(down, down, fill('a'), down, fill('b'));
    supply.start();
    for (const pause of [5_000, 10_000, 90_000, 5_000]) await time.advance(pause);
    expect(requests()).toBe(5);
  });

  test('waits for the Retry-After time of the service', async () => {
    const { supply, time, requests } = supplied(error('rate-limited', 40_000));
    supply.start();
    await time.advance(39_999);
    expect(requests()).toBe(1);
    await time.advance(1);
    expect(requests()).toBe(2);
  });

  test.each<[ServiceErrorCode, boolean]>([
    ['unreachable-name', false],
    ['unreachable-connection', false],
    ['proxy-unreachable', false],
    ['proxy-auth', false],
    ['proxy-refused', false],
    ['tls', false],
    ['unknown-ca', false],
    ['certificate-date', false],
    ['certificate-name', false],
    ['timeout', false],
    ['redirect', false],
    ['truncated', false],
    ['web-page', false],
    ['server-error', false],
    ['insecure-address', false],
    ['refused', true],
    ['rate-limited', true],
    ['unexpected-status', true],
    ['malformed', true],
  ])('after %s the service counts as reached: %s', async (code, reachable) => {
    const { supply, time } = supplied(error(code));
    supply.start();
    await time.settle();
    expect(supply.state().reachable).toBe(reachable);
  });

  test('sends no request while not allowed, and at once when allowed and due', async () => {
    const { supply, time, requests, allow } = supplied(fill('a'), fill('b'));
    allow(false);
    supply.start();
    await time.advance(600_000);
    expect(requests()).toBe(0);
    allow(true);
    supply.look();
    await time.settle();
    expect(requests()).toBe(1);
    allow(false);
    supply.engaged();
    await time.advance(100_000);
    expect(requests()).toBe(1);
    allow(true);
    supply.look();
    await time.settle();
    expect(requests()).toBe(2);
    supply.look();
    await time.advance(89_999);
    expect(requests()).toBe(2);
  });

  test('keeps the limit of a shopper session until the shopper goes back', async () => {
    const { supply, time } = supplied(fill('a', 'b', 'c', 'd'));
    supply.start();
    await time.settle();
    supply.touched();
    for (const instance of ['a', 'b', 'c']) {
      supply.presented(instance);
      supply.confirmed(instance);
      supply.leftScreen(instance);
    }
    expect(supply.next(() => true)).toBeNull();
    supply.sessionLeft();
    expect(supply.next(() => true)?.instance).toBe('d');
  });

  test('returns no ad and sends no request once stopped', async () => {
    const { supply, time, requests, wasAborted } = supplied(fill('a'));
    supply.start();
    await time.settle();
    supply.stop();
    expect(wasAborted()).toBe(true);
    expect(time.waits()).toEqual([]);
    expect(supply.next(() => true)).toBeNull();
    supply.engaged();
    await time.advance(600_000);
    expect(requests()).toBe(1);
    expect(time.waits()).toEqual([]);
  });

  test('reports no answer that comes once stopped: wrappers in it are cut off, which is no error of their ads', async () => {
    const { supply, time, told } = supplied(fill('a'));
    supply.start();
    supply.stop();
    await time.settle();
    expect(told).toEqual([]);
  });
});
