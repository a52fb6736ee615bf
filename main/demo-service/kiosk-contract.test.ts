import { expect, it } from 'vitest';
import { chooseMedia } from '../service/ads-reading/choose-media';
import { readAds } from '../service/ads-reading/read-ads';
import { readSettings } from '../settings/find-settings';
import { requestAds, serviceForTest } from './testing/client';

// What the service says has to be what the kiosk understands.

it('the settings it hands out are valid settings', async () => {
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
  expect(best).toHaveLength(10);
  for (const url of best) expect(url).toContain(`-${side}.`);
});
