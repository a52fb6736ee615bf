import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { bannerAd, nativeSettings } from './native-zone';
import { signalsCaller } from './signals-caller';
import { imageAd, pageAd, RED, serveColours } from './two-creatives';

// Script errors and policy violations of banners and pages are recorded with their play.

const THROWS = (words: string) => `<script>
  setTimeout(() => { throw new Error('${words}') });
  setTimeout(() => { throw new Error('${words}') }, 20);
</script>`;
const GROUND = 'background:#20c060;width:300px;height:250px';

/** The last settled play of an ad, as returned by `GET /v1/plays`. */
const toldOf = async (ad: string) =>
  (await signalsCaller(folder).plays()).findLast((play) => play.adId === ad && play.outcome === 'completed');

let kiosk: Kiosk;

shareWorld(async () => {
  serveColours(service, { red: RED });
  const page = `<!doctype html><html><head><style>html{background:#20c060}</style></head><body>
    <img src="${service.origin}/collect/escaped">${THROWS('the page broke')}</body></html>`;
  service.setMedia('green.html', Buffer.from(page), 'text/html');
  service.setAds([imageAd('red'), pageAd('green')]);
  const banner = `<div style="${GROUND}"></div><object data="/nothing"></object>${THROWS('the banner broke')}`;
  service.setNativeAds([bannerAd(service, 'broken', banner, { w: 300, h: 250 })]);
  kiosk = await launch(nativeSettings(service));
});

test('errors of a page creative are logged and reported with its play', async () => {
  await expect.poll(async () => (await toldOf('green'))?.guestErrors).toBeTruthy();
  const errors = String((await toldOf('green'))?.guestErrors).split('; ');
  expect(errors.filter((error) => error.includes('the page broke'))).toHaveLength(1);
  expect(errors.filter((error) => /img-src/.test(error))).toHaveLength(1);
  expect(kiosk.log()).toMatch(/a script of a page failed.*the page broke/);
  // A picture has no scripts.
  await expect.poll(async () => (await toldOf('red'))?.guestErrors).toBeNull();
});

test('errors of a banner are logged and reported with its play', async () => {
  const ofBanner = async () =>
    (await kiosk.plays()).find((play) => play.delivery === 'native' && play.guestErrors !== undefined);
  await expect.poll(ofBanner).toBeTruthy();
  const errors = (await ofBanner())?.guestErrors ?? [];
  expect(errors.filter((error) => error.includes('the banner broke'))).toHaveLength(1);
  expect(errors.filter((error) => error.includes('object-src'))).toHaveLength(1);
  expect(kiosk.log()).toMatch(/a script of a banner failed.*the banner broke/);
});
