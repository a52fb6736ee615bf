import { beforeEach, expect, test } from 'vitest';
import { type BannerSigns, createLateBanners, type LateBanners } from './late-banners';
import { nativeAdForTest } from './testing/native-ad-for-test';

const withBanner = (instance: string) =>
  nativeAdForTest(instance, { assets: { htmlBanner: { html: '<b>', width: null, height: null } } });
const ad = withBanner('r/0');
const other = withBanner('r/1');

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
    onGone: () => void heard.push('gone'),
  });
});

test('a banner that draws in time is opened again for each of its slots, and never awaited', async () => {
  expect(await urlOf()).toBe('http://1.localhost/');
  signs[0]?.loads();
  signs[0]?.painted();
  expect([banners.isAwaited(ad), banners.withoutGivenUp(ad), heard]).toEqual([false, ad, []]);
  expect(await urlOf()).toBe('http://2.localhost/');
});

test('a banner that was too late is awaited until it has drawn, and then the same guest is shown', async () => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  expect(banners.isAwaited(ad)).toBe(true);
  signs[0]?.painted();
  signs[0]?.scriptFailed('x is not defined');
  expect([banners.isAwaited(ad), heard]).toEqual([false, ['painted']]);
  expect(await banners.guest(ad, open)).toMatchObject({
    url: 'http://1.localhost/',
    errors: ['x is not defined'],
  });
});

test('a banner that draws while its slot is given up is not awaited', async () => {
  await urlOf();
  signs[0]?.loads();
  signs[0]?.painted();
  banners.gaveWay(ad);
  expect([banners.isAwaited(ad), await urlOf()]).toEqual([false, 'http://1.localhost/']);
});

test('a banner that is blank 15 s after its load is dropped, and its ad is shown without it', async () => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
  for (const { run } of timers) run();
  expect([banners.isAwaited(ad), heard]).toEqual([false, ['deadline']]);
  expect(banners.withoutGivenUp(ad).assets.htmlBanner).toBeNull();
  signs[0]?.painted();
  expect(heard).toEqual(['deadline']);
});

test.each([
  ['late a second time', () => banners.gaveWay(ad)],
  ['broken', () => banners.giveUp(ad)],
])('a banner that is %s is dropped', async (_what, happens) => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  signs[0]?.painted();
  await urlOf();
  happens();
  expect(banners.withoutGivenUp(ad).assets.htmlBanner).toBeNull();
  for (const { run } of timers) run();
  expect(heard).toEqual(['painted']);
});

test('a late banner that has drawn is handed on once: its guest ends with the slot that it was prepared for', async () => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  signs[0]?.painted();
  expect(await urlOf()).toBe('http://1.localhost/');
  // That slot was given up or interrupted, and the ad is chosen again.
  expect(await urlOf()).toBe('http://2.localhost/');
});

test('a late banner that has drawn and gets no slot for ten minutes is closed, and opened again for the next', async () => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  signs[0]?.painted();
  // The store closes, or a sensor reports that nobody is there.
  expect(timers.map(({ ms }) => ms)).toEqual([15_000, 600_000]);
  for (const { run } of timers) run();
  expect([heard, banners.withoutGivenUp(ad)]).toEqual([['painted', 'gone'], ad]);
  expect([banners.isAwaited(ad), await urlOf()]).toEqual([false, 'http://2.localhost/']);
  // It is on the screen by now, and its impression is confirmed.
  banners.held([]);
  expect(heard).toEqual(['painted', 'gone']);
});

test('an ad whose banner was given up takes the slot of one that is late', async () => {
  banners.giveUp(other);
  await urlOf();
  banners.gaveWay(ad);
  expect([ad, other].map(banners.isAwaited)).toEqual([true, false]);
});

test.each([
  ['has drawn', true, ['painted', 'gone']],
  ['is blank', false, ['gone']],
])('a late banner that %s is closed once, when its ad is at hand no more', async (_, hasDrawn, expected) => {
  await urlOf();
  signs[0]?.loads();
  banners.gaveWay(ad);
  if (hasDrawn) signs[0]?.painted();
  banners.held([]);
  for (const { run } of timers) run();
  expect(heard).toEqual(expected);
});

test('a late banner that got its slot is not closed ten minutes later', async () => {
  await urlOf();
  signs[0]?.loads();
  signs[0]?.painted();
  banners.gaveWay(ad);
  await urlOf();
  for (const { run } of timers) run();
  expect(heard).toEqual([]);
});

test('a banner that is reported as late after its 15 s delays no other banner for ever', async () => {
  await urlOf();
  signs[0]?.loads();
  for (const { run } of timers.splice(0)) run();
  banners.gaveWay(ad);
  for (const { run } of timers) run();
  expect([banners.isAwaited(ad), heard]).toEqual([false, ['deadline']]);
});

test('a banner that never loads is dropped after 15 s, and delays no other banner', async () => {
  await urlOf();
  banners.gaveWay(ad);
  expect([banners.isAwaited(ad), banners.isAwaited(other)]).toEqual([true, true]);
  expect(timers.map(({ ms }) => ms)).toEqual([15_000]);
  timers[0]?.run();
  expect([banners.isAwaited(other), banners.withoutGivenUp(ad).assets.htmlBanner, heard]).toEqual([
    false,
    null,
    ['deadline'],
  ]);
});
