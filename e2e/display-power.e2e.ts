import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { watchedServer } from '../main/egress/testing/watched-servers';
import { cecWay, ddcWay } from '../main/shell/display-switch/ways';
import { runProgram } from '../main/shell/run-program';
import { DEMO_PIN_HASH } from '../shared/staff';
import { expect } from './expect';
import { letPass } from './kiosk';
import { folder, keep, launch, service, test } from './kiosk-test';
import { BEFORE_IDLE, enterLink, pressAt, serveLinkingAd } from './link-visit';
import { repeating } from './repeating';
import { staffByKeys } from './staff';
import { pathWith, standIn } from './stand-in';
import { expectMorePlays, kioskSettings, serveTwoCreatives } from './two-creatives';

// The display is switched off outside the hours of `display.power`. No test machine has a display that can be
// switched off: decision 49 has the manual measurements, and docs/install.md what is untested.

/** Hours that do not include now: some days ago. */
function closedNow() {
  const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 5) % 7] ?? 'mon';
  return { timeZone: 'Asia/Kathmandu', [day]: '08:00-09:00' };
}

const atNight = () => {
  serveTwoCreatives(service);
  return {
    ...kioskSettings(service),
    display: { power: closedNow() },
    admin: { pinHash: DEMO_PIN_HASH },
  };
};

/**
 * Puts an `xset` in front of the real one, for an X server without DPMS. It answers as xset 1.2.5 does with
 * an Xorg that has DPMS.
 */
function pretendDpms(folder: string) {
  const bin = join(folder, 'bin');
  const state = join(folder, 'monitor');
  writeFileSync(state, 'On');
  const script = `case "$*" in
  q) printf 'DPMS (Energy Star):\\n  Standby: 0    Suspend: 0    Off: 0\\n  DPMS is Enabled\\n  Monitor is %s\\n' "$(cat '${state}')" ;;
  'dpms 0 0 0 dpms force off') printf Off > '${state}' ;;
  'dpms 0 0 0 dpms force on') printf On > '${state}' ;;
  *) exit 1 ;;
esac`;
  standIn(bin, 'xset', script);
  return {
    env: pathWith(bin),
    monitor: () => readFileSync(state, 'utf8'),
    switchedAt: () => statSync(state).mtimeMs,
  };
}

test('at night the display is off and nothing plays; staff can switch it on and off, also after a kill', async () => {
  const dpms = pretendDpms(folder);
  const settings = atNight();
  let kiosk = await launch(settings, { env: dpms.env });
  await expect.poll(dpms.monitor).toBe('Off');
  await expect
    .poll(async () => (await kiosk.status()).display)
    .toMatchObject({
      how: 'dpms',
      on: false,
      by: 'hours',
      problem: null,
    });
  expect(await kiosk.plays()).toEqual([]);
  expect((await kiosk.status()).sentence).toContain('no display is switched on');

  // The first press switches the display on.
  await kiosk.screen.mouse.click(300, 300);
  await expect.poll(dpms.monitor).toBe('On');
  await staffByKeys(kiosk).enter();
  const { screen } = kiosk;
  // The overlay shows why it is on, and how it is switched.
  await expect(screen.getByText('because somebody touched it · dpms')).toBeVisible();
  // Its clock is that of these hours: 05:45 ahead.
  const minute = async () => Number((await screen.locator('.a-head .a-quiet').innerText()).split(':')[1]);
  await expect.poll(async () => (60 + (await minute()) - new Date().getUTCMinutes()) % 60).toBe(45);
  const choose = async (name: string) => {
    await screen.getByRole('navigation').getByRole('button', { name: 'Actions' }).click();
    await screen.getByRole('button', { name: /^Display/ }).click();
    await screen.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  };
  await choose('On');
  await expect(screen.getByText('Display: done')).toBeVisible();
  await expect.poll(async () => (await kiosk.status()).display?.by).toBe('switch');
  const onAt = dpms.switchedAt();
  await screen.getByRole('button', { name: 'Back to playing' }).click();
  await expectMorePlays(kiosk, 1);
  expect((await kiosk.plays()).filter(({ at }) => at < onAt)).toEqual([]);

  await staffByKeys(kiosk).enter();
  await choose('Off');
  await expect.poll(dpms.monitor).toBe('Off');
  await expect(screen.getByRole('navigation')).toHaveCount(0, BEFORE_IDLE);
  const before = (await kiosk.plays()).length;
  await kiosk.kill();

  kiosk = await launch(settings, { env: dpms.env });
  await expect.poll(async () => (await kiosk.status()).display?.how).toBe('dpms');
  expect([dpms.monitor(), (await kiosk.plays()).length]).toEqual(['Off', before]);
});

test('at night taps on a linked page keep the display on; without taps it switches off and the page closes', async () => {
  test.slow();
  const dpms = pretendDpms(folder);
  const html = `<!doctype html><body style="height:100vh" onpointerdown="fetch('/tapped')">`;
  const shop = keep(
    await watchedServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(html),
    ),
  );
  const asked = (path: string) => shop.requests.filter(({ url }) => url === path).length;
  const settings = { ...serveLinkingAd(service, shop), display: { power: closedNow() } };
  const kiosk = await launch(settings, { env: dpms.env });
  await expect.poll(dpms.monitor).toBe('Off');
  pressAt(640, 360);
  await expect.poll(dpms.monitor).toBe('On');
  await enterLink(kiosk, () => asked('/') > 0);

  // A touch keeps it on for two minutes.
  await letPass(kiosk, service, 100_000);
  const tapped = repeating(
    () => pressAt(640, 300),
    () => asked('/tapped'),
  );
  await expect.poll(tapped).toBeGreaterThan(0);
  await letPass(kiosk, service, 100_000);
  expect((await kiosk.status()).display?.by).toBe('touch');
  await expect(kiosk.screen.locator('.back-button')).toHaveCount(1);

  await letPass(kiosk, service, 130_000);
  await expect.poll(dpms.monitor).toBe('Off');
  await expect(kiosk.screen.locator('.back-button')).toHaveCount(0, BEFORE_IDLE);
});

interface Output {
  readonly dpms: boolean;
  readonly power?: boolean;
}

test('under sway the outputs are off at night, or the kiosk finds out that switching has no effect', async () => {
  const runtime = join(folder, 'runtime');
  mkdirSync(runtime, { mode: 0o700 });
  const env = { XDG_RUNTIME_DIR: runtime, WLR_BACKENDS: 'headless', WLR_RENDERER: 'pixman' };
  const sway = spawn('sway', ['--config', '/dev/null'], {
    env: { ...process.env, ...env, WLR_LIBINPUT_NO_DEVICES: '1', DISPLAY: '', WAYLAND_DISPLAY: '' },
    stdio: 'ignore',
  });
  try {
    const named = (pattern: RegExp) => readdirSync(runtime).find((name) => pattern.test(name));
    await expect.poll(() => named(/^sway-ipc.*\.sock$/)).toBeDefined();
    await expect.poll(() => named(/^wayland-\d+$/)).toBeDefined();
    const session = {
      SWAYSOCK: join(runtime, named(/^sway-ipc/) ?? ''),
      WAYLAND_DISPLAY: named(/^wayland-\d+$/) ?? '',
    };
    const swaymsg = async (...words: string[]) => {
      const { stdout } = await promisify(execFile)('swaymsg', ['-r', ...words], {
        env: { ...process.env, ...session },
      });
      return stdout;
    };
    const isOn = async () => {
      const outputs = JSON.parse(await swaymsg('-t', 'get_outputs')) as Output[];
      return outputs.some(({ dpms, power }) => power ?? dpms);
    };
    // A headless output of wlroots before 0.16 accepts the command and stays on.
    await swaymsg('output', '*', 'dpms', 'off');
    const obeys = !(await isOn());
    await swaymsg('output', '*', 'dpms', 'on');
    expect(await isOn()).toBe(true);

    const kiosk = await launch(atNight(), {
      args: ['--ozone-platform=wayland'],
      env: { XDG_RUNTIME_DIR: runtime, XDG_SESSION_TYPE: 'wayland', ...session },
    });
    const display = async () => (await kiosk.status()).display;
    if (obeys) {
      await expect.poll(isOn).toBe(false);
      await expect.poll(display).toMatchObject({ how: 'sway', on: false, problem: null });
      expect(await kiosk.plays()).toEqual([]);
    } else {
      await expect
        .poll(async () => (await display())?.problem)
        .toBe('The display could not be switched off: sway: the display did not obey.');
      expect(await isOn()).toBe(true);
      // A display that cannot be switched off goes on showing ads.
      await expectMorePlays(kiosk, 1);
    }
    await kiosk.terminate();
  } finally {
    sway.kill('SIGKILL');
    rmSync(runtime, { recursive: true, force: true });
  }
});

test('ddcutil and cec-ctl support the options that are used', async () => {
  const ddcutil = await runProgram('ddcutil', ['--help']);
  for (const word of ['detect ', 'getvcp ', 'setvcp ', '--brief', '--terse', '--noverify', '--display '])
    expect(ddcutil).toContain(word);
  const cec = (await runProgram('cec-ctl', ['--help'])) + (await runProgram('cec-ctl', ['--help-all']));
  for (const word of ['--skip-info', '--to ', '--playback', '--osd-name', '--standby', '--image-view-on'])
    expect(cec).toContain(word);
  for (const word of ['--give-device-power-status', 'to-standby (3)']) expect(cec).toContain(word);
});

test('without a cable for commands the reason is reported in the words of the program', async () => {
  test.skip(
    readdirSync('/dev').some((name) => /^(?:cec|i2c-)\d/.test(name)),
    'this machine has one',
  );
  expect(await ddcWay(runProgram).probe()).toMatch(/^ddcutil failed \(1\): .*\/dev\/i2c/);
  expect(await cecWay(runProgram).probe()).toBe(
    'cec-ctl failed (1): Failed to open /dev/cec0: No such file or directory',
  );
});
