import { expect, test } from 'vitest';
import { nativeAdForTest } from '../service/native/testing/native-ad-for-test';
import { createBannerTries } from './banner-tries';

const ad = nativeAdForTest('r/0', { assets: { htmlBanner: { html: '<b>', width: null, height: null } } });

test('a banner is loaded late, then once more for longer, then its ad does without it', () => {
  const tries = createBannerTries();
  expect([tries.leadMs(ad), tries.shown(ad)]).toEqual([2_500, ad]);
  tries.failed(ad);
  expect([tries.leadMs(ad), tries.shown(ad)]).toEqual([15_000, ad]);
  tries.failed(ad);
  expect(tries.leadMs(ad)).toBeNull();
  expect(tries.shown(ad).assets.htmlBanner).toBeNull();
});

test('it gives way for the slot it was too late for, and for no other', () => {
  const tries = createBannerTries();
  expect(tries.gaveWay(ad, 0)).toBe(false);
  tries.failed(ad);
  // Asked for at once, and again while another ad is prepared: the slot may begin a little earlier or later.
  expect([10_400, 9_900, 20_000].map((at) => tries.gaveWay(ad, at))).toEqual([true, true, false]);
});
