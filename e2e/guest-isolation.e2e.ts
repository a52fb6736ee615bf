import { getPriority } from 'node:os';
import { sendRawRequest } from '../main/egress/testing/raw-request';
import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import { type Kiosk, shortenCards, speedUpTimers } from './kiosk';
import { folder, keep, launch, service, shareWorld, test } from './kiosk-test';
import { bannerAd, impressionScript, nativeAd, oneAnswerSettings, serveLoop } from './native-zone';
import { graphicsProcess, guestProcesses, processesOf } from './pages-and-processes';
import { signalsCaller } from './signals-caller';
import { BRIEF, expectMorePlays, imageAd, pageAd } from './two-creatives';

// Guests of different ads are isolated from each other (rule 17): none sees what another stores or requests. Their
// errors are recorded.

let web: WatchedServer;

async function enter(): Promise<void> {
  web = keep(
    await watchedServer((request, response) => {
      if (request.url?.startsWith('/mark'))
        response.setHeader('cache-control', 'public, max-age=86400').setHeader('content-type', 'text/plain');
      response
        .writeHead(200, { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' })
        .end('mark');
    }),
  );
  serveLoop(service, BRIEF);
}

/** Each host is a site of its own. */
const SITES = Array.from({ length: 10 }, (_, index) => `127.0.0.${index + 1}`);
/** Cards stay `cardSeconds`, by default just long enough to count as seen. */
const start = async (cardSeconds?: number): Promise<Kiosk> => {
  const allow = SITES.map((host) => `${host}:${web.port}`);
  const stay = cardSeconds === undefined ? {} : { cardSeconds };
  const kiosk = await launch(oneAnswerSettings(service, { ...stay, allow }));
  if (cardSeconds === undefined) await shortenCards(kiosk);
  return kiosk;
};
const said = (who: string) =>
  web.requests.flatMap(({ url }) => {
    const { pathname, searchParams } = new URL(url ?? '', 'http://web.invalid');
    return pathname === '/said' && searchParams.get('who') === who ? [searchParams.get('what')] : [];
  });
const script = (who: string, body: string) => `(async () => {
  const tell = (what) => fetch('http://127.0.0.1:${web.port}/said?' + new URLSearchParams({ who: '${who}', what }));
  ${body}
})();`;

const THROWS = (words: string) => `<script>
  setTimeout(() => { throw new Error('${words}') });
  setTimeout(() => { throw new Error('${words}') }, 20);
</script>`;
const GROUND = 'background:#20c060;width:300px;height:250px';

test.describe('scripts on one kiosk', () => {
  let running: Kiosk;

  shareWorld(async () => {
    await enter();
    const look = (who: string) =>
      script(
        who,
        `await fetch('http://127.0.0.1:${web.port}/mark');
         document.cookie = 'mine=1'; localStorage.mine = 2;
         await tell([document.cookie, localStorage.mine, eval('1 + 2'), innerWidth + 'x' + innerHeight, location.origin].join(' '));`,
      );
    const framesOf = (sites: readonly string[]) => `for (const host of ${JSON.stringify(sites)}) {
        const frame = document.createElement('iframe');
        frame.src = 'http://' + host + ':${web.port}/frame';
        document.documentElement.append(frame);
      }
      await new Promise(() => {});`;
    const stays = `await tell(location.host); await fetch('http://127.0.0.1:${web.port}/said?who=stays&what=again');
      ${framesOf(SITES.slice(0, 2))}`;
    const page = `<!doctype html><html><head><style>html{background:#20c060}</style></head><body>
      <img src="${service.origin}/collect/escaped">${THROWS('the page broke')}</body></html>`;
    service.setMedia('green.html', Buffer.from(page), 'text/html');
    service.setAds([imageAd('red'), pageAd('green')]);
    const banner = `<div style="${GROUND}"></div><object data="/nothing"></object>${THROWS('the banner broke')}`;
    service.setNativeAds([
      ...Object.entries({
        stays: script('stays', stays),
        one: look('one'),
        two: look('two'),
        frames: script('frames', framesOf(SITES)),
      }).map(([who, body]) => nativeAd(service, who, { beacons: [impressionScript(body)] })),
      bannerAd(service, 'broken', banner, { w: 300, h: 250 }),
    ]);
    running = await start();
    // A finished script then stays for twelve seconds instead of three, and on a slow machine no deadline comes before
    // the seventh process of the frames.
    await speedUpTimers(running, 1 / 4);
  });

  test('another program on the machine gets nothing of a guest, whose own requests work', async () => {
    await expect.poll(() => said('stays').length).toBe(2);
    const [host = ''] = said('stays');
    const port = await running.app.evaluate(async ({ webContents }, origin) => {
      const guest = webContents.getAllWebContents().find((each) => each.getURL().includes(origin ?? ''));
      const proxy = await guest?.session.resolveProxy('http://web.invalid/');
      return Number(/127\.0\.0\.1:(\d+)/.exec(proxy ?? '')?.[1]);
    }, host);
    const answer = await sendRawRequest(
      port,
      `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 407 [^<]*$/);
  });

  test('a script and its frames of other sites, all processes of their own, give way to the kiosk page', async () => {
    await expect.poll(() => said('stays').length).toBe(2);
    const [host = ''] = said('stays');
    const haveLowPriority = async () =>
      (await processesOf(running, `http://${host}/`)).map((pid) => getPriority(pid) > getPriority());
    await expect.poll(haveLowPriority).toEqual([true, true, true]);
  });

  test('cookies, storage and eval work in a script, on an origin of its own; what it caches is fetched again for another ad', async () => {
    await expect.poll(() => [said('one').length, said('two').length]).toEqual([1, 1]);
    const all = [...said('one'), ...said('two')];
    for (const words of all) expect(words).toMatch(/^mine=1 2 3 1x1 http:\/\/[a-z0-9-]{20,}\.localhost$/);
    expect(new Set(all).size).toBe(2);
    expect(web.requests.filter(({ url }) => url === '/mark').length).toBe(2);
  });

  test('a script whose frames use too many processes is ended', async () => {
    const ended =
      /a guest took too much memory; it was ended \{"kind":"beacon","megabytes":\d+,"processes":(?:[789]|1\d)\}/;
    await expect.poll(running.log).toMatch(ended);
    await expectMorePlays(running, 2);
  });

  /** The last settled play of an ad, as returned by `GET /v1/plays`. */
  const toldOf = async (ad: string) =>
    (await signalsCaller(folder).plays()).findLast(
      (play) => play.adId === ad && play.outcome === 'completed',
    );

  test('errors of a page creative are logged and reported with its play', async () => {
    await expect.poll(async () => (await toldOf('green'))?.guestErrors).toBeTruthy();
    const errors = String((await toldOf('green'))?.guestErrors).split('; ');
    expect(errors.filter((error) => error.includes('the page broke'))).toHaveLength(1);
    expect(errors.filter((error) => /img-src/.test(error))).toHaveLength(1);
    expect(running.log()).toMatch(/a script of a page failed.*the page broke/);
    // A picture has no scripts.
    await expect.poll(async () => (await toldOf('red'))?.guestErrors).toBeNull();
  });

  test('errors of a banner are logged and reported with its play', async () => {
    const ofBanner = async () =>
      (await running.plays()).find((play) => play.delivery === 'native' && play.guestErrors !== undefined);
    await expect.poll(ofBanner).toBeTruthy();
    const errors = (await ofBanner())?.guestErrors ?? [];
    expect(errors.filter((error) => error.includes('the banner broke'))).toHaveLength(1);
    expect(errors.filter((error) => error.includes('object-src'))).toHaveLength(1);
    expect(running.log()).toMatch(/a script of a banner failed.*the banner broke/);
  });
});

test.describe('on a kiosk of its own', () => {
  test.beforeEach(() => enter());

  test('a banner that floods the address of another, or a free one, is ended alone', async () => {
    const flood = (host: string) => `<body style="background:#20a0c0"><script>
      setInterval(() => { for (let i = 0; i < 200; i += 1) fetch('${host}?' + Math.random()).catch(() => {}); }, 20);
    </script>`;
    service.setNativeAds([
      bannerAd(service, 'nobody', flood('guest://nobody/')),
      bannerAd(service, 'quiet', '<body style="background:#20c060">'),
      bannerAd(service, 'host', flood('http://nobody.localhost/')),
    ]);
    const running = await start(6);
    const ended = () => running.log().match(/"reason":"killed"/g)?.length ?? 0;
    // Once: a banner that was killed is not loaded again. The other flood stays within its budget, because
    // Chromium opens only six connections per host; the proxy's unit tests cover more.
    await expect.poll(ended).toBeGreaterThanOrEqual(1);
    await shortenCards(running);
    await expectMorePlays(running, 2);
    await expect.poll(() => service.beacons().some(({ query }) => query.ad === 'quiet')).toBe(true);
  });

  test('scripts that run when the graphics process crashes are ended, and no picture gets a strike', async () => {
    const names = ['one', 'two'];
    const beacons = names.map((name) =>
      impressionScript(script(name, `await tell('ran'); await new Promise(() => {});`)),
    );
    service.setNativeAds([nativeAd(service, 'lingers', { beacons })]);
    const running = await start(4);
    // A script may stay for three seconds after it ran; with these timers it may for 24.
    await speedUpTimers(running, 1 / 8);
    await expect.poll(() => names.flatMap(said)).toEqual(['ran', 'ran']);
    expect(await guestProcesses(running)).toHaveLength(2);
    process.kill(await graphicsProcess(running), 'SIGKILL');
    await expect.poll(() => guestProcesses(running), { timeout: 15_000 }).toEqual([]);
    await expectMorePlays(running, 2);
    expect(running.log()).not.toContain('did harm');
    expect((await running.status()).quarantine ?? []).toEqual([]);
  });
});
