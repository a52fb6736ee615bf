import type { Locator } from 'playwright';
import type { DemoService } from '../main/demo-service/demo-service';
import type { WatchedServer } from '../main/egress/testing/watched-servers';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { nativeAd, nativeSettings, serveLoop } from './native-zone';
import { repeating } from './repeating';
import { BRIEF } from './two-creatives';
import { xdotool } from './xdotool';

/**
 * Serves a loop and a native ad that leads to this server, which may be reached by two names; returns the
 * settings for them.
 */
export function serveLinkingAd(service: DemoService, { port }: WatchedServer) {
  serveLoop(service, BRIEF);
  service.setNativeAds([nativeAd(service, 'shop', { link: `http://127.0.0.1:${port}/` })]);
  return nativeSettings(service, { cardSeconds: 6, allow: [`127.0.0.1:${port}`, `localhost:${port}`] });
}

/** For what closes at once: without a touch the kiosk would close a visit and the overlay after a minute. */
export const BEFORE_IDLE = { timeout: 30_000 };

/** What pages of this server sent to it by `fetch('/told?' + encodeURIComponent(what))`. */
export const toldTo = (server: WatchedServer): string[] =>
  server.requests.flatMap(({ url }) => {
    const word = url?.split('/told?')[1];
    return word === undefined ? [] : [decodeURIComponent(word)];
  });

/** Clicks a point of the display through the X server, as a person does. */
export const pressAt = (x: number, y: number) =>
  xdotool('mousemove', Math.round(x), Math.round(y), 'click', 1);

/**
 * Clicks the middle of an element of the kiosk page, if it exists. `boundingBox` would wait for an element
 * that has just disappeared, and a way back that works late would then look as if it did not work. Resolves with whether
 * it existed.
 */
export async function press(thing: Locator): Promise<boolean> {
  const [box] = await thing.evaluateAll((found) =>
    found.map((element) => element.getBoundingClientRect().toJSON() as DOMRect),
  );
  if (box) pressAt(box.x + box.width / 2, box.y + box.height / 2);
  return box !== undefined;
}

/** Taps the ad on the screen until its page is open. */
export async function enterLink(kiosk: Kiosk, isThere: () => boolean): Promise<void> {
  // One question to the page: the way back may come between two.
  const unopened = kiosk.screen.locator(
    'body:not(:has(.back-button)) .layer[data-place="front"] .native-action',
  );
  const opened = repeating(() => press(unopened), isThere);
  // Each ad is shown once: on a machine that stands still, its slot may be over before the tap arrives. The next one
  // comes with the next answer, a minute later.
  await expect.poll(opened, { timeout: 120_000 }).toBe(true);
}

export async function leaveLink(kiosk: Kiosk): Promise<void> {
  const wayBack = kiosk.screen.locator('.back-button');
  // A page may be there before the way back is drawn.
  await expect(wayBack).toBeVisible();
  await expect
    .poll(
      repeating(
        () => press(wayBack),
        () => wayBack.count(),
      ),
    )
    .toBe(0);
}
