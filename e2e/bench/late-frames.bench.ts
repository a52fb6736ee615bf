import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { dataFolder, type Kiosk, startKiosk } from '../kiosk';
import { impressionScript, nativeAd, nativeSettings, receivedBeacons, serveLoop } from '../native-zone';
import { until } from '../until';
import { frameGaps, late } from './frame-gaps';
import { report } from './report';

/** Shorter than the deadline of a guest, so that both loop during the whole measurement. */
const WATCH_MS = 8_000;

test('frames late while two guests loop', async () => {
  const folder = dataFolder();
  const service = await startDemoService();
  serveLoop(service);
  const loop = impressionScript('for (;;);');
  service.setNativeAds([
    nativeAd(service, 'calm'),
    nativeAd(service, 'loops', { beacons: [...(nativeAd(service, 'loops').beacons ?? []), loop, loop] }),
  ]);
  const kiosk = await startKiosk({
    dataDir: folder.path,
    settings: nativeSettings(service, { cardSeconds: 12 }),
  });
  try {
    await until(async () => receivedBeacons(service, 'calm').includes('seen'));
    const calm = await frameGaps(kiosk, WATCH_MS);
    await until(async () => receivedBeacons(service, 'loops').includes('seen'));
    await until(async () => (await guestsOpen(kiosk)) === 2);
    const looping = await frameGaps(kiosk, WATCH_MS);
    await report({
      name: 'frames late on the stage while two guests loop (without guests)',
      unit: 'frames',
      value: late(looping),
      baseline: late(calm),
      ratio: null,
      budgets: [{ of: 'value', most: 0 }],
      samples: { looping, calm },
      details: { 'longest ms': Math.max(...looping), 'longest without ms': Math.max(...calm) },
    });
  } finally {
    await kiosk.kill();
    await service.close();
    folder.remove();
  }
});

const guestsOpen = (kiosk: Kiosk) =>
  kiosk.app.evaluate(
    ({ webContents }) =>
      webContents.getAllWebContents().filter((contents) => contents.getType() === 'webview').length,
  );
