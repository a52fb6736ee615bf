import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk, speedUpTimers } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { heavyImage } from './solid-image';
import {
  BLUE,
  BRIEF,
  briefAd,
  expectMorePlays,
  expectOnScreen,
  GREEN,
  kioskSettings,
  mediaProblems,
  RED,
  serveTwoCreatives,
} from './two-creatives';

let errorFile: string;
let kiosk: Kiosk;

shareWorld(async () => {
  errorFile = join(folder, 'disk-error');
  serveTwoCreatives(service, BRIEF);
  kiosk = await launch(kioskSettings(service), {
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
    await mediaProblems(kiosk).toMatch(says);
    await Promise.all([expectOnScreen(kiosk, RED, BLUE), expectMorePlays(kiosk, 3)]);
    expect((await kiosk.plays()).filter(({ adId }) => adId === code)).toEqual([]);
    rmSync(errorFile);
    await advanceMonotonicClock(kiosk, 60_000);
    await expect.poll(async () => (await kiosk.plays()).some(({ adId }) => adId === code)).toBe(true);
    await mediaProblems(kiosk).toBe('');
  });
}
