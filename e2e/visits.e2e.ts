import type { ServerResponse } from 'node:http';
import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { DEMO_PIN_HASH } from '../shared/staff';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { keep, launch, service, shareWorld, test } from './kiosk-test';
import { BEFORE_IDLE, enterLink, leaveLink, pressAt, serveLinkingAd, toldTo } from './link-visit';
import { openAddresses } from './pages-and-processes';
import { repeating } from './repeating';
import { xdotool } from './xdotool';

// Several shoppers use the link view one after another. Popups work as in a browser, and nothing of a visit
// reaches the next one, including late answers and log-ins.

let shop: WatchedServer;
let kiosk: Kiosk;
/** The page that the link leads to. */
let home: string | ((response: ServerResponse) => void) = '';
/** Requests that the shop has not answered yet. */
const late: ServerResponse[] = [];

const download = (response: ServerResponse) =>
  response.writeHead(200, { 'content-disposition': 'attachment; filename=flyer.zip' }).end('PK');
const html = (body: string) => `<!doctype html><title>shop</title><body>${body}`;
// The origin, because an address with a user name and password cannot be fetched.
const tell = (what: string) =>
  `fetch(location.origin + '/told?' + ${JSON.stringify(what)} + location.pathname)`;

shareWorld(async () => {
  shop = keep(
    await watchedServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://shop.invalid');
      const page = (body: string, headers: Record<string, string | string[]> = {}) =>
        response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(html(body));
      switch (pathname) {
        case '/':
          return typeof home === 'string' ? page(home) : home(response);
        case '/late':
          return late.push(response);
        case '/never':
          return;
        case '/file':
        case '/leaflet':
          return download(response);
        case '/nothing':
          return response.writeHead(204).end();
        case '/apart':
          return page('apart', { 'cross-origin-opener-policy': 'same-origin' });
        case '/hangs-up':
          return response.destroy();
        case '/ahead':
          return page(`<script>
            addEventListener('beforeprint', () => fetch('/told?prints'));
            setTimeout(() => { print(); fetch('/told?tried to print'); }, 300);
          </script>`);
        case '/opens':
          return page(`<script>
            const opened = open('about:blank');
            opened.addEventListener('beforeprint', () => fetch('/told?prints'));
            setTimeout(() => { opened.print(); fetch('/told?tried to print'); }, 300);
          </script>`);
        case '/stalls':
          return page('bank<script src="/late"></script>');
        case '/closes':
          return page(`<script>fetch('/late').finally(() => close())</script>`);
        case '/private':
          if (request.headers.authorization) return page(`<script>${tell('inside ')}</script>`);
          return response.writeHead(401, { 'www-authenticate': 'Basic realm="shop"' }).end();
        case '/cookies':
          return page('<script>location.replace("/sign-in")</script>', {
            'set-cookie': ['shop-strict=1; SameSite=Strict', 'shop-lax=1; SameSite=Lax'],
          });
        case '/sign-in':
          // Opens a window of another site.
          return page(`<script>
          addEventListener('message', ({ data }) => fetch('/told?message ' + data));
          open('http://localhost:' + location.port + '/identity', 'identity', 'width=400,height=300');
        </script>`);
        case '/identity':
          return page(
            `<form method="post" action="/identity/log-in"><input name="user" value="anna"></form>
          <script>document.forms[0].submit()</script>`,
            { 'set-cookie': ['identity-strict=1; SameSite=Strict', 'identity-lax=1; SameSite=Lax'] },
          );
        case '/identity/log-in':
          return response.writeHead(303, { location: `http://127.0.0.1:${shop.port}/callback` }).end();
        case '/callback':
          return page(`<script>opener.postMessage('signed in', '*'); close()</script>`);
        case '/identity/cookies':
          return page(
            `<script>
            document.cookie = 'strict=1; SameSite=Strict; path=/';
            document.cookie = 'lax=1; SameSite=Lax; path=/';
            location.href = 'http://127.0.0.1:' + location.port + '/';
          </script>`,
          );
        case '/forger':
          return page(`<form method="post" target="_blank" action="http://localhost:${shop.port}/pay">
          <input name="sku" value="4711"></form><script>document.forms[0].submit()</script>`);
        default:
          return page(`<script>${tell('shown ')}</script>`);
      }
    }),
  );
  kiosk = await launch({ ...serveLinkingAd(service, shop), admin: { pinHash: DEMO_PIN_HASH } });
});

const asked = (path: string) =>
  shop.requests.filter(({ url }) => new URL(decodeURIComponent(url ?? ''), 'http://x').pathname === path);
const told = () => toldTo(shop);

/** Addresses of the shop's pages that are open. */
const pagesOfShops = async () => (await openAddresses(kiosk)).filter((url) => url.startsWith('http'));

/** Opens the link on a page of this content. */
async function visit(body: typeof home): Promise<void> {
  const before = asked('/').length;
  home = body;
  await enterLink(kiosk, () => asked('/').length > before);
}

test('a late answer and a log-in of one visit do not reach the next', async () => {
  test.slow();
  await visit(`<script>
    fetch('/late', { keepalive: true, mode: 'no-cors' });
    location.href = 'http://anna:secret@' + location.host + '/private';
  </script>`);
  await expect.poll(told).toContain('inside /private');
  await expect.poll(() => late.length).toBe(1);
  await leaveLink(kiosk);
  // The answer arrives after the page is closed.
  late[0]?.writeHead(200, { 'set-cookie': 'late=1; Max-Age=9999' }).end('x');
  const before = told().length;
  await visit(`<script>${tell('second ')}</script>`);
  await expect.poll(() => told().slice(before)).toContain('second /');
  const { headers } = asked('/').at(-1) ?? {};
  expect([headers?.authorization, headers?.cookie]).toEqual([undefined, undefined]);
  expect(asked('/told').at(-1)?.headers).not.toHaveProperty('cookie');
  await leaveLink(kiosk);
});

test('what a shopper copied or selected is gone after the visit', async () => {
  await visit(`anna@shop.example<script>
    addEventListener('mouseup', () => {
      getSelection().selectAllChildren(document.body);
      fetch('/told?copied ' + document.execCommand('copy'));
    });
    ${tell('copying ')}
  </script>`);
  await expect.poll(told).toContain('copying /');
  await expect.poll(repeating(() => pressAt(640, 400), told)).toContain('copied true');
  // X11 keeps what was selected, too: the middle button of a mouse pastes it.
  const copied = () =>
    kiosk.app.evaluate(({ clipboard }) => {
      // Electron 42 has it as an argument.
      const selected =
        clipboard.selection?.readText() ?? Reflect.apply(clipboard.readText, clipboard, ['selection']);
      return Promise.all([clipboard.readText(), selected]);
    });
  await expect.poll(copied).toEqual(['anna@shop.example', 'anna@shop.example']);
  await leaveLink(kiosk);
  await expect.poll(pagesOfShops).toEqual([]);
  await expect.poll(copied).toEqual(['', '']);
});

test('a page that asks for a password is refused at once, without a dialog', async () => {
  await visit(`<script>fetch('/private').then(({ status }) => fetch('/told?refused ' + status))</script>`);
  await expect.poll(told).toContain('refused 401');
  await leaveLink(kiosk);
});

const NOT_SHOWN: Readonly<Record<string, string | ((response: ServerResponse) => void)>> = {
  'to a file to download': download,
  'to a PDF, which needs a viewer': (response) =>
    response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4\n%%EOF'),
  'to a script that goes to a file to download': '<script>location.replace("/leaflet")</script>',
  'to a script that goes to an app': '<script>location.href = "market://details?id=shop"</script>',
  'to a server that hangs up': ({ socket }) => socket?.destroy(),
  'to an error without words': (response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end(' '),
};
for (const [where, answer] of Object.entries(NOT_SHOWN)) {
  test(`a link that leads ${where} says that it cannot be shown`, async () => {
    await visit(answer);
    await expect(kiosk.screen.getByText('This page cannot be shown right now.')).toBeVisible();
    await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'failed');
    await leaveLink(kiosk);
  });
}

/** Addresses of the pages that are drawn over the kiosk window, the lowest first; of others one pixel is. */
const drawnPages = () =>
  kiosk.app.evaluate(({ BrowserWindow, WebContentsView }) =>
    BrowserWindow.getAllWindows()
      .flatMap(({ contentView }) => contentView.children)
      .filter((view) => view.getBounds().x + view.getBounds().width > 1)
      .map((view) => (view instanceof WebContentsView ? new URL(view.webContents.getURL()).pathname : '')),
  );

for (const path of ['/file', '/nothing']) {
  test(`a window that a page opens for what is no page (${path}) is closed, and the page stays`, async () => {
    await visit(`<script>open('${path}')</script>`);
    await expect.poll(() => asked(path).length).toBe(1);
    const withoutPage = () =>
      kiosk.app.evaluate(
        ({ webContents }) => webContents.getAllWebContents().filter((page) => page.getURL() === '').length,
      );
    await expect.poll(withoutPage).toBe(0);
    await expect.poll(drawnPages).toEqual(['/']);
    await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'open');
    await leaveLink(kiosk);
  });
}

test('a window is shown whose page keeps apart from the one that opened it', async () => {
  await visit(`<script>open('/apart')</script>`);
  await expect.poll(drawnPages).toEqual(['/apart']);
  await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'open');
  await leaveLink(kiosk);
});

test('a page that another one has fetched ahead can open no dialog of the system either', async () => {
  await visit(`<script type="speculationrules">{ "prefetch": [{ "urls": ["/ahead"], "eagerness": "immediate" }] }</script>
    <script>setTimeout(() => { location.href = '/ahead'; }, 1_500)</script>`);
  await expect.poll(() => told().find((word) => /print/.test(word))).toBe('tried to print');
  await leaveLink(kiosk);
});

test('a window of a document in an object can open no dialog of the system either', async () => {
  const before = told().length;
  await visit('<object type="text/html" data="/opens"></object>');
  const said = () => told().slice(before);
  await expect.poll(() => said().find((word) => /print/.test(word))).toBe('tried to print');
  await leaveLink(kiosk);
});

test('the bar names the page that is seen while the window that it opened stalls', async () => {
  const before = late.length;
  await visit(`shop<script>
    addEventListener('load', () => open('http://localhost:' + location.port + '/stalls'));
  </script>`);
  await expect.poll(() => late.length).toBe(before + 1);
  await expect.poll(drawnPages).toEqual(['/']);
  await expect(kiosk.screen.locator('.link-domain-name')).toHaveText('127.0.0.1');
  late.at(-1)?.end();
  await expect.poll(drawnPages).toEqual(['/', '/stalls']);
  await expect(kiosk.screen.locator('.link-domain-name')).toHaveText('localhost');
  await leaveLink(kiosk);
});

for (const [what, then, drawn] of [
  [
    'is seen again when the window over it makes room for others',
    "['/stalls', '/stalls', '/stalls'].map(on)",
    ['/'],
  ],
  ['writes the window that is seen', "opened.location = 'about:blank'", ['/', 'blank']],
  ['is seen again, not one that wrote into a window that is still loading', 'opened.close()', ['/']],
] as const) {
  test(`the bar names the page that ${what}`, async () => {
    const before = late.length;
    await visit(`shop<script>
      const on = (path) => open('http://localhost:' + location.port + path);
      addEventListener('load', () => {
        open('/never').document.body.append('form');
        const opened = on('/bank');
        fetch('/late').finally(() => { ${then}; });
      });
    </script>`);
    await expect.poll(drawnPages).toEqual(['/', '/bank']);
    await expect(kiosk.screen.locator('.link-domain-name')).toHaveText('localhost');
    await expect.poll(() => late.length).toBe(before + 1);
    late.at(-1)?.end();
    await expect.poll(drawnPages).toEqual(drawn);
    await expect(kiosk.screen.locator('.link-domain-name')).toHaveText('127.0.0.1');
    await leaveLink(kiosk);
  });
}

test('a page that tries to go to an app stays', async () => {
  // Chromium reads nothing behind the script.
  await visit(`shop<script>location.href = 'market://details?id=shop'</script>`);
  await expect.poll(drawnPages).toEqual(['/']);
  await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'open');
  await leaveLink(kiosk);
});

test('a window that fails before its empty document is ready does not cover the words about it', async () => {
  // Chromium refuses this port at once.
  await visit(`<script>open('http://127.0.0.1:1/')</script>`);
  await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'failed');
  await expect(kiosk.screen.getByText('This page cannot be shown right now.')).toBeVisible();
  await expect.poll(drawnPages).toEqual([]);
  await leaveLink(kiosk);
});

test('a page is shown again when it closes a window that could not be shown', async () => {
  const before = late.length;
  await visit(`<script>
    const opened = open('/hangs-up');
    fetch('/late').finally(() => opened.close());
  </script>`);
  const frame = kiosk.screen.locator('.link-frame');
  await expect(frame).toHaveAttribute('data-state', 'failed');
  expect(await drawnPages()).toEqual([]);
  await expect.poll(() => late.length).toBe(before + 1);
  late.at(-1)?.end();
  await expect(frame).toHaveAttribute('data-state', 'open');
  await expect.poll(drawnPages).toEqual(['/']);
  await leaveLink(kiosk);
});

test('a page that could not be shown says so when the window over it closes', async () => {
  const [before, hungUp] = [late.length, asked('/hangs-up').length];
  await visit(`<script>open('/closes'); setTimeout(() => { location.href = '/hangs-up'; }, 100)</script>`);
  await expect.poll(() => late.length).toBe(before + 1);
  await expect.poll(() => asked('/hangs-up').length).toBeGreaterThan(hungUp);
  late.at(-1)?.end();
  await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'failed');
  await expect.poll(drawnPages).toEqual([]);
  await leaveLink(kiosk);
});

test('a page has its size before it is shown: a field with the focus does not scroll it away', async () => {
  let answer = () => {};
  await visit((response) => {
    const field = `<script>${tell('size ').replace('location.pathname', "innerWidth + 'x' + innerHeight")}</script>
      <style>body { height: 5000px; font-size: 40px }</style><p>Find what you need</p><input autofocus>
      <script>
        const drawn = () => new Promise(requestAnimationFrame);
        addEventListener('load', () => drawn().then(drawn).then(() => fetch('/told?scrolled ' + scrollY)));
      </script>`;
    answer = () => response.writeHead(200, { 'content-type': 'text/html' }).end(html(field));
  });
  // The kiosk page reports the place of the page once it has drawn the frame around it.
  const { width, height } = await kiosk.screen.locator('.link-view').evaluate(async (view) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return view.getBoundingClientRect();
  });
  answer();
  await expect.poll(told).toContain('scrolled 0');
  expect(told()).toContain(`size ${Math.round(width)}x${Math.round(height)}`);
  await leaveLink(kiosk);
});

test('an error page of a shop is shown', async () => {
  const sorry = html(`sorry<script>${tell('sorry ')}</script>`);
  await visit((response) => response.writeHead(404, { 'content-type': 'text/html' }).end(sorry));
  await expect.poll(told).toContain('sorry /');
  await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'open');
  await leaveLink(kiosk);
});

test('an error page whose script writes it later is shown', async () => {
  await visit((response) =>
    response
      .writeHead(404, { 'content-type': 'text/html' })
      .end(
        html(
          `<script>setTimeout(() => { document.body.append('sorry'); ${tell('later ')} }, 1_000)</script>`,
        ),
      ),
  );
  await expect.poll(told).toContain('later /');
  await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'open');
  await leaveLink(kiosk);
});

test('a sign-in window sends SameSite cookies only where allowed, and reports to the shop that opened it', async () => {
  test.slow();
  await visit('<script>location.replace("/cookies")</script>');
  await expect.poll(told).toContain('message signed in');
  const cookieOf = (path: string) => asked(path).at(-1)?.headers.cookie ?? '';
  expect(cookieOf('/identity')).toBe('');
  // Posted by a form of the same site.
  expect(cookieOf('/identity/log-in')).toBe('identity-strict=1; identity-lax=1');
  // Reached by a redirect from another site.
  expect(cookieOf('/callback')).toBe('shop-lax=1');
  await leaveLink(kiosk);
});

test('a page that uses too much memory ends its visit, and the next visit gets a new page', async () => {
  test.slow();
  await visit(`<script>
    const held = [];
    setInterval(() => { if (held.length < 40) held.push(new Uint8Array(64 << 20).fill(1)); }, 20);
  </script>`);
  const ended = /a page of the link view took too much memory; the visit was ended \{"megabytes":[12]\d{3},/;
  await expect.poll(kiosk.log).toMatch(ended);
  await expect(kiosk.screen.locator('.back-button')).toHaveCount(0);
  await visit(`<script>${tell('after ')}</script>`);
  await expect.poll(told).toContain('after /');
  await leaveLink(kiosk);
});

test('a page that makes workers without end is killed, and the way back works @quiet', async () => {
  test.slow();
  const before = kiosk.log().length;
  await visit(`<script>
    const address = URL.createObjectURL(new Blob(['']));
    setInterval(() => { for (let made = 0; made < 8; made += 1) new Worker(address).terminate(); }, 0);
  </script>`);
  // On a fast machine they fill main before they block it; then the whole visit ends.
  const killed =
    /pages blocked the kiosk; their processes were killed|the visit was ended \{"megabytes":\d+,/;
  await expect.poll(() => kiosk.log().slice(before)).toMatch(killed);
  const failed = kiosk.screen.locator('.link-frame[data-state="failed"]');
  const back = kiosk.screen.locator('.back-button');
  await expect.poll(async () => (await failed.count()) === 1 || (await back.count()) === 0).toBe(true);
  if ((await back.count()) === 1) await leaveLink(kiosk);
  await visit(`<script>${tell('after workers ')}</script>`);
  await expect.poll(told).toContain('after workers /');
  await leaveLink(kiosk);
});

test('a page that asks main without end is ended, and what it has asked does not hold up the way back @quiet', async () => {
  test.slow();
  const before = kiosk.log().length;
  await visit(`<script>
    setInterval(() => {
      for (let asked = 0; asked < 8_000; asked += 1) navigator.permissions.query({ name: 'geolocation' });
    }, 50);
  </script>`);
  await expect.poll(() => kiosk.log().slice(before)).toContain('pages blocked the kiosk');
  // Before the countdown is over.
  await expect(kiosk.screen.locator('.back-button')).toHaveCount(0, { timeout: 20_000 });
  await visit(`<script>${tell('after questions ')}</script>`);
  await expect.poll(told).toContain('after questions /');
  await leaveLink(kiosk);
});

test('a busy page is not killed while main waits and one of its workers works', async () => {
  await visit(
    `<script>setInterval(() => { for (const end = Date.now() + 50; Date.now() < end;); }, 10)</script>`,
  );
  await kiosk.app.evaluate(async () => {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker('for (;;);', { eval: true });
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    for (let waits = 0; waits < 4; waits += 1) {
      Atomics.wait(nothing, 0, 0, 1_200);
      await new Promise((done) => setTimeout(done, 0));
    }
    await worker.terminate();
  });
  await expect(kiosk.screen.locator('.link-frame')).toHaveAttribute('data-state', 'open');
  expect(kiosk.log()).not.toContain('pages blocked the kiosk');
  await leaveLink(kiosk);
});

test('a form that another site sends into a new window carries no cookie of its target', async () => {
  test.slow();
  // Signs in at the other site and comes back; the forged form is then sent there.
  await visit(`<script>
    if (document.referrer.includes('localhost')) location.href = '/forger';
    else location.href = 'http://localhost:' + location.port + '/identity/cookies';
  </script>`);
  await expect.poll(() => asked('/pay').length).toBe(1);
  const { method, headers } = asked('/pay')[0] ?? {};
  expect([method, headers?.['sec-fetch-site'], headers?.cookie]).toEqual(['POST', 'cross-site', undefined]);
  await leaveLink(kiosk);
});

test('opening the overlay ends a visit, whose page would cover it', async () => {
  test.slow();
  await visit(`<script>${tell('before staff ')}</script>`);
  await expect.poll(told).toContain('before staff /');
  // Opened with a hardware keyboard whose keys go to the page.
  const pad = kiosk.screen.locator('.a-pin');
  const opened = repeating(
    () => xdotool('mousemove', 640, 300, 'click', 1, 'key', 'ctrl+shift+F12'),
    () => pad.count(),
  );
  await expect.poll(opened).toBe(1);
  await expect(kiosk.screen.locator('.back-button')).toHaveCount(0, BEFORE_IDLE);
  await expect.poll(pagesOfShops).toEqual([]);
  // The keys may have been sent twice, and the second time may open the pad again after it was closed.
  const closed = repeating(
    () => kiosk.screen.keyboard.press('Escape'),
    () => pad.count(),
  );
  await expect.poll(closed).toBe(0);
});

test('a visit does not outlast a sleep of the machine, which may be a night', async () => {
  test.slow();
  await visit(`<script>${tell('evening ')}</script>`);
  await expect.poll(told).toContain('evening /');
  await kiosk.app.evaluate(({ powerMonitor }) => {
    powerMonitor.emit('suspend');
    powerMonitor.emit('resume');
  });
  await expect.poll(pagesOfShops, BEFORE_IDLE).toEqual([]);
  await expect(kiosk.screen.locator('.back-button')).toHaveCount(0);
});

test('if another program destroys the kiosk window, the visit ends and a new window plays', async () => {
  test.slow();
  await visit(`<script>${tell('last ')}</script>`);
  await expect.poll(told).toContain('last /');
  const before = (await kiosk.plays()).length;
  await kiosk.app.evaluate(({ BrowserWindow }) => {
    for (const window of BrowserWindow.getAllWindows())
      if (window.webContents.getURL() === 'endcap://kiosk/') window.destroy();
  });
  await expect.poll(kiosk.log).toContain('the kiosk window ended {"reason":"closed"}');
  await expect.poll(pagesOfShops, BEFORE_IDLE).toEqual([]);
  // A new window starts a process, and its first creative is prepared from the beginning.
  await expect.poll(async () => (await kiosk.plays()).length).toBeGreaterThan(before);
});
