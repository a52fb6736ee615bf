import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'playwright/test';
import { type DemoService, startDemoService } from '../main/demo-service/demo-service';
import { dataFolder, type Kiosk, startKiosk } from './kiosk';
import { solidImage } from './solid-image';

const ORANGE = [230, 120, 20] as const;
const VIOLET = [120, 40, 200] as const;

let service: DemoService;
let folder: ReturnType<typeof dataFolder>;
let kiosk: Kiosk | null = null;

test.beforeEach(async () => {
  folder = dataFolder();
  service = await startDemoService();
});
test.afterEach(async () => {
  await kiosk?.end();
  kiosk = null;
  await service.close();
  folder.remove();
});

const shows = async (running: Kiosk, expected: readonly number[]) =>
  (await running.colour()).every((value, index) => Math.abs(value - (expected[index] ?? 0)) < 25);

test('with no ad to play the store’s own pictures are shown, and the folder may change at any time (rule 12)', async () => {
  service.setAds([]);
  const house = join(folder.path, 'house');
  mkdirSync(house);
  writeFileSync(join(house, 'a.png'), solidImage(ORANGE));
  const settings = service.settings();
  kiosk = await startKiosk({
    dataDir: folder.path,
    settings: {
      ...settings,
      native: { enabled: false },
      signals: { port: 0 },
      ads: { ...settings.ads, refreshSeconds: 1 },
      playback: { ...settings.playback, imageSeconds: 1, houseDir: house },
    },
  });
  const running = kiosk;
  await expect.poll(() => shows(running, ORANGE)).toBe(true);
  const status = await running.status();
  expect([status.state, status.now?.kind]).toEqual(['no-content', 'house']);

  // A picture that is still being copied is not shown; once it is whole it takes its turn.
  writeFileSync(join(house, 'b.part'), solidImage(VIOLET));
  renameSync(join(house, 'b.part'), join(house, 'b.png'));
  rmSync(join(house, 'a.png'));
  await expect.poll(() => shows(running, VIOLET), { timeout: 40_000 }).toBe(true);

  // An ad that may play comes before the house.
  service.setMedia('red.png', solidImage([200, 30, 40]), 'image/png');
  service.setAds([
    {
      id: 'red',
      durationSeconds: 1,
      media: [{ name: 'red.png', type: 'image/png', width: 1280, height: 720 }],
    },
  ]);
  await expect.poll(() => shows(running, [200, 30, 40]), { timeout: 90_000 }).toBe(true);
});
