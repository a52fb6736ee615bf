import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Context } from '../decisions/audience';
import { ONLINE_PLACEHOLDERS } from '../settings/online-placeholders';
import { expandOnlineParams, expandTemplate } from './online-params';

const context: Context = {
  shopper: { people: [{ ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE' }], groupSize: 1 },
  cart: { skus: ['1', '2'], items: ['oat milk'] },
  weather: { types: ['WEATHER_TYPE_SUNNY', 'WEATHER_TYPE_ABOVE_20_CELSIUS'], temperatureCelsius: 0 },
};
const nothing: Context = { shopper: null, cart: null, weather: null };
const couple: Context = {
  ...context,
  shopper: {
    people: [
      { ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE' },
      { ageRange: 'AGE_RANGE_30_34', gender: 'GENDER_MALE' },
    ],
    groupSize: 2,
  },
};

test.each<[string, Context, readonly string[]]>([
  ['plain', nothing, ['plain']],
  ['', nothing, ['']],
  ['{shopper.gender}', context, ['GENDER_FEMALE']],
  ['{ shopper.ageRange }', context, ['AGE_RANGE_25_29']],
  ['{shopper.groupSize}', couple, ['2']],
  [
    '{shopper.activationId}',
    { ...context, shopper: { people: [], groupSize: 1, activationId: 'a-1' } },
    ['a-1'],
  ],
  ['{shopper.activationId}', context, []],
  ['n{cart.skus}', context, ['n1', 'n2']],
  ['{cart.skus}-{cart.items}', context, ['1-oat milk', '2-oat milk']],
  ['{weather.types}', context, ['WEATHER_TYPE_SUNNY', 'WEATHER_TYPE_ABOVE_20_CELSIUS']],
  ['{weather.temperatureCelsius}', context, ['0']],
  ['{shopper.gender}', nothing, []],
  ['x{cart.skus}', { ...context, cart: { skus: [], items: [] } }, []],
  ['{weather.temperatureCelsius}', { ...context, weather: { types: [] } }, []],
  ['{not.known}', context, []],
  ['{', context, ['{']],
  ['{}', context, []],
])('%j is expanded', (template, given, texts) => {
  expect(expandTemplate(template, given)).toEqual(texts);
});

test('age and gender of a group are not sent', () => {
  expect(expandTemplate('{shopper.gender}', couple)).toEqual([]);
  expect(expandTemplate('{shopper.ageRange}', couple)).toEqual([]);
  const uncounted = { ...context, shopper: { people: context.shopper?.people ?? [], groupSize: 3 } };
  expect(expandTemplate('{shopper.gender}', uncounted)).toEqual([]);
});

test('a parameter without a value is left out, and a list setting sends all its values', () => {
  expect(
    expandOnlineParams(
      { a: '{cart.skus}', b: '{shopper.gender}', c: ['x', '{cart.items}'] },
      {
        ...context,
        shopper: null,
      },
    ),
  ).toEqual({ a: ['1', '2'], c: ['x', 'oat milk'] });
});

test('a cart of any size repeats a parameter at most 64 times', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1 }), { maxLength: 200 }),
      fc.array(fc.constantFrom(...ONLINE_PLACEHOLDERS), { minLength: 1, maxLength: 4 }),
      (skus, names) => {
        const full = { ...context, cart: { skus, items: skus } };
        const template = names.map((name) => `{${name}}`).join('');
        expect(expandTemplate(template, full).length).toBeLessThanOrEqual(64);
      },
    ),
  );
});
