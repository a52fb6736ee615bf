import { beforeEach, expect, test } from 'vitest';
import { type BannerSigns, createLateBanners, type LateBanners } from './late-banners';
import { nativeAdForTest } from './testing/native-ad-for-test';

const ad = nativeAdForTest('r/0', { assets: { htmlBanner: { html: '<b>', width: null, height: null } } });

let banners: LateBanners;
let signs: BannerSigns[];
let timers: Array<{ ms: number; run: () => void }>;
let heard: string[];
const open = async (given: BannerSigns) => {
  signs.push(given);
  return { url: `http://${signs.length}.localhost/`, partition: 'guest-1' };
};
const urlOf = async () => (await banners.guest(ad, open)).url;

beforeEach(() => {
  [signs, timers, heard] = [[], [], []];
  banners = createLateBanners({
    schedule(ms, run) {
      timers.push({ ms, run });
      return () => {};
    },
    onPainted: () => void heard.push('painted'),
    onDeadline: () => void heard.push('deadline'),
  });
});

test('a banner that paints in time is never awaited, and opened anew for each slot it is prepared for', async () => {
  expect(await urlOf()).toBe('http://1.localhost/');
  signs[0]?.loads();
  signs[0]?.painted();
  expect([banners.isAwaited(ad), banners.shown(ad), heard]).toEqual([false, ad, []]);
  expect(await urlOf()).toBe('http://2.localhost/');
});

test('one that gave way is awaited until it has painted, and then the same guest is shown', async () => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  expect(banners.isAwaited(ad)).toBe(true);
  signs[0]?.painted();
  expect([banners.isAwaited(ad), heard, await urlOf()]).toEqual([false, ['painted'], 'http://1.localhost/']);
});

test('one that paints while the page gives it up is awaited no moment', async () => {
  await urlOf();
  signs[0]?.loads();
  signs[0]?.painted();
  banners.gaveWay(ad);
  expect([banners.isAwaited(ad), await urlOf()]).toEqual([false, 'http://1.localhost/']);
});

test('one that has painted nothing 15 s after its load is given up, and its ad does without it', async () => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
  for (const { run } of timers) run();
  expect([banners.isAwaited(ad), heard]).toEqual([false, ['deadline']]);
  expect(banners.shown(ad).assets.htmlBanner).toBeNull();
  signs[0]?.painted();
  expect(heard).toEqual(['deadline']);
});

test.each([
  ['late a second time', () => banners.gaveWay(ad)],
  ['broken', () => banners.giveUp(ad)],
])('one that is %s is given up', async (_what, happens) => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  signs[0]?.painted();
  await urlOf();
  happens();
  expect(banners.shown(ad).assets.htmlBanner).toBeNull();
  for (const { run } of timers) run();
  expect(heard).toEqual(['painted']);
});

test('one that never loads is given up 15 s after it gave way, and keeps no other banner waiting', async () => {
  const other = nativeAdForTest('r/1', {
    assets: { htmlBanner: { html: '<i>', width: null, height: null } },
  });
  await urlOf();
  banners.gaveWay(ad);
  expect([banners.isAwaited(ad), banners.isAwaited(other)]).toEqual([true, true]);
  expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
  timers[0]?.run();
  expect([banners.isAwaited(other), banners.shown(ad).assets.htmlBanner, heard]).toEqual([
    false,
    null,
    ['deadline'],
  ]);
});
