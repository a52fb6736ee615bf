import { describe, expect, test } from 'vitest';
import type { LinearCreative } from '../../shared/ad';
import type { NativeAd } from '../../shared/native';
import { beaconUrls } from '../beacons/macros';
import type { Confirmation } from '../beacons/outbox';
import { type SlotAd, sameCreative } from '../playback/slot-ad';
import { bannerHash } from './card-content';
import type { BannerSigns } from './late-banners';
import { createNativeAds, type NativeAdsParts } from './native-ads';
import { NO_META, nativeAdForTest } from './testing/native-ad-for-test';

const FILM = 'https://media.example/film.mp4';
const PICTURE = 'https://media.example/banner.png';
const track = (event: string) => `https://track.example/${event}`;

const VIDEO: LinearCreative = {
  durationMs: 2_000,
  mediaFiles: [
    {
      url: FILM,
      type: 'video/mp4',
      width: 1280,
      height: 720,
      bitrateKbps: null,
      codec: null,
      delivery: 'progressive',
    },
  ],
  impressions: [track('impression')],
  tracking: ['creativeView', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'].map(
    (event) => ({ event, url: track(event), offset: null }),
  ),
  errors: [track('error')],
  clickThrough: null,
  clickTracking: [],
};

/** A native ad in its slot, with these files on disk, and all that it confirms; `others`: in place of the usual parts. */
function slotOf(
  ad: NativeAd,
  onDisk: readonly string[],
  whole = onDisk,
  others: Partial<NativeAdsParts> = {},
): {
  slot: SlotAd;
  again: () => SlotAd | null;
  confirmed: Confirmation[];
  tappedFiles: string[];
  struck: unknown[];
  dropped: string[];
} {
  const confirmed: Confirmation[] = [];
  const tappedFiles: string[] = [];
  const struck: unknown[] = [];
  const dropped: string[] = [];
  const ads = createNativeAds({
    supply: {
      next: () => ad,
      presented() {},
      leftScreen() {},
      confirmed() {},
      dropped: (whys) => dropped.push(...whys.keys()),
    },
    outbox: {
      async confirmOnce({ macros = new Map(), beacons, ...rest }) {
        const moment = { at: 0, cacheBuster: 7, errorCode: rest.errorCode ?? null, macros };
        const filled = beacons.map((beacon) =>
          'url' in beacon ? { ...beacon, url: beaconUrls(moment, null)(beacon.url) } : beacon,
        );
        confirmed.push({ ...rest, beacons: filled });
        return true;
      },
    },
    verified: async (url) =>
      whole.includes(url) ? { key: url.split('/').at(-1) ?? '', sha256: '', type: 'video/mp4' } : null,
    isQuarantined: () => false,
    isBlocked: () => false,
    isSettled: () => true,
    isOnDisk: (url) => onDisk.includes(url),
    unusableCode: (url) => (onDisk.includes(url) ? undefined : 401),
    banners: { open: () => Promise.reject(new Error('no banners here')), shown() {}, left() {}, close() {} },
    schedule: () => () => {},
    changed() {},
    kiosk: { screen: { width: 1920, height: 1080 }, userAgent: 'Kiosk/1', player: 'Endcap/test', params: {} },
    cardMs: 5_000,
    volume: () => 0,
    language: 'en',
    tapped: (_ad, _part, _playId, videoUrl) => void tappedFiles.push(videoUrl),
    strike: (url, sha256) => void struck.push([url, sha256]),
    ...others,
  });
  const slot = ads.choose(0);
  if (slot === null) throw new Error('there is no ad');
  return { slot, again: () => ads.choose(0), confirmed, tappedFiles, struck, dropped };
}

/** Sends the slot all its events in order. */
function playThrough(slot: SlotAd): void {
  for (const event of ['shown', 'firstQuartile', 'midpoint', 'viewed', 'thirdQuartile', 'complete'] as const)
    slot.happened(event, 'play', 0);
}

const urls = (confirmed: readonly Confirmation[]) =>
  confirmed.flatMap(({ beacons }) => beacons.map((beacon) => ('url' in beacon ? beacon.url : '')));

const ad = nativeAdForTest('answer/0', {
  assets: { video: VIDEO, banner: { url: PICTURE, width: 1200, height: 627 } },
  beacons: [{ kind: 'impression-url', url: track('seen') }],
});

describe('the play record of a native ad', () => {
  const ICON = 'https://media.example/icon.png';
  const CHOICES = 'https://media.example/choices.png';
  const html = { html: '<b>x</b>', width: 320, height: 50 };
  const contentInfo = { link: null, icon: CHOICES, text: null };
  const full = nativeAdForTest('answer/0', {
    assetGroupId: '77',
    assets: {
      video: VIDEO,
      banner: { url: PICTURE, width: 1200, height: 627 },
      icon: { url: ICON, width: 80, height: 80 },
    },
    meta: { ...NO_META, creativeId: 'c-1', bundleId: 'app.example', revenueModel: 'CPC', contentInfo },
  });
  const markup = { ...full, assets: { ...full.assets, video: null, htmlBanner: html } };

  test.each([
    ['its video', [FILM, PICTURE], FILM],
    ['nothing, where the video is not shown', [PICTURE], ''],
  ])('names %s as the file of a tap, for the macro [ASSETURI]', async (_name, onDisk, file) => {
    const { slot, tappedFiles } = slotOf(full, onDisk);
    await slot.creative();
    slot.tapped?.('picture');
    expect(tappedFiles).toEqual([file]);
  });

  test('has the fields of the answer', () => {
    expect(slotOf(full, []).slot.facts.native).toEqual({
      assetGroupId: '77',
      creativeId: 'c-1',
      bundleId: 'app.example',
      revenueModel: 'CPC',
    });
  });

  test('names the type of the file that was shown', async () => {
    const { slot } = slotOf(full, [FILM], [FILM]);
    await slot.creative();
    expect(slot.drawn).toEqual([{ sha256: '', name: FILM, guest: null, type: 'video/mp4' }]);
  });

  test.each<[string, NativeAd, readonly string[], string | RegExp]>([
    ['its video', full, [FILM, PICTURE, ICON, CHOICES], FILM],
    ['the picture in its place', full, [PICTURE, ICON, CHOICES], PICTURE],
    ['its icon, where there is no picture', full, [ICON, CHOICES], ICON],
    ['nothing, where only words are shown', full, [CHOICES], /^$/],
    ['the digest of its markup', markup, [PICTURE, ICON, CHOICES], /^htmlbanner:sha256-[0-9a-f]{64}$/],
  ])('names %s as its file', async (_name, shown, onDisk, file) => {
    expect(slotOf(shown, onDisk).slot.facts.mediaUrl).toEqual(
      typeof file === 'string' ? file : expect.stringMatching(file),
    );
  });

  test('names the verified file, not the one that was chosen', async () => {
    const { slot } = slotOf(full, [FILM, PICTURE], [PICTURE]);
    expect(slot.facts.mediaUrl).toBe(FILM);
    expect(await slot.creative()).toMatchObject({ video: null });
    expect(slot.facts.mediaUrl).toBe(PICTURE);
  });
});

describe('an ad that was chosen for its slot', () => {
  const older = nativeAdForTest('answer/0', {
    assets: { banner: { url: PICTURE, width: 1200, height: 627 } },
  });
  const chosen = nativeAdForTest('answer/1');

  function world() {
    let held = [older, chosen];
    const [settled, quarantined, blocked] = [new Set<string>(), new Set<NativeAd>(), new Set<NativeAd>()];
    const { slot, again } = slotOf(chosen, [PICTURE], [PICTURE], {
      supply: {
        next: (isReady) => held.find(isReady) ?? null,
        presented() {},
        leftScreen() {},
        confirmed() {},
        dropped() {},
      },
      isSettled: (url) => settled.has(url),
      isQuarantined: (ad) => quarantined.has(ad),
      isBlocked: (ad) => blocked.has(ad),
    });
    expect(slot.facts.adId).toBe('answer/1');
    return {
      slot,
      best: () => again()?.facts.adId ?? null,
      /** The older ad is ready from now on. */
      arrive: () => void settled.add(PICTURE),
      quarantine: () => void quarantined.add(chosen),
      block: () => void blocked.add(chosen),
      expire() {
        held = [older];
      },
    };
  }

  test('may still play when an older one becomes ready just before its slot (rule 11)', () => {
    const { slot, best, arrive } = world();
    arrive();
    expect(best()).toBe('answer/0');
    expect(slot.mayPlay(0)).toBe(true);
  });

  test.each([
    ['in quarantine', 'quarantine'],
    ['blocked', 'block'],
    ['too old', 'expire'],
  ] as const)('may not play once it is %s', (_state, happens) => {
    const kiosk = world();
    expect(kiosk.slot.mayPlay(0)).toBe(true);
    kiosk[happens]();
    expect(kiosk.slot.mayPlay(0)).toBe(false);
  });
});

describe('an ad with a video (rule 16)', () => {
  test('fires the events of the video if its card shows it', async () => {
    const { slot, confirmed } = slotOf(ad, [FILM, PICTURE]);
    expect(await slot.creative()).toMatchObject({
      video: 'media://cache/film.mp4',
      longestMs: 600_000,
    });
    playThrough(slot);
    const events = ['creativeView', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'];
    expect(urls(confirmed).sort()).toEqual(['impression', 'seen', ...events].map(track).sort());
  });

  test('confirms each event at the time that the play has', async () => {
    const { slot, confirmed } = slotOf(ad, [FILM, PICTURE]);
    await slot.creative();
    slot.happened('shown', 'play', 1_000);
    slot.happened('viewed', 'play', 2_000);
    slot.happened('complete', 'play', 3_000);
    expect(confirmed.map(({ kind, at }) => [kind, at])).toEqual([
      ['vast-impression', 1_000],
      ['vast-creativeView', 1_000],
      ['vast-start', 1_000],
      ['impression', 2_000],
      ['vast-complete', 3_000],
    ]);
  });

  test.each([
    ['is not on its server fires its error URLs', [PICTURE], [['vast-error', 401]]],
    ['is damaged on the disk fires none of its URLs (decision 98)', [FILM, PICTURE], []],
  ])('whose file %s, and its card shows a picture', async (_name, onDisk, errors) => {
    const { slot, confirmed } = slotOf(ad, onDisk, [PICTURE]);
    expect(await slot.creative()).toMatchObject({ video: null, content: { picture: { kind: 'image' } } });
    playThrough(slot);
    expect(confirmed.map(({ kind, errorCode }) => [kind, errorCode])).toEqual([
      ...errors,
      ['impression', undefined],
    ]);
  });

  test('of a type that kiosks do not show fires its error URLs with 403', async () => {
    const mediaFiles = VIDEO.mediaFiles.map((file) => ({ ...file, type: 'video/x-flv' }));
    const assets = { ...ad.assets, video: { ...VIDEO, mediaFiles } };
    const { slot, confirmed } = slotOf({ ...ad, assets }, [PICTURE]);
    await slot.creative();
    playThrough(slot);
    expect(confirmed[0]).toMatchObject({ kind: 'vast-error', errorCode: 403 });
  });

  test('fills the macros of its URLs (rule 15)', async () => {
    const macros = '?file=[ASSETURI]&at=[ADPLAYHEAD]&player=[PLAYERSTATE]&pod=[PODSEQUENCE]';
    const tracking = VIDEO.tracking.map((entry) => ({ ...entry, url: `${entry.url}${macros}` }));
    const video = { ...VIDEO, impressions: [], tracking };
    const { slot, confirmed } = slotOf({ ...ad, assets: { ...ad.assets, video } }, [FILM]);
    await slot.creative();
    slot.happened('midpoint', 'play', 0);
    const file = encodeURIComponent(FILM);
    const filled = `?file=${file}&at=00%3A00%3A01.000&player=muted%2Cfullscreen&pod=[PODSEQUENCE]`;
    expect(urls(confirmed)).toEqual([`${track('midpoint')}${filled}`]);
  });

  test('fills them into the URLs of its impressions too', async () => {
    const url = `${track('seen')}?file=[ASSETURI]&player=[PLAYERSTATE]`;
    const { slot, confirmed } = slotOf({ ...ad, beacons: [{ kind: 'impression-url', url }] }, [FILM]);
    await slot.creative();
    slot.happened('viewed', 'play', 0);
    const filled = `?file=${encodeURIComponent(FILM)}&player=muted%2Cfullscreen`;
    expect(urls(confirmed)).toEqual([`${track('seen')}${filled}`]);
  });

  const ids = {
    universalAdId: { registry: 'ad-id.org', value: 'CNPA0484000H' },
    adServingId: 'serving-1',
    creativeId: 'creative-1',
  };
  const verified = { ...VIDEO, ids, notVerified: [`${track('unverified')}?why=[REASON]&ad=[ADSERVINGID]`] };

  test('reports at its first frame that its verification does not run (rule 15)', async () => {
    const { slot, confirmed } = slotOf({ ...ad, assets: { ...ad.assets, video: verified } }, [FILM]);
    await slot.creative();
    slot.happened('shown', 'play', 0);
    expect(urls(confirmed)).toContain(`${track('unverified')}?why=2&ad=serving-1`);
  });

  test.each([
    ['has the ids of its document in the record of its play', [FILM], ids],
    ['that is not shown leaves its ids out of the record', [PICTURE], undefined],
  ])('%s (rule 29)', async (_what, onDisk, expected) => {
    const { slot } = slotOf({ ...ad, assets: { ...ad.assets, video: verified } }, onDisk);
    await slot.creative();
    expect(slot.facts.ids).toEqual(expected);
  });

  test('that failed before its first frame fires its error URLs and no impression', async () => {
    const { slot, confirmed } = slotOf(ad, [FILM]);
    await slot.creative();
    slot.failed('start-timeout', 'no frame', 'play', []);
    expect(urls(confirmed)).toEqual([track('error')]);
  });
});

describe('an ad whose picture cannot be seen', () => {
  const SECOND = 'https://media.example/standard.png';
  const picture = (url: string) => ({ url, width: 300, height: 250 });
  const onDisk = [PICTURE, SECOND];
  const prepared = async (slot: SlotAd | null) => {
    await slot?.creative();
    return [slot?.facts.mediaUrl, slot?.drawn.map(({ name }) => name)];
  };
  const breaks = (slot: SlotAd | null) => slot?.failed('decode-failed', 'it is transparent', null, []);

  test('is shown with its next picture, then without any, and its record says so (rule 29)', async () => {
    const two = nativeAdForTest('answer/0', {
      assets: { banner: picture(PICTURE), standardBanner: picture(SECOND) },
    });
    const { slot, again, dropped } = slotOf(two, onDisk);
    expect(await prepared(slot)).toEqual([PICTURE, onDisk]);
    breaks(slot);
    const next = again();
    expect(await prepared(next)).toEqual([SECOND, [SECOND]]);
    breaks(next);
    const last = again();
    expect(await prepared(last)).toEqual(['', []]);
    expect(dropped).toEqual([]);
    breaks(last);
    expect(dropped).toEqual(['answer/0']);
  });

  test('is named without its signature, and not shown again either', async () => {
    const banner = picture(`${PICTURE}?Expires=1&KeyName=key&Signature=abc`);
    const { slot, again } = slotOf(nativeAdForTest('answer/0', { assets: { banner } }), [banner.url]);
    expect(slot.facts.mediaUrl).toBe(PICTURE);
    expect(await prepared(slot)).toEqual([PICTURE, [PICTURE]]);
    breaks(slot);
    expect(await prepared(again())).toEqual(['', []]);
  });

  test('is dropped if it has nothing else', async () => {
    const only = nativeAdForTest('answer/0', { assets: { title: null, banner: picture(PICTURE) } });
    const { slot, dropped } = slotOf(only, onDisk);
    await prepared(slot);
    breaks(slot);
    expect(dropped).toEqual(['answer/0']);
  });
});

test.each([
  ['is a strike against its file', [FILM, PICTURE], [[FILM, 'h']]],
  ['is none where its card did not show it', [PICTURE], []],
])('a video that broke %s (rule 11)', async (_what, onDisk, expected) => {
  const { slot, struck } = slotOf(ad, onDisk);
  await slot.creative();
  const drawn = [PICTURE, FILM].map((name) => ({ sha256: name === FILM ? 'h' : 'p', name, guest: null }));
  slot.failed('decode-failed', '', 'play', drawn);
  expect(struck).toEqual(expected);
});

test('a card is confirmed by its second of view, not by its first frame', () => {
  const { slot, confirmed } = slotOf(
    nativeAdForTest('answer/0', { beacons: [{ kind: 'impression-url', url: track('seen') }] }),
    [],
  );
  slot.happened('shown', 'play', 0);
  expect(confirmed).toEqual([]);
  slot.happened('viewed', 'play', 0);
  expect(urls(confirmed)).toEqual([track('seen')]);
});

test('a card prepared for one ad is not used for another, even with equal files', () => {
  const card = (adId: string, delivery: SlotAd['facts']['delivery']) =>
    ({ facts: { adId, delivery, mediaUrl: '', durationMs: null } }) as SlotAd;
  expect(sameCreative(card('a', 'native'), card('b', 'native'))).toBe(false);
  expect(sameCreative(card('a', 'offline'), card('b', 'offline'))).toBe(true);
});

describe('an ad with a banner of markup (rule 17)', () => {
  const html = { html: '<b>x</b>', width: 300, height: 250 };
  const picture = { url: PICTURE, width: 1200, height: 627 };

  function world(banner: typeof picture | null, others: readonly NativeAd[] = []) {
    const held = nativeAdForTest('answer/1', { assets: { htmlBanner: html, banner } });
    const dropped: string[] = [];
    const closed: string[] = [];
    const onScreen: string[] = [];
    let [opened, changes] = [0, 0];
    let signs: BannerSigns | null = null as BannerSigns | null;
    let pass15s = () => {};
    let partitionIsFree: Promise<void> | null = null as Promise<void> | null;
    const viewable: [instance: string, isViewable: boolean][] = [];
    const ads = createNativeAds({
      supply: {
        next: (isReady) =>
          dropped.length === 0 ? ([held, ...others].find((ad) => isReady?.(ad) === true) ?? null) : null,
        presented: (instance) => void onScreen.push(instance),
        leftScreen: () => void onScreen.push('left'),
        confirmed() {},
        dropped: (whys) => dropped.push(...[...whys].map(([instance, why]) => `${instance}: ${why}`)),
      },
      outbox: { confirmOnce: async () => true },
      verified: async () => ({ key: 'picture', sha256: '', type: 'image/png' }),
      isQuarantined: () => false,
      isBlocked: () => false,
      isSettled: () => true,
      isOnDisk: () => true,
      unusableCode: () => undefined,
      banners: {
        async open(_ad, _html, given) {
          await partitionIsFree;
          opened += 1;
          signs = given;
          given.loads();
          return { url: `http://${opened}.localhost/`, partition: 'guest-1' };
        },
        shown: ({ instance }) => void viewable.push([instance, true]),
        left: ({ instance }) => void viewable.push([instance, false]),
        close: ({ instance }) => void closed.push(instance),
      },
      schedule(_ms, run) {
        pass15s = run;
        return () => {};
      },
      changed() {
        changes += 1;
      },
      kiosk: {
        screen: { width: 1920, height: 1080 },
        userAgent: 'Kiosk/1',
        player: 'Endcap/test',
        params: {},
      },
      cardMs: 5_000,
      volume: () => 0,
      language: 'en',
      tapped() {},
      strike() {},
    });
    const prepare = async () => {
      const creative = await ads.choose(0)?.creative();
      return creative?.kind === 'card'
        ? { banner: creative.banner, picture: creative.content.picture }
        : null;
    };
    return {
      ads,
      held,
      dropped,
      closed,
      onScreen,
      prepare,
      viewable,
      changes: () => changes,
      paint: () => signs?.painted(),
      scriptFails: (detail: string) => signs?.scriptFailed(detail),
      pass15s: () => pass15s(),
      opened: () => opened,
      /** From now on guests wait for a partition; returns a function that frees one. */
      takePartitions() {
        let free = () => {};
        partitionIsFree = new Promise((resolve) => {
          free = resolve;
        });
        return () => free();
      },
      /** The slot is prepared, but its banner has painted nothing in time. */
      async isLate() {
        const slot = ads.choose(0);
        await slot?.creative();
        slot?.missed?.('late');
      },
      async breaks() {
        const slot = ads.choose(0);
        await slot?.creative();
        slot?.missed?.('decode-failed');
        slot?.failed('decode-failed', 'its process ended', null, []);
      },
    };
  }

  test('has files, a guest for a strike, errors of its scripts and a time on the screen (rules 11 to 19)', async () => {
    const { ads, held, onScreen, scriptFails } = world(picture);
    const slot = ads.choose(0);
    await slot?.creative();
    scriptFails('x is not defined');
    expect(slot?.files).toEqual([PICTURE]);
    expect(slot?.drawn.at(-1)).toMatchObject({ sha256: bannerHash(held), guest: 'http://1.localhost/' });
    expect(slot?.guestErrors).toEqual(['x is not defined']);
    slot?.happened('shown', 'play', 0);
    slot?.over?.();
    expect(onScreen).toEqual([held.instance, 'left']);
  });

  test('gives its slot to another ad while it is blank, and is shown with the same guest once it has drawn', async () => {
    const { ads, prepare, isLate, paint, changes } = world(picture);
    expect((await prepare())?.banner).toMatchObject({ url: 'http://1.localhost/', leadMs: 2_500 });
    await isLate();
    expect([ads.choose(0), changes()]).toEqual([null, 0]);
    paint();
    expect(changes()).toBe(1);
    expect((await prepare())?.banner).toMatchObject({ url: 'http://2.localhost/' });
  });

  test.each(['before', 'after'])(
    'keeps its guest if it draws %s its play, reserved on a dark start, is made void',
    async (when) => {
      const { ads, prepare, paint, closed } = world(picture);
      const slot = ads.choose(0);
      await slot?.creative();
      // The stage reports it once more when it is told to show it, because the reservation took longer.
      slot?.missed?.('late');
      if (when === 'before') paint();
      slot?.missed?.('late');
      slot?.over?.();
      if (when === 'after') paint();
      expect(closed).toEqual([]);
      expect((await prepare())?.banner).toMatchObject({ url: 'http://1.localhost/' });
    },
  );

  test('is not replaced by another banner, which could be late too', async () => {
    const ad = (id: string, htmlBanner: typeof html | null) =>
      nativeAdForTest(`answer/${id}`, { assets: { htmlBanner, banner: picture } });
    const { ads, isLate, paint } = world(picture, [ad('2', html), ad('3', null)]);
    await isLate();
    expect(ads.choose(0)?.facts.adId).toBe('answer/3');
    paint();
    expect(ads.choose(0)?.facts.adId).toBe('answer/1');
  });

  test('is replaced by its picture if it is blank 15 s after its load', async () => {
    const { ads, prepare, isLate, pass15s, changes, dropped, closed } = world(picture);
    await isLate();
    expect(ads.choose(0)).toBeNull();
    pass15s();
    expect(await prepare()).toMatchObject({ banner: null, picture: { kind: 'image' } });
    expect([changes(), dropped, closed]).toEqual([1, [], ['answer/1']]);
  });

  test('is replaced by its picture at once when it fails', async () => {
    const { prepare, breaks, dropped, closed } = world(picture);
    await breaks();
    expect(await prepare()).toMatchObject({ banner: null, picture: { kind: 'image' } });
    expect([dropped, closed]).toEqual([[], ['answer/1']]);
  });

  test('is replaced by its picture if its guest is not there in time, and the guest is closed when it comes', async () => {
    const { ads, prepare, takePartitions, opened, dropped, closed } = world(picture);
    const freePartition = takePartitions();
    const slot = ads.choose(0);
    const creative = slot?.creative();
    await new Promise(setImmediate);
    slot?.missed?.('load-failed');
    slot?.failed('load-failed', 'it was not ready to load in time', null, []);
    expect(await prepare()).toMatchObject({ banner: null, picture: { kind: 'image' } });
    closed.length = 0;
    freePartition();
    await creative;
    expect([opened(), closed, dropped]).toEqual([1, ['answer/1'], []]);
  });

  test('is dropped with the reason if there is no picture', async () => {
    const late = world(null);
    await late.isLate();
    late.pass15s();
    expect(late.dropped).toEqual(['answer/1: the banner painted nothing within 15 s']);
    expect(late.ads.choose(0)).toBeNull();
    const broken = world(null);
    await broken.breaks();
    expect(broken.dropped).toEqual(['answer/1: decode-failed: its process ended']);
  });

  test.each([
    ['has drawn', true],
    ['is still blank', false],
  ])('is closed if it was late, %s and its ad is at hand no more', async (_, hasDrawn) => {
    const { ads, held, isLate, paint, closed } = world(picture);
    const other = nativeAdForTest('answer/2', {});
    await isLate();
    if (hasDrawn) paint();
    ads.held([held, other]);
    expect(closed).toEqual([]);
    ads.held([other]);
    ads.held([]);
    expect(closed).toEqual(['answer/1']);
  });

  test('is not closed for that while a slot has it', async () => {
    const { ads, isLate, paint, prepare, closed } = world(picture);
    await prepare();
    ads.held([]);
    await isLate();
    paint();
    await prepare();
    ads.held([]);
    expect(closed).toEqual([]);
  });

  test('gets viewable events while its slot is on the screen, and none otherwise', async () => {
    const { ads, viewable, isLate, paint } = world(picture);
    await isLate();
    expect(viewable).toEqual([]);
    paint();
    const slot = ads.choose(20_000);
    await slot?.creative();
    slot?.happened('shown', 'play', 0);
    expect(viewable).toEqual([['answer/1', true]]);
    slot?.over?.();
    expect(viewable).toEqual([
      ['answer/1', true],
      ['answer/1', false],
    ]);
  });
});
