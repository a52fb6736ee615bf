import { expect, test } from 'vitest';
import { pointsValue } from './points';

test.each([
  [1, 'CPA', { usd: 0.001, per: { count: 1, event: 'conversion' } }],
  [1500, 'CPA', { usd: 1.5, per: { count: 1, event: 'conversion' } }],
  [900, 'CPM', { usd: 0.9, per: { count: 1000, event: 'impression' } }],
  [120, 'CPC', { usd: 0.12, per: { count: 1, event: 'click' } }],
  [3, 'CPC', { usd: 0.003, per: { count: 1, event: 'click' } }],
] as const)('%d points of %s are %j', (points, model, value) => {
  expect(pointsValue(points, model)).toEqual({ kind: 'payout', ...value });
});

test.each(['CPA', 'CPC', 'CPM', 'other', null] as const)(
  'zero points of %s: the value has to come from the provider',
  (model) => {
    expect(pointsValue(0, model)).toEqual({ kind: 'ask-provider' });
  },
);

test.each(['other', null] as const)('points of the model %s have an unknown value', (model) => {
  expect(pointsValue(10, model)).toEqual({ kind: 'unknown-model' });
});

test('no points have no value', () => {
  expect(pointsValue(null, 'CPA')).toBeNull();
});
