import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../main/demo-service/demo-service';
import type { Play } from '../shared/play';
import { expect } from './expect';
import {
  advanceMonotonicClock,
  fastTimersFromStart,
  type Kiosk,
  letPass,
  shortenCards,
  speedUpTimers,
} from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import {
  bannerAd,
  collectorUrl,
  impressionScript,
  impressionUrl,
  keepPageBusyAfterGuests,
  nativeAd,
  nativePlays,
  oneAnswerSettings,
  receivedBeacons,
  serveLoop,
  shownCard,
} from './native-zone';
import { noteRaises } from './raised';
import { signalsCaller } from './signals-caller';
import {
  BRIEF,
  expectMorePlays,
  expectOnScreen,
  expectToPass,
  fixture,
  imageAd,
  isColour,
  RED,
  serveColours,
  VIOLET,
} from './two-creatives';

test.beforeEach(() => {
  serveLoop(service, BRIEF);
});

/** The plays of other ads of which the books still lack a beacon's result. */
async function pendingBesideNative(): Promise<object[]> {
  const plays = await signalsCaller(folder).plays<
    Pick<Play, 'delivery'> & { readonly beaconsPending: number | null }
  >();
  return plays.filter(({ delivery, beaconsPending }) => delivery !== 'native' && Number(beaconsPending) > 0);
}

/** A user agent for native ads in the settings. */
const AGENT = 'Tablet/2 (Store)';

/** The user agents of a group's requests. */
const agentsOf = (group: string) => [
  ...new Set(service.requests().flatMap((one) => (one.group === group ? [one.headers['user-agent']] : []))),
];

/** The user agents of native requests, and of what an ad sent. */
const userAgents = (ad: string) => {
  const beacons = service.beacons().flatMap(({ query, userAgent }) => (query.ad === ad ? [userAgent] : []));
  return [...new Set([...agentsOf('native'), ...beacons])];
};

/** Starts a kiosk that gets its native ads only after `letCardsCome`: no card may come before the test is ready. */
async function startBeforeCards(settings: object) {
  service.setFaults({ native: { kind: 'status', status: 500 } });
  const running = await launch(settings, fastTimersFromStart(4));
  const letCardsCome = async () => {
    service.setFaults({});
    const answered = () =>
      service.requests().some(({ path, status }) => path === '/api/v3/native' && status === 200);
    await expect.poll(answered).toBe(true);
    // Only the pause before the next request was to be shorter.
    await speedUpTimers(running, 1 / 4, { limits: false });
  };
  return { running, letCardsCome };
}

/** Hides the kiosk window or shows it again. Minimising is simulated, since there may be no window manager. */
const setAway = ({ app }: Kiosk, how: 'hidden' | 'minimised', isAway: boolean) =>
  app.evaluate(
    ({ BrowserWindow }, [way, away]) => {
      const window = BrowserWindow.getAllWindows().find(
        ({ webContents }) => webContents.getURL() === 'endcap://kiosk/',
      );
      if (!window) throw new Error('there is no kiosk window');
      if (way === 'minimised') {
        window.isMinimized = () => away;
        if (away) window.emit('minimize');
        else window.emit('restore');
      } else if (away) window.hide();
      else window.show();
    },
    [how, isAway] as const,
  );

/**
 * Lets `away` end the view of a card; resolves with that card's play, and the time before it, ms since the epoch. On a
 * slow machine the second of view may be over by then; after `back` it is repeated with the next card.
 */
async function cutShort(
  running: Kiosk,
  away: () => Promise<unknown>,
  back: () => Promise<unknown>,
): Promise<{ readonly play: Play; readonly awayAt: number }> {
  const cards = () => running.screen.locator('.layer[data-place="front"] .native-card').count();
  const shown = async () =>
    (await nativePlays(running)).filter((play) => play.outcome !== 'reserved' && play.shownAt !== null);
  for (;;) {
    await expect.poll(cards, { intervals: [20] }).toBe(0);
    const before = (await shown()).length;
    await expect.poll(cards, { intervals: [20] }).toBe(1);
    const awayAt = Date.now();
    await away();
    await expect.poll(async () => (await shown()).length).toBeGreaterThan(before);
    const play = (await shown())[before];
    if (play && play.outcome !== 'completed' && play.viewedMs < 1_000) return { play, awayAt };
    await back();
  }
}

/** Enough cards to try again when the disturbance of one came too late. */
const CARDS = Array.from({ length: 10 }, (_, index) => `card-${index + 1}`);
/** Confirmations of cards that came in after this time, ms since the epoch. */
const confirmedAfter = (time: number) =>
  service.beacons().filter(({ query, time: at }) => CARDS.includes(String(query.ad)) && at > time);
const expectEachOnce = () => {
  for (const id of CARDS) expect(receivedBeacons(service, id).length, id).toBeLessThanOrEqual(1);
};

/** The VAST of a card's video; `own`: the address that it reports an event to. */
function cardVideo(
  { origin }: DemoService,
  file: string,
  duration: string,
  own: (event: string) => string = () => '',
  events: readonly string[] = [],
): string {
  const at = (event: string) => `<![CDATA[${own(event)}]]>`;
  const tracking = events.map((event) => `<Tracking event="${event}">${at(event)}</Tracking>`).join('');
  return `<VAST version="2.0"><Ad id="v"><InLine><AdSystem>s</AdSystem><AdTitle>t</AdTitle>
    <Error>${at('error')}</Error><Impression>${at('impression')}</Impression>
    <Creatives><Creative><Linear><Duration>${duration}</Duration><TrackingEvents>${tracking}</TrackingEvents>
    <MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="1280" height="720">
    <![CDATA[${origin}/media/${file}]]></MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`;
}

test('a view of 0.9 s confirms nothing, even if it repeats', async () => {
  service.setMedia('brief.mp4', fixture('green-900ms.mp4'), 'video/mp4');
  const vast2 = cardVideo(service, 'brief.mp4', '00:00:00.900');
  // Only a card with a video is as short as that: any other stays for three seconds.
  const assets = [
    { type: 'title', data: { text: 'brief' } },
    { type: 'vast2', data: { vast2 } },
  ];
  service.setNativeAds(CARDS.map((id) => nativeAd(service, id, { assets })));
  const running = await launch(oneAnswerSettings(service, { cardSeconds: 0.9 }));
  const completed = async () => (await nativePlays(running)).filter(({ outcome }) => outcome === 'completed');
  // A late frame, or a video that moves in small steps, can keep a card on the screen for a whole second: then it was
  // seen (rule 16). Such standstills are not part of `viewedMs`.
  const isBrief = ({ viewedMs, stalls }: Play) => viewedMs < 1_000 && stalls === 0;
  await expect.poll(async () => (await completed()).filter(isBrief).length).toBeGreaterThanOrEqual(3);
  const plays = await completed();
  // The same ad again: an ad that was not seen long enough is not used up.
  for (const [index, play] of plays.entries()) {
    const next = plays[index + 1];
    if (next && isBrief(play)) expect(next.adId).toBe(play.adId);
  }
  // Pending beacons may be the loop's own; once none is pending, none of a brief card may have arrived.
  await expect.poll(async () => (await running.status()).beacons.pending).toBe(0);
  const received = CARDS.flatMap((id) => receivedBeacons(service, id));
  // A beacon may have arrived before its play was settled.
  const open = (await nativePlays(running))
    .filter(({ outcome }) => outcome === 'reserved')
    .map(({ id }) => id);
  const stillOpen = async () =>
    (await nativePlays(running)).filter(({ id, outcome }) => open.includes(id) && outcome === 'reserved');
  await expect.poll(stillOpen).toEqual([]);
  expect(received.length).toBeLessThanOrEqual((await completed()).filter((play) => !isBrief(play)).length);
});

test('one second of view confirms each impression beacon once, also duplicates and scripts', async () => {
  const seen = (what: string) => collectorUrl(service, 'whole', what);
  const response = [
    nativeAd(service, 'whole', {
      beacons: [
        impressionUrl(seen('first')),
        impressionUrl(seen('first')),
        impressionUrl(seen('second')),
        impressionScript(`new Image().src = ${JSON.stringify(seen('script'))}`),
        impressionScript(
          `<p id="p"></p><script>document.getElementById('p').hidden = true; fetch(${JSON.stringify(seen('markup'))}, { mode: 'no-cors' })</script>`,
        ),
      ],
    }),
  ];
  service.setNativeAds(response);
  const all = ['first', 'first', 'markup', 'script', 'second'];
  const { running, letCardsCome } = await startBeforeCards(oneAnswerSettings(service, { cardSeconds: 3 }));
  const raised = await noteRaises(running);
  await letCardsCome();
  await expect.poll(() => receivedBeacons(service, 'whole').sort()).toEqual(all);
  await expectMorePlays(running, 3);
  const firstAt = Math.min(
    ...service.beacons().flatMap(({ query, time }) => (query.ad === 'whole' ? [time] : [])),
  );
  expect((await nativePlays(running)).filter(({ at }) => at > firstAt)).toEqual([]);
  const card = (await raised()).findLast(({ at, words }) => at < firstAt && words.includes('whole'));
  expect(firstAt - (card?.at ?? Number.NaN)).toBeGreaterThanOrEqual(1000);
  // Without one in the settings, all of it carries the browser's user agent, as its guests do (rule 19).
  expect(userAgents('whole')).toEqual([expect.stringMatching(/^Mozilla\/5\.0 .*Chrome\//)]);
  await running.kill();

  // Native ads are not stored across a restart: without a new answer there are none.
  service.setNativeAds([]);
  const second = await launch(oneAnswerSettings(service));
  await expectMorePlays(second, 4);
  expect(await second.terminate()).toBe(0);
  expect(receivedBeacons(service, 'whole').sort()).toEqual(all);

  // The same response, delivered again, contains new instances.
  service.setNativeAds(response);
  service.clearRequests();
  service.clearBeacons();
  await launch(oneAnswerSettings(service, { cardSeconds: 3, native: { params: { ua: AGENT } } }));
  await expect.poll(() => receivedBeacons(service, 'whole').sort()).toEqual(all);
  expect(userAgents('whole')).toEqual([AGENT]);
  for (const group of ['token', 'inventory', 'ads'])
    expect(agentsOf(group), group).toEqual([expect.stringMatching(/^Endcap\/\d/)]);
});

test('a confirmation that a SIGKILL interrupted is not repeated', async () => {
  service.setNativeAds([nativeAd(service, 'cut-off')]);
  service.setFaults({ collector: { kind: 'hang', match: 'ad=cut-off' } });
  // The card still stands when the kiosk is killed, so that no beacon of the next ad is on its way.
  const running = await launch(oneAnswerSettings(service, { cardSeconds: 15 }));
  await expect.poll(() => receivedBeacons(service, 'cut-off')).toEqual(['seen']);
  // The results of the slots before are stored, so only the confirmation is in doubt.
  await expect.poll(() => pendingBesideNative()).toEqual([]);
  await running.kill();
  service.setFaults({});
  service.setNativeAds([]);
  const second = await launch(oneAnswerSettings(service));
  await expectMorePlays(second, 4);
  expect(receivedBeacons(service, 'cut-off')).toEqual(['seen']);
  expect((await second.status()).beacons.unknown).toBe(1);
  // Main could log nothing at its end; such ends count for a safe start too (rule 25).
  expect(second.log()).toContain('the last run was cut off');
});

test('a window that is hidden or minimised restarts the second of view, and holds the loop', async () => {
  service.setNativeAds(CARDS.map((id) => nativeAd(service, id)));
  const settings = oneAnswerSettings(service, { cardSeconds: 3 });
  // In kiosk mode the window would come back at once.
  const { running, letCardsCome } = await startBeforeCards({
    ...settings,
    playback: { ...settings.playback, kiosk: false },
  });
  await letCardsCome();
  for (const how of ['hidden', 'minimised'] as const) {
    const { play, awayAt } = await cutShort(
      running,
      () => setAway(running, how, true),
      () => setAway(running, how, false),
    );
    expect(play.outcome).toBe('interrupted');
    // Waits as long as three slots: none may begin in this time.
    await expectToPass(running, 1_500);
    const backAt = Date.now();
    await setAway(running, how, false);
    await expect.poll(() => confirmedAfter(awayAt).length).toBeGreaterThan(0);
    expect(confirmedAfter(awayAt)[0]?.time).toBeGreaterThanOrEqual(backAt + 1000);
    // A play that was already reserved for the next slot is voided.
    const others = (await running.plays()).filter(
      ({ outcome, at }) => outcome !== 'given-back' || at > awayAt + 500,
    );
    // Not the one that was cut short: it may be stamped a moment later than its card was seen.
    const inBetween = ({ id, at }: Play) => id !== play.id && at > awayAt + 50 && at < backAt - 50;
    expect(others.filter(inBetween)).toEqual([]);
    const cards = others.filter(({ delivery }) => delivery === 'native');
    expect(cards[cards.findIndex(({ id }) => id === play.id) + 1]?.adId).toBe(play.adId);
  }
  await shortenCards(running);
  await expectMorePlays(running, 2);
  expectEachOnce();
});

/** A PNG of 2 × 2 pixels. */
const TRANSPARENT_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAC0lEQVR42mNgQAcAABIAAeRVjecAAAAASUVORK5CYII=';

/** A GIF, which Chromium takes for animated. */
const TRANSPARENT_GIF = 'R0lGODlhAgACAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

test('a video in a card sends its events once, the layout closes over broken pictures, and a card of which nothing can be seen is not billed', async () => {
  service.setMedia('clear.png', Buffer.from(TRANSPARENT_PNG, 'base64'), 'image/png');
  service.setMedia('clear.gif', Buffer.from(TRANSPARENT_GIF, 'base64'), 'image/gif');
  const clear = (file: string) => ({
    type: 'banner',
    data: { url: `${service.origin}/media/${file}`, w: 1280, h: 720 },
  });
  service.setMedia('blue.mp4', fixture('blue-2s.mp4'), 'video/mp4');
  const own = (event: string) => collectorUrl(service, 'video', event);
  const events = ['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'];
  const vast2 = cardVideo(service, 'blue.mp4', '00:00:02', own, events);
  const title = (text: string) => ({ type: 'title', data: { text } });
  const missing = `${service.origin}/media/nowhere.png`;
  service.setNativeAds([
    nativeAd(service, 'broken', {
      assets: [
        title('broken'),
        { type: 'icon', data: { w: 9, h: 9, url: missing } },
        { type: 'banner', data: { w: 9, h: 9, url: missing } },
      ],
    }),
    nativeAd(service, 'empty', { assets: [clear('clear.png')] }),
    nativeAd(service, 'empty-gif', { assets: [clear('clear.gif')] }),
    nativeAd(service, 'words', { assets: [clear('clear.png'), title('words')] }),
    nativeAd(service, 'video', { assets: [title('video'), { type: 'vast2', data: { vast2 } }] }),
  ]);
  // Long enough to check the card after its confirmation.
  const running = await launch(
    oneAnswerSettings(service, { cardSeconds: 5, native: { params: { ua: AGENT } } }),
  );

  await expect.poll(() => receivedBeacons(service, 'broken')).toEqual(['seen']);
  expect(await shownCard(running, 'broken').locator('img').count()).toBe(0);
  await shortenCards(running);

  const heard = () => receivedBeacons(service, 'video').sort();
  await expect.poll(heard).toEqual(['impression', 'seen', ...events].sort());
  await expectMorePlays(running, 3);
  expect(heard()).toEqual(['impression', 'seen', ...events].sort());
  expect(userAgents('video')).toEqual([AGENT]);
  expect(receivedBeacons(service, 'words')).toEqual(['seen']);
  for (const ad of ['empty', 'empty-gif']) expect(receivedBeacons(service, ad), ad).toEqual([]);
});

test('an animated picture of a card begins at its beginning in each slot', async () => {
  const film = join(folder, 'once.gif');
  const colour = (css: string, seconds: number) => [
    '-f',
    'lavfi',
    '-i',
    `color=${css}:s=320x180:r=5:d=${seconds}`,
  ];
  const parts = [...colour('0xc81e28', 2), ...colour('0x14a046', 1), '-filter_complex', '[0][1]concat=n=2'];
  execFileSync('ffmpeg', ['-nostdin', '-loglevel', 'error', ...parts, '-loop', '-1', film]);
  const url = service.setMedia('once.gif', readFileSync(film), 'image/gif');
  const picture = { assets: [{ type: 'banner', data: { url, w: 320, h: 180 } }] };
  serveColours(service, { violet: VIOLET });
  service.setAds([imageAd('violet', 3)]);
  service.setNativeAds(['first', 'second', 'third'].map((id) => nativeAd(service, id, picture)));
  const kiosk = await launch(oneAnswerSettings(service, { cardSeconds: 4 }));
  const settled = async () => (await nativePlays(kiosk)).filter(({ outcome }) => outcome !== 'reserved');
  await expect.poll(async () => (await settled()).length).toBeGreaterThan(0);
  // It ends with green, which stays.
  await expectOnScreen(kiosk, VIOLET);
  await expectOnScreen(kiosk, RED);
});

test('a card that cannot be drawn is dropped, and the rest of the screen stays', async () => {
  const rated = [
    { type: 'title', data: { text: 'rated' } },
    { type: 'rating', data: { number: 4.5 } },
  ];
  service.setNativeAds([nativeAd(service, 'rated', { assets: rated }), nativeAd(service, 'plain')]);
  const { running, letCardsCome } = await startBeforeCards(oneAnswerSettings(service));
  await shortenCards(running);
  await running.screen.evaluate(() => {
    Number.prototype.toLocaleString = () => {
      throw new Error('no numbers can be written');
    };
  });
  await letCardsCome();
  await expect.poll(() => receivedBeacons(service, 'plain')).toEqual(['seen']);
  await expectMorePlays(running, 2);
  expect(running.log()).toContain('no numbers can be written');
  expect(receivedBeacons(service, 'rated')).toEqual([]);
});

test('a banner whose process crashes before its second of view ends its slot, and is not billed', async () => {
  service.setNativeAds(CARDS.map((id) => bannerAd(service, id, `<body style="background:#10a0f0">${id}`)));
  const running = await launch(oneAnswerSettings(service, { cardSeconds: 6 }));
  const crash = () =>
    running.app.evaluate(({ webContents }) => {
      for (const one of webContents.getAllWebContents())
        if (one.getType() === 'webview') one.forcefullyCrashRenderer();
    });
  const { play, awayAt } = await cutShort(running, crash, async () => {});
  expect(play.endReason).toBe('error');
  await expect.poll(() => confirmedAfter(awayAt).length).toBeGreaterThan(0);
  // The id ends with the ad's place in the answer.
  const crashed = CARDS[Number(play.adId.split('/').at(-1))] ?? '';
  expect(CARDS).toContain(crashed);
  expect(receivedBeacons(service, crashed)).toEqual([]);
  await shortenCards(running);
  await expectMorePlays(running, 2);
  expectEachOnce();
});

test('banners of fixed sizes fill their whole frame, and are laid out at their own size', async () => {
  const sizes = [
    [300, 250],
    [320, 50],
    [728, 90],
  ] as const;
  const corner = (width: number, height: number) =>
    `<div style="width:${width}px;height:${height}px;background:#10a0f0"></div><script>new Image().src = '${collectorUrl(service, `${width}`, 'laid-out')}&at=' + [innerWidth, innerHeight, document.documentElement.scrollWidth]</script>`;
  service.setNativeAds(sizes.map(([w, h]) => bannerAd(service, String(w), corner(w, h), { w, h })));
  // Long enough to check the card after its confirmation.
  const { running, letCardsCome } = await startBeforeCards(oneAnswerSettings(service, { cardSeconds: 5 }));
  await keepPageBusyAfterGuests(running);
  await letCardsCome();
  for (const [width, height] of sizes) {
    await expect.poll(() => receivedBeacons(service, String(width)), { intervals: [50] }).toContain('seen');
    const frame = await shownCard(running, String(width)).locator('.native-frame').boundingBox();
    if (frame === null) throw new Error('the banner has no frame');
    expect(frame.width).toBeGreaterThan(width);
    // Just inside the frame's edges, away from its round corners.
    for (const [across, down] of [
      [0.06, 0.5],
      [0.94, 0.5],
      [0.5, 0.1],
      [0.5, 0.9],
    ] as const) {
      const at = {
        across: (frame.x + frame.width * across) / 1280,
        down: (frame.y + frame.height * down) / 720,
      };
      await expect.poll(async () => isColour([16, 160, 240], await running.colour(at))).toBe(true);
    }
    const laidOut = () =>
      service.beacons().find(({ path, query }) => path.endsWith('laid-out') && query.ad === String(width))
        ?.query.at;
    await expect.poll(laidOut).toBe([width, height, width].join());
  }
});

test('the loop plays on with no fill or a failing native service; a card then stays for three seconds, even if pictures are shorter', async () => {
  service.setNativeAds([nativeAd(service, 'late')]);
  service.setFaults({
    native: [
      { kind: 'garbage', times: 1 },
      { kind: 'status', status: 500 },
    ],
  });
  // The pauses between tries double, starting at five seconds.
  const running = await launch(oneAnswerSettings(service, { cardSeconds: 0.5 }), fastTimersFromStart(4));
  await expectMorePlays(running, 4);
  await expect.poll(async () => (await running.status()).service.native?.lastError ?? null).not.toBeNull();
  expect(await nativePlays(running)).toEqual([]);
  // It comes back by itself.
  service.setFaults({});
  await expect.poll(() => receivedBeacons(service, 'late')).toEqual(['seen']);
  const shown = async () => (await nativePlays(running)).find(({ outcome }) => outcome === 'completed');
  await expect.poll(shown).toBeDefined();
  // A card that begins late is shortened by at most a twentieth (slot-plan.ts), and ends on the nearest
  // frame.
  expect((await shown())?.viewedMs).toBeGreaterThan(3_000 - 150 - 10);
});

test('a kiosk that starts while the store is closed requests no native ad (rule 14)', async () => {
  const settings = oneAnswerSettings(service);
  const hour = new Date().getUTCHours();
  const later = (hours: number) => `${String((hour + hours) % 24).padStart(2, '0')}:00`;
  const openHours = { timeZone: 'UTC', 'mon-sun': `${later(2)}-${later(4)}` };
  const running = await launch(
    { ...settings, playback: { ...settings.playback, openHours } },
    { requiredScript: join(__dirname, 'look-often.cjs') },
  );
  const asked = (group: string) => service.requests().filter((request) => request.group === group).length;
  await expect.poll(() => asked('ads')).toBeGreaterThan(0);
  await expect.poll(async () => (await running.status()).sentence).toContain('the store is closed');
  // A session of a shopper asks for ads, too.
  await running.screen.mouse.click(640, 360);
  await letPass(running, service, 5 * 60_000);
  await expectToPass(running, 1_500);
  expect(asked('native')).toBe(0);

  await letPass(running, service, 115 * 60_000);
  await expect.poll(() => asked('native')).toBeGreaterThan(0);
});

test('a touch starts a session of at most three native ads; idleness ends it', async () => {
  service.setNativeAds(['a', 'b', 'c', 'd', 'e'].map((id) => nativeAd(service, id)));
  const settings = oneAnswerSettings(service, {
    native: { everySlots: 1000, sessionIdleSeconds: 60 },
  });
  const running = await launch(settings);
  await shortenCards(running);
  await expectMorePlays(running, 2);
  expect(await nativePlays(running)).toEqual([]);

  const shown = async () => new Set((await nativePlays(running)).map(({ adId }) => adId)).size;
  await running.screen.mouse.click(640, 360);
  // A card whose second of view a late frame interrupted comes again before the next one.
  await expect.poll(shown).toBe(3);
  await expectMorePlays(running, 3);
  expect(await shown()).toBe(3);
  for (const id of ['a', 'b', 'c'])
    await expect.poll(() => receivedBeacons(service, id), id).toEqual(['seen']);

  // Another shopper, after the first has gone.
  await advanceMonotonicClock(running, 60_000);
  await running.screen.mouse.click(640, 360);
  // The next answer may come meanwhile, and more ads with it.
  await expect.poll(shown).toBeGreaterThanOrEqual(5);
});
