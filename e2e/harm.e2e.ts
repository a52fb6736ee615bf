import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { graphicsProcess } from './pages-and-processes';
import {
  BLUE,
  expectMorePlays,
  expectOnScreen,
  GREEN,
  imageAd,
  isColour,
  kioskSettings,
  pageAd,
  pageOf,
  RED,
  serveColours,
  servePages,
} from './two-creatives';

// Rule 11: a creative that harms the kiosk is remembered, and the others go on.

/**
 * 400 full-screen layers that filter what is below them: each frame takes many seconds, with or without a
 * graphics processor.
 */
const stallingPage = (afterMs: number) => `<!doctype html><html><head><style>
html{background:rgb(${GREEN.join(',')})}
i{position:fixed;inset:0;background:#3571;backdrop-filter:blur(8px) hue-rotate(20deg);mix-blend-mode:difference;
animation:a 1s infinite}
@keyframes a{to{transform:rotate(9deg) scale(1.2)}}</style></head><body><script>
const stall = () => { for (let n = 0; n < 400; n++) document.body.append(document.createElement('i')); };
${afterMs > 0 ? `setTimeout(stall, ${afterMs})` : 'stall()'};</script></body></html>`;

const killGuests = (kiosk: Kiosk) =>
  kiosk.app.evaluate(({ webContents }) => {
    for (const one of webContents.getAllWebContents()) {
      // A guest without a process has the id 0, which would kill the kiosk's own process group.
      const pid = one.getType() === 'webview' ? one.getOSProcessId() : 0;
      if (pid > 0) process.kill(pid, 'SIGKILL');
    }
  });

/** The process goes on, with graphics unchanged. */
function expectUnharmed(kiosk: Kiosk, folder: string): void {
  expect(kiosk.app.process().exitCode, 'the process goes on').toBeNull();
  const graphics = join(folder, 'graphics.json');
  if (existsSync(graphics))
    expect(JSON.parse(readFileSync(graphics, 'utf8'))).toMatchObject({ crashes: [], softwareSince: null });
}

test.describe('on one kiosk', () => {
  let kiosk: Kiosk;
  /** Name of the two bad ads. */
  let bad = '';

  shareWorld(async () => {
    serveColours(service, { red: RED, blue: BLUE });
    service.setAds([imageAd('red'), imageAd('blue')]);
    kiosk = await launch();
  });

  /** Serves two bad ads with the same page between the good ones; two bad plays give the two strikes. */
  function serve(name: string, page: string): void {
    bad = name;
    const [one, other] = [`${bad}-1`, `${bad}-2`];
    servePages(service, { [one]: page, [other]: page });
    service.setAds([imageAd('red'), pageAd(one, 8), imageAd('blue'), pageAd(other, 8)]);
  }

  const badPlays = async () => (await kiosk.plays()).filter(({ adId }) => adId.startsWith(bad));
  const problems = async () => (await kiosk.status()).media.problems.join('\n');

  /** The bad ads are in quarantine, and the good ones go on in the same process. */
  async function expectQuarantine(): Promise<void> {
    const both = `(?=[\\s\\S]*${bad}-1\\.html: harmful: quarantined since)(?=[\\s\\S]*${bad}-2\\.html: harmful)`;
    await expect.poll(problems).toMatch(new RegExp(both));
    await expectOnScreen(kiosk, RED, BLUE);
    expectUnharmed(kiosk, folder);
  }

  test('a page that stalls the display is not shown after two strikes, not even after a restart, and is never billed', async () => {
    serve('stalling', stallingPage(0));
    await expectQuarantine();
    await expectMorePlays(kiosk, 3);
    const billed = (await badPlays()).filter(({ outcome }) => outcome !== 'given-back');
    expect(billed, 'no frame of it came').toEqual([]);

    await kiosk.terminate();
    const before = kiosk.log().length;
    kiosk = await launch(kioskSettings(service));
    await expectOnScreen(kiosk, RED, BLUE);
    const plays = (await badPlays()).length;
    await expectMorePlays(kiosk, 4);
    expect((await badPlays()).length).toBe(plays);
    expect(await problems()).toMatch(/stalling-1\.html: harmful/);
    expect(kiosk.log().slice(before)).not.toContain('did harm');
  });

  test('a page that stalls the display while shown is removed, and not shown after two strikes', async () => {
    serve('late', stallingPage(3_000));
    await expectQuarantine();
    await expectMorePlays(kiosk, 3);
  });

  for (const [what, script, cause] of [
    ['whose process dies', '', 'guest'],
    ['that hangs', '<script>setTimeout(() => { for (;;); }, 500)</script>', 'hang'],
  ] as const) {
    test(`a page ${what} twice is not shown again, and the kiosk reports why, since when and until when`, async () => {
      serve(cause, pageOf(GREEN, script));
      const from = kiosk.log().length;
      const harms = async () => {
        // Killed whenever it is on the screen: the last frame of a killed page, or one that ends before it is killed,
        // takes one more look.
        if (cause === 'guest' && isColour(GREEN, await kiosk.colour())) await killGuests(kiosk);
        const said = kiosk.log().slice(from);
        return said.match(/a creative did harm/g)?.length ?? 0;
      };
      const options = cause === 'guest' ? { intervals: [0, 500, 3_000] } : {};
      await expect.poll(harms, { ...options, timeout: 120_000 }).toBeGreaterThanOrEqual(2);
      await expectQuarantine();
      const [latest] = (await kiosk.status()).quarantine ?? [];
      expect(latest).toMatchObject({ code: 'harmful', cause });
      const { since, until, advice } = latest ?? { since: '', until: '', advice: '' };
      expect(Date.parse(until) - Date.parse(since)).toBe(7 * 86_400_000);
      expect(advice).not.toBe('');
    });
  }
});

test('pages that crash the graphics process do not count as driver errors, and never end the kiosk', async () => {
  const PAGES = [1, 2, 3, 4];
  for (const n of PAGES) {
    serveColours(service, { [`red-${n}`]: RED });
    servePages(service, { [`page-${n}`]: pageOf(GREEN, String(n)) });
  }
  service.setAds(PAGES.flatMap((n) => [imageAd(`red-${n}`), pageAd(`page-${n}`, 20)]));
  const kiosk = await launch();
  const killed: string[] = [];
  for (const n of PAGES) {
    // The status names the last page until the next creative is shown.
    const newPage = async () => {
      const id = (await kiosk.status()).now?.adId ?? '';
      return id.startsWith('page-') && !killed.includes(id) ? id : null;
    };
    let page: string | null = null;
    await expect
      .poll(async () => {
        page = await newPage();
        return page;
      })
      .not.toBeNull();
    killed.push(page ?? '');
    await expect.poll(() => graphicsProcess(kiosk)).toBeGreaterThan(0);
    const pid = await graphicsProcess(kiosk);
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(() => kiosk.log().match(/the graphics process ended while it drew a creative/g)?.length)
      .toBe(n);
    await expect.poll(() => graphicsProcess(kiosk)).not.toBe(pid);
    // A process that dies again within two seconds would count as a driver error. Of a step of more than three, main
    // takes no part for silent.
    await advanceMonotonicClock(kiosk, 4_000);
    await expect
      .poll(async () => (await kiosk.plays()).filter(({ endReason }) => endReason === 'error').length)
      .toBe(n);
  }
  await expectOnScreen(kiosk, RED);
  expectUnharmed(kiosk, folder);
});
