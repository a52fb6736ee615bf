import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import { type Kiosk, speedUpTimers } from './kiosk';
import { keep, launch, service, shareWorld, test } from './kiosk-test';
import { BEFORE_IDLE, enterLink, leaveLink, press, serveLinkingAd, toldTo } from './link-visit';
import { keepPageBusyAfterGuests } from './native-zone';
import { openAddresses } from './pages-and-processes';
import { repeating } from './repeating';
import { fingerOn, touchLong } from './touch';
import { isColour } from './two-creatives';
import { xdotool } from './xdotool';

// A shopper types into a page of the link view with the keyboard on the screen.

let shop: WatchedServer;
let kiosk: Kiosk;

/** Size of the display in these tests, px. */
const [WIDE, HIGH] = [1280, 720];
/** Converts a point of the picture to the display, by `playback.rotation`. */
const ON_DISPLAY = {
  0: (x: number, y: number) => [x, y] as const,
  90: (x: number, y: number) => [WIDE - y, x] as const,
  180: (x: number, y: number) => [WIDE - x, HIGH - y] as const,
};
let rotation: keyof typeof ON_DISPLAY = 0;

const GROUND = [0, 128, 255] as const;
const MARK = [255, 64, 0] as const;
const rgb = (colour: readonly number[]) => `rgb(${colour.join(',')})`;

/**
 * Top of each element of the page, px of the picture. All are above the keyboard: on a turned picture, Chromium
 * sometimes sends the taps on a frame of another site that comes back into view to the page, until its size changes.
 */
const PLACES = { name: 20, email: 90, amount: 160, frame: 230 } as const;
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
const page = (
  frame: string,
) => `<!doctype html><title>shop</title><body style="margin:0;background:${rgb(GROUND)}">
  <div style="position:fixed;left:600px;top:0;width:120px;height:80px;background:${rgb(MARK)}"></div>
  <form action="/sent"><input id="name" name="name" style="${at('name')}">
  <input id="email" type="email" style="${at('email')}">
  <input id="amount" inputmode="numeric" style="${at('amount')}"><button hidden>Send</button></form>
  <iframe src="${frame}" style="border:0;${at('frame')}"></iframe>
  <p style="position:fixed;left:460px;top:0">Nothing to type.</p>
  <a href="/window" target="_blank" rel="opener" style="position:fixed;left:500px;top:120px;width:200px;height:60px">Sign in</a>
  <script>${HEAR}
    const size = () => tell('size ' + innerWidth + 'x' + innerHeight);
    addEventListener('resize', size);
    addEventListener('pointerdown', ({ clientX, clientY, isTrusted }) =>
      tell(['tap', Math.round(clientX), Math.round(clientY), isTrusted].join(' ')));
    addEventListener('message', ({ data }) => tell('message ' + data));
    document.querySelector('#name').focus();
    document.querySelector('#amount').addEventListener('keydown', ({ key }) => { if (key === '9') open('/over'); });
    tell('cookie ' + document.cookie);
    document.cookie = 'visited=1';
    size();
  </script>`;
/** A page of another site that claims to have the focus. */
const FRAME = `<!doctype html><body style="margin:0"><input id="inner" style="width:300px;height:60px;box-sizing:border-box">
  <input type="checkbox" id="agree" style="position:fixed;left:320px;top:0;width:60px;height:60px;margin:0">
  <script>${HEAR}
    document.hasFocus = () => true;
    addEventListener('focusin', () => tell('inner is chosen'));
  </script>`;
const OVER = `<!doctype html><body><script>${HEAR}
  addEventListener('load', () => tell('over'));</script>`;
const WINDOW = `<!doctype html><script>opener.postMessage('signed in', '*'); close()</script>`;

/** Starts a kiosk whose ad leads to the page. */
async function start(turnedBy: typeof rotation): Promise<void> {
  shop = keep(
    await watchedServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://shop.invalid');
      const pages: Readonly<Record<string, string>> = { '/frame': FRAME, '/over': OVER, '/window': WINDOW };
      // Longer than a page that hangs may be silent.
      if (pathname === '/slow') return void setTimeout(() => response.end(OVER), 10_000);
      const html = pages[pathname] ?? page(`http://localhost:${shop.port}/frame`);
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    }),
  );
  rotation = turnedBy;
  const settings = serveLinkingAd(service, shop);
  kiosk = await launch({
    ...settings,
    playback: { ...settings.playback, rotation },
    ui: { reducedMotion: true },
  });
}

const told = () => toldTo(shop);
/** Returns a function that returns the reports since this call. */
function fromNow(): () => string[] {
  const before = told().length;
  return () => told().slice(before);
}

async function visit(): Promise<void> {
  const since = fromNow();
  await enterLink(kiosk, () => since().some((what) => what.startsWith('size')));
}

const keyboard = () => kiosk.screen.locator('.link-keyboard');
const key = (label: string) => keyboard().locator(`[aria-label="${label}"]`);
const tapAt = (x: number, y: number) => xdotool('mousemove', ...ON_DISPLAY[rotation](x, y), 'click', 1);
/** Runs a script in the page behind the ad, or in the newest window that it has opened. */
const inPage = (code: string) =>
  kiosk.app.evaluate(({ webContents }, script) => {
    const guest = webContents.getAllWebContents().findLast((one) => one.getType() === 'webview');
    return guest?.executeJavaScript(script);
  }, code);
/** A point without anything on it. */
const BESIDE = [560, 30] as const;

/** Whether a point of the display shows the page's ground. Taps reach what was drawn last, not what was laid out. */
const showsGround = async (x: number, y: number) =>
  isColour(GROUND, await kiosk.colour({ across: x / WIDE, down: y / HIGH }));
const showsKeyboard = async () => {
  const { x, y, width, height } = (await keyboard().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return !(await showsGround(x + width / 2, y + height / 2));
};

/** Taps a field until the keyboard opens: the page is drawn a moment after its first report. */
async function open(place: keyof typeof PLACES): Promise<void> {
  const isOpen = async () => {
    tapAt(100, PLACES[place] + 30);
    return keyboard()
      .waitFor({ timeout: 2_000 })
      .then(() => true)
      .catch(() => false);
  };
  await expect.poll(isOpen).toBe(true);
  await expect.poll(showsKeyboard).toBe(true);
}

test.describe('upright', () => {
  shareWorld(() => start(0));

  test('a tap on a field opens the keyboard; its keys are real, and the field keeps its focus', async () => {
    test.slow();
    await visit();
    // The page focused a field itself, which does not open the keyboard.
    await expect(keyboard()).toHaveCount(0);
    const heightsIn = (what: string[]) =>
      what.flatMap((each) => (each.startsWith('size ') ? [Number(each.split('x')[1])] : []));
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
    tapAt(...BESIDE);
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

  test('in a frame of another site each tap counts: it opens the keyboard, and restarts the countdown', async () => {
    test.slow();
    await visit();
    const since = fromNow();
    const agreed = () => since().filter((what) => what.startsWith('agree = ')).length;
    const tick = () => tapAt(370, PLACES.frame + 30);
    // Without a touch the visit ends after six seconds.
    await speedUpTimers(kiosk, 10);
    await expect.poll(repeating(tick, agreed)).toBeGreaterThan(2);
    await open('frame');
    await press(key('Hide keyboard'));
    await expect(keyboard()).toHaveCount(0);
    const startedAt = performance.now();
    await expect.poll(repeating(tick, () => performance.now() - startedAt)).toBeGreaterThan(9_000);
    await expect(kiosk.screen.locator('.link-frame')).toHaveCount(1);
    await leaveLink(kiosk);
    await speedUpTimers(kiosk, 1 / 10);
  });

  test('a touch of the way back that is too long for a click leads back', async () => {
    test.slow();
    await visit();
    const wayBack = kiosk.screen.locator('.back-button');
    await touchLong(wayBack);
    await expect(wayBack).toHaveCount(0, BEFORE_IDLE);
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
});

// `playback.rotation` also turns the page that an ad leads to: taps hit what is under the finger, and the keyboard types
// into the page.

const colourAt = (x: number, y: number) => {
  const [across, down] = ON_DISPLAY[rotation](x, y);
  return kiosk.colour({ across: across / WIDE, down: down / HIGH });
};

/** Taps and types into the page behind the ad. Returns a function that returns its reports that begin with a word. */
async function typeIntoTurnedPage(): Promise<(word?: string) => string[]> {
  const since = fromNow();
  const toldOf = (word = '') => since().filter((what) => what.startsWith(word));
  await keepPageBusyAfterGuests(kiosk);
  await visit();
  // As wide as the turned picture, and less high by the bar below it.
  const width = rotation === 180 ? WIDE : HIGH;
  expect(toldOf('size')[0]).toMatch(`size ${width}x`);
  await expect.poll(async () => isColour(MARK, await colourAt(660, 40))).toBe(true);
  expect(isColour(GROUND, await colourAt(480, 250))).toBe(true);

  tapAt(500, 300);
  await expect.poll(since).toContainEqual(expect.stringMatching(/^tap (499|500|501) (299|300|301) true$/));

  await open('name');
  const blurs = toldOf('blur').length;
  for (const letter of ['h', 'i']) await press(key(letter));
  await expect.poll(since).toContain('name = hi');
  await press(key('Delete'));
  await expect.poll(() => since().filter((what) => what === 'name = h')).toHaveLength(2);
  // Each report is a request of its own, so their order may differ.
  await expect.poll(since).toEqual(expect.arrayContaining(['keydown h true', 'keydown Backspace true']));
  expect(toldOf('blur')).toHaveLength(blurs);
  return toldOf;
}

test('on a picture turned by 180 degrees the page behind an ad is turned with it, and its keyboard types', async () => {
  test.slow();
  await start(180);
  await typeIntoTurnedPage();
});

test('on a turned picture, touches reach the way back although the page under the finger hangs', async () => {
  test.slow();
  await start(90);
  await visit();
  const { tapAt: touchAt } = await fingerOn(kiosk.screen);
  const touch = async (selector: string) => {
    // The way back leaves with the visit, perhaps just now.
    const box = await kiosk.screen
      .locator(selector)
      .boundingBox({ timeout: 1_000 })
      .catch(() => null);
    // A touch is answered only when the page has handled it.
    if (box) touchAt(box.x + box.width / 2, box.y + box.height / 2).catch(() => {});
  };
  await inPage('setTimeout(() => { for (;;); }); null');
  await touch('.link-page');
  const wayBack = kiosk.screen.locator('.back-button');
  await expect
    .poll(
      repeating(
        () => touch('.back-button'),
        () => wayBack.count(),
      ),
      BEFORE_IDLE,
    )
    .toBe(0);
  await expect(kiosk.screen.locator('.link-frame')).toHaveCount(0);
});

test('on a turned picture, a page that is touched while it waits for its shop is not taken for one that hangs', async () => {
  test.slow();
  await start(90);
  await visit();
  const since = fromNow();
  const { tapAt: touchAt } = await fingerOn(kiosk.screen);
  await inPage('location.href = "/slow"; null');
  await expect.poll(() => shop.requests.some(({ url }) => url === '/slow')).toBe(true);
  const box = await kiosk.screen.locator('.link-page').boundingBox();
  if (box) await touchAt(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(since).toContain('over');
  await expect(kiosk.screen.locator('.link-frame')).toHaveCount(1);
  await leaveLink(kiosk);
});

test('on a picture turned by 90 degrees the page behind an ad is turned with it, and works', async () => {
  test.slow();
  await start(90);
  const toldOf = await typeIntoTurnedPage();
  await press(key('?123'));
  await press(key('€'));
  await expect.poll(() => toldOf()).toContain('name = h€');
  await press(key('Delete'));
  await expect.poll(() => toldOf().filter((what) => what === 'name = h')).toHaveLength(3);
  await press(key('ABC'));
  await press(key('Shift'));
  await press(key('H'));
  await expect.poll(() => toldOf()).toEqual(expect.arrayContaining(['name = hH', 'keydown H true']));
  await press(key('Delete'));
  await expect.poll(() => toldOf().filter((what) => what === 'name = h')).toHaveLength(4);

  expect(toldOf('inner')).toEqual([]);

  // Keys typed into a frame of another site reach only that frame.
  await press(key('Hide keyboard'));
  await expect(keyboard()).toHaveCount(0);
  await expect.poll(() => showsGround(...ON_DISPLAY[rotation](480, 500))).toBe(true);
  await open('frame');
  // The keyboard may still belong to the previous field, whose focus a busy machine removes late.
  await expect.poll(() => toldOf()).toContain('inner is chosen');
  await press(key('o'));
  await expect.poll(() => toldOf()).toContain('inner = o');
  expect(toldOf('name = ').at(-1)).toBe('name = h');

  await kiosk.app.evaluate(({ webContents }) => {
    const guest = webContents.getAllWebContents().find((one) => one.getType() === 'webview');
    Object.assign(globalThis, { firstVisit: guest });
  });
  // A window that the page opens can reach the page, and leaves it in place.
  tapAt(600, 150);
  await expect.poll(() => toldOf()).toContain('message signed in');
  await expect.poll(async () => isColour(MARK, await colourAt(660, 40))).toBe(true);
  await leaveLink(kiosk);
  await expect(kiosk.screen.locator('.link-page')).toHaveCount(0);

  // The next shopper finds nothing of the visit, which ends after a minute without a touch.
  const earlier = toldOf('cookie').length;
  const cookies = () => toldOf('cookie').slice(earlier);
  await visit();
  await expect.poll(cookies).toEqual(['cookie ']);
  // Chromium ignores taps on a page that it has not drawn yet.
  await expect.poll(async () => isColour(MARK, await colourAt(660, 40))).toBe(true);
  const tapped = toldOf('tap').length;
  // Nor does its page take the place of this one when its process ends late.
  await kiosk.app.evaluate(() => {
    const { firstVisit } = globalThis as unknown as { firstVisit: NodeJS.EventEmitter };
    firstVisit.emit('render-process-gone', {}, { reason: 'killed' });
  });
  tapAt(500, 300);
  await expect.poll(() => toldOf('tap').length).toBeGreaterThan(tapped);
  expect(cookies()).toEqual(['cookie ']);
  // More windows than may be open at a time: the page and the last three stay.
  await inPage(`for (let opened = 0; opened < 6; opened += 1) open('/over'); null`);
  await expect.poll(() => toldOf('over').length).toBeGreaterThanOrEqual(3);
  // A page that opens them without end neither crashes the kiosk when its visit ends, nor leaves one behind.
  await inPage(`setInterval(() => open('about:blank')); null`);
  await speedUpTimers(kiosk, 30);
  await expect(kiosk.screen.locator('.link-frame')).toHaveCount(0);
  await expect.poll(() => openAddresses(kiosk)).toHaveLength(2);
});
