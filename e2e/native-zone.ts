import type { DemoService } from '../main/demo-service/demo-service';
import type { Play } from '../shared/play';
import type { Kiosk } from './kiosk';
import { imageAd, RED, serveColours } from './two-creatives';

/** Serves a loop of one red image, one second long by default; native ads come in between. */
export function serveLoop(service: DemoService, seconds?: number): void {
  serveColours(service, { red: RED });
  service.setAds([imageAd('red', seconds)]);
}

type Origin = Pick<DemoService, 'origin'>;

/** URL of a beacon at the service's own collector. */
export const collectorUrl = (service: Origin, ad: string, what: string) =>
  `${service.origin}/collect/${what}?ad=${ad}`;

export const impressionUrl = (url: string) => ({ type: 'impression', data: { url } });
export const impressionScript = (js: string) => ({ type: 'impression', data: { js } });

/** A native ad with a title and one impression beacon by default; none of it has to be downloaded. */
export const nativeAd = (service: Origin, id: string, more: object = {}) => ({
  link: `${service.origin}/landing/kiosko`,
  assetgroupid: 1,
  assets: [
    { type: 'title', data: { text: id } },
    { type: 'cta', data: { text: 'Look' } },
  ],
  meta: [],
  beacons: [
    impressionUrl(collectorUrl(service, id, 'seen')),
    { type: 'click', data: { url: collectorUrl(service, id, 'click') } },
  ],
  ...more,
});

/** Assets of a card that shows this markup instead of a picture; CSS px, 0: the size of its content. */
export const bannerAssets = (title: string, html: string, size = { w: 600, h: 400 }) => [
  { type: 'title', data: { text: title } },
  { type: 'htmlbanner', data: { html, ...size } },
];

/** A native ad with a banner of this markup. */
export const bannerAd = (service: DemoService, id: string, html: string, size?: { w: number; h: number }) =>
  nativeAd(service, id, { assets: bannerAssets(id, html, size) });

/** Settings for this service: every other slot is native when a native ad is available. */
export function nativeSettings(
  service: DemoService,
  {
    cardSeconds = 2,
    native = {},
    allow = [],
  }: { cardSeconds?: number; native?: object; allow?: readonly string[] } = {},
) {
  const settings = service.settings();
  return {
    ...settings,
    native: { ...settings.native, everySlots: 1, adcount: 20, ...native },
    playback: { ...settings.playback, imageSeconds: cardSeconds },
    network: { allowPrivateHosts: [...settings.network.allowPrivateHosts, ...allow] },
    signals: { port: 0 },
  };
}

/**
 * The same, for tests that count what each ad did. While few ads are held, a new answer comes after a minute by
 * default, and with it the same ads again: on a slow machine that is in the middle of the test.
 */
export const oneAnswerSettings = (
  service: DemoService,
  { native = {}, ...more }: Parameters<typeof nativeSettings>[1] = {},
) => nativeSettings(service, { ...more, native: { refreshSeconds: 180, ...native } });

/** Names of the beacons that the collector received from an ad, in order of arrival. */
export const receivedBeacons = (service: DemoService, ad: string) =>
  service
    .beacons()
    .filter(({ query }) => query.ad === ad)
    .map(({ path }) => path.replace('/collect/', ''));

export async function nativePlays(kiosk: Kiosk): Promise<Play[]> {
  return (await kiosk.plays()).filter(({ delivery }) => delivery === 'native');
}

/** The native card in the front layer, not one that is being prepared. */
export const shownCard = (kiosk: Kiosk, title: string) =>
  kiosk.screen.locator('.layer[data-place="front"] .native-card', { hasText: title });

/** Keeps the kiosk page busy for a second from each guest that it adds, as a busy machine may. */
export const keepPageBusyAfterGuests = ({ screen }: Kiosk) =>
  screen.evaluate(() => {
    const hasGuest = (node: Node) =>
      node instanceof Element && (node.matches('webview') || node.querySelector('webview') !== null);
    new MutationObserver((changes) => {
      if (!changes.some(({ addedNodes }) => [...addedNodes].some(hasGuest))) return;
      const end = performance.now() + 1_000;
      while (performance.now() < end);
    }).observe(document, { childList: true, subtree: true });
  });
