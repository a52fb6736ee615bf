import { expect } from './expect';
import { launch, service, test } from './kiosk-test';
import { processOf } from './pages-and-processes';
import { expectMorePlays, serveTwoCreatives } from './two-creatives';

// Rule 25: Chromium closes the database after an error of the disk, and deletes one that it finds damaged.

test('a database that is deleted while the kiosk plays is noticed, and the loss is told', async () => {
  serveTwoCreatives(service);
  const kiosk = await launch();
  await expectMorePlays(kiosk, 3);
  const before = await kiosk.status();
  const window = await processOf(kiosk, 'endcap://records/');
  await kiosk.app.evaluate(({ session }) =>
    session.defaultSession.clearStorageData({ origin: 'endcap://records', storages: ['indexdb'] }),
  );
  await expect.poll(() => kiosk.log()).toContain('the records window came back without all of its plays');
  expect(await processOf(kiosk, 'endcap://records/')).not.toBe(window);
  await expect.poll(async () => (await kiosk.status()).books.lost.plays).toBeGreaterThanOrEqual(3);
  expect((await kiosk.status()).books.environment).toBe(before.books.environment);
  await expectMorePlays(kiosk, 2);
});
