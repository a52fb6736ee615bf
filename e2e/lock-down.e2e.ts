import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { ESCAPE_KEYS } from './escape-keys';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { folder, keep, launch, service, shareWorld, test } from './kiosk-test';
import { enterLink, leaveLink, pressAt } from './link-visit';
import { bannerAssets, impressionScript, nativeAd, nativeSettings, serveLoop } from './native-zone';
import { openAddresses } from './pages-and-processes';
import { repeating } from './repeating';
import { BRIEF, expectMorePlays, kioskSettings } from './two-creatives';
import { searchVisible, xdotool } from './xdotool';

// Rules 17 and 21 against a shopper who uses mouse and keyboard through the display. An ad's banner and the
// page it leads to try everything a page can.

let shop: WatchedServer;
let kiosk: Kiosk;
let files: readonly string[];
/** The attempt that the banner makes next. */
let chosen = '';

/** Attempts of a banner and a page when the shopper presses. Each is the body of a function. */
const ESCAPES: Readonly<Record<string, string>> = {
  'an alert': 'alert("!")',
  'a question': 'return String(confirm("?"))',
  'a prompt': 'return String(prompt("?"))',
  'a question on leaving':
    'addEventListener("beforeunload", (e) => { e.preventDefault(); e.returnValue = "?" })',
  printing: 'print()',
  'a file chooser': 'const i = document.createElement("input"); i.type = "file"; i.click()',
  'a folder chooser':
    'const i = document.createElement("input"); i.type = "file"; i.webkitdirectory = true; i.click()',
  'the file picker': 'return showOpenFilePicker()',
  'the save picker': 'return showSaveFilePicker()',
  'the folder picker': 'return showDirectoryPicker()',
  'a video in a window of its own': `
    const canvas = document.createElement("canvas");
    canvas.getContext("2d").fillRect(0, 0, 9, 9);
    const video = Object.assign(document.createElement("video"), { muted: true });
    video.srcObject = canvas.captureStream();
    return video.play().then(() => video.requestPictureInPicture())`,
  'picture in picture': 'return documentPictureInPicture.requestWindow({ width: 300, height: 200 })',
  'the whole screen': 'return document.documentElement.requestFullscreen()',
  'the pointer': 'return document.body.requestPointerLock()',
  'the keyboard': 'return navigator.keyboard.lock()',
  'a notification': 'return Notification.requestPermission()',
  'the camera': 'return navigator.mediaDevices.getUserMedia({ video: true })',
  'the screen': 'return navigator.mediaDevices.getDisplayMedia({ video: true })',
  'the clipboard': 'return navigator.clipboard.readText()',
  'the position':
    'return new Promise((d, f) => navigator.geolocation.getCurrentPosition(d, (e) => f(Error(e.message))))',
  'a USB device': 'return navigator.usb.requestDevice({ filters: [] })',
  'a serial port': 'return navigator.serial.requestPort()',
  'a Bluetooth device': 'return navigator.bluetooth.requestDevice({ acceptAllDevices: true })',
  'an input device': 'return navigator.hid.requestDevice({ filters: [] })',
  'another program in a frame':
    'const f = document.createElement("iframe"); f.src = "vscode://x"; document.body.append(f)',
  'a file in a frame':
    'const f = document.createElement("iframe"); f.src = "file:///etc/passwd"; document.body.append(f)',
  'to be the program for a scheme':
    'navigator.registerProtocolHandler("web+endcap", location.origin + "/%s")',
  'a worker that would answer in place of the web': 'return navigator.serviceWorker.register("/worker.js")',
  'to move and grow': 'moveTo(0, 0); resizeTo(3000, 3000)',
  'to share': 'return navigator.share({ title: "x", url: location.href })',
  'to pay':
    'return new PaymentRequest([{ supportedMethods: "https://example.invalid/pay" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).show()',
  'a key of its own':
    'return "PublicKeyCredential" in window || navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16) } })',
  'to stay awake': 'return navigator.wakeLock.request()',
  'a picked colour': 'return new EyeDropper().open()',
};

/** Attempts to navigate or download. In a banner, each would be a click on its ad. */
const WAYS: Readonly<Record<string, string>> = {
  'a download':
    'const a = document.createElement("a"); a.href = "/file.bin"; a.download = "f.bin"; a.click()',
  'a download of its own making':
    'const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["x"])); a.download = "b.txt"; a.click()',
  'another window': 'open("/other", "_blank", "width=300,height=300").close()',
  'what a window of about:blank might do': `
    const w = open("about:blank", "_blank", "popup");
    w.print();
    w.alert("!");
    w.moveTo(0, 0);
    w.resizeTo(3000, 3000);
    w.close()`,
  'a video in a window of its own, from a window of about:blank': `
    const w = open("about:blank", "_blank", "popup");
    const allowed = w.document.pictureInPictureEnabled;
    w.close();
    return allowed`,
  'what a window of its own writing might do': `
    open("about:blank", "_blank", "popup").document.write("<script>print(); alert('!'); close()</scr" + "ipt>")`,
  'what a window of its own making might do': `
    const page = new Blob(["<script>print(); alert('!'); close()</scr" + "ipt>"], { type: "text/html" });
    open(URL.createObjectURL(page))`,
  'a mail program': 'location.href = "mailto:a@example.invalid"',
  'a telephone': 'location.href = "tel:+491234"',
  'another program': 'location.href = "steam://run/1"',
  'the source of a page': 'location.href = "view-source:" + location.href',
  'the source in a window': 'return String(open("view-source:" + location.href))',
  'a file': 'location.href = "file:///etc/passwd"',
  "the browser's own pages": 'location.href = "chrome://gpu"',
  'the tools of developers': 'location.href = "devtools://devtools/bundled/inspector.html"',
  'our own pages': 'location.href = "endcap://kiosk/"',
  'our own files': 'location.href = "media://cache/x"',
  'a script address': 'location.href = "javascript:void(document.title=1)"',
  'a document of its own making': 'location.href = "data:text/html,<h1>x</h1>"',
  'a document with tools of its own': 'location.href = "/document.pdf"',
};

const FILL = 'position:fixed;inset:0;width:100%;height:100%';
const FIELD = `<input type="file" style="${FILL}">`;
/** The same field in a frame, which reports to its top page. */
const FRAMED = `<body onmousedown="top.postMessage('tried', '*')" oncancel="top.postMessage('cancelled', '*')">${FIELD}`;
const frameOf = (html: string) =>
  `const f = document.createElement('iframe'); f.style = '${FILL}'; f.srcdoc = ${JSON.stringify(html)}; place.append(f)`;
const pressed = (how: string) =>
  `onpress = () => { const i = document.createElement('input'); i.type = 'file'; i.oncancel = cancelled; i.${how}() }`;

/** Ways to open a file chooser by a press. A blocked one reports `cancelled`. */
const CHOOSERS: Readonly<Record<string, string>> = {
  'a file field': `place.innerHTML = ${JSON.stringify(FIELD)}`,
  'a folder field': `place.innerHTML = ${JSON.stringify(FIELD.replace('type', 'webkitdirectory type'))}`,
  'a label of a field': `place.innerHTML = '<label style="${FILL}">.<input type="file" hidden></label>'`,
  'a field that is nowhere': pressed('click'),
  'a field that is asked to open': pressed('showPicker'),
  'a field in the shadow': `
    const host = document.createElement('div');
    place.append(host);
    const root = host.attachShadow({ mode: 'closed' });
    root.innerHTML = ${JSON.stringify(FIELD)};
    root.firstChild.oncancel = cancelled`,
  'a field in a frame': frameOf(FRAMED),
  'a field in a frame of a frame, both processes of their own': frameOf(
    `<iframe sandbox="allow-scripts" style="${FILL}" srcdoc="${FRAMED.replaceAll('"', '&quot;')}"></iframe>`,
  ),
};

/** Form controls that open a popup over the kiosk. */
const UNFOLDING: Readonly<Record<string, string>> = {
  'a choice of colours': `place.innerHTML = '<input type="color" style="${FILL}">'`,
  'a calendar': `
    place.innerHTML = '<input type="date">';
    onpress = () => place.firstChild.showPicker()`,
  'a list': `place.innerHTML = '<select style="${FILL};font-size:300px"><option>FREE<option>BEER</select>'`,
};

/** Reported for an attempt that has no answer after a moment. */
const UNANSWERED = 'still asks';
/** Results that mean that the attempt gained nothing. */
const NOTHING = ['undefined', 'null', 'false', 'denied', '', UNANSWERED].map((word) => `got ${word}`);

/** The source text of an object with these functions. */
const functions = (bodies: Readonly<Record<string, string>>) =>
  `{ ${Object.entries(bodies)
    .map(([name, body]) => `${JSON.stringify(name)}: () => { ${body} }`)
    .join(',\n')} }`;

/** Code for both: reports to the shop at `origin` that an attempt is made, and then its result. */
const trying = (origin: string, who: string) => `
const tell = (name, word) => fetch(
  '${origin}/told?' + new URLSearchParams({ who: '${who}', name, word: String(word).slice(0, 200) }), { keepalive: true });
const attempt = (name, escape) => {
  const failed = (error) => tell(name, error.name + ': ' + error.message);
  try {
    const unanswered = new Promise((done) => setTimeout(done, 400, '${UNANSWERED}'));
    Promise.race([escape(), unanswered]).then((word) => tell(name, 'got ' + word), failed);
  } catch (error) { failed(error); }
  tell(name, 'tried');
};`;

/** The page makes the next attempt at each press. */
const page = `<!doctype html><title>shop</title><body style="margin:0;background:#20c060;height:100vh"><script>
${trying('', 'page')}
const escapes = Object.entries(${functions({ ...ESCAPES, ...WAYS })});
addEventListener('mousedown', () => {
  const next = Number(sessionStorage.getItem('next') ?? 0);
  if (next === escapes.length) return;
  sessionStorage.setItem('next', String(next + 1));
  attempt(...escapes[next]);
});
tell('', 'loaded');
</script>`;

/** The banner prepares or makes the attempt that the test has chosen, which it asks the shop for. */
const banner = (origin: string) => `<body style="background:#20a0c0"><div id="place"></div><script>
${trying(origin, 'banner')}
const escapes = ${functions(ESCAPES)};
const fields = ${functions({ ...CHOOSERS, ...UNFOLDING })};
let name = '';
let ready = '';
let onpress;
const cancelled = () => tell(name, 'cancelled');
addEventListener('mousedown', () => {
  if (Object.hasOwn(escapes, name)) attempt(name, escapes[name]);
  else tell(name, 'tried');
});
addEventListener('click', () => onpress?.());
addEventListener('cancel', cancelled);
addEventListener('message', ({ data }) => tell(name, data));
setInterval(async () => {
  const chosen = await (await fetch('${origin}/chosen?' + new URLSearchParams({ ready }))).text();
  if (chosen === name) return;
  name = chosen;
  onpress = undefined;
  // Without what the one before it left.
  place.replaceChildren();
  document.body.replaceChildren(place);
  fields[name]?.();
  requestAnimationFrame(() => requestAnimationFrame(() => { ready = chosen; }));
}, 30);
</script>`;

/** A beacon that tries to receive keyboard input. */
const listening = (origin: string) => `
const field = document.createElement('input');
field.autofocus = true;
document.body.append(field);
const tell = (word) => fetch('${origin}/told?who=beacon&name=keys&word=' + word);
addEventListener('keydown', ({ key }) => tell(key));
const take = () => { window.focus(); field.focus(); };
take();
setInterval(take, 20);
tell('listening');
`;

/** A page that closes itself at the first press; only a page without a history may do that. */
const closing = `<!doctype html><title>shop</title><body style="margin:0;background:#d0a020;height:100vh"><script>
addEventListener('mousedown', () => close());
fetch('/told?who=page&name=&word=closing');
</script>`;

shareWorld(async () => {
  shop = keep(
    await watchedServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://shop.invalid');
      if (url.pathname === '/told') response.writeHead(204).end();
      else if (url.pathname === '/chosen')
        response.writeHead(200, { 'access-control-allow-origin': '*' }).end(chosen);
      else if (url.pathname === '/document.pdf')
        response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4\n%%EOF');
      else if (url.pathname === '/worker.js')
        response.writeHead(200, { 'content-type': 'text/javascript' }).end('');
      else if (url.pathname === '/file.bin')
        response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('x');
      else
        response
          // Chromium takes nothing of a policy that it cannot read.
          .writeHead(200, { 'content-type': 'text/html', 'permissions-policy': ')' })
          .end(told('page', '').length === 0 ? closing : page);
    }),
  );
  serveLoop(service, BRIEF);
  const origin = `http://127.0.0.1:${shop.port}`;
  service.setNativeAds([
    nativeAd(service, 'shop', {
      link: `${origin}/`,
      assets: [...bannerAssets('shop', banner(origin)), { type: 'cta', data: { text: 'Look' } }],
      beacons: [impressionScript(listening(origin))],
    }),
  ]);
  files = filesOfShopper();
  await startKiosk({ cardSeconds: 600 });
});

async function startKiosk({ cardSeconds }: { cardSeconds: number }): Promise<void> {
  await kiosk?.kill();
  kiosk = await launch(nativeSettings(service, { cardSeconds, allow: [`127.0.0.1:${shop.port}`] }));
}

/** Every visible window on the display, also the root window, with place and size. */
const windowsOnDisplay = () => searchVisible('--maxdepth', 1, '', 'getwindowgeometry', '--shell', '%@');

/** Reports of an attempt: that it was made, and its result, unless the page was gone by then. */
const told = (who: 'page' | 'banner' | 'beacon', name: string) =>
  shop.requests.flatMap(({ url }) => {
    const { pathname, searchParams } = new URL(url ?? '', 'http://shop.invalid');
    const isThis = searchParams.get('who') === who && searchParams.get('name') === name;
    return pathname === '/told' && isThis ? [searchParams.get('word') ?? ''] : [];
  });

/** Whether the banner has prepared this attempt. It says so again and again. */
const isReady = (name: string) =>
  shop.requests.some(({ url }) => url === `/chosen?${new URLSearchParams({ ready: name })}`);

/** Results that the attempts should not have had. */
const gotBy = (who: 'page' | 'banner', tries: Readonly<Record<string, string>>) =>
  Object.keys(tries).flatMap((name) =>
    told(who, name)
      .filter((word) => word.startsWith('got ') && !NOTHING.includes(word))
      .map((word) => `${name}: ${word}`),
  );

const card = () => kiosk.screen.locator('.layer[data-place="front"] .native-action');

test('a beacon script receives no key that is typed while it runs', async () => {
  await kiosk.screen.evaluate(() => {
    const typed: string[] = [];
    Object.assign(globalThis, { typed });
    addEventListener('keydown', ({ key }) => typed.push(key));
  });
  const typed = () => kiosk.screen.evaluate(() => (globalThis as unknown as { typed: string[] }).typed);
  const holder = () => kiosk.screen.evaluate(() => document.activeElement?.className);
  await expect.poll(() => told('beacon', 'keys'), { intervals: [20] }).toEqual(['listening']);
  xdotool('key', '1', '2', '3');
  await expect.poll(typed, { intervals: [20] }).toEqual(['1', '2', '3']);
  const holders: unknown[] = [];
  for (const _ of [1, 2, 3, 4, 5]) {
    xdotool('key', 'Tab');
    holders.push(await holder());
  }
  expect(holders).not.toContain('beacon-guest');
  expect(told('beacon', 'keys')).toEqual(['listening']);
});

test('whatever a banner tries after a tap, only windows that close again open above the kiosk', async () => {
  await expect(card()).toBeVisible();
  const frame = await kiosk.screen.locator('.layer[data-place="front"] webview').boundingBox();
  if (frame === null) throw new Error('there is no banner');
  const windows = windowsOnDisplay();
  /** Chooses an attempt, and presses until the press is heard, because a frame of another process may lose one. */
  const choose = async (name: string, isHeard: () => boolean, isDone = isHeard) => {
    chosen = name;
    await expect.poll(() => isReady(name), { intervals: [30], message: name }).toBe(true);
    const press = () => isHeard() || pressAt(frame.x + frame.width / 2, frame.y + frame.height / 2);
    await expect.poll(repeating(press, isDone, 1_000), { intervals: [30], message: name }).toBe(true);
  };
  for (const name of [...Object.keys(CHOOSERS), ...Object.keys(ESCAPES)]) {
    const heard = () => told('banner', name);
    const isAnswer = (word: string) => (name in CHOOSERS ? word === 'cancelled' : word !== 'tried');
    await choose(
      name,
      () => heard().length > 0,
      () => heard().some(isAnswer),
    );
    expect.soft(windowsOnDisplay(), name).toBe(windows);
  }
  expect(gotBy('banner', ESCAPES)).toEqual([]);
  expect(filesOfShopper()).toEqual(files);
  // A popup of a form closes at the next touch anywhere, and with its banner.
  for (const name of Object.keys(UNFOLDING)) {
    await choose(name, () => windowsOnDisplay() !== windows);
    if (name === 'a list') break;
    pressAt(640, 20);
    await expect.poll(windowsOnDisplay, { intervals: [30], message: name }).toBe(windows);
  }
  await kiosk.screen.evaluate(() => document.querySelector('.layer[data-place="front"] webview')?.remove());
  await expect.poll(windowsOnDisplay, { intervals: [30] }).toBe(windows);
});

test('whatever a page of a shop tries, the shopper stays in front of the kiosk', async () => {
  // The loop goes on soon after the visit.
  await startKiosk({ cardSeconds: 6 });
  const wayBack = kiosk.screen.locator('.back-button');
  const open = async (pagesTold: number, shade: readonly number[]) => {
    await enterLink(kiosk, () => told('page', '').length === pagesTold);
    await expect
      .poll(() => kiosk.colour().then((colour) => colour.map((value) => value >> 4)))
      .toEqual(shade);
  };
  // When a page closes itself, the visit ends instead of leaving an empty frame.
  await open(1, [13, 10, 2]);
  const closed = repeating(
    async () => (await wayBack.count()) > 0 && pressAt(640, 400),
    () => wayBack.count(),
  );
  await expect.poll(closed).toBe(0);
  await open(2, [2, 12, 6]);
  // The next answer contains no ad, so only the loop follows.
  service.setNativeAds([]);
  const windows = windowsOnDisplay();
  // The guests of the card, its banner and its beacon, may take some seconds to go.
  const pages = ['endcap://kiosk', 'endcap://records', `http://127.0.0.1:${shop.port}`];
  await expect.poll(pagesOpen).toEqual(pages);
  for (const name of Object.keys({ ...ESCAPES, ...WAYS })) {
    let looks = 0;
    const tried = () => {
      const words = told('page', name);
      looks += 1;
      // A press while a page is loading is lost, so it is repeated.
      if (words.length === 0 && looks % 20 === 1) pressAt(640, 400);
      // An attempt that leads to another page may lose its result.
      return words.some((word) => word !== 'tried') || (words.length > 0 && looks > 25);
    };
    const message = `the attempt was made and the page is still open: ${name}`;
    await expect.poll(tried, { message, intervals: [50] }).toBe(true);
    expect.soft(windowsOnDisplay(), name).toBe(windows);
    await expect.poll(pagesOpen, { message: name }).toEqual(pages);
  }
  await expect(wayBack).toBeVisible();
  expect(gotBy('page', { ...ESCAPES, ...WAYS })).toEqual([]);
  expect(filesOfShopper()).toEqual(files);
  expect(windowsOnDisplay()).toBe(windows);
  // Shops put what a shopper typed into such addresses.
  expect(kiosk.log()).not.toMatch(/a@example\.invalid|\+491234/);

  await leaveLink(kiosk);
  await expectMorePlays(kiosk, 1);
});

test('whatever keys are pressed and however the wheel is turned, the kiosk plays on unchanged', async () => {
  const stateOf = () =>
    kiosk.app.evaluate(({ BrowserWindow, webContents }) => ({
      windows: BrowserWindow.getAllWindows().map((window) => [window.getBounds(), window.isVisible()]),
      contents: webContents
        .getAllWebContents()
        .map((contents) => [contents.getURL(), contents.getZoomFactor(), contents.isDevToolsOpened()])
        .filter(([url]) => /^endcap:/.test(String(url))),
    }));
  // With only the loop, a touch starts nothing.
  await kiosk.kill();
  kiosk = await launch(kioskSettings(service));
  // Waits until both windows exist and the display is covered.
  await expectMorePlays(kiosk, 1);
  const before = await stateOf();
  const windows = windowsOnDisplay();
  const loads = kiosk.log().length;
  xdotool('mousemove', 640, 20, 'click', 1);
  xdotool('key', ...ESCAPE_KEYS);
  for (const button of [4, 5]) xdotool('keydown', 'ctrl', 'click', button, 'keyup', 'ctrl');
  for (const button of [2, 3, 8, 9]) xdotool('click', button);
  await expectMorePlays(kiosk, 2);
  expect(await stateOf()).toEqual(before);
  expect(windowsOnDisplay()).toBe(windows);
  expect(kiosk.log().slice(loads)).not.toMatch(/window ended|Endcap starts|ended in order/);
});

/** Origins of the open pages. */
const pagesOpen = async () =>
  (await openAddresses(kiosk)).map((address) => address.split('/', 3).join('/')).sort();

/** Files that a download would leave behind. */
const filesOfShopper = () =>
  [homedir(), join(homedir(), 'Downloads'), folder].flatMap((place) =>
    existsSync(place)
      ? readdirSync(place).filter((name) => /f\.bin|b\.txt|\.pdf$|crdownload/.test(name))
      : [],
  );
