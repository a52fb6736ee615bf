import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { keep, launch, service, shareWorld, test } from './kiosk-test';
import { enterLink, leaveLink, press, serveLinkingAd, toldTo } from './link-visit';
import { xdotool } from './xdotool';

// A shopper types into a page of the link view with the keyboard on the screen.

let shop: WatchedServer;
let kiosk: Kiosk;

/** Top of each element of the page, px of the display. */
const PLACES = { name: 40, email: 120, amount: 200, frame: 280 } as const;
const at = (place: keyof typeof PLACES) =>
  `position:fixed;left:40px;top:${PLACES[place]}px;width:400px;height:60px`;

const HEAR = `
  const tell = (what) => fetch(location.origin + '/told?' + encodeURIComponent(what));
  for (const type of ['input', 'keydown', 'blur'])
    addEventListener(type, ({ type, target, isTrusted, key }) => {
      if (target === window) tell(location.pathname + ' lost the focus');
      else if (type === 'blur') tell('blur ' + target.id);
      else tell(type === 'input' ? target.id + ' = ' + target.value : [type, key, isTrusted].join(' '));
    }, true);
`;
const page = (frame: string) => `<!doctype html><title>shop</title><body style="margin:0;background:#fff">
  <form action="/sent"><input id="name" name="name" style="${at('name')}">
  <input id="email" type="email" style="${at('email')}">
  <input id="amount" inputmode="numeric" style="${at('amount')}"><button hidden>Send</button></form>
  <iframe src="${frame}" style="border:0;${at('frame')}"></iframe>
  <p style="position:fixed;left:500px;top:0">Nothing to type.</p>
  <script>${HEAR}
    addEventListener('resize', () => tell('height ' + innerHeight));
    document.querySelector('#name').focus();
    document.querySelector('#amount').addEventListener('keydown', ({ key }) => { if (key === '9') open('/over'); });
    tell('height ' + innerHeight);
  </script>`;
const FRAME = `<!doctype html><body style="margin:0"><input id="inner" style="width:400px;height:60px;box-sizing:border-box"><script>${HEAR}</script>`;
const OVER = `<!doctype html><body><script>${HEAR}
  addEventListener('load', () => tell('over'));</script>`;

shareWorld(async () => {
  shop = keep(
    await watchedServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://shop.invalid');
      const pages: Readonly<Record<string, string>> = { '/frame': FRAME, '/over': OVER };
      const html = pages[pathname] ?? page(`http://localhost:${shop.port}/frame`);
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    }),
  );
  kiosk = await launch({ ...serveLinkingAd(service, shop), ui: { reducedMotion: true } });
});

const told = () => toldTo(shop);
/** Returns a function that returns the reports since this call. */
function fromNow(): () => string[] {
  const before = told().length;
  return () => told().slice(before);
}

async function visit(): Promise<void> {
  const since = fromNow();
  await enterLink(kiosk, () => since().some((what) => what.startsWith('height')));
}

const keyboard = () => kiosk.screen.locator('.link-keyboard');
const key = (label: string) => keyboard().locator(`[aria-label="${label}"]`);
const tapPage = (place: keyof typeof PLACES) => xdotool('mousemove', 100, PLACES[place] + 30, 'click', 1);

/** Taps a field until the keyboard opens: the page is drawn a moment after its first report. */
async function open(place: keyof typeof PLACES): Promise<void> {
  // A tap in a frame of another site is seen only if the one before is five seconds ago (`page-frames.ts`).
  const timeout = place === 'frame' ? 6_000 : 2_000;
  const isOpen = async () => {
    tapPage(place);
    return keyboard()
      .waitFor({ timeout })
      .then(() => true)
      .catch(() => false);
  };
  await expect.poll(isOpen).toBe(true);
}

test('a tap on a field opens the keyboard; its keys are real, and the field keeps its focus', async () => {
  test.slow();
  await visit();
  // The page focused a field itself, which does not open the keyboard.
  await expect(keyboard()).toHaveCount(0);
  const heightsIn = (what: string[]) =>
    what.flatMap((each) => (each.startsWith('height ') ? [Number(each.slice(7))] : []));
  await expect.poll(() => heightsIn(told()).at(-1)).toBeGreaterThan(400);
  const since = fromNow();
  await open('name');
  const heights = () => heightsIn(since());
  await expect.poll(() => heights().at(-1) ?? 720).toBeLessThan(400);
  await press(key('Shift'));
  await expect(key('H')).toBeVisible();
  await press(key('H'));
  await expect.poll(since).toContain('name = H');
  await press(key('i'));
  await expect.poll(since).toContain('name = Hi');
  await press(key('Delete'));
  await expect.poll(() => since().filter((what) => what === 'name = H')).toHaveLength(2);
  // Each report is a separate request, so their order may differ.
  await expect
    .poll(since)
    .toEqual(expect.arrayContaining(['keydown H true', 'keydown i true', 'keydown Backspace true']));
  expect(since().filter((what) => /blur|focus/.test(what))).toEqual([]);
  // Neither the page nor the keyboard covers the way back.
  const [keys, bar] = await Promise.all([
    keyboard().boundingBox(),
    kiosk.screen.locator('.link-bar').boundingBox(),
  ]);
  expect((keys?.y ?? 0) + (keys?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + 1);
  expect(keys?.y).toBeGreaterThanOrEqual(heights().at(-1) ?? Number.POSITIVE_INFINITY);
  await press(key('Enter'));
  await expect.poll(() => shop.requests.some(({ url }) => url === '/sent?name=H')).toBe(true);
  // On a new page, no field was tapped.
  await expect(keyboard()).toHaveCount(0);
  await leaveLink(kiosk);
});

test('reduced motion is requested before the first page is created', async () => {
  // Asks main instead of a page, because Playwright sets the preference for every page.
  const asks = kiosk.app.evaluate(({ app }) => app.commandLine.hasSwitch('force-prefers-reduced-motion'));
  expect(await asks).toBe(true);
});

test('a field chooses the keyboard; it closes without focus or on request', async () => {
  test.slow();
  await visit();
  await open('email');
  await expect(key('@')).toBeVisible();
  await open('amount');
  await expect(key('7')).toBeVisible();
  await expect(key('q')).toHaveCount(0);
  xdotool('mousemove', 600, 30, 'click', 1);
  await expect(keyboard()).toHaveCount(0);
  await open('name');
  await press(key('Hide keyboard'));
  await expect(keyboard()).toHaveCount(0);
  await open('name');
  await leaveLink(kiosk);
  await expect(keyboard()).toHaveCount(0);
});

test('keys for a frame of another site reach only that frame', async () => {
  test.slow();
  await visit();
  await open('frame');
  const since = fromNow();
  for (const letter of ['o', 'k']) await press(key(letter));
  await expect.poll(since).toContain('inner = ok');
  await press(key('Delete'));
  await expect.poll(since).toContain('inner = o');
  expect(since().filter((what) => /name|blur|focus/.test(what))).toEqual([]);
  await leaveLink(kiosk);
});

test('a window that a page opens during typing closes the keyboard: no key reaches the page below', async () => {
  test.slow();
  await visit();
  await open('amount');
  const since = fromNow();
  await press(key('9'));
  await expect.poll(since).toContain('over');
  await expect(keyboard()).toHaveCount(0);
  await leaveLink(kiosk);
});
