import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TargetingCondition } from '../../shared/ad';
import { type Context, EMPTY_CONTEXT, foldCondition, matchAudience } from './audience';
import { anAudience, basket, demographic, weather } from './testing/ads-for-tests';

const woman = { ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE' };
const man = { ageRange: 'AGE_RANGE_60_64', gender: 'GENDER_MALE' };
const unknown = { ageRange: null, gender: 'GENDER_UNKNOWN' };

const seeing = (people: readonly (typeof woman | typeof unknown)[], groupSize = people.length): Context => ({
  ...EMPTY_CONTEXT,
  shopper: { people, groupSize },
});
const carrying = (skus: string[], items: string[] = []): Context => ({
  ...EMPTY_CONTEXT,
  cart: { skus, items },
});
const under = (...types: string[]): Context => ({ ...EMPTY_CONTEXT, weather: { types } });
const matches = (condition: TargetingCondition, context: Context) =>
  matchAudience(anAudience([condition]), context).matches;

describe('groups and conditions', () => {
  const yes = weather('SUN');
  const no = weather('RAIN');
  const sunny = under('SUN');
  it.each([
    ['no audience matches everyone', null, true],
    ['no group matches nobody', anAudience(), false],
    ['a group without conditions matches', anAudience([]), true],
    ['one group of several is enough', anAudience([no], [yes]), true],
    ['no group of several', anAudience([no], [no]), false],
    ['every condition of a group must match', anAudience([yes, no]), false],
    ['all conditions match', anAudience([yes, yes]), true],
    [
      'an unreadable condition does not match',
      anAudience([{ kind: 'unreadable', detail: 'no member' }, yes]),
      false,
    ],
    [
      'an unreadable condition spoils only its group',
      anAudience([{ kind: 'unreadable', detail: 'two' }], [yes]),
      true,
    ],
  ])('%s', (_name, audience, expected) => {
    expect(matchAudience(audience, sunny).matches).toBe(expected);
  });
});

describe('demographic', () => {
  const group = (operator: string | null, value: number) => ({ groupSize: { operator, value } });
  const OP = 'COUNT_COMPARISON_OPERATOR_';
  it.each<[string, TargetingCondition, Context, boolean]>([
    ['nobody detected never matches', demographic({}), EMPTY_CONTEXT, false],
    [
      'nobody detected does not match a group of 0',
      demographic(group(`${OP}EQUAL`, 0)),
      EMPTY_CONTEXT,
      false,
    ],
    ['a shopper of count 0 is nobody', demographic({}), seeing([], 0), false],
    ['no profile matches nobody', demographic(), seeing([woman]), false],
    ['an empty profile matches any shopper', demographic({}), seeing([unknown]), true],
    ['one profile of several is enough', demographic(man, woman), seeing([woman]), true],
    ['age and gender of one person', demographic(woman), seeing([woman]), true],
    ['wrong age', demographic({ ageRange: 'AGE_RANGE_30_34' }), seeing([woman]), false],
    ['wrong gender', demographic({ gender: 'GENDER_OTHER' }), seeing([woman]), false],
    ['unset gender matches any', demographic({ ageRange: woman.ageRange }), seeing([woman]), true],
    [
      'age of one and gender of another do not add up',
      demographic({ ageRange: woman.ageRange, gender: 'GENDER_MALE' }),
      seeing([woman, man]),
      false,
    ],
    ['any person of the group may fit', demographic(man), seeing([woman, man]), true],
    [
      'any person of an age may fit',
      demographic({ ...woman, gender: man.gender }),
      seeing([woman, { ...woman, gender: man.gender }]),
      true,
    ],
    [
      'an unknown age fits no set age',
      demographic({ ageRange: 'AGE_RANGE_25_29' }),
      seeing([unknown]),
      false,
    ],
    [
      'GENDER_UNKNOWN is a gender of its own',
      demographic({ gender: 'GENDER_UNKNOWN' }),
      seeing([unknown]),
      true,
    ],
    [
      'GENDER_UNKNOWN does not match a known one',
      demographic({ gender: 'GENDER_UNKNOWN' }),
      seeing([woman]),
      false,
    ],
    ['people beyond the list match unset age and gender', demographic({}), seeing([], 3), true],
    [
      'people beyond the list are not even GENDER_UNKNOWN',
      demographic({ gender: 'GENDER_UNKNOWN' }),
      seeing([], 3),
      false,
    ],
    [
      'people beyond the list have no age',
      demographic({ ageRange: 'AGE_RANGE_18_20' }),
      seeing([], 3),
      false,
    ],
    ['people beyond the list count', demographic(group(`${OP}EQUAL`, 3)), seeing([woman], 3), true],
    [
      'people beyond the list count beside the one who fits',
      demographic({ ...woman, ...group(`${OP}EQUAL`, 3) }),
      seeing([woman], 3),
      true,
    ],
    ['a listed person is detected, whatever the count', demographic(woman), seeing([woman], 0), true],
    ['EQUAL', demographic(group(`${OP}EQUAL`, 2)), seeing([woman, man]), true],
    ['EQUAL, not', demographic(group(`${OP}EQUAL`, 1)), seeing([woman, man]), false],
    ['LESS_THAN', demographic(group(`${OP}LESS_THAN`, 3)), seeing([woman, man]), true],
    ['LESS_THAN, not when equal', demographic(group(`${OP}LESS_THAN`, 2)), seeing([woman, man]), false],
    ['LESS_THAN_OR_EQUAL', demographic(group(`${OP}LESS_THAN_OR_EQUAL`, 2)), seeing([woman, man]), true],
    [
      'LESS_THAN_OR_EQUAL, not',
      demographic(group(`${OP}LESS_THAN_OR_EQUAL`, 1)),
      seeing([woman, man]),
      false,
    ],
    ['GREATER_THAN', demographic(group(`${OP}GREATER_THAN`, 1)), seeing([woman, man]), true],
    ['GREATER_THAN, not when equal', demographic(group(`${OP}GREATER_THAN`, 2)), seeing([woman, man]), false],
    [
      'GREATER_THAN_OR_EQUAL',
      demographic(group(`${OP}GREATER_THAN_OR_EQUAL`, 2)),
      seeing([woman, man]),
      true,
    ],
    [
      'GREATER_THAN_OR_EQUAL, not',
      demographic(group(`${OP}GREATER_THAN_OR_EQUAL`, 3)),
      seeing([woman, man]),
      false,
    ],
    ['an absent operator matches any count', demographic(group(null, 7)), seeing([woman]), true],
    ['an unknown operator matches none', demographic(group(`${OP}NOT_EQUAL`, 7)), seeing([woman]), false],
    [
      'the group size and the person must both fit',
      demographic({ ...woman, ...group(`${OP}EQUAL`, 2) }),
      seeing([woman]),
      false,
    ],
    [
      'an age range this player never heard of is compared as it is',
      demographic({ ageRange: 'AGE_RANGE_13_17' }),
      seeing([{ ...woman, ageRange: 'AGE_RANGE_13_17' }]),
      true,
    ],
    ['the largest count', demographic(group(`${OP}LESS_THAN`, 4_294_967_295)), seeing([woman]), true],
  ])('%s', (_name, condition, context, expected) => {
    expect(matches(condition, context)).toBe(expected);
  });
});

describe('basket', () => {
  it.each<[string, TargetingCondition, Context, boolean]>([
    ['no cart never matches', basket(['1'], ['milk']), EMPTY_CONTEXT, false],
    ['an empty filter matches no cart', basket([], []), carrying(['1'], ['milk']), false],
    ['a sku', basket(['1', '2']), carrying(['2']), true],
    ['skus are exact: case', basket(['a1']), carrying(['A1']), false],
    ['skus are exact: spaces', basket(['a1']), carrying([' a1']), false],
    ['an item suffices', basket(['1'], ['milk']), carrying(['9'], ['milk']), true],
    ['a sku suffices', basket(['1'], ['milk']), carrying(['1'], ['bread']), true],
    ['neither', basket(['1'], ['milk']), carrying(['2'], ['bread']), false],
    ['a sku is no item', basket(['milk']), carrying([], ['milk']), false],
    ['items without case', basket([], ['Oat MILK']), carrying([], ['oat milk']), true],
    ['items trimmed', basket([], [' milk\t']), carrying([], ['milk  ']), true],
    ['items composed and decomposed', basket([], ['Cr\u00e8me']), carrying([], ['cre\u0300me']), true],
    ['items full width', basket([], ['\uff2d\uff29\uff2c\uff2b']), carrying([], ['milk']), true],
    ['items with a no-break space', basket([], ['oat\u00a0milk']), carrying([], ['oat milk']), true],
    ['items with a sharp s', basket([], ['Süßes']), carrying([], ['SÜSSES']), true],
    ['items with a final sigma', basket([], ['ΟΔΟΣ']), carrying([], ['οδος']), true],
    ['items are whole names', basket([], ['milk']), carrying([], ['milk chocolate']), false],
    ['an empty name is no item', basket([], [' ']), carrying([], ['']), false],
  ])('%s', (_name, condition, context, expected) => {
    expect(matches(condition, context)).toBe(expected);
  });

  it('folding twice gives the same as folding once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (item) => {
        const once = foldCondition(basket([], [item]));
        expect(foldCondition(once)).toEqual(once);
        expect(matches(basket([], [item]), carrying([], [item]))).toBe(item.normalize('NFKC').trim() !== '');
      }),
    );
  });
});

describe('weather', () => {
  it.each<[string, TargetingCondition, Context, boolean]>([
    ['no weather never matches', weather('WEATHER_TYPE_SUNNY'), EMPTY_CONTEXT, false],
    ['no type matches no weather', weather(), under('WEATHER_TYPE_SUNNY'), false],
    [
      'any one of them',
      weather('WEATHER_TYPE_RAINY', 'WEATHER_TYPE_SUNNY'),
      under('WEATHER_TYPE_SUNNY'),
      true,
    ],
    ['none of them', weather('WEATHER_TYPE_RAINY'), under('WEATHER_TYPE_SUNNY'), false],
    [
      'several at once',
      weather('WEATHER_TYPE_ABOVE_20_CELSIUS'),
      under('WEATHER_TYPE_SUNNY', 'WEATHER_TYPE_ABOVE_20_CELSIUS'),
      true,
    ],
    ['a type this player never heard of', weather('WEATHER_TYPE_FOGGY'), under('WEATHER_TYPE_FOGGY'), true],
  ])('%s', (_name, condition, context, expected) => {
    expect(matches(condition, context)).toBe(expected);
  });
});

describe('the words of an explanation', () => {
  it('name the condition that decided in each group', () => {
    const audience = anAudience(
      [weather('WEATHER_TYPE_SUNNY'), basket(['4006381333931'], ['milk'])],
      [
        demographic({
          ...woman,
          groupSize: { operator: 'COUNT_COMPARISON_OPERATOR_GREATER_THAN', value: 1 },
        }),
      ],
    );
    expect(matchAudience(audience, under('WEATHER_TYPE_SUNNY')).detail).toBe(
      'No targeting group matches: group 1 needs a cart with sku 4006381333931 or item milk; ' +
        'group 2 needs a shopper who is AGE_RANGE_25_29 GENDER_FEMALE in a group of more than 1.',
    );
    expect(matchAudience(anAudience([weather('A')], []), EMPTY_CONTEXT).detail).toBe(
      'Targeting group 2 of 2 matches.',
    );
  });

  it('never repeat what the sensors saw', () => {
    const secret = 'SEEN-BY-SENSOR';
    const context: Context = {
      shopper: { people: [{ ageRange: secret, gender: secret }], groupSize: 7331 },
      cart: { skus: [secret], items: [secret] },
      weather: { types: [secret] },
    };
    const audience = anAudience([weather('X')], [basket(['X'], ['X'])], [demographic({ ageRange: 'X' })]);
    expect(matchAudience(audience, context).detail).not.toMatch(/SEEN|7331/);
  });

  it('stay short however long the audience is', () => {
    const long = 'x'.repeat(10_000);
    const many = Array.from({ length: 60 }, () => [basket(Array.from({ length: 60 }, () => long))]);
    expect(matchAudience(anAudience(...many), carrying([])).detail.length).toBeLessThan(1500);
  });
});
