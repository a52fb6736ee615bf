import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ad, AdMetadata } from '../../shared/ad';
import { EMPTY_CONTEXT } from './audience';
import { createDecider, type Decider, type Entry } from './decider';
import { isReached } from './frequency-caps';
import { anAd, anOnlineAd, basket, emptyBooks, explainAll, onlyMedia } from './testing/ads-for-tests';

const MINUTE = 'FREQUENCY_CAP_WINDOW_MINUTE';
const HOUR = 'FREQUENCY_CAP_WINDOW_HOUR';
const FLIGHT = 'FREQUENCY_CAP_WINDOW_FLIGHT';
const start = Date.parse('2026-12-30T23:20:00Z');

const ad = (id: string, metadata: Partial<AdMetadata>) => anAd(metadata, `https://m.test/${id}`, id);
const capped = (window: string, limit: number): Partial<AdMetadata> => ({
  flightId: 'f',
  frequencyCaps: [{ window, limit }],
});

function deciderOf(ads: readonly Ad[]): Decider {
  const decider = createDecider({
    ...emptyBooks,
    ads,
  });
  for (const url of ads.flatMap((one) => onlyMedia(one) ?? [])) decider.mediaReady(url);
  return decider;
}

function play(decider: Decider, at: number): Entry {
  const choice = decider.choose(at);
  const entry = choice && decider.enter(choice, at);
  if (!entry) throw new Error('nothing may play');
  return entry;
}

const hits = (decider: Decider, at: number) => Object.fromEntries(decider.capHits(at));

describe('the caps that kept ads from playing', () => {
  it('count an ad once, however often it is judged', () => {
    const decider = deciderOf([ad('a', capped(HOUR, 1)), ad('b', {})]);
    expect(hits(decider, start)).toEqual({});
    play(decider, start);
    expect(hits(decider, start + 10_000)).toEqual({ [HOUR]: 1 });
    expect(hits(decider, start + 20_000)).toEqual({});
    expect(hits(decider, start + 30_000)).toEqual({});
  });

  it('count an ad again after its cap let it play', () => {
    const decider = deciderOf([ad('a', capped(MINUTE, 1))]);
    for (const minute of [0, 1, 2]) {
      const at = start + minute * 60_000;
      expect(hits(decider, at)).toEqual({});
      play(decider, at);
      expect(hits(decider, at + 10_000)).toEqual({ [MINUTE]: 1 });
    }
  });

  it('count an ad again after it played, even if nobody looked when its cap let it play', () => {
    const decider = deciderOf([ad('a', capped(MINUTE, 1))]);
    for (const minute of [0, 1, 2]) {
      const at = start + minute * 60_000;
      play(decider, at);
      expect(hits(decider, at + 10_000)).toEqual({ [MINUTE]: 1 });
    }
  });

  it('do not count an ad again while plays of an ad without caps keep its cap reached', () => {
    const decider = deciderOf([ad('capped', capped(MINUTE, 1)), ad('free', { flightId: 'f' })]);
    play(decider, start);
    expect(hits(decider, start + 22_000)).toEqual({ [MINUTE]: 1 });
    play(decider, start + 22_000);
    expect(hits(decider, start + 60_000)).toEqual({});
    // The cap lets it play at 82 s: the play after that reaches it again.
    decider.countExternal(anOnlineAd('f'), start + 82_000);
    expect(hits(decider, start + 90_000)).toEqual({ [MINUTE]: 1 });
    decider.forecast(start + 90_000, 5, () => 30_000);
    expect(hits(decider, start + 91_000)).toEqual({});
  });

  it('do not count an ad that has another reason not to play', () => {
    const expired = ad('expired', { ...capped(HOUR, 0), expiresAt: start - 1 });
    const elsewhere = ad('elsewhere', {
      ...capped(HOUR, 0),
      audience: { groups: [{ conditions: [basket(['x'])] }] },
    });
    const uncountable = ad('uncountable', { flightId: null, frequencyCaps: [{ window: HOUR, limit: 1 }] });
    const decider = deciderOf([expired, elsewhere, uncountable]);
    expect(hits(decider, start)).toEqual({});
    decider.mediaGone(onlyMedia(elsewhere) ?? '');
    decider.setContext({ ...EMPTY_CONTEXT, cart: { skus: ['x'], items: [] } });
    expect(hits(decider, start)).toEqual({});
    decider.mediaReady(onlyMedia(elsewhere) ?? '');
    expect(hits(decider, start)).toEqual({ [HOUR]: 1 });
  });

  it('count each window that is reached, and every ad of the flight', () => {
    const both = {
      flightId: 'f',
      frequencyCaps: [HOUR, FLIGHT, MINUTE].map((window) => ({ window, limit: 1 })),
    };
    const decider = deciderOf([ad('a', both), ad('b', both)]);
    play(decider, start);
    expect(hits(decider, start + 1_000)).toEqual({ [HOUR]: 2, [FLIGHT]: 2, [MINUTE]: 2 });
  });

  it('do not count an ad again after a new playlist', () => {
    const ads = [ad('a', capped(HOUR, 1)), ad('b', {})];
    const decider = deciderOf(ads);
    play(decider, start);
    expect(hits(decider, start)).toEqual({ [HOUR]: 1 });
    decider.setPlaylist([...ads].reverse());
    expect(hits(decider, start)).toEqual({});
  });

  it('are the same as in a model that judges every ad at every step', () => {
    const anyCaps = fc.uniqueArray(
      fc.record({ window: fc.constantFrom(MINUTE, HOUR, FLIGHT), limit: fc.integer({ min: 0, max: 4 }) }),
      { selector: ({ window }) => window, maxLength: 3 },
    );
    const anyAds = fc.array(
      fc.record({
        flightId: fc.constantFrom('f', 'g', null),
        frequencyCaps: anyCaps,
        needsCart: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const anyStep = fc.oneof(
      fc.record({ do: fc.constant('decide' as const), after: fc.integer({ min: 0, max: 90_000 }) }),
      fc.record({ do: fc.constant('cart' as const), isThere: fc.boolean() }),
      fc.record({ do: fc.constant('media' as const), of: fc.nat(5), isReady: fc.boolean() }),
      fc.record({ do: fc.constant('void' as const) }),
      fc.record({ do: fc.constant('refresh' as const) }),
      fc.record({ do: fc.constant('forecast' as const) }),
    );
    fc.assert(
      fc.property(anyAds, fc.array(anyStep, { maxLength: 40, size: 'max' }), (specs, steps) => {
        const ads = specs.map(({ flightId, frequencyCaps, needsCart }, index) =>
          ad(`ad-${index}`, {
            flightId,
            frequencyCaps,
            audience: needsCart ? { groups: [{ conditions: [basket(['x'])] }] } : null,
          }),
        );
        const decider = deciderOf(ads);
        /** By ad: the windows for which it was counted, until its caps let it play. */
        const counted = ads.map(() => new Set<string>());
        let at = start;
        let last: Entry | null = null;
        for (const step of steps) {
          if (step.do === 'cart')
            decider.setContext({ ...EMPTY_CONTEXT, cart: step.isThere ? { skus: ['x'], items: [] } : null });
          if (step.do === 'refresh') decider.setPlaylist(ads);
          if (step.do === 'forecast') decider.forecast(at, 10, () => 15_000);
          if (step.do === 'void' && last) {
            last.makeVoid();
            last = null;
          }
          const url = step.do === 'media' && ads[step.of] && onlyMedia(ads[step.of] as Ad);
          if (url && step.do === 'media') step.isReady ? decider.mediaReady(url) : decider.mediaGone(url);
          if (step.do !== 'decide') continue;
          at += step.after;
          const expected = new Map<string, number>();
          for (const [index, { reasons, caps }] of explainAll(decider, ads, at).entries()) {
            const known = counted[index] ?? new Set();
            if (!reasons.includes('capped')) known.clear();
            if (reasons.length !== 1 || reasons[0] !== 'capped') continue;
            for (const { window } of caps.filter(isReached)) {
              if (!known.has(window)) expected.set(window, (expected.get(window) ?? 0) + 1);
              known.add(window);
            }
          }
          expect(hits(decider, at)).toEqual(Object.fromEntries(expected));
          const choice = decider.choose(at);
          if (choice) last = decider.enter(choice, at);
        }
      }),
      { numRuns: 300 },
    );
  });
});
