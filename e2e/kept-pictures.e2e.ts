import { readFileSync } from 'node:fs';
import { expect } from './expect';
import { type Kiosk, shortenCards } from './kiosk';
import { launch, service, shareWorld, test } from './kiosk-test';
import { bannerAd, nativeSettings, receivedBeacons } from './native-zone';
import { graphicsProcess, processOf } from './pages-and-processes';
import { solidImage } from './solid-image';
import {
  BLUE,
  briefAd,
  type Colour,
  expectMorePlays,
  expectOnScreen,
  imageAd,
  isColour,
  RED,
  serveTwoCreatives,
} from './two-creatives';

/** Shared memory of the kiosk window, MB: it contains the decoded pictures. */
async function decodedMb(kiosk: Kiosk): Promise<number> {
  const pid = await processOf(kiosk, 'endcap://kiosk/');
  const areas = readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  const shared = areas.filter((area) => area.includes('/org.chromium.') || area.includes('.org.chromium.'));
  return shared.reduce((sum, area) => sum + Number(/^Pss: +(\d+)/m.exec(area)?.[1] ?? 0), 0) / 1024;
}

/** Image elements that the page has in memory, in the document or not, after a garbage collection. */
async function imageElements({ screen }: Kiosk): Promise<number> {
  const devTools = await screen.context().newCDPSession(screen);
  const expression = 'HTMLImageElement.prototype';
  const { result } = await devTools.send('Runtime.evaluate', { expression });
  const { objects } = await devTools.send('Runtime.queryObjects', {
    prototypeObjectId: result.objectId ?? '',
  });
  const count = await devTools.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: 'function () { return this.length; }',
    returnByValue: true,
  });
  await devTools.detach();
  return count.result.value;
}

let kiosk: Kiosk;

shareWorld(async () => {
  // Two ads: with only one, a layer would hold its picture all the time.
  serveTwoCreatives(service, 0.25);
  const html = '<body style="background:rgb(130,40,170)"><h1>sale</h1></body>';
  service.setNativeAds([bannerAd(service, 'sale', html)]);
  const settings = nativeSettings(service);
  kiosk = await launch({ ...settings, ads: { ...settings.ads, refreshSeconds: 1 } });
  await shortenCards(kiosk);
});

test('a picture is not decoded again at each showing after the memory of a guest is cleared', async () => {
  await expect.poll(() => receivedBeacons(service, 'sale')).toContain('seen');
  // A native ad is shown once, so only the loop goes on now, and the guest's partition is cleared.
  service.setNativeAds([]);
  await expectMorePlays(kiosk, 5);
  const before = await decodedMb(kiosk);
  await expectMorePlays(kiosk, 15);
  // Each showing that leaves a decoded picture behind adds 4 MB.
  await expect.poll(async () => (await decodedMb(kiosk)) - before).toBeLessThan(20);
});

test('pictures leave no image element in memory after their slots', async () => {
  const before = await imageElements(kiosk);
  await expectMorePlays(kiosk, 20);
  await expect.poll(async () => (await imageElements(kiosk)) - before).toBeLessThan(5);
});

test('pictures leave no decoded copies in memory after their slots, however many there are', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `picture-${index}`);
  for (const [index, name] of names.entries())
    service.setMedia(`${name}.png`, solidImage([20 * index, 90, 140], 1920, 1080), 'image/png');
  service.setAds(names.map((name) => imageAd(name, 0.5)));
  const missing = async () => {
    const shown = new Set((await kiosk.plays()).map(({ adId }) => adId));
    return names.filter((name) => !shown.has(name));
  };
  await expect.poll(missing).toEqual([]);
  expect(await decodedMb(kiosk), 'the surfaces of the layers at least').toBeGreaterThan(1);
  // Each decoded picture takes 8 MB.
  await expect.poll(() => decodedMb(kiosk)).toBeLessThan(40);
});

test('a picture is shown again after the graphics process crashed, and so are the following ones', async () => {
  serveTwoCreatives(service, 8);
  const isSeen = async () => {
    const seen = await kiosk.colour();
    return isColour(RED, seen) || isColour(BLUE, seen);
  };
  await expect.poll(isSeen).toBe(true);
  const before = await graphicsProcess(kiosk);
  process.kill(before, 'SIGKILL');
  await expect.poll(async () => [0, before].includes(await graphicsProcess(kiosk))).toBe(false);
  const front = kiosk.screen.locator('.layer[data-place=front] > img');
  await expect.poll(() => front.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1280);
  await expect.poll(isSeen).toBe(true);
  await expectOnScreen(kiosk, RED, BLUE);
});

test('the backdrops of narrow pictures are drawn again after the graphics process hung', async () => {
  for (const [name, colour] of Object.entries({ narrowRed: RED, narrowBlue: BLUE }))
    service.setMedia(`${name}.png`, solidImage(colour, 360, 640), 'image/png');
  service.setAds([briefAd('narrowRed'), briefAd('narrowBlue')]);
  const isBackdrop = (seen: readonly number[]) =>
    [RED, BLUE].some((colour) => isColour(colour.map((part) => part * 0.6) as unknown as Colour, seen));
  const inTheCorner = () => kiosk.colour({ across: 0.02, down: 0.03 });
  await expect.poll(async () => isBackdrop(await inTheCorner())).toBe(true);
  const hung = await graphicsProcess(kiosk);
  process.kill(hung, 'SIGSTOP');
  const seen: string[] = [];
  const look = async () => {
    const corner = await inTheCorner();
    seen.push(isBackdrop(corner) ? 'backdrop' : String(corner));
    return graphicsProcess(kiosk);
  };
  await expect.poll(async () => [0, hung].includes(await look())).toBe(false);
  const plays = async () => {
    await look();
    return (await kiosk.plays()).length;
  };
  const before = await plays();
  // Each of the three layers is in front several times.
  await expect.poll(plays).toBeGreaterThan(before + 12);
  expect(seen).not.toContain('255,255,255');
  expect(seen.slice(-10)).toEqual(Array(10).fill('backdrop'));
});
