import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import type { NativeAd } from '../../shared/native';
import type { Confirmation } from '../beacons/outbox';
import { createClicks } from './clicks';
import type { TapWitness } from './tap-witness';
import { nativeAdForTest } from './testing/native-ad-for-test';

const seen: TapWitness = { saw() {}, claim: () => true };
const unseen: TapWitness = { saw() {}, claim: () => false };

function world() {
  const went: string[] = [];
  const confirmed: Confirmation[] = [];
  let engaged = 0;
  let ids = 0;
  let warnings = 0;
  const clicks = createClicks({
    outbox: {
      async confirmOnce(confirmation) {
        confirmed.push(confirmation);
        return true;
      },
    },
    opener: {
      open: (url) => void went.push(`page ${url}`),
      continueOnPhone: (url) => void went.push(`phone ${url}`),
      showCode: (text) => void went.push(`code ${text}`),
    },
    clock: { now: () => 0, monotonic: () => 0 },
    random: () => 0.5,
    newId: () => {
      ids += 1;
      return String(ids);
    },
    log: {
      ...silentLog,
      warn: () => {
        warnings += 1;
      },
    },
    engaged: () => {
      engaged += 1;
    },
    kiosk: { screen: { width: 1920, height: 1080 }, userAgent: 'Kiosk/1', player: 'Endcap/test', params: {} },
    volume: () => 0,
  });
  return { clicks, went, confirmed, engaged: () => engaged, warnings: () => warnings };
}

const ad = (link: string | null, more: Parameters<typeof nativeAdForTest>[1] = {}): NativeAd =>
  nativeAdForTest('r/0', {
    link,
    beacons: [
      { kind: 'impression-url', url: 'http://t.example/seen' },
      { kind: 'click', url: 'http://t.example/a' },
      { kind: 'click', url: 'http://t.example/a' },
    ],
    ...more,
  });
const NO_VIDEO = {
  ...{ durationMs: null, mediaFiles: [], impressions: [], tracking: [], errors: [] },
  ...{ clickThrough: null, clickTracking: [] },
};
const FALLBACK = 'S.browser_fallback_url=https%3A%2F%2Fa.example%2Fb';

describe('a click on a native ad (rule 18)', () => {
  it.each([
    ['https://shop.example/a', 'page https://shop.example/a'],
    [`intent://open#Intent;scheme=app;${FALLBACK};end`, 'page https://a.example/b'],
    ['market://details?id=a&url=https%3A%2F%2Fa.example', 'page https://a.example'],
    ['intent://open#Intent;scheme=app;end', 'code intent://open#Intent;scheme=app;end'],
    ['tel:+4930123456', 'code tel:+4930123456'],
  ])('on %s leads to %s, and sends every click beacon', (link, destination) => {
    const { clicks, went, confirmed, engaged } = world();
    clicks.tapped(ad(link), 'call-to-action', seen, 'play-1');
    expect(went).toEqual([destination]);
    expect(confirmed).toMatchObject([
      {
        instance: 'r/0',
        play: 'play-1',
        beacons: [
          { position: 0, url: 'http://t.example/a' },
          { position: 1, url: 'http://t.example/a' },
        ],
      },
    ]);
    expect(engaged()).toBe(1);
  });

  it.each(['https://shop.example/a', `intent://open#Intent;${FALLBACK};end`])(
    'of a CPA campaign on %s continues on a phone',
    (link) => {
      const { clicks, went } = world();
      clicks.tapped(ad(link, { meta: { revenueModel: 'CPA' } }), 'picture', seen, null);
      expect(went[0]).toMatch(/^phone https:/);
    },
  );

  it('without an input event in main does not count', () => {
    const { clicks, went, confirmed, engaged } = world();
    clicks.tapped(ad('https://shop.example'), 'picture', unseen, 'play-1');
    expect([went, confirmed, engaged()]).toEqual([[], [], 0]);
  });

  it.each([
    ['a link of no use', 'javascript:alert(1)', null],
    ['no link', null, 'file:///etc/passwd'],
    ['nothing at all', null, null],
  ])('on an ad with %s sends every click beacon and opens nothing', (_what, link, destination) => {
    const { clicks, went, confirmed, engaged } = world();
    clicks.tapped(ad(link), 'picture', seen, 'play-1', { destination });
    expect([went, confirmed[0]?.beacons.length, engaged()]).toEqual([[], 2, 1]);
  });

  it('on a banner of an ad without a link leads where the banner wanted to go, and is none on a video', () => {
    const { clicks, went, confirmed } = world();
    const video = { ...NO_VIDEO, clickTracking: ['http://t.example/film'] };
    const destination = 'https://shop.example/banner';
    clicks.tapped(ad(null, { assets: { video } }), 'picture', seen, 'play-1', { destination });
    expect(went).toEqual([`page ${destination}`]);
    expect(confirmed[0]?.beacons.length).toBe(2);
  });

  it('on what tells about its ad opens the page about it, and is no click', () => {
    const { clicks, went, confirmed, engaged } = world();
    const contentInfo = { text: 'about', link: 'https://about.example', icon: null };
    clicks.tapped(ad('https://shop.example', { meta: { contentInfo } }), 'content-info', seen, 'play-1');
    expect([went, confirmed, engaged()]).toEqual([['page https://about.example'], [], 0]);
  });

  it.each([null, 'app://about'])('on what tells about its ad (%s) is no click, and opens no app', (link) => {
    const { clicks, went, confirmed } = world();
    const contentInfo = link === null ? null : { text: 'about', link, icon: null };
    clicks.tapped(ad('https://shop.example', { meta: { contentInfo } }), 'content-info', seen, 'play-1');
    expect([went, confirmed]).toEqual([[], []]);
  });

  it('names the ad that opened something last, so that a block can close it (rule 30)', () => {
    const { clicks } = world();
    expect(clicks.lastOpened()).toBeNull();
    const contentInfo = { text: 'about', link: 'https://about.example', icon: null };
    const [shop, about] = [ad('https://shop.example'), ad(null, { meta: { contentInfo } })];
    clicks.tapped(shop, 'picture', seen, 'play-1');
    expect(clicks.lastOpened()).toBe(shop);
    clicks.tapped(about, 'content-info', seen, 'play-1');
    expect(clicks.lastOpened()).toBe(about);
    clicks.tapped(ad(null), 'picture', seen, 'play-1');
    expect(clicks.lastOpened()).toBe(about);
  });

  it('fills what the kiosk knows into the macros of its URLs', () => {
    const { clicks, confirmed } = world();
    clicks.tapped(ad('https://shop.example'), 'picture', seen, 'play-1');
    expect(Object.fromEntries(confirmed[0]?.macros ?? [])).toMatchObject({
      DEVICEUA: 'Kiosk/1',
      PLAYERSIZE: '1920,1080',
      PLAYERSTATE: 'muted,fullscreen',
    });
  });

  it("fills the address and the ids of the ad's video into the macros of its URLs", () => {
    const { clicks, confirmed } = world();
    const universalAdId = { registry: 'ad-id.org', value: 'U1' };
    const ids = { adServingId: 'serving-1', universalAdId, creativeId: null };
    const withVideo = { assets: { video: { ...NO_VIDEO, ids } } };
    const film = 'https://m.example/film.mp4';
    clicks.tapped(ad('https://shop.example', withVideo), 'picture', seen, 'play-1', { videoUrl: film });
    expect(Object.fromEntries(confirmed[0]?.macros ?? [])).toMatchObject({
      ASSETURI: film,
      ADSERVINGID: 'serving-1',
      UNIVERSALADID: 'ad-id.org U1',
    });
  });

  it("is one on its video, too, where the card shows that, or leads to the video's page", () => {
    const { clicks, confirmed } = world();
    const [shop, page] = ['https://shop.example', 'https://film.example'];
    for (const [link, clickThrough, shown] of [
      [shop, page, 'https://m.example/film.mp4'],
      [shop, page, ''],
      [null, page, ''],
      [null, null, ''],
    ] as const) {
      const video = { ...NO_VIDEO, clickThrough, clickTracking: ['http://t.example/video'] };
      clicks.tapped(ad(link, { assets: { video } }), 'words', seen, 'p', {
        destination: shop,
        videoUrl: shown,
      });
    }
    expect(confirmed.map(({ beacons }) => beacons.length)).toEqual([3, 2, 3, 2]);
  });

  it("fills the macros of its video's page, but not of its own link", () => {
    const { clicks, went } = world();
    const page = 'https://shop.example/?cb=[CACHEBUSTING]&size=[PLAYERSIZE]';
    const video = { ...NO_VIDEO, clickThrough: page };
    for (const link of [null, page]) clicks.tapped(ad(link, { assets: { video } }), 'words', seen, 'p');
    expect(went).toEqual(['page https://shop.example/?cb=50000000&size=1920%2C1080', `page ${page}`]);
  });

  it('counts for each tap', () => {
    const { clicks, confirmed } = world();
    for (let tap = 0; tap < 2; tap += 1) clicks.tapped(ad('https://shop.example'), 'words', seen, 'play-1');
    expect(new Set(confirmed.map(({ kind }) => kind)).size).toBe(2);
  });

  it('without a tap is logged at most ten times at once', () => {
    const { clicks, went, warnings } = world();
    for (let time = 0; time < 1_000; time += 1)
      clicks.tapped(ad('https://shop.example/a'), 'picture', unseen, null);
    expect([went, warnings()]).toEqual([[], 10]);
    clicks.tapped(nativeAdForTest('r/1', {}), 'picture', unseen, null);
    expect(warnings()).toBe(10);
  });
});
