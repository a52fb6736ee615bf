import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashPin } from '../main/admin/pin-hash';
import { LEFT_EXIT_CODE } from '../main/shell/service-manager';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { serveLoop } from './native-zone';
import { staffByTouch } from './staff';
import { pathWith, standIn } from './stand-in';
import { type Finger, fingerOn } from './touch';
import { expectPlaying, kioskSettings } from './two-creatives';

// One kiosk that was configured by its own set-up, under a pretended service manager; the tests build on each
// other.
test.describe.configure({ mode: 'serial' });

const OLD_PIN = '7382';
const NEW_PIN = '5926';

let kiosk: Kiosk;
let finger: Finger;

const stand = (...path: string[]) => join(folder, 'stand-ins', ...path);
const ownSettings = () => readFileSync(join(folder, 'settings.json'), 'utf8');
const recorded = () => readFileSync(join(folder, 'actions.ndjson'), 'utf8');

/** Replaces a program of the system by `script`, and records its arguments. */
const record = (name: string, script: string) =>
  standIn(stand(), name, `echo "$*" >> '${stand(`${name}.calls`)}'\n${script}`);
const calls = (name: string) =>
  existsSync(stand(`${name}.calls`))
    ? readFileSync(stand(`${name}.calls`), 'utf8')
        .trim()
        .split('\n')
    : [];

async function start(): Promise<void> {
  kiosk = await launch(null, {
    args: ['--kiosk', '--lang=en'],
    env: {
      // This machine may have an operator's settings file, which must not be used.
      ENDCAP_CONFIG: '',
      ...pathWith(stand()),
      NOTIFY_SOCKET: join(folder, 'notify'),
    },
  });
  finger = await fingerOn(kiosk.screen);
  await playing();
}

shareWorld(async () => {
  serveLoop(service, 2);
  const settings = { ...kioskSettings(service, 60), admin: { pinHash: await hashPin(OLD_PIN) } };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  record('systemd-notify', 'exit 0');
  // A logind that allows the kiosk to restart the computer, but is inhibited at the first call.
  record(
    'busctl',
    `case "$*" in
*CanReboot) echo 's "yes"' ;;
*) test -e '${stand('inhibited')}' || { touch '${stand('inhibited')}'; echo inhibited >&2; exit 1; } ;;
esac`,
  );
  await start();
});

const page = () => kiosk.screen;
const sure = () => page().getByRole('alertdialog');
const said = () => page().locator('.a-saying');
const playing = () => expectPlaying(kiosk);
const begin = (action: RegExp) => finger.tap(page().locator('.a-action', { hasText: action }));

/** Opens the page of actions; enters `refused` first, a PIN that must be rejected, if there is one. */
async function enter({ refused }: { refused: string | null }, pin: string): Promise<void> {
  const staff = staffByTouch(kiosk, finger);
  await staff.openPad();
  if (refused !== null) {
    await staff.pin(refused);
    await expect(page().getByRole('alert')).toHaveText('Wrong PIN. 4 tries left.');
    await expect(page().getByRole('navigation')).toHaveCount(0);
  }
  await staff.pin(pin);
  await expect(page().getByRole('navigation')).toBeVisible();
  await finger.tap(page().locator('.a-nav-item', { hasText: 'Actions' }));
}

test('a changed PIN works at once and after a kill; the old one does not, and neither is stored as text', async () => {
  await enter({ refused: null }, OLD_PIN);
  await begin(/^Change PIN/);
  // A PIN that is easy to guess is rejected; two entries that differ start again.
  await finger.pin('1234');
  await expect(page().getByRole('alert')).toBeVisible();
  await finger.pin(NEW_PIN);
  await expect(page().getByText('Enter it once more')).toBeVisible();
  await finger.pin(OLD_PIN);
  await expect(page().getByText('Enter it once more')).toHaveCount(0);
  await finger.pin(NEW_PIN);
  await expect(page().getByText('Enter it once more')).toBeVisible();
  await finger.pin(NEW_PIN);
  await expect(said()).toContainText('PIN');
  await expect(page().locator('.a-dialog')).toHaveCount(0);
  await finger.press('Back to playing');

  await enter({ refused: OLD_PIN }, NEW_PIN);
  await kiosk.kill();
  await start();
  await enter({ refused: OLD_PIN }, NEW_PIN);
  expect(recorded()).toContain('"action":"change-pin"');
  for (const text of [ownSettings(), recorded(), kiosk.log(), kiosk.output()]) {
    for (const pin of [OLD_PIN, NEW_PIN]) expect(text).not.toMatch(new RegExp(`(?<!\\d)${pin}(?!\\d)`));
  }
});

test('a restart of the machine asks staff once, then logind again, and reports a failure', async () => {
  const asked = () => calls('busctl').filter((call) => !call.endsWith('CanReboot'));
  await begin(/^Restart kiosk/);
  await expect(sure()).toBeVisible();
  await finger.tap(sure().getByRole('button', { name: 'Cancel' }));
  await expect(sure()).toHaveCount(0);
  expect(asked()).toEqual([]);

  const reboot =
    'call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b false';
  for (const [says, times] of [
    ['Turn it off and on again', 1],
    ['done', 2],
  ] as const) {
    await begin(/^Restart kiosk/);
    await finger.tap(sure().getByRole('button', { name: /^Restart/ }));
    await expect(said()).toContainText(says);
    expect(asked()).toEqual(Array(times).fill(reboot));
  }
  const outcomes = () => recorded().match(/"action":"restart-kiosk".*"outcome":"(failed|done)"/g);
  // Staff see the result before it is on the disk.
  await expect.poll(outcomes).toHaveLength(2);
});

test('leaving to the desktop asks once, settles the current play, and exits so that nothing starts the kiosk again', async () => {
  await begin(/^Leave/);
  await finger.tap(sure().getByRole('button', { name: 'Cancel' }));
  await expect(sure()).toHaveCount(0);
  const ended = new Promise((done) => kiosk.app.process().once('exit', done));
  await begin(/^Leave/);
  await finger.tap(sure().getByRole('button', { name: /^Leave/ }));
  expect(await ended).toBe(LEFT_EXIT_CODE);
  expect(recorded()).toContain('"action":"leave"');
  expect(kiosk.log()).toContain('Endcap ended in order');
  // The kiosk does not wait for systemd-notify to end, so an earlier message may be recorded after this one.
  await expect.poll(() => calls('systemd-notify').filter((call) => call === 'STOPPING=1')).toHaveLength(1);
});
