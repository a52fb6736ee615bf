import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ESCAPE_KEYS } from './escape-keys';
import { expect } from './expect';
import { type Kiosk, root } from './kiosk';
import { launch, service, shareWorld, test } from './kiosk-test';
import {
  BLUE,
  expectMorePlays,
  expectOnScreen,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';
import { xdotool } from './xdotool';

// The lock-down under the kiosk's own compositor, with the package's own settings for it. The compositor
// draws into a window of the test's display, and receives its keyboard and mouse input.

const SOCKET = 'endcap-e2e';
const SIZE = { width: 1_280, height: 720 };
let runtime: string;
let compositor: ChildProcess;
let kiosk: Kiosk;

shareWorld(async () => {
  runtime = mkdtempSync(join(tmpdir(), 'endcap-wayland-'));
  compositor = spawn(
    'weston',
    [
      `--config=${join(root, 'tools/packaging/tree/usr/share/endcap/weston.ini')}`,
      ...['--backend=x11-backend.so', '--use-pixman', `--socket=${SOCKET}`],
      ...[`--width=${SIZE.width}`, `--height=${SIZE.height}`],
    ],
    // Super+S and Super+R would write files into another folder (kiosk-session).
    { cwd: '/proc', env: { ...process.env, XDG_RUNTIME_DIR: runtime }, stdio: 'ignore' },
  );
  await expect.poll(() => existsSync(join(runtime, SOCKET))).toBe(true);
  serveTwoCreatives(service);
  const settings = kioskSettings(service);
  kiosk = await launch(
    { ...settings, playback: { ...settings.playback, kiosk: true } },
    {
      args: ['--ozone-platform=wayland'],
      env: { XDG_RUNTIME_DIR: runtime, WAYLAND_DISPLAY: SOCKET, XDG_SESSION_TYPE: 'wayland' },
    },
  );
});

test.afterAll(() => {
  compositor.kill('SIGKILL');
  rmSync(runtime, { recursive: true, force: true });
});

const stateOf = () =>
  kiosk.app.evaluate(({ BrowserWindow, webContents }) => ({
    windows: BrowserWindow.getAllWindows()
      .filter((window) => window.isVisible())
      .map((window) => [window.getContentSize(), window.isFullScreen(), window.isMinimized()]),
    contents: webContents
      .getAllWebContents()
      .map((contents) => [contents.getURL(), contents.getZoomFactor(), contents.isDevToolsOpened()]),
  }));

test('under its compositor the kiosk has the whole display', async () => {
  await expectMorePlays(kiosk, 1);
  await expectOnScreen(kiosk, RED, BLUE);
  await expect
    .poll(async () => (await stateOf()).windows)
    .toEqual([[[SIZE.width, SIZE.height], true, false]]);
});

test('no key and no turn of the wheel leaves the kiosk, under its compositor too', async () => {
  const before = await stateOf();
  xdotool('mousemove', SIZE.width / 2, 20, 'click', 1);
  xdotool('key', ...ESCAPE_KEYS);
  // Shortcuts of weston's shells, and of switching to another console.
  xdotool('key', 'super+Tab', 'super+k', 'super+s', 'super+t', 'super+f', 'super+m', 'super+F11', 'super+r');
  xdotool('key', 'ctrl+alt+BackSpace', 'ctrl+alt+F2', 'ctrl+alt+s', 'super+shift+space', 'super+q');
  for (const button of [4, 5]) {
    xdotool('keydown', 'ctrl', 'click', button, 'keyup', 'ctrl');
    xdotool('keydown', 'super', 'click', button, 'keyup', 'super');
  }
  for (const button of [2, 3, 8, 9]) xdotool('click', button);
  xdotool('keydown', 'super', 'mousedown', 1, 'mousemove', 100, 100, 'mouseup', 1, 'keyup', 'super');
  await expectMorePlays(kiosk, 2);
  expect(await stateOf()).toEqual(before);
  expect(compositor.exitCode).toBeNull();
  expect(kiosk.log()).not.toMatch(/window ended|ended in order/);
  await expectOnScreen(kiosk, RED, BLUE);
});

test('a window stays if its compositor asks it to close or to leave full screen', async () => {
  await kiosk.app.evaluate(({ BrowserWindow }) => {
    const window = BrowserWindow.getAllWindows().find((each) => each.isVisible());
    window?.close();
    window?.setFullScreen(false);
  });
  await expectMorePlays(kiosk, 2);
  await expect
    .poll(async () => (await stateOf()).windows)
    .toEqual([[[SIZE.width, SIZE.height], true, false]]);
  await expectOnScreen(kiosk, RED, BLUE);
});
