import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright';
import { runVerifyPlays } from '../main/cli/verify-plays-command';
import { DEMO_PIN, DEMO_PIN_HASH } from '../shared/staff';
import { atRest, axeViolations } from './axe';
import { fillWithPlays } from './bench/play-history';
import { expect } from './expect';
import { type Kiosk, pageAt, speedUpTimers } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { type PretendDrive, pretendDrive } from './pretend-drive';
import { staffByKeys, staffByTouch } from './staff';
import { type Finger, fingerOn } from './touch';
import {
  expectMorePlays,
  expectPlaying,
  fixture,
  imageAd,
  kioskSettings,
  RED,
  serveColours,
  videoAd,
} from './two-creatives';

// One kiosk for all tests, as staff find it; the tests build on each other.
test.describe.configure({ mode: 'serial' });

/** A time zone in which it is about noon: midnight would empty the report of today, and move its days. */
const NOON = (() => {
  const ahead = 12 - new Date().getUTCHours();
  // POSIX counts what is behind UTC.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
})();
/** Number of plays: their export is written in sixteen pieces. */
const HISTORY = 4_000;

let drive: PretendDrive;
let kiosk: Kiosk;
let finger: Finger;

async function start(): Promise<void> {
  kiosk = await launch(
    { ...kioskSettings(service, 60), admin: { pinHash: DEMO_PIN_HASH } },
    { requiredScript: drive.required, env: { TZ: NOON } },
  );
  finger = await fingerOn(kiosk.screen);
}

shareWorld(async () => {
  drive = pretendDrive(folder);
  serveColours(service, { red: RED });
  service.setMedia('blue.mp4', fixture('blue-2s.mp4'), 'video/mp4');
  service.setAds([imageAd('red', 2), videoAd('blue', 2)]);
  await start();
});

const page = () => kiosk.screen;
const said = () => page().locator('.a-saying');
const dialog = () => page().getByRole('dialog').last();
const goTo = async (name: string) => {
  await finger.tap(page().locator('.a-nav-item', { hasText: name }));
  await expect(page().locator('.a-nav-item', { hasText: name })).toHaveAttribute('aria-current', 'page');
  await expect(page().locator('.a-loading')).toHaveCount(0);
};
const begin = (action: RegExp) => finger.tap(page().locator('.a-action', { hasText: action }));

const enter = () => staffByTouch(kiosk, finger).enter();
const leave = async () => {
  await finger.press('Back to playing');
  await expect(page().locator('.a-frame')).toHaveCount(0);
};
const playing = () => expectPlaying(kiosk);

test('every page is reached, shows the state of the kiosk, and axe finds no violation', async () => {
  test.slow();
  await expect.poll(async () => (await kiosk.plays()).length).toBeGreaterThan(1);
  // Before the first touch, the overlay is not loaded; its style sheet comes with its script.
  const sheets = page().locator('link[rel="stylesheet"][href*="overlay-"]');
  await expect(sheets).toHaveCount(0);
  await enter();
  await expect(sheets).toHaveCount(1);
  const settled = async () => {
    await expect.poll(async () => (await kiosk.status()).state).toBe('held');
    await expect.poll(async () => (await kiosk.plays()).at(-1)?.outcome).not.toBe('reserved');
    return kiosk.plays();
  };
  let before = await settled();
  // Where the next ad is late, the last tap may fall between two plays, and interrupts none: then once more.
  while (before.at(-1)?.endReason !== 'overlay') {
    await leave();
    await expectMorePlays(kiosk, 1);
    await enter();
    before = await settled();
  }
  const pages: ReadonlyArray<[tab: string, says: RegExp]> = [
    ['Home', /Playing[\s\S]*flight|Playing[\s\S]*red|Playing[\s\S]*blue/],
    ['Ads', /red[\s\S]*flight-red|blue[\s\S]*flight-blue/],
    ['Proof', /flight-(red|blue)/],
    ['Beacons', /./],
    ['Log', /the playlist was replaced/],
    ['Actions', /Unlocked/],
    ['Settings', /No signal[\s\S]*ed25519:/],
  ];
  for (const [tab, says] of pages) {
    await goTo(tab);
    await expect(page().locator('.a-page')).toHaveText(says);
    if (tab === 'Ads') await expect(page().locator('tbody tr').first()).toContainText('May play');
    if (tab === 'Home') {
      await expect(page().getByText('2 files', { exact: false })).toBeVisible();
      // A picture that is about to come may not be chosen yet.
      await expect.poll(async () => new Set(await pictures())).toEqual(new Set([true]));
      await expect(page().locator('.a-bar[data-tone="good"]')).not.toHaveCount(0);
    }
    await atRest(page());
    expect.soft(await axeViolations(page()), tab).toEqual([]);
  }
  // Rule 14: the play on the screen ended as interrupted, and nothing has been counted since. The last tap
  // may fall between a reservation and its first frame: that play is voided (rule 8).
  expect((await kiosk.plays()).length).toBe(before.length);
  const last = before.at(-1);
  expect(last).toMatchObject({
    outcome: last?.shownAt === null ? 'given-back' : 'interrupted',
    endReason: 'overlay',
  });
  await leave();
  await playing();
  await expect.poll(async () => (await kiosk.plays()).length).toBeGreaterThan(before.length);
});

test('a period of any days is chosen by its first and last day', async () => {
  await expectMorePlays(kiosk, 1);
  await enter();
  await goTo('Proof');
  await finger.press('Choose');
  const days = () => page().locator('.a-day').allTextContents();
  const press = (name: string) => finger.tap(page().getByRole('button', { name, exact: true }));
  await expect.poll(async () => new Set(await days()).size).toBe(2);
  const [weekAgo, today] = await days();
  for (let day = 0; day < 6; day += 1) await press('From: A day later');
  await expect.poll(days).toEqual([today, today]);
  await expect(page().getByRole('button', { name: 'From: A day later' })).toBeDisabled();
  // Shows today's plays.
  await expect(page().locator('.a-page')).toHaveText(/flight-(red|blue)/);
  // Single plays are listed once, even when another choice selects the same days.
  for (let day = 0; day < 6; day += 1) await press('From: A day earlier');
  await expect.poll(days).toEqual([weekAgo, today]);
  await finger.press('Plays');
  const rowCount = () => page().getByRole('table', { name: 'Plays' }).locator('tbody tr').count();
  await expect.poll(rowCount).toBeGreaterThan(0);
  const plays = await rowCount();
  for (let again = 0; again < 3; again += 1) {
    await finger.press('7 days');
    await expect(page().locator('.a-day')).toHaveCount(0);
    await finger.press('Choose');
    await expect.poll(days).toEqual([weekAgo, today]);
  }
  await expect.poll(rowCount).toBe(plays);
  await press('To: A day earlier');
  await expect(page().getByRole('table', { name: 'Plays' })).toHaveCount(0);
  await press('To: A day later');
  await expect.poll(rowCount).toBe(plays);
  for (let day = 0; day < 6; day += 1) await press('From: A day later');
  await expect.poll(days).toEqual([today, today]);
  // The last day cannot be before the first one.
  for (let day = 0; day < 6; day += 1) await press('To: A day earlier');
  await expect.poll(days).toEqual([weekAgo, weekAgo]);
  await expect(page().locator('.a-page')).not.toHaveText(/flight-(red|blue)/);
  await leave();
});

test('four taps or a scripted press do not open the overlay; the shortcut does', async () => {
  for (let tap = 0; tap < 4; tap += 1) await finger.tapAt(10, 10);
  await page().evaluate(() => {
    for (let tap = 0; tap < 5; tap += 1)
      window.dispatchEvent(new PointerEvent('pointerdown', { clientX: 5, clientY: 5, bubbles: true }));
  });
  await expectMorePlays(kiosk, 2);
  await expect(page().getByRole('dialog')).toHaveCount(0);
  await staffByKeys(kiosk).openPad();
  await expect(page().getByRole('dialog')).toBeVisible();
  await page().keyboard.press('Escape');
  await expect(page().getByRole('dialog')).toHaveCount(0);
  await playing();
});

test('two thumbs whose touches overlap type each digit of the PIN once', async () => {
  await staffByTouch(kiosk, finger).openPad();
  const digits = [...DEMO_PIN].map((digit) => page().getByRole('button', { name: digit, exact: true }));
  await finger.tapOverlapping(digits);
  await expect(page().locator('.a-pin input')).toHaveValue(DEMO_PIN);
  await finger.tap(page().locator('.a-pin .key[data-key="enter"]'));
  await expect(page().getByRole('navigation')).toBeVisible();
  await leave();
  await playing();
});

/** For each creative on the home page, whether it is really visible. */
const pictures = () =>
  page()
    .locator('.a-picture')
    .evaluateAll((all) =>
      all.map(({ firstElementChild: seen }) =>
        seen instanceof HTMLVideoElement
          ? seen.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA
          : seen instanceof HTMLImageElement && seen.naturalWidth > 0,
      ),
    );

test('a pause shows shoppers a card, continues after a kill, and is ended by staff', async () => {
  test.slow();
  await enter();
  await goTo('Actions');
  await begin(/^Pause/);
  await finger.press('15 min');
  await expect(said()).toHaveText(/Pause: done/);
  await leave();
  await expect(page().locator('.a-maintenance')).toContainText('Back in a moment.');
  await expect.poll(async () => (await kiosk.status()).state).toBe('held');
  const plays = (await kiosk.plays()).length;
  await kiosk.kill();
  await start();
  await expect(page().locator('.a-maintenance')).toBeVisible();
  await expect.poll(async () => (await kiosk.status()).state).toBe('held');
  // A restart settles what was playing, and begins no play.
  expect((await kiosk.plays()).length).toBe(plays);
  await enter();
  await expect(page().locator('.a-hero')).toHaveText(/Paused for maintenance/);
  await finger.press('Resume playing');
  await leave();
  await expect(page().locator('.a-maintenance')).toHaveCount(0);
  await playing();
});

test('next ad, refresh, sound, clear media and the connection test work', async () => {
  test.slow();
  await enter();
  await goTo('Actions');
  service.clearRequests();
  await begin(/^Refresh content/);
  await expect(said()).toHaveText(/Refresh content: done/);
  expect(service.requests().length).toBeGreaterThan(0);

  await begin(/^Sound/);
  await expect(dialog()).toContainText('Now: Muted');
  await finger.press('10%');
  await expect(said()).toHaveText(/Sound: done/);
  await begin(/^Sound/);
  await expect(dialog()).toContainText('Now: 10%');
  await finger.press('As in the settings');
  await begin(/^Sound/);
  await expect(dialog()).toContainText('Now: Muted');
  await page().keyboard.press('Escape');

  await begin(/^Clear media/);
  await expect(page().getByRole('alertdialog')).toContainText('What plays now and next stays');
  await finger.tap(page().getByRole('alertdialog').getByRole('button', { name: 'Clear media' }));
  await expect(said()).toHaveText(/files? cleared, .+ freed/);

  await begin(/^Connection test/);
  await expect(page().locator('.a-step[data-state="ok"]')).toHaveCount(3);
  await expect(dialog()).toContainText('The service answers.');
  await finger.press('Done');

  await expect(page().locator('.a-recorded')).toHaveText(
    /Connection test[\s\S]*Clear media[\s\S]*Sound 10%[\s\S]*Refresh content[\s\S]*Unlocked/,
  );
  await begin(/^Next ad/);
  await expect(page().locator('.a-frame')).toHaveCount(0);
  await expect.poll(async () => (await kiosk.status()).now?.adId ?? null).not.toBeNull();
  await playing();
  // A file that neither played nor was next is downloaded again.
  await expect.poll(async () => (await kiosk.status()).media.files).toBe(2);
});

test('an export interrupted by a removed drive or a kill leaves no file, and a new one continues without the overlay', async () => {
  test.slow();
  await playing();
  await fillWithPlays(await pageAt(kiosk.app, 'endcap://records/'), HISTORY);
  await enter();
  await goTo('Actions');
  await begin(/^Export proof of play/);
  // The export must not be finished before it is interrupted.
  drive.holdWrites();
  await exportAll('NDJSON for programs', dialog().getByRole('button', { name: /STICK/ }));
  await expect(dialog().locator('.a-export-state')).toContainText('Exporting');
  drive.pullOut();
  drive.letGo();
  // The loss is noticed at the next write, which on a busy machine may be half of the export later.
  await expect(dialog().locator('.a-export-state')).toHaveText(/interrupted/i);
  await expect(dialog()).toContainText('Plug it in again');
  drive.plugIn();
  drive.holdWrites();
  await finger.press('Start export');
  const state = () => dialog().locator('.a-export-state').textContent();
  await expect.poll(state, { intervals: [20] }).toMatch(/Exporting · [1-9]/);
  await kiosk.kill();
  drive.letGo();
  expect(drive.files()).not.toEqual([]);
  expect(drive.files().filter((name) => !name.endsWith('.part'))).toEqual([]);
  await start();
  await expect.poll(() => drive.files()).toEqual([]);
  await enter();
  await goTo('Actions');
  await begin(/^Export proof of play/);
  drive.holdWrites();
  await exportAll('NDJSON for programs', dialog().getByRole('button', { name: /STICK/ }));
  await leaveDialog();
  // While ads play, the export pauses for two thirds of the time.
  await speedUpTimers(kiosk, 10);
  await leave();
  drive.letGo();
  await expect
    .poll(() => drive.files().filter((name) => name.endsWith('.sig')), { timeout: 80_000 })
    .toHaveLength(1);
  await expect.poll(() => drive.files().filter((name) => name.endsWith('.part'))).toEqual([]);
  await whole(drive.mountPoint);
  await playing();
  await enter();
  await goTo('Actions');
  await expect(page().locator('.a-recorded')).toHaveText(
    /Export proof of play [\d,]+ plays written\s*endcap-plays_.*ndjson/,
  );

  await begin(/^Export proof of play/);
  await expect(dialog()).toContainText('The drive can be taken out.');
  await expect(card()).toContainText('USB drive · STICK');
});

test('a cancelled CSV export to the data folder leaves no file, and a new one finishes and says where it is; a drive that comes in between is offered first', async () => {
  test.slow();
  const stick = dialog().getByRole('button', { name: /STICK/ });
  drive.pullOut();
  await expect(stick).toHaveCount(0);
  drive.holdWrites();
  await exportAll('CSV for spreadsheets');
  await expect(card()).toContainText('Data folder');
  drive.plugIn();
  await expect(stick).toHaveAttribute('aria-pressed', 'true');
  await finger.press('Cancel');
  drive.letGo();
  await expect(dialog().getByRole('button', { name: 'Start export' })).toBeVisible();
  const exports = join(folder, 'exports');
  await expect.poll(() => (existsSync(exports) ? readdirSync(exports) : [])).toEqual([]);
  drive.holdWrites();
  await finger.tap(dialog().getByRole('button', { name: /^Data folder/ }));
  await finger.press('Start export');
  await leaveDialog();
  await leave();
  drive.letGo();
  const finished = () => readdirSync(exports).filter((name) => !name.endsWith('.part'));
  await expect.poll(() => finished().length, { timeout: 80_000 }).toBe(2);
  await whole(exports);
  await enter();
  await goTo('Actions');
  await begin(/^Export proof of play/);
  await expect(card()).toContainText('Export finished');
  await expect(card()).toContainText('Data folder');
});

/** How far the last export is, with the name of its file. */
const card = () => dialog().locator('.a-card', { hasText: 'endcap-plays_' });

const leaveDialog = async () => {
  await finger.press('Close');
  await expect(page().locator('.a-dialog')).toHaveCount(0);
};

/**
 * Starts an export of the last thirty days, which contain the whole history.
 * @param target absent: the one that is chosen already
 */
async function exportAll(format: string, target?: Locator): Promise<void> {
  await finger.press('30 days');
  await finger.press(format);
  if (target) await finger.tap(target);
  await finger.press('Start export');
}

async function whole(at: string): Promise<void> {
  const name = readdirSync(at).find((file) => !file.endsWith('.sig')) ?? '';
  const key = (await kiosk.status()).kiosk?.publicKey ?? '';
  const verdict = await runVerifyPlays([join(at, name), key]);
  expect(verdict.stdout).toMatch(/^Whole, and signed by kiosk/);
  const lines = readFileSync(join(at, name), 'utf8').trimEnd().split('\n').length;
  expect(lines).toBeGreaterThanOrEqual(HISTORY);
}
