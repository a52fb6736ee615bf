import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../main/demo-service/demo-service';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk, removeFolder, speedUpTimers } from './kiosk';
import { shareWorld, test } from './kiosk-test';
import { heavyImage, solidImage } from './solid-image';
import {
  BLUE,
  BRIEF,
  expectMorePlays,
  expectOnScreen,
  GREEN,
  imageAd,
  kioskSettings,
  RED,
  serveColours,
  serveTwoCreatives,
} from './two-creatives';

const problems = (kiosk: Kiosk) => expect.poll(async () => (await kiosk.status()).media.problems.join('\n'));

const briefAd = (id: string) => imageAd(id, BRIEF);

test.describe('on one kiosk', () => {
  let service: DemoService;
  let folder: string;
  let errorFile: string;
  let kiosk: Kiosk;

  shareWorld(async (world) => {
    ({ service, folder } = world);
    errorFile = join(folder, 'disk-error');
    serveTwoCreatives(service, BRIEF);
    kiosk = await world.start(kioskSettings(service), {
      requiredScript: join(__dirname, 'dying-disk.cjs'),
      env: { ENDCAP_E2E_DISK: errorFile },
    });
    // After a disk error, the kiosk pauses its writes for a while.
    await speedUpTimers(kiosk, 4, { limits: false });
  });

  test.beforeEach(async () => {
    serveTwoCreatives(service, BRIEF);
    await expectOnScreen(kiosk, RED, BLUE);
  });

  for (const [name, code, says] of [
    ['full in the middle of a download', 'ENOSPC', /disk-full: /],
    ['read-only', 'EROFS', /disk-read-only: /],
  ] as const) {
    test(`a disk that is ${name}: stored ads play on, the status reports it, and the other ads follow when it is repaired`, async () => {
      writeFileSync(errorFile, code);
      service.setMedia(`${code}.png`, heavyImage(GREEN, 6_000_000), 'image/png');
      service.setAds([briefAd('red'), briefAd(code), briefAd('blue')]);
      await problems(kiosk).toMatch(says);
      await Promise.all([expectOnScreen(kiosk, RED, BLUE), expectMorePlays(kiosk, 3)]);
      expect((await kiosk.plays()).filter(({ adId }) => adId === code)).toEqual([]);
      rmSync(errorFile);
      await advanceMonotonicClock(kiosk, 60_000);
      await expect.poll(async () => (await kiosk.plays()).some(({ adId }) => adId === code)).toBe(true);
      await problems(kiosk).toBe('');
    });
  }

  test('a removed cache folder is created and filled again, and the screen never stays empty', async () => {
    await expect.poll(async () => (await kiosk.playlists())[0]?.ads.length).toBe(2);
    const media = join(folder, 'media');
    removeFolder(media);
    await expect
      .poll(
        () =>
          readdirSync(folder).includes('media') &&
          readdirSync(media).filter((name) => name.endsWith('.bin')).length,
      )
      .toBe(2);
    const dark = await kiosk.colour();
    expect(Math.max(...dark), `never black: ${dark}`).toBeGreaterThan(10);
    await expectOnScreen(kiosk, RED, BLUE);
    await expectMorePlays(kiosk, 2);
  });
});

test('a playlist larger than the quota plays the files that fit, without repeated downloads', async ({
  service,
  start,
}) => {
  serveColours(service, { red: RED, green: GREEN, blue: BLUE });
  service.setAds([briefAd('red'), briefAd('green'), briefAd('blue')]);
  const room = 2.5 * solidImage(RED).length;
  const settings = kioskSettings(service);
  const kiosk = await start({ ...settings, media: { quotaBytes: Math.round(room), minFreeBytes: 0 } });
  await problems(kiosk).toMatch(/cache-too-small: 1 of 3 wanted files/);
  await expectMorePlays(kiosk, 6);
  const fetched = service.requests().filter(({ path }) => /\/media\/(red|green|blue)\.png/.test(path));
  expect(fetched.length).toBeLessThanOrEqual(4);
  const played = new Set((await kiosk.plays()).map(({ adId }) => adId));
  expect(played.size).toBe(2);
});
