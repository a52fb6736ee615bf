import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NativeAd } from '../../shared/native';
import {
  adToShow,
  CONTACT_RENEWAL_MS,
  CONTACT_VALID_MS,
  canBeReached,
  INITIAL_PACING,
  MAX_ADS_PER_SESSION,
  MAX_AGE_MS,
  type Moment,
  type NativePacing,
  nextRequestAt,
  type PacingEvent,
  type PacingRules,
  refreshAfter,
  stepPacing,
} from './native-pacing';
import { nativeAdForTest } from './testing/native-ad-for-test';

const RULES: PacingRules = { refreshMs: 90_000, sessionIdleMs: 60_000 };
const BY_SESSION: PacingRules = { ...RULES, refreshMs: null };
const START = 5_000;
const WALL = Date.UTC(2026, 0, 5, 12);
const moment = (ms: number): Moment => ({ wall: WALL + ms, monotonic: START + ms });
const ads = (...names: readonly string[]): readonly NativeAd[] => names.map((name) => nativeAdForTest(name));

/** What happened, each with its time in ms from the start. */
function having(...events: ReadonlyArray<readonly [ms: number, event: PacingEvent]>): NativePacing {
  return events.reduce((state, [ms, event]) => stepPacing(state, event, moment(ms), RULES), INITIAL_PACING);
}
const answered = (...names: readonly string[]): PacingEvent => answeredBy(0, ...names);
/** @param spread a random number of the kiosk */
const answeredBy = (spread: number, ...names: readonly string[]): PacingEvent => ({
  type: 'answered',
  ads: ads(...names),
  spread,
});
const presented = (instance: string): PacingEvent => ({ type: 'presented', instance });
const left = (instance: string): PacingEvent => ({ type: 'left-screen', instance });
const dropped = (instance: string): PacingEvent => ({ type: 'dropped', instance });
const failed = (reached: boolean): PacingEvent => ({ type: 'failed', reached, retryInMs: 5_000 });
const touched: PacingEvent = { type: 'touched' };
const shownAt = (state: NativePacing, ms: number, isReady: (ad: NativeAd) => boolean = () => true) =>
  adToShow(state, moment(ms), RULES, isReady)?.instance ?? null;
const dueIn = (state: NativePacing, ms: number, rules = RULES) => {
  const at = nextRequestAt(state, moment(ms), rules);
  return at === null ? null : at - moment(ms).monotonic;
};

describe('the ad to show', () => {
  test('is the oldest available one until it is confirmed, and then never again', () => {
    const state = having([0, answered('a', 'b')]);
    expect([shownAt(state, 0), shownAt(state, 1_000)]).toEqual(['a', 'a']);
    const unconfirmed = having([0, answered('a', 'b')], [1_000, presented('a')], [1_500, left('a')]);
    expect(shownAt(unconfirmed, 2_000)).toBe('a');
    const later = having([0, answered('a', 'b')], [1_000, dropped('a')], [2_000, answered('c')]);
    expect(shownAt(later, 2_000)).toBe('b');
  });

  test('is an ad that is ready', () => {
    expect(shownAt(having([0, answered('a', 'b')]), 0, ({ instance }) => instance === 'b')).toBe('b');
    expect(shownAt(having([0, answered('a', 'b')]), 0, () => false)).toBeNull();
  });

  test('is not the one on the screen, of which a banner would get a second guest that takes over its clicks', () => {
    const state = having([0, answered('a', 'b')], [1_000, touched], [2_000, presented('a')]);
    expect(shownAt(state, 2_000)).toBe('b');
    expect(shownAt(stepPacing(state, left('b'), moment(3_000), RULES), 3_000)).toBe('b');
    expect(shownAt(stepPacing(state, left('a'), moment(3_000), RULES), 3_000)).toBe('a');
  });

  test('does not exist before the first answer, and is never a dropped ad', () => {
    expect(shownAt(INITIAL_PACING, 0)).toBeNull();
    expect(shownAt(having([0, answered('a')], [1, dropped('a')]), 2)).toBeNull();
  });

  test.each([
    [MAX_AGE_MS - 1, 'a'],
    [MAX_AGE_MS, null],
  ])('%d ms after its receipt is %s', (age, instance) => {
    // An answer without ads renews the contact.
    expect(shownAt(having([0, answered('a')], [age - 1_000, answered()]), age)).toBe(instance);
  });

  test.each([true, false])('is held no longer than that while requests fail (reached: %s)', (reached) => {
    const held = (ms: number) => having([0, answered('a')], [ms, failed(reached)]).held.length;
    expect([held(MAX_AGE_MS - 1), held(MAX_AGE_MS)]).toEqual([1, 0]);
  });

  test('is no ad that expired while the machine slept and its monotonic clock stood still', () => {
    const state = having([0, answered('a')]);
    const awake = { wall: WALL + MAX_AGE_MS, monotonic: START + 1_000 };
    expect(adToShow(state, awake, RULES, () => true)).toBeNull();
  });

  test('is no ad that expired while the clock was set back', () => {
    const state = having([0, answered('a')], [MAX_AGE_MS - 1_000, answered()]);
    const setBack = { wall: WALL, monotonic: START + MAX_AGE_MS };
    expect(adToShow(state, setBack, RULES, () => true)).toBeNull();
  });
});

test('no more ads are held than one request can return', () => {
  const many = Array.from({ length: 19 }, (_, n) => `old-${n}`);
  const { held } = having([0, answered(...many)], [1, answered('b', 'c')]);
  expect(held.map(({ ad }) => ad.instance)).toEqual([...many.slice(1), 'b', 'c']);
});

describe('while the service cannot be reached', () => {
  test.each<[string, PacingEvent]>([['a request did not reach it', failed(false)]])(
    'no ad is shown: %s',
    (_name, event) => {
      const state = having([0, answered('a')], [1_000, event]);
      expect(shownAt(state, 2_000)).toBeNull();
      expect(shownAt(stepPacing(state, answered(), moment(3_000), RULES), 3_000)).toBe('a');
    },
  );

  test('a refusal is an answer: available ads are still shown', () => {
    expect(shownAt(having([0, answered('a')], [1_000, failed(true)]), 2_000)).toBe('a');
  });

  test('an old answer does not count', () => {
    const state = having([0, answered('a')]);
    expect(canBeReached(state, moment(CONTACT_VALID_MS - 1))).toBe(true);
    expect(shownAt(state, CONTACT_VALID_MS)).toBeNull();
  });
});

describe('the next request', () => {
  test('is due at once at the start, but not while one is running', () => {
    expect(dueIn(INITIAL_PACING, 0)).toBe(0);
    expect(dueIn(having([0, { type: 'requested' }]), 1)).toBeNull();
  });

  test('is due early when at most one ad is left, after the time of non-engagement', () => {
    expect(dueIn(having([0, answered()]), 0)).toBe(90_000);
    expect(dueIn(having([0, answered('a')]), 10_000)).toBe(80_000);
    expect(dueIn(having([0, answered('a', 'b')], [5_000, dropped('a')]), 10_000)).toBe(80_000);
  });

  test('waits until contact must be renewed while more ads are available', () => {
    expect(dueIn(having([0, answered('a', 'b')]), 0, BY_SESSION)).toBe(CONTACT_RENEWAL_MS);
    expect(CONTACT_RENEWAL_MS).toBeLessThan(CONTACT_VALID_MS);
  });

  test('waits as long as the settings say, however many ads are available', () => {
    expect(dueIn(having([0, answered('a', 'b')]), 10_000)).toBe(80_000);
  });

  test('follows a click at once, however many ads are available', () => {
    expect(dueIn(having([0, answered('a', 'b', 'c')], [1_000, { type: 'engaged' }]), 1_000)).toBe(0);
    const next = having(
      [0, answered('a', 'b')],
      [1, { type: 'engaged' }],
      [2, { type: 'requested' }],
      [3, answered('c')],
    );
    expect(dueIn(next, 3, BY_SESSION)).toBe(CONTACT_RENEWAL_MS);
  });

  test('follows a click during a request once that is answered', () => {
    const state = having(
      [0, { type: 'requested' }],
      [1, { type: 'engaged' }],
      [2, answered('a', 'b')],
      [3, { type: 'requested' }],
      [4, answered('c')],
    );
    expect(
      dueIn(having([0, { type: 'requested' }], [1, { type: 'engaged' }], [2, answered('a', 'b')]), 2),
    ).toBe(0);
    expect(dueIn(state, 4, BY_SESSION)).toBe(CONTACT_RENEWAL_MS);
  });

  test.each([
    [0, 60_000],
    [2, 60_000],
    [3, 60_000],
    [5, 60_000 + (2 / 7) * 120_000],
    [6.5, 120_000],
    [10, 180_000],
    [45, 180_000],
  ])('after a session of %d minutes waits for %d ms of non-engagement (rule 19)', (minutes, wait) => {
    expect(refreshAfter(minutes * 60_000)).toBe(Math.round(wait));
  });

  test('waits by the length of the current session, unless the settings define the time', () => {
    const touches = Array.from({ length: 14 }, (_, n): readonly [number, PacingEvent] => [
      n * 50_000,
      touched,
    ]);
    const state = having(...touches, [650_000, answered('a')]);
    const due = (rules: PacingRules, at: number) =>
      (nextRequestAt(state, moment(at), rules) ?? 0) - moment(at).monotonic;
    expect(due(BY_SESSION, 650_000)).toBe(180_000);
    expect(due(RULES, 650_000)).toBe(90_000);
    const short = having([100_000, touched], [110_000, answered('a')]);
    expect(nextRequestAt(short, moment(110_000), BY_SESSION)).toBe(moment(170_000).monotonic);
    // The session is over, so its length no longer counts.
    expect(due(BY_SESSION, 720_000)).toBe(650_000 + 60_000 - 720_000);
  });

  test('waits up to a tenth longer, so that kiosks that asked together do not go on together', () => {
    const bySession: PacingRules = { ...RULES, refreshMs: null };
    const waitOf = (event: PacingEvent, rules = bySession) =>
      (nextRequestAt(having([0, event]), moment(0), rules) ?? 0) - moment(0).monotonic;
    expect(waitOf(answeredBy(0.5, 'a'))).toBe(63_000);
    expect(waitOf(answeredBy(0.5, 'a', 'b'))).toBe(252_000);
    expect(waitOf(answeredBy(1, 'a', 'b'))).toBeLessThan(CONTACT_VALID_MS);
    expect(waitOf(answeredBy(0.5, 'a'), RULES)).toBe(90_000);
    const long = Array.from({ length: 14 }, (_, n) => [n * 50_000, touched] as const);
    const state = having(...long, [650_000, answeredBy(0.5)]);
    expect(nextRequestAt(state, moment(650_000), bySession)).toBe(moment(830_000).monotonic);
  });

  test('waits after a failure for the given time', () => {
    expect(dueIn(having([0, failed(false)]), 2_000)).toBe(3_000);
  });
});

describe('one shopper session', () => {
  const three = (...more: ReadonlyArray<readonly [number, PacingEvent]>) =>
    having(
      [0, answered('a', 'b', 'c', 'd')],
      [1_000, touched],
      ...['a', 'b', 'c'].flatMap(
        (instance, index): Array<readonly [number, PacingEvent]> => [
          [2_000 + index * 1_000, presented(instance)],
          [2_500 + index * 1_000, dropped(instance)],
        ],
      ),
      ...more,
    );

  test('has at most three native ads', () => {
    expect(shownAt(three(), 10_000)).toBeNull();
  });

  test('may show one of its three again if it was not confirmed', () => {
    const state = having(
      [0, answered('a', 'b', 'c', 'd')],
      [1_000, touched],
      ...['a', 'b', 'b', 'b'].map((instance): readonly [number, PacingEvent] => [2_000, presented(instance)]),
      [2_500, left('b')],
      [3_000, dropped('a')],
    );
    expect(shownAt(state, 4_000)).toBe('b');
    const full = three([8_000, left('c')], [9_000, answered('c')]);
    expect(shownAt(full, 10_000)).toBe('c');
    // However often it was shown, it is one of the three.
    expect(shownAt(stepPacing(state, dropped('b'), moment(4_000), RULES), 5_000)).toBe('c');
  });

  test('counts the ad that is on the screen at its first touch', () => {
    const state = having(
      [0, answered('a', 'b', 'c', 'd')],
      [500, presented('a')],
      [900, dropped('a')],
      [1_000, touched],
      [2_000, presented('b')],
      [2_100, dropped('b')],
      [3_000, presented('c')],
      [3_100, dropped('c')],
    );
    expect(shownAt(state, 4_000)).toBeNull();
  });

  test('does not count an ad that left the screen before it', () => {
    const state = having(
      [500, presented('z')],
      [600, { type: 'left-screen', instance: 'z' }],
      [1_000, touched],
    );
    expect(state.session?.shown).toEqual([]);
    const late = having([0, presented('a')], [1, { type: 'left-screen', instance: 'z' }], [2, touched]);
    expect(late.session?.shown).toEqual(['a']);
  });

  test('ends after the idle time, counted from the last touch', () => {
    expect(shownAt(three(), 60_999)).toBeNull();
    expect(shownAt(three(), 61_000)).toBe('d');
    expect(shownAt(three([50_000, touched]), 61_000)).toBeNull();
    expect(shownAt(three([50_000, touched]), 110_000)).toBe('d');
  });

  test('ends when the shopper goes back', () => {
    expect(shownAt(three([6_000, { type: 'session-left' }]), 6_000)).toBe('d');
  });

  test('does not exist without a touch, and then there is no limit', () => {
    const state = having(
      [0, answered('a', 'b', 'c', 'd')],
      ...['a', 'b', 'c'].map((instance): readonly [number, PacingEvent] => [1_000, dropped(instance)]),
    );
    expect(shownAt(state, 2_000)).toBe('d');
  });
});

test('for any order of events, no confirmed, dropped or stale ad and at most three in a session', () => {
  const instance = fc.constantFrom(...Array.from({ length: 12 }, (_, index) => `ad-${index}`));
  const event = fc.oneof(
    fc.constantFrom<PacingEvent[]>(
      touched,
      { type: 'session-left' },
      { type: 'engaged' },
      { type: 'requested' },
      failed(true),
      failed(false),
    ),
    instance.map(dropped),
    fc.constant('answer' as const),
    fc.constant('show' as const),
  );
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 400_000 }), event), {
    maxLength: 80,
    size: 'max',
  });
  fc.assert(
    fc.property(steps, (list) => {
      let state = INITIAL_PACING;
      let ms = 0;
      let minted = 0;
      const received = new Map<string, number>();
      const gone = new Set<string>();
      // Oracle: the ads seen in this session, since its first touch.
      let session = null as { last: number; seen: Set<string> } | null;
      for (const [pause, happening] of list) {
        ms += pause;
        if (session !== null && ms - session.last >= RULES.sessionIdleMs) session = null;
        const apply = (next: PacingEvent) => {
          state = stepPacing(state, next, moment(ms), RULES);
        };
        if (happening === 'answer') {
          const fresh = [minted++, minted++].map((n) => `ad-${n}`);
          for (const name of fresh) received.set(name, ms);
          for (const name of fresh) gone.delete(name);
          apply(answered(...fresh));
        } else if (happening === 'show') {
          const shown = shownAt(state, ms);
          if (shown === null) continue;
          expect(gone.has(shown)).toBe(false);
          expect(ms - (received.get(shown) ?? Number.NEGATIVE_INFINITY)).toBeLessThan(MAX_AGE_MS);
          apply(presented(shown));
          apply({ type: 'left-screen', instance: shown });
          session?.seen.add(shown);
          expect(session?.seen.size ?? 0).toBeLessThanOrEqual(MAX_ADS_PER_SESSION);
        } else {
          if (happening.type === 'dropped') gone.add(happening.instance);
          if (happening.type === 'touched') session = { last: ms, seen: session?.seen ?? new Set() };
          if (happening.type === 'session-left') session = null;
          apply(happening);
        }
      }
    }),
  );
});
