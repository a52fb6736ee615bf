import { expect, test } from 'vitest';
import { nativeAdForTest } from '../service/native/testing/native-ad-for-test';
import { createBannerTries } from './banner-tries';

const ad = nativeAdForTest('r/0', { assets: { htmlBanner: { html: '<b>', width: null, height: null } } });

test('a banner is loaded late, then once more for longer, then its ad does without it', () => {
  const tries = createBannerTries();
  expect([tries.leadMs(ad), tries.shown(ad)]).toEqual([2_500, ad]);
  tries.failed(ad, 0);
  expect([tries.leadMs(ad), tries.shown(ad)]).toEqual([15_000, ad]);
  tries.failed(ad, 30_000);
  expect(tries.leadMs(ad)).toBeNull();
  expect(tries.shown(ad).assets.htmlBanner).toBeNull();
});

test('it gives way for the slot it was too late for, and for no other', () => {
  const tries = createBannerTries();
  expect(tries.gaveWay(ad, 0)).toBe(false);
  tries.failed(ad, 10_000);
  expect([tries.gaveWay(ad, 10_400), tries.gaveWay(ad, 20_000)]).toEqual([true, false]);
});
