import { DEMO_PIN, DEMO_PIN_HASH } from '../shared/staff';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { test } from './kiosk-test';
import { serveLoop } from './native-zone';
import { staffByKeys } from './staff';
import { kioskSettings } from './two-creatives';

let running: Kiosk;

test.beforeEach(async ({ service, start }) => {
  serveLoop(service, 2);
  running = await start({ ...kioskSettings(service, 60), admin: { pinHash: DEMO_PIN_HASH } });
});
async function fiveTaps(running: Kiosk) {
  for (let tap = 0; tap < 5; tap += 1) await running.screen.mouse.click(10, 10);
}
/** Its style sheet comes with its script. */
const overlayFiles = () => running.screen.locator('link[rel="stylesheet"][href*="overlay-"]').count();

test('five taps in the corner and the PIN open the overlay; the loop is held while it is up (rules 14 and 24)', async () => {
  await expect.poll(async () => (await running.status()).now?.adId).toBe('red');
  await expect(running.screen.getByRole('dialog')).toHaveCount(0);
  // Nobody has touched the kiosk: it is not loaded.
  expect(await overlayFiles()).toBe(0);

  await expect
    .poll(
      async () => {
        await fiveTaps(running);
        return running.screen.getByRole('dialog').count();
      },
      { intervals: [3500] },
    )
    .toBeGreaterThan(0);
  expect(await overlayFiles()).toBe(1);
  await expect.poll(async () => (await running.status()).state).toBe('held');

  const staff = staffByKeys(running);
  await staff.pin('0000');
  await expect(running.screen.getByRole('alert')).toBeVisible();
  await expect(running.screen.getByRole('navigation')).toHaveCount(0);
  // What was under way when it opened is stored by now.
  await expect.poll(async () => (await running.plays()).at(-1)?.outcome).not.toBe('reserved');
  const plays = (await running.plays()).length;
  await staff.pin(DEMO_PIN);
  await expect(running.screen.getByRole('navigation')).toBeVisible();
  await expect(running.screen.getByText('1 file', { exact: false })).toBeVisible();
  expect((await running.plays()).length).toBe(plays);
  const last = (await running.plays()).at(-1);
  // The overlay may come between a reservation and its first frame; that play is then given back (rule 8).
  expect(last).toMatchObject({
    outcome: last?.shownAt === null ? 'given-back' : 'interrupted',
    endReason: 'overlay',
  });

  await running.screen.keyboard.press('Escape');
  await expect(running.screen.getByRole('navigation')).toHaveCount(0);
  await expect.poll(async () => (await running.status()).state).toBe('playing');
  await expect.poll(async () => (await running.plays()).length).toBeGreaterThan(plays);
});

test('the shortcut opens it too, and four taps or a scripted press leave no trace', async () => {
  await expect.poll(async () => (await running.status()).now?.adId).toBe('red');
  for (let tap = 0; tap < 4; tap += 1) await running.screen.mouse.click(10, 10);
  await running.screen.evaluate(() => {
    for (let tap = 0; tap < 5; tap += 1) {
      window.dispatchEvent(new PointerEvent('pointerdown', { clientX: 5, clientY: 5, bubbles: true }));
    }
  });
  await expect
    .poll(async () => (await running.plays()).filter((play) => play.outcome === 'completed').length)
    .toBeGreaterThan(1);
  await expect(running.screen.getByRole('dialog')).toHaveCount(0);
  await staffByKeys(running).openPad();
  await expect(running.screen.getByRole('dialog')).toBeVisible();
});
