import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import { speedUpTimers } from './kiosk';
import { keep, launch, service, test } from './kiosk-test';
import { enterLink, leaveLink, press, serveLinkingAd, toldTo } from './link-visit';
import { isColour } from './two-creatives';
import { xdotool } from './xdotool';

// `playback.rotation` also turns the page that an ad leads to: taps hit what is under the finger, and the
// keyboard types into the page.

/** Size of the display in these tests, px. */
const [WIDE, HIGH] = [1280, 720];

/** Converts a point of the turned picture to the display. */
const TURNED = {
  90: (x: number, y: number) => [WIDE - y, x] as const,
  180: (x: number, y: number) => [WIDE - x, HIGH - y] as const,
};

const GROUND = [0, 128, 255] as const;
const MARK = [255, 64, 0] as const;

// Everything is above the keyboard. A frame of another site that comes back into view accepts taps a moment
// later; after a tap that came too early, Chromium sends the following clicks to the page, until another part
// of it is clicked.
const rgb = (colour: readonly number[]) => `rgb(${colour.join(',')})`;
const page = (frame: string) => `<!doctype html><title>shop</title>
  <body style="margin:0;background:${rgb(GROUND)};height:100vh">
  <div style="position:fixed;left:0;top:0;width:120px;height:80px;background:${rgb(MARK)}"></div>
  <input id="name" style="position:fixed;left:40px;top:120px;width:300px;height:60px">
  <a href="/window" target="_blank" rel="opener" style="position:fixed;left:400px;top:120px;width:300px;height:60px">Sign in</a>
  <iframe src="${frame}" style="position:fixed;left:40px;top:200px;width:300px;height:60px;border:0"></iframe>
  <script>
    const tell = (what) => fetch('/told?' + encodeURIComponent(what));
    const size = () => tell('size ' + innerWidth + 'x' + innerHeight);
    addEventListener('resize', size);
    addEventListener('pointerdown', ({ clientX, clientY, isTrusted }) =>
      tell(['tap', Math.round(clientX), Math.round(clientY), isTrusted].join(' ')));
    for (const type of ['input', 'keydown', 'blur'])
      addEventListener(type, ({ type, target, isTrusted, key }) =>
        tell(type === 'input' ? 'name = ' + target.value : [type, key ?? '', isTrusted].join(' ')), true);
    addEventListener('message', ({ data }) => tell('message ' + data));
    tell('cookie ' + document.cookie);
    document.cookie = 'visited=1';
    size();
  </script>`;
/** A page of another site that claims to have the focus. */
const FRAME = `<!doctype html><body style="margin:0"><input style="width:300px;height:60px;box-sizing:border-box">
  <script>
    document.hasFocus = () => true;
    const tell = (what) => fetch('/told?' + encodeURIComponent('frame ' + what));
    addEventListener('focusin', () => tell('focused'));
    addEventListener('keydown', ({ key }) => tell(key));
    addEventListener('input', ({ target }) => tell('= ' + target.value));
  </script>`;
const WINDOW = `<!doctype html><script>opener.postMessage('signed in', '*'); close()</script>`;

let shop: WatchedServer;
test.beforeEach(async () => {
  const server = watchedServer((request, response) => {
    const pages: Record<string, string> = { '/window': WINDOW, '/frame': FRAME };
    const html = pages[request.url ?? ''] ?? page(`http://localhost:${shop.port}/frame`);
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  shop = keep(await server);
});

const told = () => toldTo(shop);

for (const rotation of [90, 180] as const) {
  const title = `on a picture turned by ${rotation} degrees the page behind an ad is turned with it, and works`;
  test(title, async () => {
    test.slow();
    const settings = serveLinkingAd(service, shop);
    const kiosk = await launch({ ...settings, playback: { ...settings.playback, rotation } });
    const onDisplay = TURNED[rotation];
    const tapPage = (x: number, y: number) => xdotool('mousemove', ...onDisplay(x, y), 'click', 1);
    const colourAt = (x: number, y: number) => {
      const [across, down] = onDisplay(x, y);
      return kiosk.colour({ across: across / WIDE, down: down / HIGH });
    };
    const keyboard = kiosk.screen.locator('.link-keyboard');
    const key = (label: string) => keyboard.locator(`[aria-label="${label}"]`);

    const visit = () => {
      const before = told().length;
      const isThere = () =>
        told()
          .slice(before)
          .some((what) => what.startsWith('size'));
      return enterLink(kiosk, isThere);
    };

    await visit();
    // As wide as the turned picture, and less high by the bar below it.
    const width = rotation === 180 ? WIDE : HIGH;
    await expect.poll(() => told().findLast((what) => what.startsWith('size'))).toMatch(`size ${width}x`);
    await expect.poll(async () => isColour(MARK, await colourAt(60, 40))).toBe(true);
    expect(isColour(GROUND, await colourAt(200, 40))).toBe(true);

    tapPage(500, 300);
    await expect.poll(told).toContainEqual(expect.stringMatching(/^tap (499|500|501) (299|300|301) true$/));

    const opensKeyboard = (x: number, y: number, timeout: number) => async () => {
      tapPage(x, y);
      return keyboard.waitFor({ timeout }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(opensKeyboard(190, 150, 2_000)).toBe(true);
    const blurs = () => told().filter((what) => what.startsWith('blur')).length;
    const before = blurs();
    for (const letter of ['h', 'i']) await press(key(letter));
    await expect.poll(told).toContain('name = hi');
    await press(key('Delete'));
    await expect.poll(() => told().filter((what) => what === 'name = h')).toHaveLength(2);
    // Each report is a request of its own, so their order may differ.
    await expect.poll(told).toEqual(expect.arrayContaining(['keydown h true', 'keydown Backspace true']));
    expect(blurs()).toBe(before);

    expect(told().filter((what) => what.startsWith('frame'))).toEqual([]);

    // Keys typed into a frame of another site reach only that frame.
    await press(key('Hide keyboard'));
    await expect(keyboard).toHaveCount(0);
    // A tap in a frame of another site is seen only if the one before is five seconds ago (`page-frames.ts`).
    await expect.poll(opensKeyboard(190, 230, 6_000)).toBe(true);
    // The keyboard may still belong to the previous field, whose focus a busy machine removes late.
    await expect.poll(told).toContain('frame focused');
    await press(key('o'));
    await expect.poll(told).toContain('frame = o');
    expect(
      told()
        .filter((what) => what.startsWith('name = '))
        .at(-1),
    ).toBe('name = h');

    await kiosk.app.evaluate(({ webContents }) => {
      const guest = webContents.getAllWebContents().find((one) => one.getType() === 'webview');
      Object.assign(globalThis, { firstVisit: guest });
    });
    // A window that the page opens can reach the page, and leaves it in place.
    tapPage(550, 150);
    await expect.poll(told).toContain('message signed in');
    await expect.poll(async () => isColour(MARK, await colourAt(60, 40))).toBe(true);
    await leaveLink(kiosk);
    await expect(kiosk.screen.locator('.link-page')).toHaveCount(0);

    // The next shopper finds nothing of the visit, which ends after a minute without a touch.
    const cookies = () => told().filter((what) => what.startsWith('cookie'));
    const earlier = cookies().length;
    await visit();
    await expect.poll(() => cookies().slice(earlier)).toEqual(['cookie ']);
    const taps = () => told().filter((what) => what.startsWith('tap'));
    const tapped = taps().length;
    // Nor does its page take the place of this one when its process ends late.
    await kiosk.app.evaluate(() => {
      const { firstVisit } = globalThis as unknown as { firstVisit: NodeJS.EventEmitter };
      firstVisit.emit('render-process-gone', {}, { reason: 'killed' });
    });
    tapPage(500, 300);
    await expect.poll(() => taps().length).toBeGreaterThan(tapped);
    expect(cookies().slice(earlier)).toEqual(['cookie ']);
    await speedUpTimers(kiosk, 30);
    await expect(kiosk.screen.locator('.link-frame')).toHaveCount(0);
  });
}
