import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../main/demo-service/demo-service';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk, removeFolder, speedUpTimers } from './kiosk';
import { test } from './kiosk-test';
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

const requiredScript = join(__dirname, 'dying-disk.cjs');
const problems = (kiosk: Kiosk) => expect.poll(async () => (await kiosk.status()).media.problems.join('\n'));

const briefAd = (id: string) => imageAd(id, BRIEF);

/** Adds a picture of about 6 MB to the playlist. */
function serveLarge(service: DemoService): void {
  service.setMedia('green.png', heavyImage(GREEN, 6_000_000), 'image/png');
  service.setAds([briefAd('red'), briefAd('green'), briefAd('blue')]);
}

for (const [name, code, says] of [
  ['full in the middle of a download', 'ENOSPC', /disk-full: /],
  ['read-only', 'EROFS', /disk-read-only: /],
] as const) {
  test(`a disk that is ${name}: stored ads play on, the status reports it, and the other ads follow when it is repaired`, async ({
    service,
    folder,
    start,
  }) => {
    serveTwoCreatives(service, BRIEF);
    const errorFile = join(folder, 'disk-error');
    const kiosk = await start(kioskSettings(service), {
      requiredScript,
      env: { ENDCAP_E2E_DISK: errorFile },
    });
    await expectOnScreen(kiosk, RED, BLUE);
    // After a disk error, the kiosk pauses its writes for a while.
    await speedUpTimers(kiosk, 4, { limits: false });
    writeFileSync(errorFile, code);
    serveLarge(service);
    await problems(kiosk).toMatch(says);
    await Promise.all([expectOnScreen(kiosk, RED, BLUE), expectMorePlays(kiosk, 3)]);
    expect((await kiosk.plays()).filter(({ adId }) => adId === 'green')).toEqual([]);
    rmSync(errorFile);
    await advanceMonotonicClock(kiosk, 60_000);
    await expect.poll(async () => (await kiosk.plays()).some(({ adId }) => adId === 'green')).toBe(true);
    await problems(kiosk).toBe('');
  });
}

test('a removed cache folder is created and filled again, and the screen never stays empty', async ({
  service,
  folder,
  start,
}) => {
  serveTwoCreatives(service, BRIEF);
  const kiosk = await start();
  await expectOnScreen(kiosk, RED, BLUE);
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
