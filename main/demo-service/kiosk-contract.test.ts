import { expect, it } from 'vitest';
import { type Context, EMPTY_CONTEXT, matchAudience } from '../decisions/audience';
import { explainAdFromPlays } from '../decisions/testing/explain-from-plays';
import { chooseMedia } from '../service/ads-reading/choose-media';
import { readAds } from '../service/ads-reading/read-ads';
import { readSettings } from '../settings/testing/read-settings';
import { requestAds, serviceForTest } from './testing/client';

// The kiosk has to understand what the service sends.

it('the demo service offers valid settings', async () => {
  const service = await serviceForTest();
  expect(readSettings(service.settings(), 'the embedded demo').kind).toBe('settings');
});

it.each([
  ['landscape', { width: 1920, height: 1080 }],
  ['portrait', { width: 1080, height: 1920 }],
])('the kiosk reads every ad of the demo and finds its %s file', async (side, screen) => {
  const service = await serviceForTest();
  const reading = readAds(await (await requestAds(service, [['offline', 'true']])).text());
  if (reading.kind !== 'ads') throw new Error(`expected ads, got ${reading.kind}`);
  expect(reading.rejected).toEqual([]);
  const best = reading.ads.map((read) => ('wrapper' in read ? undefined : chooseMedia(read, screen)[0]?.url));
  expect(best).toHaveLength(12);
  for (const url of best) expect(url).toContain(`-${side}.`);
});

it('the demo has ads for each operator, a gender, a group of two conditions, and an unknown condition', async () => {
  const service = await serviceForTest();
  const text = await (await requestAds(service, [['offline', 'true']])).text();
  for (const operator of [
    'EQUAL',
    'LESS_THAN',
    'LESS_THAN_OR_EQUAL',
    'GREATER_THAN',
    'GREATER_THAN_OR_EQUAL',
  ])
    expect(text).toContain(`"COUNT_COMPARISON_OPERATOR_${operator}"`);
  for (const word of ['"GENDER_FEMALE"', '"WEATHER_TYPE_HEAT_WAVE"', '"shelf_position"'])
    expect(text).toContain(word);
  const reading = readAds(text);
  if (reading.kind !== 'ads') throw new Error('expected ads');
  const barista = reading.ads
    .flatMap((read) => ('wrapper' in read ? [] : [read]))
    .find(({ id }) => id === 'nordhain-barista');
  if (!barista) throw new Error('expected the ad with two conditions');
  const judged = (context: object) =>
    explainAdFromPlays(barista, {
      at: Date.now(),
      context: { ...EMPTY_CONTEXT, ...context },
      media: { state: 'ready' },
      plays: [],
    }).reasons;
  const cart = { skus: [], items: ['milk'] };
  const weather = { types: ['WEATHER_TYPE_CLOUDY'] };
  expect([judged({ cart }), judged({ weather }), judged({ cart, weather })]).toEqual([
    ['audience'],
    ['audience'],
    [],
  ]);
});

const inGroup = (...conditions: object[]) => ({ targeting_groups: [{ conditions }] });
const rainy = { store: { weather_types: ['WEATHER_TYPE_RAINY'] } };
const straight = { device: { basket: { items: ['STRASSE'] } } };
const rain: [string, Partial<Context>] = [
  'weather=WEATHER_TYPE_RAINY',
  { weather: { types: ['WEATHER_TYPE_RAINY'] } },
];
const one: [string, Partial<Context>] = ['group_size=1', { shopper: { people: [], groupSize: 1 } }];

it.each<[string, unknown, [string, Partial<Context>], boolean]>([
  ['null', null, ['', {}], true],
  ['without groups', {}, one, false],
  ['with a null list of groups', { targeting_groups: null }, one, false],
  ['with a group without conditions', inGroup(), ['', {}], true],
  ['with a null list of conditions', { targeting_groups: [{ conditions: null }] }, ['', {}], true],
  ['with a null member', inGroup({ demographic: null, ...rainy }), rain, true],
  ['with two members', inGroup({ demographic: { profiles: [{}] }, ...rainy }), one, false],
  ['with a null age', inGroup({ demographic: { profiles: [{ age_range: null }] } }), one, true],
  ['with a comparison without value', inGroup(groupSize('GREATER_THAN')), one, true],
  ['with an item in other letters', inGroup(straight), ['item=straße', cartOf('straße')], true],
  [
    'with an item in wide letters',
    inGroup(straight),
    ['item=ＳＴＲＡＳＳＥ', cartOf('ＳＴＲＡＳＳＥ')],
    true,
  ],
])(
  'an audience %s is judged online as the kiosk judges it',
  async (_, audience, [query, context], expected) => {
    const service = await serviceForTest();
    service.setAds([{ id: 'a', metadata: { audience } }]);
    const playlist = readAds(await (await requestAds(service, [['offline', 'true']])).text());
    const [read] = playlist.kind === 'ads' ? playlist.ads : [];
    if (!read) throw new Error('expected an ad');
    const kiosk = matchAudience(read.metadata.audience, { ...EMPTY_CONTEXT, ...context }).matches;
    const online = readAds(await (await requestAds(service, [...new URLSearchParams(query)])).text());
    expect([online.kind === 'ads' && online.ads.length === 1, kiosk]).toEqual([expected, expected]);
  },
);

function groupSize(operator: string) {
  return {
    demographic: { profiles: [{ group_size: { operator: `COUNT_COMPARISON_OPERATOR_${operator}` } }] },
  };
}

function cartOf(item: string): Partial<Context> {
  return { cart: { skus: [], items: [item] } };
}
