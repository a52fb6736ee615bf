import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../main/demo-service/demo-service';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk, letPass } from './kiosk';
import { shareWorld, test } from './kiosk-test';
import { heavyImage, solidImage } from './solid-image';
import {
  BLUE,
  BRIEF,
  expectMorePlays,
  expectOnScreen,
  fixture,
  GREEN,
  imageAd,
  isColour,
  RED,
  serveColours,
  serveTwoCreatives,
  videoAd,
} from './two-creatives';

const WHITE = [240, 240, 240] as const;

/** Ids of the two pictures. */
const STORED = ['red', 'blue'];
const briefAd = (id: string) => imageAd(id, BRIEF);

const filesIn = (folder: string, ending: string) =>
  readdirSync(join(folder, 'media')).filter((name) => name.endsWith(ending));
const problemOf = (running: Kiosk, file: string) =>
  expect.poll(
    async () => (await running.status()).media.problems.find((words) => words.includes(file)) ?? '',
  );
const neverPlayed = async (running: Kiosk, adId: string) =>
  expect((await running.plays()).filter((play) => play.adId === adId && play.shownAt !== null)).toEqual([]);

const bomb = solidImage(GREEN, 64, 64);
bomb.writeUInt32BE(20_000, 16);
bomb.writeUInt32BE(20_000, 20);

/** Starts like an image. */
const hollow = solidImage(GREEN);
hollow.fill(0x55, 12);

/** A valid container, but data that no decoder can read. */
const undecodable = fixture('green-2s.mp4');
undecodable.fill(0x55, undecodable.indexOf('mdat') + 4);

/** Unplayable files at a creative's address, and the problem in the status. */
const UNPLAYABLE: ReadonlyArray<readonly [what: string, file: string, body: Buffer, says: RegExp]> = [
  [
    'a video without its index',
    'headless.mp4',
    fixture('white-2s-index-last.mp4').subarray(0, 1000),
    /corrupt: /,
  ],
  ['an empty file', 'empty.mp4', Buffer.alloc(0), /not-media: /],
  ['a page', 'page.mp4', Buffer.from('<!doctype html><title>Welcome to the network</title>'), /not-media: /],
  ['a video of nothing but noise', 'noise.mp4', undecodable, /corrupt: /],
  ['a file that only starts like an image', 'hollow.png', hollow, /(not-media|undecodable): /],
  ['a picture of 400 megapixels', 'bomb.png', bomb, /too-many-pixels: 20000 × 20000/],
];

test.describe('on one kiosk', () => {
  let service: DemoService;
  let folder: string;
  let running: Kiosk;

  shareWorld(async (world) => {
    ({ service, folder } = world);
    serveTwoCreatives(service, BRIEF);
    running = await world.start();
  });

  test('a video with its index at the end plays', async () => {
    service.setMedia('white.mp4', fixture('white-2s-index-last.mp4'), 'video/mp4');
    service.setAds([videoAd('white', 2), briefAd('red')]);
    await expectOnScreen(running, WHITE, RED);
    await expectMorePlays(running, 2);
    // A start that is late with the machine counts as a problem for half a minute.
    await expect.poll(async () => (await running.status()).media.problems).toEqual([]);
  });

  test('a file deleted from the cache while its ad is queued is skipped, and fetched again', async () => {
    serveTwoCreatives(service, BRIEF);
    await expect.poll(async () => (await running.playlists())[0]?.ads.map(({ id }) => id)).toEqual(STORED);
    await expectOnScreen(running, RED, BLUE);
    service.setFaults({ media: { kind: 'status', status: 503 } });
    const notes = filesIn(folder, '.json').filter((name) => name !== 'strikes.json');
    const { key } = notes
      .map(
        (name) =>
          JSON.parse(readFileSync(join(folder, 'media', name), 'utf8')) as { key: string; url: string },
      )
      .find(({ url }) => url.includes('blue.png')) ?? { key: '' };
    rmSync(join(folder, 'media', `${key}.bin`));
    await problemOf(running, 'blue.png').toMatch(/status: expected status 200, got 503/);
    expect(running.log()).toMatch(/a stored creative cannot be used .*blue\.png","code":"lost"/);
    await Promise.all([expectOnScreen(running, RED), expectMorePlays(running, 3)]);
    service.setFaults({});
    // Skips the pause before the download is tried again.
    await advanceMonotonicClock(running, 60_000);
    await expectOnScreen(running, BLUE);
    expect((await running.status()).media.problems).toEqual([]);
  });

  test('a wrong answer instead of a creative is never shown; the status reports what it is', async () => {
    const unplayable = UNPLAYABLE.map(([, file, body]) => {
      const [id = '', ending] = file.split('.');
      service.setMedia(file, body, ending === 'png' ? 'image/png' : 'video/mp4');
      return ending === 'png' ? briefAd(id) : videoAd(id, 2);
    });
    service.setAds([briefAd('red'), ...unplayable, briefAd('blue')]);
    for (const [what, file, , says] of UNPLAYABLE)
      await test.step(what, () => problemOf(running, file).toMatch(says));
    expect(running.log()).toMatch(/creative not stored .*hollow\.png/);
    await Promise.all([expectOnScreen(running, RED, BLUE), expectMorePlays(running, 4)]);
    for (const { id } of unplayable) await neverPlayed(running, id);
  });

  test('a video cut off on its server is reported when it breaks off, and is not shown to its end', async () => {
    service.setMedia('cut.mp4', fixture('green-2s.mp4').subarray(0, 3000), 'video/mp4');
    service.setAds([briefAd('red'), videoAd('cut', 2), briefAd('blue')]);
    await problemOf(running, 'cut.mp4').toMatch(/corrupt: /);
    await Promise.all([expectOnScreen(running, RED, BLUE), expectMorePlays(running, 2)]);
    const completed = (await running.plays()).filter(({ outcome }) => outcome === 'completed');
    expect(completed.filter(({ adId }) => adId === 'cut')).toEqual([]);
  });
});

test('a file swapped on the server under the same address is noticed within the hour', async ({
  service,
  folder,
  start,
}) => {
  serveTwoCreatives(service, BRIEF);
  const running = await start();
  await expectOnScreen(running, RED, BLUE);
  serveColours(service, { blue: GREEN });
  await expectMorePlays(running, 4);
  expect(running.log()).not.toMatch(/creative replaced/);
  await letPass(running, service, 2 * 3_600_000);
  await expectOnScreen(running, RED, GREEN);
  expect(running.log()).toMatch(/creative replaced by its new version .*blue\.png/);
  await expectMorePlays(running, 3);
  expect(isColour(BLUE, await running.colour())).toBe(false);
  await expect.poll(() => filesIn(folder, '.bin').length).toBe(2);
});

for (const [how, end] of [
  ['kill -9', (running: Kiosk) => running.kill()],
  ['an orderly end', (running: Kiosk) => running.terminate()],
] as const) {
  test(`a download interrupted by ${how} continues where it stopped, after a restart`, async ({
    service,
    folder,
    start,
  }) => {
    serveColours(service, { red: RED });
    service.setMedia('green.png', heavyImage(GREEN, 12_000_000), 'image/png');
    service.setAds([imageAd('red'), imageAd('green')]);
    // Slow enough that it is still under way long after its first checkpoint, at 4 MB.
    service.setFaults({ media: { kind: 'drip', bytesPerSecond: 1_000_000, match: 'green' } });
    const first = await start();
    await expectOnScreen(first, RED);
    await expect.poll(() => filesIn(folder, '.part.json').length).toBe(1);
    await end(first);
    const before = service.requests().length;
    service.setFaults({});

    const second = await start();
    await expectOnScreen(second, GREEN, RED);
    const asked = service
      .requests()
      .slice(before)
      .filter(({ path }) => path.includes('green'));
    expect(asked.map(({ headers }) => headers.range)).toEqual([
      expect.stringMatching(/^bytes=[1-9]\d{6,}-$/),
    ]);
    expect(filesIn(folder, '.part')).toEqual([]);
    expect((await second.status()).media.problems).toEqual([]);
  });
}
