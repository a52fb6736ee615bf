import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { graphicsProcess, processOf } from './pages-and-processes';
import { signalsCaller } from './signals-caller';
import {
  BLUE,
  BRIEF,
  expectMorePlays,
  expectOnScreen,
  expectToPass,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';
import { searchVisible, xdotool } from './xdotool';

// Rule 25 for processes that hang, and for what other programs of the display do to the kiosk's window. The
// fault table has processes that die, and measures some of these as well.

let kiosk: Kiosk;

shareWorld(async () => {
  serveTwoCreatives(service, BRIEF);
  const drm = join(folder, 'drm');
  mkdirSync(join(drm, 'card0-HDMI-A-1'), { recursive: true });
  plug('connected', 'On');
  kiosk = await start();
  // Waits until all parts have reported: a part that has just started has a longer deadline.
  await kiosk.status();
  await expect.poll(async () => (await signalsCaller(folder).get('/healthz')).status).toBe(200);
});

const start = () =>
  launch(kioskSettings(service), {
    requiredScript: join(__dirname, 'pretend-displays.cjs'),
    env: { ENDCAP_E2E_DRM: join(folder, 'drm') },
  });

test.beforeEach(async () => {
  await expectMorePlays(kiosk, 1);
});

/** Processes that a test has stopped (SIGSTOP) and that the kiosk may not have killed. */
const stopped: number[] = [];

function stop(pid: number): void {
  stopped.push(pid);
  process.kill(pid, 'SIGSTOP');
}

// A process that stays stopped would keep the kiosk's output open, and the test run would never end.
test.afterEach(() => {
  for (const pid of stopped.splice(0)) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // The kiosk has killed it, as expected.
    }
  }
});

/** Sets the state of the machine's only display, in the files of Linux's DRM. */
function plug(status: string, dpms: string): void {
  const connector = join(folder, 'drm', 'card0-HDMI-A-1');
  writeFileSync(join(connector, 'status'), `${status}\n`);
  writeFileSync(join(connector, 'dpms'), `${dpms}\n`);
}

for (const [what, address, words] of [
  ['kiosk window', 'endcap://kiosk/', 'the kiosk window ended'],
  ['records window', 'endcap://records/', 'the records window ended'],
] as const) {
  test(`a ${what} whose process hangs is replaced, and the ads go on`, async () => {
    const pid = await processOf(kiosk, address);
    stop(pid);
    await expect.poll(() => kiosk.log(), { timeout: 90_000 }).toContain(words);
    await expect.poll(() => processOf(kiosk, address).catch(() => pid)).not.toBe(pid);
    await expectOnScreen(kiosk, RED, BLUE);
    await expectMorePlays(kiosk, 2);
  });
}

for (const [what, address] of [
  ['a graphics process that stands still is ended', null],
  ['a graphics process and a page that stand still at once are ended', 'endcap://kiosk/'],
] as const) {
  test(`${what}, and the ads go on`, async () => {
    const ends = () => kiosk.log().split('the graphics process ended').length;
    const before = ends();
    const pid = await graphicsProcess(kiosk);
    expect(pid).toBeGreaterThan(0);
    if (address) stop(await processOf(kiosk, address));
    stop(pid);
    await expect.poll(ends, { timeout: 90_000 }).toBeGreaterThan(before);
    await expect.poll(async () => [0, pid].includes(await graphicsProcess(kiosk))).toBe(false);
    await expectOnScreen(kiosk, RED, BLUE);
    await expectMorePlays(kiosk, 2);
  });
}

/** The kiosk's window on the display; null while none is visible. */
const windowOnDisplay = (): { id: string; place: string } | null => {
  try {
    const said = searchVisible('--name', '^Endcap$', 'getwindowgeometry', '--shell', '%@');
    const [, id = '', place = ''] = /WINDOW=(\d+)\n([\s\S]*)SCREEN/.exec(said) ?? [];
    return { id, place };
  } catch {
    return null;
  }
};

test('while the display is unplugged or switched off nothing is played; once it is back, the ads go on', async () => {
  for (const [status, dpms] of [
    ['disconnected', 'Off'],
    ['connected', 'Off'],
  ] as const) {
    plug(status, dpms);
    await expect.poll(async () => (await kiosk.status()).sentence).toContain('no display is switched on');
    // Waits until the play in progress is settled: interrupted, or voided if its first frame had not come. An
    // older play may stay open until the next start, if its records window crashed before it answered.
    const lastTwo = async () => (await kiosk.plays()).slice(-2).map(({ outcome }) => outcome);
    await expect.poll(lastTwo).not.toContain('reserved');
    const held = await kiosk.plays();
    // As long as three slots: nothing may be reserved in this time.
    await expectToPass(kiosk, 1_500);
    expect(await kiosk.plays()).toEqual(held);
    plug('connected', 'On');
    await expectMorePlays(kiosk, 1);
    await expectOnScreen(kiosk, RED, BLUE);
  }
});

test('a kiosk that starts over while its display is off plays nothing until it is on', async () => {
  plug('disconnected', 'Off');
  await expect.poll(async () => (await kiosk.status()).sentence).toContain('no display is switched on');
  // The last one may have been reserved for a slot that would begin after the end.
  const before = new Set((await kiosk.plays()).map(({ id }) => id));
  await kiosk.terminate();
  kiosk = await start();
  await expect.poll(async () => (await kiosk.status()).sentence).toContain('no display is switched on');
  const on = Date.now();
  plug('connected', 'On');
  await expectMorePlays(kiosk, 1);
  expect((await kiosk.plays()).filter(({ id, at }) => !before.has(id) && at < on)).toEqual([]);
});

test('after the machine wakes up no shopper is assumed, and ads play on', async () => {
  const signals = signalsCaller(folder);
  await signals.put('shopper', { people: [], groupSize: 1, ttlSeconds: 600 });
  expect((await signals.status()).signals.shopper).not.toBeNull();
  await kiosk.app.evaluate(({ powerMonitor }) => {
    powerMonitor.emit('suspend');
    powerMonitor.emit('resume');
  });
  await expect.poll(async () => (await signals.status()).signals.shopper).toBeNull();
  await expectMorePlays(kiosk, 1);
});

test('a hidden window is shown again at once, and the interrupted view does not count', async () => {
  const interrupted = async () =>
    (await kiosk.plays()).filter(({ endReason }) => endReason === 'window-hidden').length;
  const before = await interrupted();
  await kiosk.app.evaluate(({ BrowserWindow }) => {
    for (const window of BrowserWindow.getAllWindows()) if (window.isVisible()) window.hide();
  });
  // A play that was already reserved for the next slot may be included.
  await expect.poll(interrupted).toBeGreaterThan(before);
  const isVisible = () =>
    kiosk.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().some((window) => window.isVisible()),
    );
  await expect.poll(isVisible).toBe(true);
  await expectMorePlays(kiosk, 2);
  expect(await interrupted()).toBeLessThanOrEqual(before + 2);
});

/** What another program of the display can do to a window, given its id. */
const TAMPERING: Readonly<Record<string, (id: string) => void>> = {
  'moved away': (id) => void xdotool('windowmove', id, 500, 300),
  'made small': (id) => void xdotool('windowsize', id, 300, 200),
};

for (const [what, tamper] of Object.entries(TAMPERING)) {
  test(`a kiosk window that another program has ${what} covers the display again`, async () => {
    await expect.poll(windowOnDisplay).not.toBeNull();
    const before = windowOnDisplay();
    if (before === null) throw new Error('there is no kiosk window');
    tamper(before.id);
    await expect.poll(() => windowOnDisplay()?.place).toBe(before.place);
    await expectOnScreen(kiosk, RED, BLUE);
    await expectMorePlays(kiosk, 1);
  });
}
