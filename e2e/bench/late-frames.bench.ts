import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { dataFolder, type Kiosk, startKiosk } from '../kiosk';
import { heardOf, impressionScript, nativeAd, nativeSettings, serveLoop } from '../native-zone';
import { until } from './kiosk-folder';
import { report } from './report';

/** Shorter than the deadline of a guest, so that both loop all the while. */
const WATCH_MS = 8_000;
/** More than two frames at 60 frames/s: somebody may see it. */
const LATE_MS = 34;

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
    await until(async () => heardOf(service, 'calm').includes('seen'));
    const calm = await frameGaps(kiosk);
    await until(async () => heardOf(service, 'loops').includes('seen'));
    await until(async () => (await guestsOpen(kiosk)) === 2);
    const looping = await frameGaps(kiosk);
    const late = (gaps: readonly number[]) => gaps.filter((gap) => gap > LATE_MS).length;
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

/** ms between the frames of the kiosk's page. */
const frameGaps = (kiosk: Kiosk) =>
  kiosk.screen.evaluate(
    (forMs) =>
      new Promise<number[]>((done) => {
        const gaps: number[] = [];
        let first = 0;
        let last = 0;
        const tick = (now: number) => {
          if (last > 0) gaps.push(now - last);
          first ||= now;
          last = now;
          if (now - first < forMs) requestAnimationFrame(tick);
          else done(gaps);
        };
        requestAnimationFrame(tick);
      }),
    WATCH_MS,
  );
