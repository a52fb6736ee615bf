import type { Locator } from 'playwright';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { xdotool } from './xdotool';

/** Through the display, as a hand does it. */
export async function press(thing: Locator): Promise<void> {
  const box = await thing.boundingBox().catch(() => null); // It may leave meanwhile.
  if (box)
    xdotool('mousemove', Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2), 'click', 1);
}

/** Taps the ad on the screen until its page is there. */
export async function enterLink(kiosk: Kiosk, isThere: () => boolean): Promise<void> {
  const card = kiosk.screen.locator('.layer[data-place="front"] .native-action');
  const wayBack = kiosk.screen.locator('.back-button');
  await expect(card).toBeVisible({ timeout: 40_000 });
  const opened = async () => {
    if ((await wayBack.count()) === 0) await press(card);
    return isThere();
  };
  await expect.poll(opened, { intervals: [500], timeout: 30_000 }).toBe(true);
}

/** Takes the way back. */
export async function leaveLink(kiosk: Kiosk): Promise<void> {
  const wayBack = kiosk.screen.locator('.back-button');
  const back = async () => {
    await press(wayBack);
    return wayBack.count();
  };
  await expect.poll(back, { intervals: [500] }).toBe(0);
}
