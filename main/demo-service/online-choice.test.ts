import { describe, expect, it } from 'vitest';
import { DemoAd } from './demo-ad';
import { onlineContext, servesOnline } from './online-choice';

const NOW = Date.UTC(2026, 5, 1);
const withAudience = (...conditions: object[]) =>
  DemoAd.parse({ id: 'a', metadata: { audience: { targeting_groups: [{ conditions }] } } });
const profile = (one: object) => ({ demographic: { profiles: [one] } });
const size = (operator: string, value: number) =>
  profile({ group_size: { operator: `COUNT_COMPARISON_OPERATOR_${operator}`, value } });

describe('what the service serves online', () => {
  it.each<[string, object[], string, boolean]>([
    ['anybody, nobody there', [profile({})], '', false],
    ['anybody, somebody there', [profile({})], 'group_size=1', true],
    ['an age', [profile({ age_range: 'A' })], 'age_range=A', true],
    ['another age', [profile({ age_range: 'A' })], 'age_range=B', false],
    [
      'age and gender, only the age fits',
      [profile({ age_range: 'A', gender: 'G' })],
      'age_range=A&gender=H',
      false,
    ],
    ['exactly two of two', [size('EQUAL', 2)], 'group_size=2', true],
    ['fewer than two of two', [size('LESS_THAN', 2)], 'group_size=2', false],
    ['at most two of two', [size('LESS_THAN_OR_EQUAL', 2)], 'group_size=2', true],
    ['more than two of two', [size('GREATER_THAN', 2)], 'group_size=2', false],
    ['two or more of two', [size('GREATER_THAN_OR_EQUAL', 2)], 'group_size=2', true],
    ['an unknown comparison', [size('PRIME', 2)], 'group_size=2', false],
    ['an sku in the list', [{ device: { basket: { skus: ['1'] } } }], 'sku=2,1', true],
    ['an item in any case', [{ device: { basket: { items: ['Milk'] } } }], 'item=x&item=milk', true],
    ['an empty cart', [{ device: { basket: { items: ['Milk'] } } }], '', false],
    ['one kind of weather of two', [{ store: { weather_types: ['S', 'R'] } }], 'weather=R', true],
    ['two conditions, one met', [profile({}), { store: { weather_types: ['S'] } }], 'group_size=1', false],
    ['no condition at all', [], 'group_size=1', true],
  ])('%s', (_, conditions, query, expected) => {
    const context = onlineContext(new URLSearchParams(query));
    expect(servesOnline(withAudience(...conditions), context, NOW)).toBe(expected);
  });

  it('drops an ad past its expiry, not at it', () => {
    const expiring = DemoAd.parse({ id: 'a', metadata: { expires_at: '2026-06-01T00:00:00Z' } });
    const nobody = onlineContext(new URLSearchParams());
    expect(servesOnline(expiring, nobody, NOW)).toBe(true);
    expect(servesOnline(expiring, nobody, NOW + 1)).toBe(false);
  });
});
