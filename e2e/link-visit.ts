import type { Locator } from 'playwright';
import type { DemoService } from '../main/demo-service/demo-service';
import type { WatchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { nativeAd, nativeSettings, serveLoop } from './native-zone';
import { BRIEF } from './two-creatives';
import { xdotool } from './xdotool';

/** A loop, and between its ads one that leads to this server, which may be reached by two names; the settings for it. */
export function leadTo(service: DemoService, { port }: WatchedServer) {
  serveLoop(service, BRIEF);
  service.setNativeAds([nativeAd(service, 'shop', { link: `http://127.0.0.1:${port}/` })]);
  return nativeSettings(service, { cardSeconds: 6, allow: [`127.0.0.1:${port}`, `localhost:${port}`] });
}

/** What pages of this server have told it by `fetch('/told?' + encodeURIComponent(what))`. */
export const toldTo = (server: WatchedServer): string[] =>
  server.requests.flatMap(({ url }) => {
    const word = url?.split('/told?')[1];
    return word === undefined ? [] : [decodeURIComponent(word)];
  });

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
