import { expect, it } from 'vitest';
import { EMPTY_CONTEXT } from '../decisions/audience';
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
  const best = reading.ads.map((read) =>
    read.kind === 'ad' ? chooseMedia(read.ad, screen)[0]?.url : undefined,
  );
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
    .flatMap((read) => (read.kind === 'ad' ? [read.ad] : []))
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
