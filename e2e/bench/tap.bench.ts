import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { dataFolder, startKiosk } from '../kiosk';
import { heardOf, nativeAd, nativeSettings, serveLoop, shownCard } from '../native-zone';
import { until } from './kiosk-folder';
import { report } from './report';
import { median, percentile } from './statistics';

const TAPS = 6;

const nameOf = (tap: number) => `ad-${tap}`;

test('tap to link view', async () => {
  const folder = dataFolder();
  const service = await startDemoService();
  serveLoop(service);
  // One at a time: every tap brings a new answer, and what an earlier one left would come in between.
  const serve = (tap: number) => service.setNativeAds([nativeAd(service, nameOf(tap))]);
  serve(0);
  const kiosk = await startKiosk({
    dataDir: folder.path,
    settings: nativeSettings(service, { cardSeconds: 5 }),
  });
  try {
    await kiosk.app.evaluate(({ app, BrowserWindow }) => {
      const samples: number[] = [];
      (globalThis as unknown as { samples: number[] }).samples = samples;
      let tappedAt = 0;
      const window = BrowserWindow.getAllWindows().find((one) =>
        one.webContents.getURL().startsWith('endcap://kiosk'),
      );
      window?.webContents.on('input-event', (_event, { type }) => {
        if (type === 'mouseUp') tappedAt = performance.now();
      });
      // The page is laid over the frame as soon as its document is there.
      app.on('web-contents-created', (_event, contents) => {
        contents.once('dom-ready', () => samples.push(performance.now() - tappedAt));
      });
    });
    for (let tap = 0; tap < TAPS; tap += 1) {
      const name = nameOf(tap);
      await until(async () => heardOf(service, name).includes('seen'));
      serve(tap + 1);
      const box = await shownCard(kiosk, name).locator('.native-action').boundingBox();
      if (box === null) throw new Error(`${name} is not on the screen`);
      const before = await samplesOf(kiosk);
      await kiosk.screen.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await until(async () => (await samplesOf(kiosk)).length > before.length);
      await kiosk.screen.locator('.back-button').click();
    }
    const samples = await samplesOf(kiosk);
    await report({
      name: 'tap to link view visible',
      unit: 'ms',
      value: median(samples),
      baseline: null,
      ratio: null,
      budgets: [],
      samples: { taps: samples },
      details: { 'longest ms': percentile(samples, 1) },
    });
  } finally {
    await kiosk.kill();
    await service.close();
    folder.remove();
  }
});

const samplesOf = (kiosk: Awaited<ReturnType<typeof startKiosk>>) =>
  kiosk.app.evaluate(() => (globalThis as unknown as { samples: number[] }).samples);
