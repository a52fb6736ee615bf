import type { Locator } from 'playwright';
import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { qrPicture } from '../renderer/kiosk/native-card/qr-code';
import { expect } from './expect';
import { type Kiosk, speedUpTimers } from './kiosk';
import { keep, launch, service, test } from './kiosk-test';
import { leaveLink } from './link-visit';
import {
  bannerAssets,
  collectorUrl,
  impressionUrl,
  nativeAd,
  oneAnswerSettings,
  receivedBeacons,
  serveLoop,
  shownCard,
} from './native-zone';
import { openAddresses } from './pages-and-processes';
import { qrRows } from './qr-rows';
import { repeating } from './repeating';
import { fingerOn } from './touch';
import { BRIEF, expectMorePlays } from './two-creatives';

/** A web server of another party, to which links may lead. */
let shop: WatchedServer;

test.beforeEach(async () => {
  shop = keep(
    await watchedServer((request, response) => {
      const path = request.url ?? '';
      const next = { '/hop': '/hop-2', '/hop-2': '/by-script', '/to-app': 'market://details?id=a' }[path];
      if (next) response.writeHead(302, { location: next }).end();
      else if (path.startsWith('/long?'))
        response.writeHead(302, { location: path.replace('long', 'page') }).end();
      else {
        const goOn = 'onload = () => setTimeout(() => location.replace("/final?from=hops"), 300)';
        const target = /^\/frame\?(\w+)/.exec(path)?.[1];
        const script = path === '/by-script' ? `<script>${goOn}</script>` : target ? frame(target) : '';
        const answer = () =>
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(`<!doctype html><body style="margin:0;background:#20c060"><h1>shop</h1>${script}`);
        // Longer than a page has to stay to be the final one, 1.5 s on a kiosk whose timers run half as fast.
        if (path.startsWith('/final')) setTimeout(answer, 3_500);
        else answer();
      }
    }),
  );
  serveLoop(service, BRIEF);
});

const at = (path: string) => `http://127.0.0.1:${shop.port}${path}`;
const visited = (path: string) => shop.requests.filter(({ url }) => url === path).length;
const clicks = (ad: string) => receivedBeacons(service, ad).filter((what) => what.startsWith('click'));
const nativeRequests = () => service.requests().filter(({ group }) => group === 'native').length;

/** An ad that leads to `link`, with two click beacons of which one is listed twice. */
const clickable = (id: string, link: string | null, more: object = {}) => {
  const click = (what: string) => ({ type: 'click', data: { url: collectorUrl(service, id, what) } });
  return nativeAd(service, id, {
    link: link ?? undefined,
    beacons: [
      impressionUrl(collectorUrl(service, id, 'seen')),
      click('click-1'),
      click('click-1'),
      click('click-2'),
    ],
    ...more,
  });
};
const ALL_CLICKS = ['click-1', 'click-1', 'click-2'];
/** Waits until exactly these click beacons have arrived. */
const expectClicks = (ad: string) => expect.poll(() => clicks(ad).sort()).toEqual(ALL_CLICKS);

/** Assets of a banner with this markup. */
const banner = (html: string) => ({ assets: bannerAssets('banner', html) });
/** A link that fills a banner. */
const link = (target: string) =>
  `<a ${target} href="${at('/from-banner')}" style="position:fixed;inset:0;background:#20c0c0"></a>`;
/** A document that tries to leave by itself a moment after its load, and is a link. */
const frame = (target: string) => `${link(`target="${target}"`)}<script>setTimeout(() => {
  for (const type of ['pointerdown', 'pointerup', 'click']) dispatchEvent(new PointerEvent(type, { isPrimary: true }));
  open('${at('/script')}', '${target}');
}, 300)</script>`;

async function start(args: readonly string[] = []): Promise<Kiosk> {
  return launch(
    oneAnswerSettings(service, {
      // Long enough for a tap after the confirmation; the tap ends the card.
      cardSeconds: 8,
      native: { everySlots: 2 },
      allow: [`127.0.0.1:${shop.port}`],
    }),
    { args },
  );
}

/** The middle of an element on the screen, to tap it as a person does, without waiting until it is still. */
async function middleOf(thing: Locator): Promise<{ x: number; y: number }> {
  const box = await thing.boundingBox();
  if (box === null) throw new Error('it is not on the screen');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function tap(running: Kiosk, thing: Locator): Promise<void> {
  const { x, y } = await middleOf(thing);
  await running.screen.mouse.click(x, y);
}

/** Waits until this ad's card is on the screen and its view is confirmed. */
async function seen(running: Kiosk, ad: string): Promise<Locator> {
  await expect.poll(() => receivedBeacons(service, ad), { intervals: [50] }).toContain('seen');
  const card = shownCard(running, ad);
  await expect(card).toBeVisible();
  return card;
}

/** Pages besides the kiosk's own. */
const openPages = async (running: Kiosk) =>
  (await openAddresses(running)).filter((url) => /^https?:/.test(url));

async function goBack(running: Kiosk): Promise<void> {
  await leaveLink(running);
  await expect.poll(() => openPages(running)).toEqual([]);
}

test('a script is no click; a tap or double tap is one click, opens its link, and holds the loop until the shopper returns', async () => {
  service.setNativeAds([clickable('web', at('/page'))]);
  const running = await start();
  const card = await seen(running, 'web');
  const action = card.locator('.native-action');
  await action.evaluate((button: HTMLElement) => {
    button.click();
    for (const type of ['pointerdown', 'pointerup', 'click'])
      button.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX: 1, clientY: 1 }));
  });
  await expect.poll(() => running.log()).toContain('a click without a tap was not counted');
  expect(clicks('web')).toEqual([]);
  expect(visited('/page')).toBe(0);
  const requested = nativeRequests();

  const point = await middleOf(action);
  await running.screen.mouse.dblclick(point.x, point.y);
  await expectClicks('web');
  await expect.poll(() => openPages(running)).toEqual([at('/page')]);
  await expect.poll(async () => (await running.colour()).map((value) => value >> 4)).toEqual([2, 12, 6]);
  // A click makes the kiosk request new ads.
  await expect.poll(nativeRequests).toBe(requested + 1);
  await expect
    .poll(async () => (await running.plays()).at(-1))
    .toMatchObject({ delivery: 'native', outcome: 'interrupted' });
  const held = await running.plays();

  // A second tap lands on the page, and does not count.
  await running.screen.mouse.click(640, 300);
  expect((await running.plays()).length).toBe(held.length);
  // A double tap on the way back: the second one hits whatever is there by then.
  const back = await middleOf(running.screen.locator('.back-button'));
  const goesBack = repeating(
    () => running.screen.mouse.dblclick(back.x, back.y),
    () => openPages(running),
  );
  // So soon after the ad's tap the first one may not count.
  await expect.poll(goesBack).toEqual([]);
  await expectMorePlays(running, 2);
  expect(clicks('web').sort()).toEqual(ALL_CLICKS);
  expect(visited('/page')).toBe(1);
});

test('a touch is one click, also on a banner', async () => {
  service.setNativeAds([
    clickable('web', at('/page')),
    clickable('banner', at('/page?banner'), banner(link(''))),
    // Leaves before it has handled the touch, which opens nothing, and then by the touch, from a frame of its own site.
    clickable(
      'twice',
      null,
      banner(`<body style="background:#20c0c0"><iframe srcdoc='${link('target="_top"')}' hidden></iframe><script>
        addEventListener('touchstart', () => {
          for (const end = performance.now() + 200; performance.now() < end; );
          location.assign('endcap://kiosk/');
        });
        addEventListener('click', () => setTimeout(() => frames[0].document.querySelector('a').click(), 600));
      </script>`),
    ),
  ]);
  const running = await start(['--touch-events=enabled']);
  const finger = await fingerOn(running.screen);
  const touch = async (thing: Locator) => {
    const { x, y } = await middleOf(thing);
    await finger.tapAt(x, y);
  };
  await touch((await seen(running, 'web')).locator('.native-action'));
  await expectClicks('web');
  await expect.poll(() => openPages(running)).toEqual([at('/page')]);
  await goBack(running);
  await expect.poll(() => receivedBeacons(service, 'banner'), { intervals: [50] }).toContain('seen');
  await touch(running.screen.locator('.layer[data-place="front"] webview'));
  await expectClicks('banner');
  await expect.poll(() => openPages(running)).toEqual([at('/page?banner')]);
  await goBack(running);
  await expect.poll(() => receivedBeacons(service, 'twice'), { intervals: [50] }).toContain('seen');
  await touch(running.screen.locator('.layer[data-place="front"] webview'));
  await expect.poll(running.log).toMatch(/a page tried to navigate a frame; it was blocked .*\/from-banner/);
  await expectMorePlays(running, 2);
  for (const ad of ['web', 'banner', 'twice']) expect(clicks(ad).sort()).toEqual(ALL_CLICKS);
});

test('an app link continues on a phone with a QR code of its final address; other schemes use their fallback or a code', async () => {
  const scheme = 'market://details?id=com.example';
  const cpa = { meta: [{ type: 'revenuemodel', data: { text: 'cpa' } }] };
  const query = 'x'.repeat(300);
  service.setNativeAds([
    clickable('app', at('/hop'), cpa),
    clickable('store', at('/to-app'), cpa),
    clickable('long', at(`/long?${query}`), cpa),
    clickable('fallback', `${scheme}&fallback=${encodeURIComponent(at('/page'))}`),
    clickable('scheme', scheme),
    clickable('about', at('/page?never'), {
      meta: [{ type: 'contentinfo', data: { link: at('/about'), text: 'Why this ad?' } }],
    }),
  ]);
  const running = await start();
  const codeOf = (text: string) => qrPicture(qrRows(text)).path;
  const code = running.screen.locator('.qr-code path');

  const app = await seen(running, 'app');
  // A page whose script goes on only after 1.5 s, because the machine stands still, would be the final one.
  await speedUpTimers(running, 1 / 2, { limits: false });
  await tap(running, app.locator('.native-action'));
  await expect(code).toHaveAttribute('d', codeOf(at('/final?from=hops')));
  await speedUpTimers(running, 2, { limits: false });
  await expect.poll(() => openPages(running)).toEqual([]);
  await expectClicks('app');
  await goBack(running);

  await tap(running, (await seen(running, 'store')).locator('.native-action'));
  await expect(code).toHaveAttribute('d', codeOf(at('/to-app')));
  await goBack(running);

  await tap(running, (await seen(running, 'long')).locator('.native-action'));
  await expect.poll(() => openPages(running)).toEqual([at(`/page?${query}`)]);
  await expect(running.screen.locator('.link-frame')).toHaveAttribute('data-state', 'open');
  // A second request would be a second click to the server that redirects.
  expect(visited(`/long?${query}`)).toBe(1);
  await goBack(running);

  await tap(running, (await seen(running, 'fallback')).locator('.native-action'));
  await expect.poll(() => openPages(running)).toEqual([at('/page')]);
  await goBack(running);

  await tap(running, (await seen(running, 'scheme')).locator('.native-action'));
  await expect(code).toHaveAttribute('d', codeOf(scheme));
  await goBack(running);

  // A tap on the ad's information is not a click.
  await tap(running, (await seen(running, 'about')).locator('.native-info'));
  await expect.poll(() => openPages(running)).toEqual([at('/about')]);
  expect(clicks('about')).toEqual([]);
  await goBack(running);
  for (const ad of ['store', 'long', 'fallback', 'scheme']) await expectClicks(ad);
});

test('a banner cannot leave its page; the attempt counts as a click only after a tap on it', async () => {
  service.setNativeAds([
    clickable('same', at('/page'), banner(link(''))),
    clickable('new', null, banner(link('target="_blank"'))),
    // The last, because without a tap it stays for its whole time.
    clickable(
      'by-itself',
      at('/page'),
      banner(
        `<body style="background:#20c0c0"><script>setTimeout(() => location.assign(${JSON.stringify(at('/script'))}), 700)</script>`,
      ),
    ),
  ]);
  const running = await start();
  const guest = running.screen.locator('.layer[data-place="front"] webview');

  await expect.poll(() => receivedBeacons(service, 'same'), { intervals: [50] }).toContain('seen');
  await tap(running, guest);
  await expect.poll(() => openPages(running)).toEqual([at('/page')]);
  await goBack(running);

  // An ad without a link leads to where its banner navigates.
  await expect.poll(() => receivedBeacons(service, 'new'), { intervals: [50] }).toContain('seen');
  await tap(running, guest);
  await expect.poll(() => openPages(running)).toEqual([at('/from-banner')]);
  await goBack(running);

  for (const ad of ['same', 'new']) await expectClicks(ad);

  await expect.poll(() => receivedBeacons(service, 'by-itself'), { intervals: [50] }).toContain('seen');
  await expect.poll(running.log).toMatch(/a page tried to navigate a frame; it was blocked .*\/script/);
  // The id ends with the ad's place in the answer.
  await expect.poll(running.log).toMatch(/a click without a tap was not counted .*\/2"/);
  expect(clicks('by-itself')).toEqual([]);
  expect(visited('/script')).toBe(0);
});

for (const by of ['mouse', 'finger'] as const) {
  test(`a click by ${by} counts in a banner's frame of another site, and in a banner that leaves before it is complete`, async () => {
    const inFrame = (target: string) =>
      banner(
        `<iframe src="${at(`/frame?${target}`)}" style="border:0;position:fixed;inset:0;width:100%;height:100%">`,
      );
    const ends = { mouse: 'mouseup', finger: 'touchend' }[by];
    service.setNativeAds([
      clickable('blank', null, inFrame('_blank')),
      clickable('top', null, inFrame('_top')),
      clickable(
        'early',
        null,
        banner(`<body style="background:#20c0c0"><script>addEventListener('${ends}', (event) => {
          event.preventDefault();
          open('${at('/from-banner')}');
        }, { passive: false })</script>`),
      ),
    ]);
    const running = await start(['--touch-events=enabled']);
    const finger = await fingerOn(running.screen);
    for (const ad of ['blank', 'top', 'early']) {
      await expect.poll(() => receivedBeacons(service, ad), { intervals: [50] }).toContain('seen');
      expect(clicks(ad)).toEqual([]);
      const { x, y } = await middleOf(running.screen.locator('.layer[data-place="front"] webview'));
      if (by === 'finger') await finger.tapAt(x, y);
      else await running.screen.mouse.click(x, y);
      await expect.poll(() => openPages(running)).toEqual([at('/from-banner')]);
      await goBack(running);
      await expectClicks(ad);
    }
    // Of the frame that opened a window by itself.
    expect(running.log()).toMatch(/a click without a tap was not counted .*\/0"/);
  });
}
