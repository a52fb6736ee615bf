import { expect } from 'playwright/test';
import { startMosquitto } from '../../main/fleet/link/testing/mosquitto';
import { test } from '../kiosk-test';
import { nameOf, operateAt } from '../link-operator';
import { ANNOUNCEMENTS } from '../native-gallery/announcements';
import { kioskSettings, serveTwoCreatives } from '../two-creatives';
import { takePicture } from './take-picture';

test('announcements on the display of a playing kiosk', async ({ service, start, keep }) => {
  test.setTimeout(5 * 60_000);
  serveTwoCreatives(service);
  const broker = keep(await startMosquitto());
  const operator = keep(await operateAt(broker.port));
  const fleet = {
    brokers: [`mqtt://127.0.0.1:${broker.port}`],
    commandKeys: [operator.signer.publicKey],
  };
  const kiosk = await start({ ...kioskSettings(service, 3_600), fleet });
  const name = await nameOf(kiosk);
  await expect.poll(() => operator.state(name)?.online, { timeout: 60_000 }).toBe(true);
  for (const [what, announcement] of Object.entries(ANNOUNCEMENTS)) {
    expect(await operator.order(name, { name: 'announce', ...announcement })).toMatchObject({
      state: 'done',
    });
    await expect(kiosk.screen.getByRole('alert')).toHaveText(announcement.text);
    await kiosk.screen.evaluate(async () => {
      await document.fonts.ready;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)));
    });
    takePicture(what);
  }
});
