import { launch, service, test } from '../kiosk-test';
import { impressionScript, nativeAd, nativeSettings, receivedBeacons, serveLoop } from '../native-zone';
import { guestCount } from '../pages-and-processes';
import { imageAd, serveTwoCreatives } from '../two-creatives';
import { until } from '../until';
import { adsThatNeverPlay } from './ads-that-never-play';
import { frameGaps, reportLateFrames } from './frame-gaps';

/** Shorter than the deadline of a guest, so that both loop during the whole measurement. */
const WATCH_MS = 8_000;
/** With the two that play, as many as one answer may hold. */
const MORE_ADS = 9_998;

test('frames late while two guests loop', async () => {
  serveLoop(service);
  const loop = impressionScript('for (;;);');
  service.setNativeAds([
    nativeAd(service, 'calm'),
    nativeAd(service, 'loops', { beacons: [...(nativeAd(service, 'loops').beacons ?? []), loop, loop] }),
  ]);
  const kiosk = await launch(nativeSettings(service, { cardSeconds: 12 }));
  await until(async () => receivedBeacons(service, 'calm').includes('seen'));
  const calm = await frameGaps(kiosk, WATCH_MS);
  await until(async () => receivedBeacons(service, 'loops').includes('seen'));
  await until(async () => (await guestCount(kiosk)) === 2);
  const looping = await frameGaps(kiosk, WATCH_MS);
  await reportLateFrames('while two guests loop (without guests)', looping, calm);
});

test('frames late while 10,000 ads are read', async () => {
  serveTwoCreatives(service, 2);
  const loop = [imageAd('red', 2), imageAd('blue', 2)];
  const kiosk = await launch();
  await until(async () => (await kiosk.status()).media.files === loop.length);
  const calm = await frameGaps(kiosk, WATCH_MS);
  const reading = frameGaps(kiosk, WATCH_MS);
  service.setAds([...loop, ...adsThatNeverPlay(MORE_ADS, ['red.png'])]);
  const read = await reading;
  await until(async () => (await kiosk.status()).playlist?.ads === MORE_ADS + loop.length);
  await reportLateFrames('while 10,000 ads are read and stored (while it only plays)', read, calm);
});
