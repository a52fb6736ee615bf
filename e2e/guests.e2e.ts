import { type WatchedServer, watchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import { type HostileScript, hostileScripts } from './hostile-scripts';
import { type Kiosk, speedUpTimers } from './kiosk';
import { keep, launch, service, shareWorld, test } from './kiosk-test';
import { impressionScript, nativeAd, nativeSettings, serveLoop } from './native-zone';
import { BRIEF, expectMorePlays } from './two-creatives';

// Every script is a beacon of one native ad, so that one kiosk runs them all, four guests at a time. Each
// test of a script waits for its own.

/** Must never be reached. */
let forbidden: WatchedServer;
/** May be reached; the test checks which cookies come with requests. */
let cookies: WatchedServer;
let kiosk: Kiosk;

let scripts: HostileScript[] = [];

/** The names only; the targets are known once everything listens. */
const NAMES = hostileScripts({ collector: '', port: 1, cookies: '' }).map(({ name }) => name);

const noteWhatGuestsDo = () =>
  kiosk.app.evaluate(({ app, clipboard, webContents }) => {
    clipboard.writeText('what was there before');
    const seen: string[] = [];
    const world = globalThis as unknown as { seen: string[]; mostGuests: number; loaded: number };
    Object.assign(world, { seen, mostGuests: 0, loaded: 0 });
    app.on('web-contents-created', (_event, contents) => {
      const guests = webContents.getAllWebContents().filter((one) => one.getType() === 'webview');
      world.mostGuests = Math.max(world.mostGuests, guests.length);
      // `remote` is Electron's wrapper of a guest that is being closed; the last test checks that none
      // remains.
      if (!['webview', 'remote'].includes(contents.getType())) seen.push(`a ${contents.getType()} appeared`);
      contents.on('did-navigate', (_navigated, url) => {
        // Chromium's own empty page, in place of a navigation that was blocked.
        const held = url === 'about:blank#blocked';
        if (/^http:\/\/[0-9a-f-]{36}\.localhost\/$/.test(url)) world.loaded += 1;
        else if (!held) seen.push(`went to ${url}`);
      });
      contents.on('did-create-window', () => seen.push('a window was opened'));
      contents.session.on('will-download', (event) => {
        if (!event.defaultPrevented) seen.push('a download began');
      });
      contents.on('page-title-updated', (_updated, title) => {
        if (title === 'crash me') contents.forcefullyCrashRenderer();
      });
    });
  });

/** The outcome of the script at this position in main's log, and its time (ms since the epoch); null: none yet. */
function outcomeOf(position: number): { result: string; detail: string | null; at: number } | null {
  const said = /^(\S+) .*JavaScript beacon.*?(\{.*\})$/;
  for (const line of kiosk.log().split('\n')) {
    const [, at = '', told] = said.exec(line) ?? [];
    const outcome = told === undefined ? null : JSON.parse(told);
    if (outcome?.position === position) return { ...outcome, at: Date.parse(at) };
  }
  return null;
}

/** Largest difference between the service's clock, which has whole seconds, and the kiosk's, ms. */
const CLOCKS_APART_MS = 2_000;

/** Waits until an ad of the loop that began after this time (ms since the epoch) has been shown. */
const expectLoopAfter = (time: number) =>
  expect
    .poll(async () =>
      (await kiosk.plays()).some(
        ({ delivery, outcome, at }) =>
          delivery !== 'native' && outcome === 'completed' && at > time + CLOCKS_APART_MS,
      ),
    )
    .toBe(true);

const saidBy = (name: string) =>
  service
    .beacons()
    .filter(({ path }) => path === `/collect/${name}`)
    .map(({ query }) => String(query.what))
    .sort();

test.afterEach(async () => {
  expect(forbidden.connections()).toBe(0);
  const { seen, windows } = await kiosk.app.evaluate(({ BrowserWindow }) => ({
    seen: (globalThis as unknown as { seen: string[] }).seen,
    windows: BrowserWindow.getAllWindows().map(({ webContents }) => webContents.getURL()),
  }));
  expect(seen).toEqual([]);
  expect(windows.sort()).toEqual(['endcap://kiosk/', 'endcap://records/']);
});

// Each script has only some seconds, which it would lose on a machine that runs several tests at a time.
test.describe('scripts', { tag: '@quiet' }, () => {
  shareWorld(async () => {
    cookies = keep(
      await watchedServer((_request, response) => {
        response.writeHead(204, { 'set-cookie': 'id=1; Path=/; SameSite=Lax' }).end();
      }),
    );
    forbidden = keep(await watchedServer());
    serveLoop(service, BRIEF);
    scripts = hostileScripts({
      collector: `${service.origin}/collect`,
      port: forbidden.port,
      cookies: `http://127.0.0.1:${cookies.port}`,
    });
    const beacons = scripts.map(({ beacon }) => impressionScript(beacon));
    service.setNativeAds([nativeAd(service, 'gallery', { beacons })]);
    kiosk = await launch(nativeSettings(service, { cardSeconds: 1.5, allow: [`127.0.0.1:${cookies.port}`] }));
    await noteWhatGuestsDo();
    // One answer only: another one would bring all guests again.
    await expect
      .poll(() => service.requests().filter(({ path }) => path === '/api/v3/native').length)
      .toBeGreaterThan(0);
    service.setNativeAds([]);
    const loaded = () => kiosk.app.evaluate(() => (globalThis as unknown as { loaded: number }).loaded);
    // The first four never report, and have the product's ten seconds. All others have thirty, and linger for three at
    // least, because a slow machine needs most of that time for processes, memory and the way of a request.
    await expect.poll(loaded).toBeGreaterThanOrEqual(4);
    await speedUpTimers(kiosk, 1 / 3);
  });

  for (const [position, name] of NAMES.entries()) {
    test(`contained: ${name}`, async () => {
      const script = scripts[position];
      if (!script) throw new Error('there is no such script');
      await expect.poll(() => outcomeOf(position), { timeout: 150_000 }).not.toBeNull();
      const outcome = outcomeOf(position);
      expect([script.result].flat()).toContain(outcome?.result);
      // Slow attempts of the script may take a few more seconds.
      if (script.ends) await expect.poll(() => saidBy(name)).toContain('done');
      expect(saidBy(name).filter((what) => what !== 'done')).toEqual([]);
      await expectLoopAfter(outcome?.at ?? Number.NaN);
    });
  }

  test('at most eight run at a time, and they leave no cookie, clipboard, page or process', async () => {
    const allEnded = () => NAMES.every((_name, position) => outcomeOf(position) !== null);
    await expect.poll(allEnded, { timeout: 150_000 }).toBe(true);
    await expect
      .poll(
        () =>
          kiosk.app.evaluate(({ app, webContents }) => ({
            contents: webContents.getAllWebContents().length,
            renderers: app.getAppMetrics().filter(({ type }) => type === 'Tab').length,
          })),
        // A script with an endless loop that survived its page would run for longer than this.
        { timeout: 15_000 },
      )
      .toEqual({ contents: 2, renderers: 2 });
    expect(cookies.requests.map(({ url }) => url).sort()).toEqual(['/later', '/same', '/set']);
    expect(cookies.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, undefined]);
    expect(await kiosk.app.evaluate(({ clipboard }) => clipboard.readText())).toBe('what was there before');
    const most = await kiosk.app.evaluate(() => (globalThis as unknown as { mostGuests: number }).mostGuests);
    expect(most, 'several run at a time').toBeGreaterThan(2);
    expect(most, 'never more than eight').toBeLessThanOrEqual(8);
    await expectMorePlays(kiosk, 1);
    const { state } = await kiosk.status();
    expect(state).toBe('playing');
  });
});
