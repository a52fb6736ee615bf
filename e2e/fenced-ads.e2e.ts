import { test } from 'playwright/test';
import { type DemoService, startDemoService } from '../main/demo-service/demo-service';
import { type WatchedServer, watchedServer } from '../main/service/fence/testing/watched-servers';
import { expect } from './expect';
import { dataFolder, type Kiosk, startKiosk } from './kiosk';
import { solidImage } from './solid-image';
import { imageAd, kioskSettings, RED } from './two-creatives';

let service: DemoService;
/** On this machine, and named by ads only: must never be reached. */
let forbidden: WatchedServer;
let folder: ReturnType<typeof dataFolder>;
let kiosk: Kiosk | null = null;

test.beforeEach(async () => {
  folder = dataFolder();
  service = await startDemoService();
  forbidden = await watchedServer();
});

test.afterEach(async () => {
  await kiosk?.kill();
  kiosk = null;
  await service.close();
  await forbidden[Symbol.asyncDispose]();
  folder.remove();
});

test("an ad's beacons, wrappers and media do not reach what is not the public internet; the rest of it plays", async () => {
  const inside = (path: string) => `http://localhost:${forbidden.port}/${path}`;
  service.setMedia('red.png', solidImage(RED), 'image/png');
  service.setAds([
    {
      ...imageAd('red'),
      impressions: [inside('impression'), `http://127.0.0.1:${forbidden.port}/impression`],
      tracking: [
        { event: 'start', url: `http://[::1]:${forbidden.port}/start` },
        { event: 'complete', url: inside('complete') },
      ],
    },
    { id: 'wrapped', wrapper: inside('vast.xml') },
    { ...imageAd('elsewhere'), media: [{ url: inside('creative.png'), type: 'image/png' }] },
  ]);
  const running = await startKiosk({ dataDir: folder.path, settings: kioskSettings(service) });
  kiosk = running;

  await expect
    .poll(async () => (await running.plays()).filter(({ outcome }) => outcome === 'completed').length)
    .toBeGreaterThan(1);
  await expect.poll(async () => (await running.status()).beacons.failed).toBeGreaterThanOrEqual(4);
  const { playlist, media } = await running.status();
  expect(playlist?.rejected).toMatchObject([{ id: 'wrapped', code: 'wrapper-unresolved' }]);
  expect(media.problems.join()).toContain('allowPrivateHosts');
  expect((await running.plays()).every(({ adId }) => adId === 'red')).toBe(true);
  expect(forbidden.connections()).toBe(0);
});
