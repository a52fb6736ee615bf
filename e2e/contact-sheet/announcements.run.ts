import { expect } from 'playwright/test';
import { nameOf, startBroker } from '../fleet-operator';
import { launch, service, test } from '../kiosk-test';
import { ANNOUNCEMENTS } from '../native-gallery/announcements';
import { kioskSettings, serveTwoCreatives } from '../two-creatives';
import { takePicture } from './take-picture';

test('announcements on the display of a playing kiosk', async () => {
  test.setTimeout(5 * 60_000);
  serveTwoCreatives(service);
  const { operator } = await startBroker();
  const kiosk = await launch({ ...kioskSettings(service, 3_600), fleet: operator.fleet });
  const name = await nameOf(kiosk);
  await expect.poll(() => operator.state(name)?.online, { timeout: 60_000 }).toBe(true);
  for (const [what, announcement] of Object.entries(ANNOUNCEMENTS)) {
    expect(await operator.order(`kiosk:${name}`, { name: 'announce', ...announcement })).toMatchObject({
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
