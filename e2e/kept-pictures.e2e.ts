import { readFileSync } from 'node:fs';
import { expect } from './expect';
import { type Kiosk, shortenCards } from './kiosk';
import { test } from './kiosk-test';
import { expectLoopGoesOn, heardOf, nativeAd, nativeSettings } from './native-zone';
import { serveTwoCreatives } from './two-creatives';

/** Shared memory that the kiosk window holds, MB: there lies what it decoded of pictures. */
async function decodedMb(kiosk: Kiosk): Promise<number> {
  const pid = await kiosk.app.evaluate(({ webContents }) =>
    webContents
      .getAllWebContents()
      .find((contents) => contents.getURL().startsWith('endcap://kiosk'))
      ?.getOSProcessId(),
  );
  const areas = readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  const shared = areas.filter((area) => area.includes('/org.chromium.') || area.includes('.org.chromium.'));
  return shared.reduce((sum, area) => sum + Number(/^Pss: +(\d+)/m.exec(area)?.[1] ?? 0), 0) / 1024;
}

test('once what a guest left is cleared, a picture is not decoded anew at each of its showings', async ({
  service,
  start,
}) => {
  test.setTimeout(120_000);
  // Two: while the same one follows itself, one of the layers holds it.
  serveTwoCreatives(service, 0.25);
  const html = '<body style="background:rgb(130,40,170)"><h1>sale</h1></body>';
  service.setNativeAds([
    nativeAd(service, 'sale', {
      assets: [
        { type: 'title', data: { text: 'sale' } },
        { type: 'htmlbanner', data: { w: 600, h: 400, html } },
      ],
    }),
  ]);
  const kiosk = await start(nativeSettings(service));
  await shortenCards(kiosk);
  await expect.poll(() => heardOf(service, 'sale'), { timeout: 40_000 }).toContain('seen');
  // Shown once is shown for ever: the loop alone goes on, and the guest's partition is cleared.
  service.setNativeAds([]);
  await expectLoopGoesOn(kiosk, 5);
  const before = await decodedMb(kiosk);
  await expectLoopGoesOn(kiosk, 15);
  // A showing that leaves one behind adds 4 MB.
  expect((await decodedMb(kiosk)) - before).toBeLessThan(20);
});
