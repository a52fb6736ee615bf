import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { kioskMacros } from '../beacons/ad-macros';
import type { Confirmation } from '../beacons/outbox';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { type Blocks, blocksOf, NO_BLOCKS } from '../decisions/blocks';
import { createAttempts } from '../media/attempts';
import type { CachedMedia } from '../media/media-cache';
import { mediaIdentity } from '../media/media-identity';
import type { MediaProblemCode } from '../media/media-problem';
import { createPlayer } from '../playback/player';
import { decisionWithoutSignals } from '../playback/testing/decision-without-signals';
import { readInPlace } from '../reading/testing/read-in-place';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { localServer, realHttp } from '../service/testing/local-server';
import { readSettings } from '../settings/testing/read-settings';
import { createSignals } from '../signals/signals';
import { createNative } from './native';
import type { BannerGuests } from './native-banners';
import { createNativeClient } from './native-client';

const ERROR = 'https://track.example/error?code=[ERRORCODE]';
const UNREADABLE = {
  status: 'ok',
  ads: [
    {
      assets: [
        { type: 'title', data: { text: 'with words' } },
        { type: 'vast2', data: { vast2: `<VAST version="2.0"><Error><![CDATA[${ERROR}]]></Error></VAST>` } },
      ],
    },
  ],
};

const KIOSK = {
  screen: { width: 1920, height: 1080 },
  userAgent: 'Browser/1',
  player: 'Endcap/test',
  params: {},
};
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
/** Of the macros, what this kiosk knows while it shows nothing. */
const macros = kioskMacros(KIOSK);

/**
 * The native ads of a kiosk with a real service that returns this answer, and a fake media cache whose files
 * can fail.
 */
async function nativeWorld(
  answer: object,
  given: {
    imageSeconds?: number;
    quarantined?: readonly string[];
    notTriedForMs?: number;
    blocks?: Blocks;
    openBanner?: BannerGuests['openBanner'];
    heldBack?: { readonly url: string; readonly code: MediaProblemCode };
    screen?: typeof KIOSK.screen;
  } = {},
) {
  let requests = 0;
  const server = await localServer((_request, response) => {
    requests += 1;
    response.end(JSON.stringify(answer));
  });
  const read = readSettings(
    {
      service: { baseUrl: 'https://ads.example', nativeUrl: 'https://native.example' },
      ads: { authentication: 'none' },
      native: { apptoken: 'token', zoneid: 'zone' },
      ...(given.imageSeconds === undefined ? {} : { playback: { imageSeconds: given.imageSeconds } }),
    },
    'test',
  );
  if (read.kind === 'error') throw new Error(read.message);
  const { settings } = read;
  const client = createNativeClient({
    http: realHttp,
    nativeUrl: server.url,
    tellsTime: true,
    settings: settings.native,
    device: { os: 'linux', osver: '6.1', devicemodel: 'kiosk', userAgent: 'Browser/1' },
    language: 'en',
    wrappers: null,
    reading: readInPlace,
    newId: () => `answer-${requests}`,
  });
  const confirmed: Confirmation[] = [];
  const warnings: string[] = [];
  const time = handTurnedTime();
  const hashes = (given.quarantined ?? []).map(sha256Of);
  const tells: Array<(url: string, ready: boolean) => void> = [];
  const onDisk = new Set<string>();
  const change = (url: string, ready: boolean) => {
    for (const tell of tells) tell(url, ready);
  };
  // As the media cache does.
  const attempts = createAttempts({ clock: time.clock, random: () => 0 });
  let wanted = new Set<string>();
  const everyMinute = () => {
    attempts.keepOnly(wanted);
    time.schedule(60_000, everyMinute);
  };
  everyMinute();
  const signals = createSignals(time);
  let closed = 0;
  let asked = 0;
  let answers = 0;
  const native = createNative({
    client: {
      request(...of) {
        asked += 1;
        return client.request(...of);
      },
    },
    outbox: {
      async confirmOnce(confirmation) {
        const { instance, kind } = confirmation;
        // Only once, as in the books.
        if (confirmed.some((one) => one.instance === instance && one.kind === kind)) return false;
        confirmed.push(confirmation);
        return true;
      },
    },
    media: {
      want(_who, media) {
        wanted = new Set(media.map(({ url }) => url));
      },
      failures: (url) => attempts.failures(mediaIdentity(url)),
      failedAs: (url) => attempts.failedAs(mediaIdentity(url)),
      lookup: (url) =>
        onDisk.has(mediaIdentity(url)) ? ({ url, sha256: sha256Of(url) } as CachedMedia) : null,
      waitMs: () => given.notTriedForMs ?? 0,
      verified: async () => null,
      strike() {},
      problemOf(url) {
        return given.heldBack?.url === url ? { ...given.heldBack, detail: '' } : null;
      },
      onChange: (tell) => void tells.push(tell),
    },
    blocks: () => given.blocks ?? NO_BLOCKS,
    quarantine: { msFor: (sha256) => (hashes.includes(sha256) ? 1 : 0) },
    kiosk: { ...KIOSK, screen: given.screen ?? KIOSK.screen },
    openBanner: given.openBanner ?? (() => Promise.reject(new Error('no banners here'))),
    showBanner() {},
    closeBanner() {},
    link: {
      onVisit() {},
      open() {},
      continueOnPhone() {},
      showCode() {},
      close() {
        closed += 1;
      },
    },
    context: () => EMPTY_CONTEXT,
    settings,
    volume: () => 0,
    clock: time.clock,
    settled: async () => {},
    schedule: time.schedule,
    random: () => 0,
    newId: () => 'id',
    log: { ...silentLog, warn: (message) => void warnings.push(message) },
    tell() {
      answers += 1;
    },
    hold() {},
    changed() {},
    somebodyThere: signals.somebodyThere,
  });
  signals.onChange(native.look);
  const held = () => native.held().map(({ instance }) => instance);
  return {
    native,
    confirmed,
    warnings,
    held,
    /** How often the link view was closed. */
    closed: () => closed,
    block(blocks: Blocks) {
      given.blocks = blocks;
    },
    requests: () => requests,
    answers: () => answers,
    /** How many requests were begun. */
    asked: () => asked,
    isWanted: (url: string) => wanted.has(url),
    failed(url: string, code: MediaProblemCode = 'status') {
      attempts.failed(url, { code });
      change(url, false);
    },
    notStored(url: string) {
      attempts.notStored(url);
      change(url, false);
    },
    arrived(url: string) {
      attempts.succeeded(url);
      onDisk.add(url);
      change(url, true);
    },
    time,
    /** Advances past the refresh interval and waits for the next answer. */
    async nextAnswer() {
      const before = answers;
      await time.advance(61_000);
      await expect.poll(() => answers).not.toBe(before);
    },
    sensorSaysNobody: () => signals.set({ kind: 'shopper', value: null, ttlMs: 10_000 }),
    sensorSeesSomebody: () =>
      signals.set({ kind: 'shopper', value: { people: [], groupSize: 1 }, ttlMs: 10_000 }),
    async [Symbol.asyncDispose]() {
      native.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}

const BANNER = 'https://media.example/banner.png';
const PICTURE_ONLY = {
  status: 'ok',
  ads: [
    { assets: [{ type: 'banner', data: { url: BANNER, w: 1200, h: 627 } }] },
    { assets: [{ type: 'title', data: { text: 'with words' } }] },
  ],
};
const film = 'https://media.example/film.mp4';
const FILM_ONLY = {
  status: 'ok',
  ads: [
    {
      assets: [
        {
          type: 'vast2',
          data: {
            vast2: `<VAST version="2.0"><Ad id="a"><InLine><AdSystem>x</AdSystem><AdTitle>y</AdTitle><Error><![CDATA[${ERROR}]]></Error><Impression/><Creatives><Creative><Linear><Duration>00:00:02</Duration><MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="1280" height="720"><![CDATA[${film}]]></MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>`,
          },
        },
      ],
    },
  ],
};

describe('when the screen has another size, an ad', () => {
  const tall = 'https://media.example/tall.mp4';
  const tallFile = `<MediaFile delivery="progressive" type="video/mp4" width="720" height="1280">${tall}</MediaFile>`;
  const answer = JSON.stringify(FILM_ONLY).replace(
    '<MediaFiles>',
    `<MediaFiles>${JSON.stringify(tallFile).slice(1, -1)}`,
  );
  async function turned(before: (world: Awaited<ReturnType<typeof nativeWorld>>) => void) {
    const screen = { width: 1024, height: 768 };
    const world = await nativeWorld(JSON.parse(answer), { screen });
    world.native.start();
    await expect.poll(() => world.isWanted(film)).toBe(true);
    before(world);
    Object.assign(screen, { width: 1080, height: 1920 });
    world.native.resized();
    return world;
  }

  test('has the video for it fetched at once', async () => {
    await using world = await turned(({ isWanted }) => expect(isWanted(tall)).toBe(false));
    expect([film, tall].filter(world.isWanted)).toEqual([tall]);
  });

  test('whose video for it was given up is dropped at once', async () => {
    await using world = await turned(({ failed, held }) => {
      for (const _try of [1, 2, 3]) failed(tall);
      expect(held()).toEqual(['answer-1/0']);
    });
    expect(world.held()).toEqual([]);
  });
});

test('an ad whose media cannot be fetched is dropped after its retries (rule 19)', async () => {
  await using world = await nativeWorld(PICTURE_ONLY);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0', 'answer-1/1']);
  world.failed(BANNER);
  world.failed(BANNER);
  expect(world.held()).toEqual(['answer-1/0', 'answer-1/1']);
  world.failed(BANNER);
  expect(world.held()).toEqual(['answer-1/1']);
  expect(world.confirmed).toEqual([]);
});

test('so is one whose URL is signed: the cache names its file without the signature', async () => {
  const url = `${BANNER}?Expires=1&KeyName=key&Signature=abc`;
  const picture = { assets: [{ type: 'banner', data: { url, w: 1200, h: 627 } }] };
  await using world = await nativeWorld({ status: 'ok', ads: [picture] });
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  for (const _try of [1, 2, 3]) world.failed(BANNER);
  expect(world.held()).toEqual([]);
});

const ICON = 'https://media.example/choices.png';
const STANDARD_BANNER = 'https://media.example/standard.png';
const ICON_AND_PICTURE = {
  status: 'ok',
  ads: [
    {
      assets: [
        { type: 'standardbanner', data: { url: STANDARD_BANNER, w: 300, h: 250 } },
        { type: 'icon', data: { url: 'https://media.example/icon.png', w: 80, h: 80 } },
      ],
      meta: [{ type: 'contentinfo', data: { link: 'https://about.example/', icon: ICON, text: 'Ad' } }],
    },
  ],
};

test.each([
  ['came', true],
  ['is still on its way', false],
])('an ad is dropped with its only picture, though an icon of it %s', async (_, comes) => {
  await using world = await nativeWorld(ICON_AND_PICTURE);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  if (comes) world.arrived(ICON);
  for (const _try of [1, 2]) world.failed(STANDARD_BANNER);
  expect(world.held()).toEqual(['answer-1/0']);
  world.failed(STANDARD_BANNER);
  expect(world.held()).toEqual([]);
});

test('an ad stays while another picture of it may come, and is shown with that', async () => {
  const both = {
    assets: [
      { type: 'standardbanner', data: { url: STANDARD_BANNER, w: 300, h: 250 } },
      { type: 'banner', data: { url: BANNER, w: 1200, h: 627 } },
    ],
  };
  await using world = await nativeWorld({ status: 'ok', ads: [both] });
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  for (const _try of [1, 2, 3]) world.failed(STANDARD_BANNER);
  expect(world.held()).toEqual(['answer-1/0']);
  world.arrived(BANNER);
  expect(world.held()).toEqual(['answer-1/0']);
});

test('its VAST error is fired if it has one', async () => {
  await using world = await nativeWorld(FILM_ONLY);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  for (const _try of [1, 2, 3]) world.failed(film);
  expect(world.held()).toEqual([]);
  expect(world.confirmed).toEqual([
    {
      instance: 'answer-1/0',
      kind: 'vast-error',
      play: null,
      errorCode: 401,
      macros,
      beacons: [{ position: 0, url: ERROR }],
    },
  ]);
});

type World = Awaited<ReturnType<typeof nativeWorld>>;
const REASONS_TO_WAIT: ReadonlyArray<{ begin(world: World): void; end(world: World): unknown }> = [
  { begin: ({ native }) => native.stageHeld(true), end: ({ native }) => native.stageHeld(false) },
  { begin: (world) => world.sensorSaysNobody(), end: (world) => world.sensorSeesSomebody() },
  // The sensor stops reporting.
  { begin: (world) => world.sensorSaysNobody(), end: ({ time }) => time.advance(10_000) },
];

test('nothing is requested while the stage is held or a sensor reports no shopper (rule 19)', async () => {
  for (const reason of REASONS_TO_WAIT) {
    await using world = await nativeWorld(PICTURE_ONLY);
    reason.begin(world);
    world.native.start();
    expect(world.asked()).toBe(0);
    await reason.end(world);
    await expect.poll(world.requests).toBe(1);
  }
});

test.each([
  [0.5, 3_000],
  [8, 8_000],
])('with imageSeconds %d a card stays for %d ms', async (imageSeconds, durationMs) => {
  await using world = await nativeWorld(PICTURE_ONLY, { imageSeconds });
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0', 'answer-1/1']);
  for (const _try of [1, 2, 3]) world.failed(BANNER);
  expect(await world.native.ads.choose(0)?.creative()).toMatchObject({ kind: 'card', durationMs });
});

test('the error URLs of a video that cannot be read are fired at its receipt, and its ad is shown without it', async () => {
  await using world = await nativeWorld(UNREADABLE);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  const error = {
    instance: 'answer-1/0',
    kind: 'vast-error-at-receipt-0',
    play: null,
    errorCode: 303,
    macros,
  };
  expect(world.confirmed).toEqual([{ ...error, beacons: [{ position: 0, url: ERROR }] }]);
});

const told = (world: World) =>
  world.confirmed.map(({ instance, errorCode, beacons }) => [instance, errorCode, beacons.length]);

test('the next ad with a file that failed is dropped at its receipt, for an hour', async () => {
  await using world = await nativeWorld(FILM_ONLY);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  for (const _try of [1, 2, 3]) world.failed(film);
  expect(told(world)).toEqual([['answer-1/0', 401, 1]]);
  await world.nextAnswer();
  expect(world.held()).toEqual([]);
  expect(told(world)).toEqual([
    ['answer-1/0', 401, 1],
    ['answer-2/0', 401, 1],
  ]);
  // Forgotten in the minute after an hour and its pause.
  await world.time.advance(58 * 60_000);
  await world.nextAnswer();
  expect(world.held()).toEqual([]);
  const sofar = world.confirmed.length;
  await world.nextAnswer();
  expect(world.held()).toHaveLength(1);
  for (const _try of [1, 2]) world.failed(film);
  expect(world.confirmed).toHaveLength(sofar);
  world.failed(film);
  expect(world.held()).toEqual([]);
});

test.each<[string, (world: World) => void]>([
  ['the network was away', (world) => world.failed(film, 'unreachable')],
  ['transfers broke off', (world) => world.failed(film, 'short')],
  ['the disk was full', (world) => world.notStored(film)],
])(
  'an ad stays at hand and is not reported while %s, and so does the next one (decision 98)',
  async (_, fail) => {
    await using world = await nativeWorld(FILM_ONLY);
    world.native.start();
    await expect.poll(world.held).toEqual(['answer-1/0']);
    for (const _try of [1, 2, 3]) fail(world);
    await world.nextAnswer();
    expect(world.held()).toEqual(['answer-1/0', 'answer-2/0']);
    expect(world.isWanted(film)).toBe(true);
    // The server is overloaded for a moment when the network is back.
    world.failed(film, 'status');
    expect(world.held()).toHaveLength(2);
    expect(world.confirmed).toEqual([]);
  },
);

test('a card shown without its video while the network is away reports no error (decision 98)', async () => {
  const { assets } = FILM_ONLY.ads[0] ?? { assets: [] };
  const picture = { type: 'banner', data: { url: BANNER, w: 1200, h: 627 } };
  await using world = await nativeWorld({ status: 'ok', ads: [{ assets: [...assets, picture] }] });
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  world.arrived(BANNER);
  for (const _try of [1, 2, 3]) world.failed(film, 'unreachable');
  const show = () => {
    const slot = world.native.ads.choose(0);
    slot?.happened('shown', 'play', 0);
    slot?.over?.();
  };
  show();
  // A gateway answers once while the network returns.
  world.failed(film);
  show();
  expect(world.confirmed).toEqual([]);
  for (const _try of [2, 3]) world.failed(film);
  show();
  expect(told(world)).toEqual([['answer-1/0', 401, 1]]);
});

test('an ad whose file the cache does not try soon after an outage is dropped, but not reported', async () => {
  await using world = await nativeWorld(FILM_ONLY, { notTriedForMs: 60_001 });
  world.failed(film, 'unreachable');
  world.native.start();
  await expect.poll(world.requests).toBe(1);
  await expect.poll(world.answers).toBe(1);
  expect(world.held()).toEqual([]);
  expect(world.confirmed).toEqual([]);
});

test('an ad whose file the cache does not try soon is dropped at its receipt', async () => {
  await using world = await nativeWorld(FILM_ONLY, { notTriedForMs: 60_001 });
  world.failed(film);
  world.native.start();
  await expect.poll(() => told(world)).toEqual([['answer-1/0', 401, 1]]);
  expect(world.held()).toEqual([]);
});

const TEXT_AND_PICTURE = {
  status: 'ok',
  ads: [
    {
      assets: [
        { type: 'title', data: { text: 'with words' } },
        { type: 'banner', data: { url: BANNER, w: 1200, h: 627 } },
      ],
    },
  ],
};

test.each<[string, Parameters<typeof nativeWorld>[1]]>([
  ['that the cache does not try soon', { notTriedForMs: 60_001 }],
  ['in quarantine', { heldBack: { url: BANNER, code: 'harmful' } }],
  ['that cannot be read', { heldBack: { url: BANNER, code: 'unreadable' } }],
])('an ad with text does not wait for a picture %s', async (_, given) => {
  await using world = await nativeWorld(TEXT_AND_PICTURE, given);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  expect(await world.native.ads.choose(0)?.creative()).toMatchObject({ content: { picture: null } });
});

test('an ad with text waits for its picture until that failed three times', async () => {
  await using world = await nativeWorld(TEXT_AND_PICTURE);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  for (const _try of [1, 2]) {
    world.failed(BANNER);
    expect(world.native.ads.choose(0)).toBeNull();
  }
  world.failed(BANNER);
  expect(await world.native.ads.choose(0)?.creative()).toMatchObject({ content: { picture: null } });
});

test.each([
  ['type="video/x-flv"', 'flv'],
  ['type="application/x-mpegURL"', 'm3u8'],
  ['type="application/javascript"', 'js'],
])('a video of only %s is reported at its receipt, and its ad is dropped', async (type, ending) => {
  const answer = JSON.parse(
    JSON.stringify(FILM_ONLY)
      .replace('type=\\"video/mp4\\"', JSON.stringify(type).slice(1, -1))
      .replace('film.mp4', `film.${ending}`),
  );
  answer.ads[0].assets.push({ type: 'icon', data: { url: ICON, w: 80, h: 80 } });
  await using world = await nativeWorld(answer);
  world.native.start();
  await expect.poll(() => told(world)).toEqual([['answer-1/0', 403, 1]]);
  expect(world.held()).toEqual([]);
});

test('each video of an ad requests its own error URLs, at its receipt and later (rule 16)', async () => {
  const broken = (name: string) => ({
    type: 'vast2',
    data: { vast2: `<VAST version="2.0"><Error>https://track.example/${name}</Error></VAST>` },
  });
  const answer = {
    status: 'ok',
    ads: [{ assets: [broken('first'), ...(FILM_ONLY.ads[0]?.assets ?? []), broken('third')] }],
  };
  await using world = await nativeWorld(answer);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  for (const _try of [1, 2, 3]) world.failed(film);
  const urls = world.confirmed.flatMap(({ beacons }) => beacons.map((one) => ('url' in one ? one.url : '')));
  expect(urls).toEqual(['https://track.example/first', 'https://track.example/third', ERROR]);
});

const manyErrors = (name: string, count = 60) =>
  Array.from({ length: count }, (_, n) => `<Error>https://track.example/${name}${n}</Error>`).join('');
const MANY_ERRORS = 'an answer has many errors; no further error URLs of it are called';

test.each([
  ['at most a hundred error URLs of an answer are requested at its receipt (rule 1)', 60, [60, 40]],
  ['of an answer with a hundred error URLs none is left out, and nothing is logged', 50, [50, 50]],
])('%s', async (_title, count, requested) => {
  const broken = (name: string) => ({
    type: 'vast2',
    data: { vast2: `<VAST version="2.0"><Ad><InLine>${manyErrors(name, count)}</InLine></Ad></VAST>` },
  });
  const ad = (name: string) => ({ assets: [{ type: 'title', data: { text: name } }, broken(name)] });
  await using world = await nativeWorld({ status: 'ok', ads: ['a', 'b'].map(ad) });
  world.native.start();
  await expect.poll(world.held).toHaveLength(2);
  expect(world.confirmed.map(({ beacons }) => beacons.length)).toEqual(requested);
  expect(world.warnings).toEqual(count > 50 ? [MANY_ERRORS] : []);
});

test('at most a hundred error URLs are requested of ads that one file makes useless', async () => {
  const ads = ['a', 'b', 'c'].map((name) =>
    JSON.parse(
      JSON.stringify(FILM_ONLY.ads[0]).replace(`<Error><![CDATA[${ERROR}]]></Error>`, manyErrors(name)),
    ),
  );
  await using world = await nativeWorld({ status: 'ok', ads });
  world.native.start();
  await expect.poll(world.held).toHaveLength(3);
  for (const _try of [1, 2, 3]) world.failed(film);
  expect(world.held()).toEqual([]);
  expect(world.confirmed.map(({ beacons }) => beacons.length)).toEqual([60, 40]);
  expect(world.warnings).toEqual([MANY_ERRORS]);
});

test('an ad whose banner is in quarantine is dropped, and the following one is kept', async () => {
  const banner = (html: string) => ({
    assets: [
      { type: 'title', data: { text: 'with words' } },
      { type: 'htmlbanner', data: { html, w: 300, h: 250 } },
    ],
  });
  await using world = await nativeWorld(
    { status: 'ok', ads: [banner('<b>harms</b>'), banner('<b>good</b>')] },
    { quarantined: ['<b>harms</b>'] },
  );
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/1']);
});

test('ads blocked by their content make room for others (rule 30)', async () => {
  const banner = (html: string) => ({
    assets: [{ type: 'htmlbanner', data: { html, w: 300, h: 250 } }],
  });
  const id = sha256Of('<b>blocked</b>');
  await using world = await nativeWorld(
    { status: 'ok', ads: [banner('<b>blocked</b>'), banner('<b>good</b>')] },
    { blocks: blocksOf([{ kind: 'sha256', id }]) },
  );
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/1']);
});

test('a block of one file of a video holds also where another file suits the screen better (rule 30)', async () => {
  const video = (name: string) => {
    const file = (width: number, height: number) =>
      `<MediaFile type="video/mp4" width="${width}" height="${height}">https://cdn.example/${name}-${width}.mp4</MediaFile>`;
    const linear = `<Linear><MediaFiles>${file(1080, 1920)}${file(1920, 1080)}</MediaFiles></Linear>`;
    const vast2 = `<VAST version="2.0"><Ad><InLine><Creatives><Creative>${linear}</Creative></Creatives></InLine></Ad></VAST>`;
    return { assets: [{ type: 'vast2', data: { vast2 } }] };
  };
  await using world = await nativeWorld(
    { status: 'ok', ads: [video('blocked'), video('good')] },
    { blocks: blocksOf([{ kind: 'url', id: 'https://cdn.example/blocked-1080.mp4' }]) },
  );
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/1']);
});

test('an ad is dropped when its picture arrives with blocked bytes (rule 30)', async () => {
  const ads = [BANNER, STANDARD_BANNER].map((url) => ({
    assets: [{ type: 'banner', data: { url, w: 1200, h: 627 } }],
  }));
  const blocks = blocksOf([{ kind: 'sha256', id: sha256Of(BANNER) }]);
  await using world = await nativeWorld({ status: 'ok', ads }, { blocks });
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0', 'answer-1/1']);
  world.arrived(BANNER);
  expect(world.held()).toEqual(['answer-1/1']);
});

test.each([
  ['is closed', 'the ad that led there, at once', ['picture'], BANNER, true],
  ['is closed', 'the ad that it is about, at once', ['content-info'], BANNER, true],
  ['stays', 'the ad that led there, from the next slot on', ['picture'], BANNER, false],
  ['stays', 'another ad, at once', ['picture'], STANDARD_BANNER, true],
  ['stays', 'the ad that was tapped before, at once', ['picture', 'content-info'], BANNER, true],
] as const)(
  'a page that a tap opened %s on a block of %s (rule 30)',
  async (fate, _what, taps, id, atOnce) => {
    const ads = [BANNER, STANDARD_BANNER].map((url) => ({
      link: 'https://shop.example/',
      assets: [{ type: 'banner', data: { url, w: 1200, h: 627 } }],
      meta: [{ type: 'contentinfo', data: { link: 'https://about.example/' } }],
    }));
    await using world = await nativeWorld({ status: 'ok', ads });
    const { native } = world;
    native.start();
    await expect.poll(world.held).toEqual(['answer-1/0', 'answer-1/1']);
    for (const url of [BANNER, STANDARD_BANNER]) world.arrived(url);
    for (const part of taps) {
      const slot = native.ads.choose(0);
      slot?.happened('viewed', 'play', 0);
      world.time.pass(5_000);
      native.input('mouseUp');
      slot?.tapped?.(part);
    }
    world.block(blocksOf([{ kind: 'url', id }]));
    native.blocksChanged(atOnce);
    expect(world.closed()).toBe(fate === 'is closed' ? 1 : 0);
  },
);

/** A kiosk that has received an ad with a banner of markup; `opened`: the listener of each guest that is opened for it. */
async function bannerWorld(opened: Array<Parameters<BannerGuests['openBanner']>[2]>) {
  const assets = [{ type: 'htmlbanner', data: { html: '<b>banner</b>', w: 300, h: 250 } }];
  const beacons = [{ type: 'click', data: { url: 'https://track.example/click' } }];
  const world = await nativeWorld(
    { status: 'ok', ads: [{ assets, beacons }] },
    {
      async openBanner(_id, _html, listener) {
        opened.push(listener);
        return { url: 'http://banner.localhost/', partition: 'guest-1' };
      },
    },
  );
  world.native.start();
  await expect.poll(world.held).toEqual(['answer-1/0']);
  return world;
}

test('a click on a banner that painted late belongs to the play that shows it, not to the slot it missed', async () => {
  const opened: Array<Parameters<BannerGuests['openBanner']>[2]> = [];
  await using world = await bannerWorld(opened);
  const { native, confirmed } = world;
  const missed = native.ads.choose(0);
  await missed?.creative();
  missed?.missed?.('late');
  opened[0]?.painted();
  const shown = native.ads.choose(0);
  await shown?.creative();
  shown?.happened('shown', 'play-1', 0);
  opened[0]?.input('mouseUp');
  opened[0]?.navigated('https://shop.example/');
  expect(opened).toHaveLength(1);
  expect(confirmed).toMatchObject([{ kind: 'click-id', play: 'play-1' }]);
});

test('an ad on the screen is not prepared again for the next slot, so a click on its banner belongs to its play', async () => {
  const opened: Array<Parameters<BannerGuests['openBanner']>[2]> = [];
  await using world = await bannerWorld(opened);
  const { native, confirmed } = world;
  const shown = native.ads.choose(0);
  await shown?.creative();
  shown?.happened('shown', 'play-1', 0);
  // During a session each slot is native, and the next one is prepared at the first frame of this one.
  await native.ads.choose(0)?.creative();
  opened[0]?.input('mouseUp');
  opened[0]?.navigated('https://shop.example/');
  expect(opened).toHaveLength(1);
  expect(confirmed).toMatchObject([{ kind: 'click-id', play: 'play-1' }]);
});

test('the player chooses the ad after a banner once that has appeared, so one guest takes its clicks', async () => {
  const opened: Array<Parameters<BannerGuests['openBanner']>[2]> = [];
  await using world = await bannerWorld(opened);
  const { native, confirmed, time } = world;
  const player = createPlayer({
    sendToStage() {},
    stageSilentMs: () => 0,
    ads: native.ads,
    online: null,
    isOpen: () => true,
    books: { run: async () => null as never },
    beacons: { settled: async () => {} },
    clock: time.clock,
    schedule: time.schedule,
    newId: () => 'play-1',
    log: silentLog,
    environment: 'store',
    decision: decisionWithoutSignals,
    tell() {},
  });
  for (const event of [
    { type: 'ready' },
    { type: 'prepared', slot: 1, durationMs: 8_000 },
    { type: 'presented', slot: 1 },
  ] as const) {
    player.onStageEvent(event);
    await time.settle();
  }
  opened[0]?.input('mouseUp');
  opened[0]?.navigated('https://shop.example/');
  expect(opened).toHaveLength(1);
  expect(confirmed).toMatchObject([{ kind: 'click-id', play: 'play-1' }]);
});
