import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { STAGE_CHANNEL } from '../../shared/channels';
import { dataFolder, startKiosk } from '../kiosk';
import { collectorUrl, heardOf, impressionScript, nativeAd, nativeSettings, serveLoop } from '../native-zone';
import { until } from './kiosk-folder';
import { report } from './report';
import { median, percentile } from './statistics';

const ADS = 8;

test('JavaScript guest from threshold to script start', async () => {
  const folder = dataFolder();
  const service = await startDemoService();
  serveLoop(service);
  const names = Array.from({ length: ADS }, (_, index) => `ad-${index}`);
  service.setNativeAds(
    names.map((name) => {
      const url = JSON.stringify(`${collectorUrl(service, name, 'started')}&at=`);
      return nativeAd(service, name, {
        beacons: [
          impressionScript(`new Image().src = ${url} + (performance.timeOrigin + performance.now())`),
        ],
      });
    }),
  );
  const kiosk = await startKiosk({
    dataDir: folder.path,
    settings: nativeSettings(service, { cardSeconds: 2 }),
  });
  try {
    await kiosk.app.evaluate(({ ipcMain }, channel) => {
      const viewed: number[] = [];
      (globalThis as unknown as { viewed: number[] }).viewed = viewed;
      const seen = new Set<number>();
      ipcMain.on(channel, (_event, { value: message }: { value: { type: string; slot: number } }) => {
        if (message.type !== 'viewed' || seen.has(message.slot)) return;
        seen.add(message.slot);
        viewed.push(Date.now());
      });
    }, STAGE_CHANNEL);
    await until(async () => names.every((name) => heardOf(service, name).includes('started')));
    const viewed = await kiosk.app.evaluate(() => (globalThis as unknown as { viewed: number[] }).viewed);
    // Each script started after the latest view before it; slots of the loop are viewed too.
    const samples = service.beacons().flatMap(({ query }) => {
      const at = Number(query.at);
      const threshold = Math.max(...viewed.filter((time) => time <= at));
      return Number.isFinite(at) && Number.isFinite(threshold) ? [at - threshold] : [];
    });
    await report({
      name: 'JavaScript guest, threshold to script start (the first opens the partition)',
      unit: 'ms',
      value: median(samples),
      baseline: null,
      ratio: null,
      budgets: [],
      samples: { guests: samples },
      details: { 'longest ms': percentile(samples, 1) },
    });
  } finally {
    await kiosk.kill();
    await service.close();
    folder.remove();
  }
});
