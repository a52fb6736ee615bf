import { describe, expect, test } from 'vitest';
import type { LinearCreative } from '../../shared/ad';
import { NativeCardContent } from '../../shared/native';
import { cardContent, cardMedia, shownFile } from './card-content';
import { NO_META, nativeAdForTest } from './testing/native-ad-for-test';

const SCREEN = { width: 1920, height: 1080 };
const url = (name: string) => `https://m.example/${name}`;
const local = (address: string) => `media://cache/${address.split('/').at(-1)}`;
const allBut =
  (...missing: readonly string[]) =>
  (address: string) =>
    missing.some((name) => address.endsWith(name)) ? null : local(address);

const picture = (name: string) => ({ url: url(name), width: 1200, height: 627 });
const file = (name: string, width: number, height: number) => ({
  url: url(name),
  type: 'video/mp4',
  delivery: 'progressive',
  width,
  height,
  bitrateKbps: null,
  codec: null,
});
const VIDEO: LinearCreative = {
  durationMs: 6_000,
  mediaFiles: [file('tall.mp4', 720, 1280), file('wide.mp4', 1280, 720)],
  impressions: [],
  tracking: [],
  errors: [],
  clickThrough: 'https://shop.example/video',
  clickTracking: [],
};
const MOV = { ...VIDEO, mediaFiles: [{ ...file('clip.mov', 1280, 720), type: 'video/quicktime' }] };
const PAGE = { ...VIDEO, mediaFiles: [{ ...file('film.html', 1280, 720), type: 'text/html' }] };
/** Its picture suits the screen better than its video. */
const WITH_PICTURE = {
  ...VIDEO,
  mediaFiles: [...VIDEO.mediaFiles, { ...file('still.jpg', 1920, 1080), type: 'image/jpeg' }],
};
const ONLY_PICTURE = { ...VIDEO, mediaFiles: [{ ...file('still.jpg', 1920, 1080), type: '' }] };
const UNSIZED = { ...VIDEO, mediaFiles: [{ ...file('film.mp4', 0, 0), width: null, height: null }] };
const FULL = nativeAdForTest('x/0', {
  assets: {
    icon: picture('icon.png'),
    banner: picture('banner.jpg'),
    standardBanner: picture('standard.jpg'),
    htmlBanner: { html: '<b/>', width: 320, height: 480 },
    video: VIDEO,
    description: 'Slow-steeped',
    rating: 4.6,
    callToAction: 'Buy',
  },
  meta: { ...NO_META, contentInfo: { link: 'https://a.example', icon: url('info.png'), text: 'Why?' } },
});
const without = (...names: ReadonlyArray<keyof typeof FULL.assets>) => ({
  ...FULL,
  assets: { ...FULL.assets, ...Object.fromEntries(names.map((name) => [name, null])) },
});

describe('the card of an ad', () => {
  test('needs the video for the new size of the screen once that has changed', () => {
    const screen = { ...SCREEN };
    expect(cardMedia(FULL, screen)).toContain(url('wide.mp4'));
    Object.assign(screen, { width: 1080, height: 1920 });
    expect(cardMedia(FULL, screen)).toContain(url('tall.mp4'));
    expect(cardMedia(FULL, screen)).not.toContain(url('wide.mp4'));
  });

  test('matches the schema of the window and is complete', () => {
    const card = NativeCardContent.parse(cardContent(FULL, SCREEN, local));
    expect(card).toEqual({
      instance: 'x/0',
      picture: { kind: 'video', width: 1280, height: 720 },
      icon: 'media://cache/icon.png',
      title: 'x/0',
      description: 'Slow-steeped',
      rating: 4.6,
      callToAction: { kind: 'text', text: 'Buy' },
      contentInfo: { text: 'Why?', icon: 'media://cache/info.png', tappable: true },
    });
  });

  const image = (name: string) => ({ kind: 'image', url: `media://cache/${name}`, width: 1200, height: 627 });
  test.each([
    ['a video', FULL, local, { kind: 'video', width: 1280, height: 720 }],
    [
      'a video whose best file is missing',
      FULL,
      allBut('wide.mp4'),
      { kind: 'video', width: 720, height: 1280 },
    ],
    [
      'a video that exists only as a MOV, which may hold any codec',
      { ...without('htmlBanner'), assets: { ...without('htmlBanner').assets, video: MOV } },
      local,
      image('banner.jpg'),
    ],
    [
      'a video that exists only as a page',
      { ...without('htmlBanner'), assets: { ...without('htmlBanner').assets, video: PAGE } },
      local,
      image('banner.jpg'),
    ],
    [
      'a video and a picture beside it',
      { ...FULL, assets: { ...FULL.assets, video: WITH_PICTURE } },
      local,
      { kind: 'video', width: 1280, height: 720 },
    ],
    [
      'a picture in place of a video',
      { ...without('htmlBanner'), assets: { ...without('htmlBanner').assets, video: ONLY_PICTURE } },
      local,
      image('banner.jpg'),
    ],
    [
      'a video of unknown size',
      { ...FULL, assets: { ...FULL.assets, video: UNSIZED } },
      local,
      { kind: 'video', width: 1920, height: 1080 },
    ],
    [
      'markup of unknown size',
      {
        ...FULL,
        assets: { ...FULL.assets, video: null, htmlBanner: { html: '<b/>', width: null, height: null } },
      },
      local,
      { kind: 'html', width: 1200, height: 627 },
    ],
    ['no title', without('video', 'htmlBanner', 'title'), local, image('banner.jpg')],
    ['no video on disk', FULL, allBut('.mp4'), { kind: 'html', width: 320, height: 480 }],
    ['an HTML banner', without('video'), local, { kind: 'html', width: 320, height: 480 }],
    ['a banner', without('video', 'htmlBanner'), local, image('banner.jpg')],
    ['a banner that is broken', without('video', 'htmlBanner'), allBut('banner.jpg'), image('standard.jpg')],
    ['no words', without('video', 'htmlBanner', 'title', 'description'), local, image('standard.jpg')],
    ['no picture', without('video', 'htmlBanner', 'banner', 'standardBanner'), local, null],
    ['no picture on disk', without('video', 'htmlBanner'), () => null, null],
  ] as const)('with %s', (_name, ad, localUrl, expected) => {
    expect(cardContent(ad, SCREEN, localUrl)?.picture).toEqual(expected);
  });

  test('leaves out pictures that are not on disk', () => {
    expect(cardContent(FULL, SCREEN, () => null)).toMatchObject({
      icon: null,
      contentInfo: { text: 'Why?', icon: null },
    });
  });

  test('has no promise for a click: points are not part of it', () => {
    const paying = { ...FULL, meta: { ...FULL.meta, points: 1_234, revenueModel: 'CPC' as const } };
    expect(cardContent(paying, SCREEN, local)).toEqual(cardContent(FULL, SCREEN, local));
  });

  test('is null while there is nothing to show', () => {
    const silent = without('video', 'htmlBanner', 'title', 'description');
    expect(cardContent(silent, SCREEN, () => null)).toBeNull();
    expect(cardContent(silent, SCREEN, local)).not.toBeNull();
    expect(cardContent(without('video', 'htmlBanner', 'title'), SCREEN, () => null)).not.toBeNull();
  });

  test.each([
    ['https://shop.example', 'Buy', { kind: 'text', text: 'Buy' }],
    ['https://shop.example', null, { kind: 'default' }],
    ['market://x', 'Get', { kind: 'text', text: 'Get' }],
    [null, 'Buy', null],
    ['javascript:1', 'Buy', null],
  ])('with the link %j and the text %j has the button %j', (link, callToAction, button) => {
    const ad = nativeAdForTest('x', { link, assets: { callToAction } });
    expect(cardContent(ad, SCREEN, local)?.callToAction).toEqual(button);
  });

  test('without its own link uses the link of its video', () => {
    const ad = { ...FULL, link: null };
    expect(cardContent(ad, SCREEN, local)?.callToAction).toEqual({ kind: 'text', text: 'Buy' });
  });

  test.each([
    [null, null],
    [
      { link: null, icon: null, text: 'Why?' },
      { text: 'Why?', icon: null, tappable: false },
    ],
    [
      { link: 'https://a.example', icon: null, text: null },
      { text: null, icon: null, tappable: true },
    ],
  ])('shows the content information %j as %j', (contentInfo, shown) => {
    const ad = nativeAdForTest('x', { meta: { contentInfo } });
    expect(cardContent(ad, SCREEN, local)?.contentInfo).toEqual(shown);
  });
});

test('the files to fetch are those that the card can use, each once and the most important first', () => {
  expect(cardMedia(FULL, SCREEN)).toEqual(
    ['wide.mp4', 'banner.jpg', 'standard.jpg', 'icon.png', 'info.png'].map(url),
  );
  expect(
    cardMedia(nativeAdForTest('x', { assets: { banner: picture('a'), icon: picture('a') } }), SCREEN),
  ).toEqual([url('a')]);
});

test.each([
  [SCREEN, [], url('wide.mp4')],
  [{ width: 1080, height: 1920 }, [], url('tall.mp4')],
  [SCREEN, ['wide.mp4'], url('tall.mp4')],
  [SCREEN, ['wide.mp4', 'tall.mp4'], url('banner.jpg')],
])('the file shown on %j without %j is the best that is on disk', (screen, missing, expected) => {
  const isThere = (address: string) => allBut(...missing)(address) !== null;
  expect(shownFile(without('htmlBanner'), screen, isThere)).toBe(expected);
});

test('a card of an ad without a video shows no video', () => {
  expect(shownFile(without('video', 'htmlBanner'), SCREEN, () => true)).toBe(url('banner.jpg'));
});
