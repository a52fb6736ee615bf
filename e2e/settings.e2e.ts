import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StaffCorner } from '../shared/stage';
import { expect } from './expect';
import { startProgram } from './fleet-cli';
import { electronExecutable, type Kiosk, root } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { quarteredImage } from './solid-image';
import {
  BLUE,
  BRIEF,
  expectMorePlays,
  expectOnScreen,
  expectToPass,
  GREEN,
  imageAd,
  isColour,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';

const SECRET = 'correct-horse-battery-staple';

test.beforeEach(() => {
  serveTwoCreatives(service, BRIEF);
});

/** Runs the kiosk from source, as in a terminal, until it exits by itself. */
const runToItsEnd = (...args: readonly string[]) =>
  startProgram(electronExecutable(), [root, `--data-dir=${folder}`, ...args]).done;

test('the start stops with one message that names every wrong, unknown and missing setting, without a secret', async () => {
  const file = join(folder, 'config.json');
  const good = kioskSettings(service);
  // The secret where an address belongs.
  const account = { authUrl: SECRET, clientId: 'kiosk', clientSecret: SECRET, projectId: 'p' };
  const playback = { imageSeconds: 'ten', imageSecond: 10 };
  writeFileSync(file, JSON.stringify({ ...good, playback, service: account }), { mode: 0o600 });
  const made = join(folder, 'stores', 'data');
  const { code, out, errors } = await runToItsEnd(`--config=${file}`, `--data-dir=${made}`);
  expect(statSync(made).mode & 0o777, 'the data folder is closed to others').toBe(0o700);
  // A group that may read the token of the local API has to pass through it.
  expect(statSync(join(made, '..')).mode & 0o777).toBe(0o777 & ~process.umask());
  expect(code).toBe(1);
  const said = errors.split('\n').filter((line) => !line.includes(':ERROR:'));
  expect(said.filter((line) => line.includes(`The settings in ${file} cannot be used:`))).toHaveLength(1);
  for (const expected of [
    /playback\.imageSeconds: Expected a number from .*, found other text\./,
    /playback\.imageSecond: Unknown setting\. Did you mean "imageSeconds"\?/,
    /service\.baseUrl: Missing; expected an http\(s\) address/,
    /service\.authUrl: Expected an http\(s\) address/,
  ])
    expect(said.filter((line) => expected.test(line))).toHaveLength(1);
  expect(errors + out).not.toContain(SECRET);
  expect(readFileSync(join(made, 'logs/endcap.log'), 'utf8')).not.toContain(SECRET);
});

/** Starts the kiosk again on the data folder of one that runs: the second start says so and ends. */
async function expectSecondStartToEnd(): Promise<void> {
  const second = await runToItsEnd(`--config=${join(folder, 'config.json')}`);
  expect(second.code).toBe(0);
  expect(second.errors).toContain('Endcap already runs on this data folder; this second start ends.');
}

/** The kiosk window as main knows it. */
const windowOf = (running: Kiosk) =>
  running.app.evaluate(({ BrowserWindow, screen }) => {
    const window = BrowserWindow.getAllWindows().find(
      (one) => one.webContents.getURL() === 'endcap://kiosk/',
    );
    if (!window) throw new Error('there is no kiosk window');
    return {
      kiosk: window.isKiosk(),
      bounds: window.getBounds(),
      display: screen.getPrimaryDisplay().bounds,
    };
  });

test('--windowed makes it an ordinary window, whatever the settings are; a second start on its data folder exits at once with a message, and the first plays on', async () => {
  const settings = { ...kioskSettings(service), playback: { kiosk: true } };
  const kiosk = await launch(settings, { args: ['--windowed'] });
  expect((await windowOf(kiosk)).kiosk).toBe(false);
  expect(await kiosk.app.evaluate(({ powerSaveBlocker }) => powerSaveBlocker.isStarted(0))).toBe(false);
  await expectOnScreen(kiosk, RED);
  // The lock is refused in a folder that cannot be written to, too.
  for (const mode of [0o700, 0o500]) {
    chmodSync(folder, mode);
    await expectSecondStartToEnd();
  }
  chmodSync(folder, 0o700);
  await Promise.all([expectOnScreen(kiosk, RED, BLUE), expectMorePlays(kiosk, 2)]);
});

test('where no lock can be made for its data folder, as on a disk that holds no more files, the kiosk plays all the same, and a second start ends at once', async () => {
  mkdirSync(join(folder, 'SingletonLock'));
  const kiosk = await launch();
  await expectMorePlays(kiosk, 2);
  await expectSecondStartToEnd();
  await expectMorePlays(kiosk, 2);
});

test.describe('rotation', () => {
  const WHITE = [240, 240, 240] as const;
  // Clockwise from the top left, as the shopper sees the creative.
  const CORNERS = [RED, GREEN, BLUE, WHITE] as const;
  const LOOKS = [
    { across: 0.3, down: 0.05 },
    { across: 0.7, down: 0.05 },
    { across: 0.7, down: 0.95 },
    { across: 0.3, down: 0.95 },
  ] as const;

  const MISSING = 'there is no display as playback.display says; the primary one is used';
  for (const [rotation, display, which] of [
    [90, 1, 'the display of its settings'],
    [180, 2, 'the only display, and logs that the one of its settings is missing'],
    [270, 1, 'the display of its settings'],
  ] as const) {
    test(`${rotation} degrees turns the creative clockwise and covers ${which}`, async () => {
      const portrait = rotation % 180 !== 0;
      const [width, height] = portrait ? [720, 1280] : [1280, 720];
      service.setMedia('corners.png', quarteredImage(CORNERS, width, height), 'image/png');
      service.setAds([
        { ...imageAd('corners', 60), media: [{ name: 'corners.png', type: 'image/png', width, height }] },
      ]);
      const corner = StaffCorner.options[rotation / 90] ?? '';
      const admin = { gesture: { corner } };
      const running = await launch({ ...kioskSettings(service), admin, playback: { rotation, display } });
      await expect(running.screen.locator('.screen')).toHaveAttribute('data-corner', corner);
      for (const [at, look] of LOOKS.entries()) {
        const expected = CORNERS[(at + 4 - rotation / 90) % 4] ?? WHITE;
        await expect.poll(async () => isColour(expected, await running.colour(look))).toBe(true);
      }
      // The X server applies it a moment after the window was made. Without a window manager, Chromium makes the
      // window one pixel smaller on X11.
      const missed = async () => {
        const { bounds, display: whole } = await windowOf(running);
        const beside = [bounds.x - whole.x, bounds.y - whole.y].some((px) => px !== 0);
        const smaller = [whole.width - bounds.width, whole.height - bounds.height].some((px) => px > 1);
        return beside || smaller ? { bounds, whole } : null;
      };
      await expect.poll(missed).toBeNull();
      expect(running.log().split(MISSING)).toHaveLength(display);
    });
  }
});

/** Pretends that a second display lies right of the only one of Xvfb, and that one of both is unplugged and plugged in. */
const plugDisplay = ({ app }: Kiosk, which: 'first' | 'second', isThere: boolean): Promise<number> =>
  app.evaluate(
    ({ screen }, { which, isThere }) => {
      const first = screen.getPrimaryDisplay();
      const second = { ...first, id: first.id + 1, bounds: { ...first.bounds, x: first.bounds.width } };
      const [plugged, other] = which === 'first' ? [first, second] : [second, first];
      screen.getAllDisplays = () => (isThere ? [first, second] : [other]);
      screen.emit(isThere ? 'display-added' : 'display-removed', {}, plugged);
      return plugged.bounds.x;
    },
    { which, isThere },
  );

test('while the display of the settings is gone nothing plays, and the kiosk covers no other', async () => {
  serveTwoCreatives(service);
  const settings = kioskSettings(service);
  const kiosk = await launch({ ...settings, playback: { display: 2 } });
  await expectMorePlays(kiosk, 1);
  const left = async () => (await windowOf(kiosk)).bounds.x;
  const right = await plugDisplay(kiosk, 'second', true);
  await expect.poll(left).toBe(right);
  await expectMorePlays(kiosk, 1);

  await plugDisplay(kiosk, 'second', false);
  await expect.poll(async () => (await kiosk.status()).sentence).toContain('no display is switched on');
  await expect.poll(async () => (await kiosk.plays()).at(-1)?.outcome).not.toBe('reserved');
  const before = await kiosk.plays();
  // As long as two slots, and as the kiosk waits before it moves.
  await expectToPass(kiosk, 2_000);
  expect(await kiosk.plays()).toEqual(before);
  expect(await left()).toBe(right);
  expect(kiosk.log()).toContain(
    'there is no display as playback.display says; nothing plays until it is back',
  );

  await plugDisplay(kiosk, 'second', true);
  await expectMorePlays(kiosk, 1);
});

test('when the first display of two goes, the second one does not become the first of the settings', async () => {
  serveTwoCreatives(service);
  const kiosk = await launch({ ...kioskSettings(service), playback: { display: 1 } });
  await plugDisplay(kiosk, 'first', true);
  await expectMorePlays(kiosk, 1);
  await plugDisplay(kiosk, 'first', false);
  await expect.poll(async () => (await kiosk.status()).sentence).toContain('no display is switched on');
  await plugDisplay(kiosk, 'first', true);
  await expectMorePlays(kiosk, 1);
  expect((await windowOf(kiosk)).bounds.x).toBe(0);
});

test('a secret sealed by the keyring is used; one that it cannot open is reported, and its file is kept', async () => {
  const requiredScript = join(__dirname, 'pretend-keyring.cjs');
  const good = kioskSettings(service);
  const clientSecret = { sealed: Buffer.from(`this:${good.service.clientSecret}`).toString('base64') };
  const settings = { ...good, service: { ...good.service, clientSecret } };
  const kiosk = await launch(settings, { requiredScript, env: { ENDCAP_E2E_KEYRING: 'this' } });
  await expectOnScreen(kiosk, RED, BLUE);
  expect((await kiosk.status()).service.token?.failing).toBe(false);
  expect(await kiosk.terminate()).toBe(0);
  expect(kiosk.log()).toContain('the keyring opened secrets of the settings');
  expect(kiosk.log() + kiosk.output()).not.toContain(good.service.clientSecret);

  const before = readFileSync(join(folder, 'config.json'), 'utf8');
  const { code, errors } = await runToItsEnd(`--config=${join(folder, 'config.json')}`);
  expect(code).toBe(1);
  expect(errors).toContain('service.clientSecret: The keyring cannot decrypt this value');
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(before);
});

test('a group of the machine can read the token of the API, and the autostart entry starts the kiosk with its data folder; corrected settings take effect at the next start', async () => {
  const config = join(folder, 'config');
  const entry = join(config, 'autostart', 'endcap.desktop');
  const startWith = async (tokenGroup: string, autostart: boolean) => {
    const { playback, signals, ...rest } = kioskSettings(service);
    const access = { tokenGroup, tokenMode: '0640' };
    const settings = { ...rest, playback: { ...playback, autostart }, signals: { ...signals, ...access } };
    return launch(settings, { env: { XDG_CONFIG_HOME: config } });
  };
  const modes = () => ['signals-token', ''].map((name) => statSync(join(folder, name)).mode & 0o777);
  const wrong = await startWith('nobody-made-it', true);
  await expect
    .poll(async () => (await wrong.status()).signalsServer?.problem)
    .toBe(
      'signals.tokenGroup: expected a group of this machine, found nobody-made-it. Create it, then restart the kiosk.',
    );
  expect(modes()).toEqual([0o600, 0o700]);
  await expect.poll(() => existsSync(entry)).toBe(true);
  await expectMorePlays(wrong, 1);
  // The autostart command starts this kiosk on this data folder, which is in use already.
  const [, command = ''] = /^Exec=(.*)$/m.exec(readFileSync(entry, 'utf8')) ?? [];
  const again = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', timeout: 60_000 });
  expect(again.stderr).toContain('Endcap already runs on this data folder');
  expect(again.status).toBe(0);
  await wrong.terminate();

  const right = await startWith(String(process.getgid?.()), false);
  await expect.poll(async () => (await right.status()).signalsServer?.problem).toBeNull();
  expect(modes()).toEqual([0o640, 0o710]);
  await expect.poll(() => existsSync(entry)).toBe(false);
});
