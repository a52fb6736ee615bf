import { expect, it } from 'vitest';
import type { Audience } from '../../shared/ad';
import type { Context } from '../decisions/audience';
import type { SlotFacts } from './slot-ad';
import { playDecision } from './slot-ad';

const cart = (sku: string) => ({ conditions: [{ kind: 'basket' as const, skus: [sku], items: [] }] });
const audience: Audience = { groups: [cart('coffee'), cart('tea'), cart('milk')] };
const context: Context = { shopper: null, cart: { skus: ['milk', 'tea'], items: [] }, weather: null };
const caps = [{ window: 'HOUR', limit: 3 }];

const decide = (facts: Partial<SlotFacts>, trustsOnline = true, count: number | null = 2) =>
  playDecision({
    trustsOnline,
    signals: {
      current: () => context,
      ages: () => ({
        shopper: count === null ? null : { count, ageMs: 350.4, remainingMs: 1 },
        cart: null,
        weather: null,
      }),
    },
  })({ delivery: 'offline', audience: null, frequencyCaps: caps, ...facts } as SlotFacts);

it.each([
  ['an ad for everyone', { audience: null }, 'untargeted', null],
  ['an ad with an audience, by the first group that matches', { audience }, 'matched-group', 1],
  ['an online ad, whatever its audience', { audience, delivery: 'online' as const }, 'trusted', null],
  ['a native ad', { delivery: 'native' as const }, 'native', null],
  ['a creative of the house', { delivery: 'house' as const }, 'house', null],
])('%s', (_, facts, allowedBy, matchedGroup) => {
  const people = { peopleCount: 2, signalAgeMs: 350 };
  expect(decide(facts)).toEqual({ allowedBy, matchedGroup, ...people, caps });
});

it('an online ad is matched here if the settings require it', () => {
  expect(decide({ audience, delivery: 'online' }, false)).toMatchObject({ allowedBy: 'matched-group' });
});

it('a silent sensor does not mean that no shopper is present', () => {
  expect(decide({}, true, null)).toMatchObject({ peopleCount: null, signalAgeMs: null });
  expect(decide({}, true, 0)).toMatchObject({ peopleCount: 0, signalAgeMs: 350 });
});
