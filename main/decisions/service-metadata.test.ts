import { describe, expect, it } from 'vitest';
import type { AdMetadata, Audience, FrequencyCap } from '../../shared/ad';
import { type Context, EMPTY_CONTEXT } from './audience';
import { createDecider } from './decider';
import {
  anAd,
  anAudience,
  basket,
  demographic,
  emptyBooks,
  onlyMedia,
  weather,
} from './testing/ads-for-tests';
import { explainAdFromPlays } from './testing/explain-from-plays';

/* The service's description of the metadata object, row by row: which ads may play, and which may not. */

const at = Date.parse('2026-11-18T10:30:00Z'); // a Wednesday
const person = { ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE' };
const everything: Context = {
  shopper: { people: [person], groupSize: 2 },
  cart: { skus: ['sku-1'], items: ['milk'] },
  weather: { types: ['WEATHER_TYPE_SUNNY'] },
};

interface Case {
  readonly row: string;
  readonly metadata: Partial<AdMetadata>;
  readonly context?: Context;
  /** Times of the flight's plays. */
  readonly plays?: readonly string[];
  readonly isTrusted?: boolean;
  readonly mayPlay: boolean;
}

function judge(each: Omit<Case, 'row' | 'mayPlay'>): boolean {
  const { metadata, context = everything, plays = [], isTrusted = true } = each;
  return explainAdFromPlays(anAd(metadata), {
    at,
    context,
    plays: plays.map((time) => ({ flightId: 'flight', at: Date.parse(time) })),
    media: { state: 'ready' },
    running: { at, ran: 0, isTrusted },
  }).eligible;
}

const when = (audience: Audience, context: Context = everything) => ({ metadata: { audience }, context });
const capped = (...frequencyCaps: FrequencyCap[]) => ({ metadata: { flightId: 'flight', frequencyCaps } });
const shoppers = (...people: { ageRange: string | null; gender: string }[]): Context => ({
  ...EMPTY_CONTEXT,
  shopper: { people, groupSize: people.length },
});

const AGES = ['18_20', '21_24', '25_29', '30_34', '35_39', '40_44', '45_49', '50_54', '55_59', '60_64'];
const AGE_RANGES = [...AGES, '65_69', '70_74', '75_PLUS'].map((range) => `AGE_RANGE_${range}`);
const GENDERS = ['FEMALE', 'MALE', 'OTHER', 'UNKNOWN'].map((gender) => `GENDER_${gender}`);
const WEATHERS = ['SUNNY', 'CLOUDY', 'RAINY', 'SNOW', 'ABOVE_20_CELSIUS', 'BELOW_10_CELSIUS'];
const OPERATORS: [string, (a: number, b: number) => boolean][] = [
  ['EQUAL', (a, b) => a === b],
  ['LESS_THAN', (a, b) => a < b],
  ['LESS_THAN_OR_EQUAL', (a, b) => a <= b],
  ['GREATER_THAN', (a, b) => a > b],
  ['GREATER_THAN_OR_EQUAL', (a, b) => a >= b],
];
const WINDOWS: [string, string, string][] = [
  ['MINUTE', '2026-11-18T10:29:00.001Z', '2026-11-18T10:29:00Z'],
  ['THIRTY_MINUTES', '2026-11-18T10:00:00.001Z', '2026-11-18T10:00:00Z'],
  ['HOUR', '2026-11-18T10:00:00Z', '2026-11-18T09:59:59.999Z'],
  ['DAY', '2026-11-18T00:00:00Z', '2026-11-17T23:59:59.999Z'],
  ['WEEK', '2026-11-16T00:00:00Z', '2026-11-15T23:59:59.999Z'],
];

/** Before the time is trusted (rule 10): the window, a play inside it, and one before it. */
const UNTRUSTED_WINDOWS: [string, string, string][] = [
  ['HOUR', '2026-11-18T09:30:00.001Z', '2026-11-18T09:30:00Z'],
  ['DAY', '2026-11-17T10:30:00.001Z', '2026-11-17T10:30:00Z'],
  ['WEEK', '2026-11-11T10:30:00.001Z', '2026-11-11T10:30:00Z'],
];

const cases: Case[] = [
  { row: 'request_id: decides nothing', metadata: { requestId: 'any' }, mayPlay: true },
  { row: 'campaign_id: decides nothing', metadata: { campaignId: 'any' }, mayPlay: true },
  ...['SOURCE_TYPE_AD_SERVER', 'SOURCE_TYPE_SSP', 'SOURCE_TYPE_CMS'].map((source) => ({
    row: `source: ${source} decides nothing`,
    metadata: { source },
    mayPlay: true,
  })),
  { row: 'source: other strings may appear', metadata: { source: 'SOURCE_TYPE_NEW' }, mayPlay: true },
  {
    row: 'audience: absent matches everyone',
    metadata: { audience: null },
    context: EMPTY_CONTEXT,
    mayPlay: true,
  },
  { row: 'flight_id: absent, and no caps', metadata: { flightId: null }, mayPlay: true },
  {
    row: 'flight_id: absent, so caps cannot be counted',
    metadata: { flightId: null, frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 9 }] },
    mayPlay: false,
  },
  { row: 'expires_at: not past it', metadata: { expiresAt: at }, mayPlay: true },
  { row: 'expires_at: past it', metadata: { expiresAt: at - 1000 }, mayPlay: false },
  {
    row: 'frequency_caps: absent',
    metadata: { flightId: 'flight' },
    plays: ['2026-11-18T10:29:59Z'],
    mayPlay: true,
  },

  { row: 'targeting_groups: any one matches', ...when(anAudience([weather('X')], [])), mayPlay: true },
  { row: 'targeting_groups: none matches', ...when(anAudience([weather('X')])), mayPlay: false },
  {
    row: 'conditions: all match',
    ...when(anAudience([demographic({}), basket(['sku-1']), weather('WEATHER_TYPE_SUNNY')])),
    mayPlay: true,
  },
  { row: 'conditions: one does not', ...when(anAudience([demographic({}), weather('X')])), mayPlay: false },
  {
    row: 'conditions: exactly one member is set, else it never matches',
    ...when(anAudience([{ kind: 'unreadable', detail: 'demographic and store' }])),
    mayPlay: false,
  },
  { row: 'demographic: a detected shopper fits', ...when(anAudience([demographic({})])), mayPlay: true },
  {
    row: 'demographic: without a vision sensor nobody is detected',
    ...when(anAudience([demographic({})]), EMPTY_CONTEXT),
    mayPlay: false,
  },
  { row: 'device: the cart matches', ...when(anAudience([basket(['sku-1'])])), mayPlay: true },
  { row: 'device: no cart', ...when(anAudience([basket(['sku-1'])]), EMPTY_CONTEXT), mayPlay: false },
  { row: 'store: the weather matches', ...when(anAudience([weather('WEATHER_TYPE_SUNNY')])), mayPlay: true },
  {
    row: 'store: no weather',
    ...when(anAudience([weather('WEATHER_TYPE_SUNNY')]), EMPTY_CONTEXT),
    mayPlay: false,
  },
  {
    row: 'profiles: any one matches',
    ...when(anAudience([demographic({ gender: 'GENDER_MALE' }, { gender: 'GENDER_FEMALE' })])),
    mayPlay: true,
  },
  {
    row: 'profiles: none matches',
    ...when(anAudience([demographic({ gender: 'GENDER_MALE' })])),
    mayPlay: false,
  },
  { row: 'basket.skus: listed', ...when(anAudience([basket(['sku-9', 'sku-1'])])), mayPlay: true },
  { row: 'basket.skus: not listed', ...when(anAudience([basket(['sku-9'])])), mayPlay: false },
  { row: 'basket.items: listed', ...when(anAudience([basket([], ['Milk '])])), mayPlay: true },
  { row: 'basket.items: not listed', ...when(anAudience([basket([], ['bread'])])), mayPlay: false },
  { row: 'basket: skus or items', ...when(anAudience([basket(['sku-9'], ['milk'])])), mayPlay: true },

  ...AGE_RANGES.flatMap((ageRange) => [
    {
      row: `age_range: ${ageRange}`,
      ...when(anAudience([demographic({ ageRange })]), shoppers({ ageRange, gender: 'GENDER_UNKNOWN' })),
      mayPlay: true,
    },
    {
      row: `age_range: ${ageRange}, but all others are there`,
      ...when(
        anAudience([demographic({ ageRange })]),
        shoppers(
          ...AGE_RANGES.filter((other) => other !== ageRange).map((other) => ({
            ...person,
            ageRange: other,
          })),
        ),
      ),
      mayPlay: false,
    },
  ]),
  {
    row: 'age_range: other strings may appear',
    ...when(anAudience([demographic({ ageRange: 'AGE_RANGE_0_17' })])),
    mayPlay: false,
  },
  {
    row: 'age_range: unset matches any',
    ...when(anAudience([demographic({ gender: person.gender })])),
    mayPlay: true,
  },
  ...GENDERS.flatMap((gender) => [
    {
      row: `gender: ${gender}`,
      ...when(anAudience([demographic({ gender })]), shoppers({ ageRange: null, gender })),
      mayPlay: true,
    },
    {
      row: `gender: ${gender}, but all others are there`,
      ...when(
        anAudience([demographic({ gender })]),
        shoppers(
          ...GENDERS.filter((other) => other !== gender).map((other) => ({ ...person, gender: other })),
        ),
      ),
      mayPlay: false,
    },
  ]),
  {
    row: 'gender: other strings may appear',
    ...when(anAudience([demographic({ gender: 'GENDER_NEW' })])),
    mayPlay: false,
  },
  {
    row: 'gender: unset matches any',
    ...when(anAudience([demographic({ ageRange: person.ageRange })])),
    mayPlay: true,
  },
  ...OPERATORS.flatMap(([operator, holds]) =>
    [0, 1, 2, 3, 4_294_967_295].map((value) => ({
      row: `group_size: 2 people, ${operator} ${value}`,
      ...when(
        anAudience([
          demographic({ groupSize: { operator: `COUNT_COMPARISON_OPERATOR_${operator}`, value } }),
        ]),
      ),
      mayPlay: holds(2, value),
    })),
  ),
  {
    row: 'group_size.operator: absent matches any count',
    ...when(anAudience([demographic({ groupSize: { operator: null, value: 9 } })])),
    mayPlay: true,
  },
  {
    row: 'group_size.operator: other strings may appear',
    ...when(
      anAudience([demographic({ groupSize: { operator: 'COUNT_COMPARISON_OPERATOR_NEW', value: 2 } })]),
    ),
    mayPlay: false,
  },
  ...WEATHERS.flatMap((type) => [
    {
      row: `weather_types: WEATHER_TYPE_${type}`,
      ...when(anAudience([weather(`WEATHER_TYPE_${type}`)]), {
        ...EMPTY_CONTEXT,
        weather: { types: [`WEATHER_TYPE_${type}`] },
      }),
      mayPlay: true,
    },
    {
      row: `weather_types: WEATHER_TYPE_${type}, but all others hold`,
      ...when(anAudience([weather(`WEATHER_TYPE_${type}`)]), {
        ...EMPTY_CONTEXT,
        weather: {
          types: WEATHERS.filter((other) => other !== type).map((other) => `WEATHER_TYPE_${other}`),
        },
      }),
      mayPlay: false,
    },
  ]),
  {
    row: 'weather_types: other strings may appear',
    ...when(anAudience([weather('WEATHER_TYPE_NEW')])),
    mayPlay: false,
  },

  ...WINDOWS.flatMap(([window, inside, outside]) => [
    {
      row: `window ${window}: a play inside uses the cap`,
      ...capped({ window: `FREQUENCY_CAP_WINDOW_${window}`, limit: 1 }),
      plays: [inside],
      mayPlay: false,
    },
    {
      row: `window ${window}: a play before it does not`,
      ...capped({ window: `FREQUENCY_CAP_WINDOW_${window}`, limit: 1 }),
      plays: [outside],
      mayPlay: true,
    },
  ]),
  ...UNTRUSTED_WINDOWS.flatMap(([window, inside, outside]) => [
    {
      row: `window ${window}, time not trusted: a play within its length uses the cap`,
      ...capped({ window: `FREQUENCY_CAP_WINDOW_${window}`, limit: 1 }),
      plays: [inside],
      isTrusted: false,
      mayPlay: false,
    },
    {
      row: `window ${window}, time not trusted: an earlier play does not`,
      ...capped({ window: `FREQUENCY_CAP_WINDOW_${window}`, limit: 1 }),
      plays: [outside],
      isTrusted: false,
      mayPlay: true,
    },
  ]),
  {
    row: 'window FLIGHT: every play of the flight’s life uses the cap',
    ...capped({ window: 'FREQUENCY_CAP_WINDOW_FLIGHT', limit: 1 }),
    plays: ['2001-01-01T00:00:00Z'],
    mayPlay: false,
  },
  {
    row: 'window: other strings may appear, kept as the whole flight',
    ...capped({ window: 'FREQUENCY_CAP_WINDOW_YEAR', limit: 1 }),
    plays: ['2001-01-01T00:00:00Z'],
    mayPlay: false,
  },
  {
    row: 'limit: 0',
    ...capped({ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 0 }),
    mayPlay: false,
  },
  {
    row: 'limit: 4294967295',
    ...capped({ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 4_294_967_295 }),
    plays: ['2026-11-18T10:00:00Z'],
    mayPlay: true,
  },
  {
    row: 'limit: plays are fewer',
    ...capped({ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2 }),
    plays: ['2026-11-18T10:00:00Z'],
    mayPlay: true,
  },
  {
    row: 'frequency_caps: every entry applies at once',
    ...capped(
      { window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 9 },
      { window: 'FREQUENCY_CAP_WINDOW_HOUR', limit: 1 },
    ),
    plays: ['2026-11-18T10:00:00Z'],
    mayPlay: false,
  },
];

describe('service-metadata, row by row', () => {
  it.each(cases.map((each) => [each.row, each.mayPlay, each] as const))(
    '%s → plays: %s',
    (_row, mayPlay, each) => {
      expect(judge(each)).toBe(mayPlay);
    },
  );

  it('frequency_caps: plays are counted per flight_id, never per ad', () => {
    const cap = [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 1 }];
    const decider = createDecider({
      ...emptyBooks,
      ads: ['a', 'b'].map((media) => anAd({ flightId: 'flight', frequencyCaps: cap }, media, media)),
    });
    for (const url of ['a', 'b']) decider.mediaReady(url);
    const choice = decider.choose(at);
    expect(choice && decider.enter(choice, at)).not.toBeNull();
    expect(decider.choose(at)).toBeNull();
  });

  it('source_id: stored ads are grouped by it, to keep the source mix', () => {
    const ofSource = (sourceId: string | null, media: string) => anAd({ sourceId }, media, media);
    const ads = [
      ofSource('cms', 'a'),
      ofSource('cms', 'b'),
      ofSource('cms', 'c'),
      ofSource('ssp', 'd'),
      ofSource(null, 'e'),
      ofSource(null, 'f'),
    ];
    const decider = createDecider({
      ...emptyBooks,
      ads,
    });
    for (const url of ads.map((ad) => onlyMedia(ad) ?? '')) decider.mediaReady(url);
    const played = Array.from({ length: 12 }, () => {
      const choice = decider.choose(at);
      if (choice !== null) decider.enter(choice, at);
      return choice?.ad.metadata.sourceId ?? 'none';
    });
    const slots = (source: string) => played.filter((other) => other === source).length;
    expect([slots('cms'), slots('ssp'), slots('none')]).toEqual([6, 2, 4]);
  });
});
