import { expect, test } from 'vitest';
import { payoutWords } from './points';

test.each([
  [1, 'CPA', '0.001 USD per conversion'],
  [1500, 'CPA', '1.5 USD per conversion'],
  [900, 'CPM', '0.9 USD per 1000 impressions'],
  [120, 'CPC', '0.12 USD per click'],
  [3, 'CPC', '0.003 USD per click'],
] as const)('%d points of %s are %s', (points, model, words) => {
  expect(payoutWords(points, model)).toBe(words);
});

test.each(['CPA', 'CPC', 'CPM', 'other', null] as const)(
  'zero points of %s: the value has to come from the provider',
  (model) => {
    expect(payoutWords(0, model)).toBe("0 points: ask the provider's team");
  },
);

test.each(['other', null] as const)('points of the model %s have an unknown value', (model) => {
  expect(payoutWords(10, model)).toBe('points without a revenue model this kiosk knows');
});

test('no points have no value', () => {
  expect(payoutWords(null, 'CPA')).toBeNull();
});
