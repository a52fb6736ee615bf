import type { DemoService } from '../main/demo-service/demo-service';
import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import { test, type World } from './kiosk-test';
import { imageAd, kioskSettings, RED, serveColours } from './two-creatives';

let service: DemoService;
/** On this machine, and named by ads only: must never be reached. */
let forbidden: WatchedServer;
let launch: World['start'];

test.beforeEach(async ({ world }) => {
  ({ service, start: launch } = world);
  forbidden = world.keep(await watchedServer());
});

test('an ad’s beacons, wrappers and media reach public addresses only; the rest of the ad plays', async () => {
  const inside = (path: string) => `http://localhost:${forbidden.port}/${path}`;
  serveColours(service, { red: RED });
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
  const running = await launch(kioskSettings(service));

  await expect
    .poll(async () => (await running.plays()).filter(({ outcome }) => outcome === 'completed').length)
    .toBeGreaterThan(1);
  await expect.poll(async () => (await running.status()).beacons.failed).toBeGreaterThanOrEqual(4);
  const { playlist } = await running.status();
  expect(playlist?.rejected).toMatchObject([{ id: 'wrapped', code: 'wrapper-unresolved' }]);
  // The look-up of its host may take longer than the plays of the other ad.
  await expect
    .poll(async () => (await running.status()).media.problems.join())
    .toContain('allowPrivateHosts');
  expect((await running.plays()).every(({ adId }) => adId === 'red')).toBe(true);
  expect(forbidden.connections()).toBe(0);
});
