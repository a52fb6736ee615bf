import { launch, service, test } from '../kiosk-test';
import { impressionScript, nativeAd, nativeSettings, receivedBeacons, serveLoop } from '../native-zone';
import { guestCount } from '../pages-and-processes';
import { until } from '../until';
import { frameGaps, reportLateFrames } from './frame-gaps';

/** Shorter than the deadline of a guest, so that both loop during the whole measurement. */
const WATCH_MS = 8_000;

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
