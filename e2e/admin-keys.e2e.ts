import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_PIN, DEMO_PIN_HASH } from '../shared/staff';
import { expect } from './expect';
import { advanceMonotonicClock, type Kiosk, lookAtSuccessor } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { serveLoop } from './native-zone';
import { staffByKeys } from './staff';
import { expectPlaying, kioskSettings } from './two-creatives';

// One German kiosk, no touch and no mouse; the tests build on each other.
test.describe.configure({ mode: 'serial' });

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

let kiosk: Kiosk;

/** @param clockOffMs error of the machine's clock, ms */
async function start(clockOffMs = 0): Promise<void> {
  const requiredScript = join(folder, 'wrong-clock.cjs');
  writeFileSync(requiredScript, `const { now } = Date; Date.now = () => now() + ${clockOffMs};\n`);
  kiosk = await launch(
    {
      ...kioskSettings(service, 60),
      admin: { pinHash: DEMO_PIN_HASH },
      playback: { openHours: { timeZone: 'Asia/Kathmandu', 'mon-sun': '00:00-24:00' } },
      ui: { language: 'de' },
    },
    { requiredScript },
  );
}

shareWorld(async () => {
  serveLoop(service, 2);
  await start();
});

const page = () => kiosk.screen;
const press = (key: string) => page().keyboard.press(key);
const playing = () => expectPlaying(kiosk);

const openPad = () => staffByKeys(kiosk).openPad();
const typePin = (pin: string) => staffByKeys(kiosk).pin(pin);
const enter = () => staffByKeys(kiosk).enter();

/** Presses Tab until a button with this text has the focus; fails when none is reached. */
async function focus(words: RegExp): Promise<void> {
  await expect(page().locator('button:visible:enabled', { hasText: words }).first()).toBeVisible();
  for (let steps = 0; steps < 80; steps += 1) {
    const focused = await page().evaluate(() => {
      const { activeElement } = document;
      return activeElement instanceof HTMLButtonElement
        ? (activeElement.getAttribute('aria-label') ?? activeElement.textContent ?? '')
        : '';
    });
    if (words.test(focused)) return;
    await press('Tab');
  }
  throw new Error(`Tab never comes to ${words}`);
}
async function choose(words: RegExp): Promise<void> {
  await focus(words);
  await press('Enter');
}

test('every page is reached by keys, in German', async () => {
  test.slow();
  await expect.poll(async () => (await kiosk.plays()).length).toBeGreaterThan(1);
  await enter();
  await expect(page().locator('.a-screen')).toHaveAttribute('lang', 'de');
  // What played when the overlay opened is settled a moment later.
  await expect.poll(async () => (await kiosk.status()).state).toBe('held');
  await expect.poll(async () => (await kiosk.plays()).at(-1)?.outcome).not.toBe('reserved');
  const plays = (await kiosk.plays()).length;
  for (const [tab, title] of [
    ['Werbung', 'Warum diese Werbung?'],
    ['Nachweis', 'Abspielnachweis'],
    ['Beacons', 'Beacons'],
    ['Protokoll', 'Protokoll'],
    ['Aktionen', 'Aktionen'],
    ['Optionen', 'Optionen'],
    ['Übersicht', 'Übersicht'],
  ] as const) {
    await choose(new RegExp(`^${tab}$`));
    const heading = page().getByRole('heading', { level: 1 });
    await expect(heading).toContainText(title);
    // A screen reader starts a new page at its heading.
    await expect(heading).toBeFocused();
    await expect(page().locator('.a-loading')).toHaveCount(0);
  }
  await expect(page().locator('.a-hero')).toContainText('Spielt');
  expect((await kiosk.plays()).length).toBe(plays);
  await press('Escape');
  await expect(page().locator('.a-screen')).toHaveCount(0);
  await playing();
});

test('staff read times in the time zone of the store, whatever the machine is set to', async () => {
  await enter();
  const clock = page().locator('.a-head .a-quiet');
  /** How far the time on the screen is from that in Kathmandu, s. */
  const error = async () => {
    const [hours = 0, minutes = 0, seconds = 0] = (await clock.innerText()).split(':').map(Number);
    const there = new Date(Date.parse((await kiosk.status()).clock.now) + (5 * 60 + 45) * 60_000);
    const [hour, minute, second] = [there.getUTCHours(), there.getUTCMinutes(), there.getUTCSeconds()];
    return Math.abs((hours - hour) * 3_600 + (minutes - minute) * 60 + seconds - second);
  };
  await expect.poll(error).toBeLessThan(5);
  await press('Escape');
  await playing();
});

test('a dangerous action asks once, and Escape means no', async () => {
  await enter();
  await choose(/^Aktionen$/);
  await choose(/^Zum Desktop/);
  await expect(page().getByRole('alertdialog')).toBeVisible();
  await press('Escape');
  await expect(page().getByRole('alertdialog')).toHaveCount(0);
  // Keyboard users continue where they were before.
  await expect(page().locator('.a-action', { hasText: /^Zum Desktop/ })).toBeFocused();
  // The settings file sets these, and the page shows that.
  const managed = page().locator('.a-action:disabled', { hasText: 'PIN ändern' });
  await expect(managed).toBeVisible();
  await choose(/^Optionen$/);
  await expect(page().locator('.a-page')).toContainText(join(folder, 'config.json'));
  await press('Escape');
  await press('Escape');
});

test('a settings file with errors is reported, and changes nothing', async () => {
  const config = join(folder, 'config.json');
  const good = readFileSync(config, 'utf8');
  writeFileSync(config, '{ "service": ');
  await expect.poll(async () => (await kiosk.status()).state).toBe('attention');
  const plays = (await kiosk.plays()).length;
  await expect.poll(async () => (await kiosk.plays()).length).toBeGreaterThan(plays);
  await enter();
  await expect(page().locator('.a-hero')).toContainText(
    'Die Einstellungen des letzten Starts gelten weiter.',
  );
  // The technical message is shown beneath, for the person who corrects the file.
  await expect(page().locator('.a-hero [lang="en"]')).toContainText('config.json cannot be used');
  writeFileSync(config, good);
  await expect(page().locator('.a-hero')).toContainText('Spielt');
  await press('Escape');
});

test('the player is restarted by keys, and starts again by itself', async () => {
  test.slow();
  await enter();
  await choose(/^Aktionen$/);
  const ended = new Promise((resolve) => kiosk.app.process().once('exit', resolve));
  await choose(/^Player neu starten/);
  await focus(/^Player neu starten$/);
  // The kiosk may have ended before the key is released.
  await press('Enter').catch(() => undefined);
  await ended;
  await lookAtSuccessor(kiosk, folder, async () => {
    await expectPlaying(kiosk);
    expect(readFileSync(join(folder, 'actions.ndjson'), 'utf8')).toMatch(/"action":"restart-player"[\s\S]*$/);
  });
  await start();
  await playing();
});

test('wrong PINs lock the overlay, even after kills and changes of the clock', async () => {
  test.slow();
  await openPad();
  for (const left of ['4 Versuche', '3 Versuche', '2 Versuche', 'ein Versuch']) {
    await typePin('0000');
    await expect(page().getByRole('alert')).toContainText(left);
    await expect(page().locator('.a-pin input')).toHaveValue('');
  }
  await typePin('0000');
  await expect(page().getByRole('alert')).toHaveText(/Zu viele falsche PINs\. Bitte \d+ s warten\./);
  // Each wrong PIN after a wait doubles the next one: to two minutes, so that no slow start outlasts it.
  for (const waitMs of [30_000, 60_000]) {
    await advanceMonotonicClock(kiosk, waitMs);
    // After the longer wait nobody has touched the pad for a minute.
    if (waitMs < 60_000) await press('Escape');
    await expect(page().locator('.a-pin')).toHaveCount(0);
    await openPad();
    await typePin('0000');
    await expect(page().getByRole('alert')).toContainText('Zu viele falsche PINs');
  }
  for (const clockOffMs of [TEN_YEARS_MS, -TEN_YEARS_MS]) {
    await kiosk.kill();
    await start(clockOffMs);
    await playing();
    await openPad();
    await expect(page().getByRole('alert')).toContainText('Zu viele falsche PINs');
    await typePin(DEMO_PIN);
    await expect(page().getByRole('button', { name: '5', exact: true })).toBeDisabled();
    await expect(page().getByRole('navigation')).toHaveCount(0);
    // The service's time is what counts, and what is shown.
    const { clock } = await kiosk.status();
    expect(Math.abs(clock.correctionMs + clockOffMs)).toBeLessThan(60_000);
    await press('Escape');
  }
});
