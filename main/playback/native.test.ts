import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Confirmation } from '../beacons/outbox';
import { EMPTY_CONTEXT } from '../decisioning/context';
import { readInPlace } from '../reading/reading';
import { createNativeClient } from '../service/native/native-client';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { localServer, realHttp } from '../service/testing/local-server';
import { readSettings } from '../settings/find-settings';
import { createSignals } from '../signals/signals';
import { createNative } from './native';

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

/** A kiosk's native ads from a real service that gives this answer, with a cache one can fail for it. */
async function nativeWorld(
  answer: object,
  given: { imageSeconds?: number; quarantined?: readonly string[] } = {},
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
  if (read.kind === 'fault') throw new Error(read.message);
  const { settings } = read;
  const created = createNativeClient({
    http: realHttp,
    nativeUrl: server.url,
    settings: settings.native,
    device: { os: 'linux', osver: '6.1', devicemodel: 'kiosk', userAgent: 'Browser/1' },
    language: 'en',
    wrappers: null,
    reading: readInPlace,
    newId: () => 'answer',
  });
  if (created.kind === 'incomplete') throw new Error('incomplete');
  const confirmed: Confirmation[] = [];
  const time = handTurnedTime();
  const hashes = (given.quarantined ?? []).map((html) => createHash('sha256').update(html).digest('hex'));
  const tells: Array<(url: string, ready: boolean) => void> = [];
  const signals = createSignals({ ...time, log: silentLog });
  const native = createNative({
    client: created.client,
    outbox: {
      async confirmOnce(confirmation) {
        confirmed.push(confirmation);
        return true;
      },
    },
    media: {
      want() {},
      lookup: () => null,
      verified: async () => null,
      problems: () => [],
      onChange: (tell) => void tells.push(tell),
    },
    quarantine: { msFor: (sha256) => (hashes.includes(sha256) ? 1 : 0) },
    openBanner: () => Promise.reject(new Error('no banners here')),
    closeBanner() {},
    openLink: () => ({ open() {}, continueOnPhone() {}, showCode() {} }),
    context: () => EMPTY_CONTEXT,
    settings,
    volume: () => 0,
    screen: { width: 1920, height: 1080 },
    clock: time.clock,
    schedule: time.schedule,
    random: () => 0,
    newId: () => 'id',
    log: silentLog,
    tell() {},
    hold() {},
    changed() {},
    somebodyThere: signals.somebodyThere,
  });
  signals.onChange(native.signalsChanged);
  const held = () => native.held().map(({ instance }) => instance);
  return {
    native,
    confirmed,
    held,
    requests: () => requests,
    failed: (url: string) => {
      for (const tell of tells) tell(url, false);
    },
    time,
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

test('an ad whose media cannot be fetched is dropped after its retries (rule 19)', async () => {
  await using world = await nativeWorld(PICTURE_ONLY);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer/0', 'answer/1']);
  world.failed(BANNER);
  world.failed(BANNER);
  expect(world.held()).toEqual(['answer/0', 'answer/1']);
  world.failed(BANNER);
  expect(world.held()).toEqual(['answer/1']);
  expect(world.confirmed).toEqual([]);
});

test('its VAST error is fired where it has one', async () => {
  await using world = await nativeWorld(FILM_ONLY);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer/0']);
  for (const _try of [1, 2, 3]) world.failed(film);
  expect(world.held()).toEqual([]);
  expect(world.confirmed).toEqual([
    {
      instance: 'answer/0',
      kind: 'vast-error',
      play: null,
      errorCode: 401,
      beacons: [{ position: 0, url: ERROR }],
    },
  ]);
});

type World = Awaited<ReturnType<typeof nativeWorld>>;
const REASONS_TO_WAIT: ReadonlyArray<{ begin(world: World): void; end(world: World): unknown }> = [
  { begin: ({ native }) => native.stageHeld(true), end: ({ native }) => native.stageHeld(false) },
  { begin: (world) => world.sensorSaysNobody(), end: (world) => world.sensorSeesSomebody() },
  // Its sensor falls silent.
  { begin: (world) => world.sensorSaysNobody(), end: ({ time }) => time.advance(10_000) },
];

test('nothing is requested while the stage is held or a sensor says that nobody is there (rule 19)', async () => {
  for (const reason of REASONS_TO_WAIT) {
    await using world = await nativeWorld(PICTURE_ONLY);
    reason.begin(world);
    world.native.start();
    expect(world.native.state().requesting).toBe(false);
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
  await expect.poll(world.held).toEqual(['answer/0', 'answer/1']);
  for (const _try of [1, 2, 3]) world.failed(BANNER);
  expect(await world.native.ads.choose(0)?.creative()).toMatchObject({ kind: 'card', durationMs });
});

test('the error URLs of a video that cannot be read are fired at its receipt, and its ad is shown without it', async () => {
  await using world = await nativeWorld(UNREADABLE);
  world.native.start();
  await expect.poll(world.held).toEqual(['answer/0']);
  const fault = { instance: 'answer/0', kind: 'vast-error', play: null, errorCode: 303 };
  expect(world.confirmed).toEqual([{ ...fault, beacons: [{ position: 0, url: ERROR }] }]);
});

test('an ad whose banner is quarantined is not kept, and the one after it is', async () => {
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
  await expect.poll(world.held).toEqual(['answer/1']);
});
