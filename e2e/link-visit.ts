import type { Locator } from 'playwright';
import type { DemoService } from '../main/demo-service/demo-service';
import type { WatchedServer } from '../main/egress/testing/watched-servers';
import { STAGE_CHANNEL } from '../shared/channels';
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
 * that has just disappeared, and a way back that works late would then look as if it did not work.
 */
export async function press(thing: Locator): Promise<void> {
  const [box] = await thing.evaluateAll((found) =>
    found.map((element) => element.getBoundingClientRect().toJSON() as DOMRect),
  );
  if (box) pressAt(box.x + box.width / 2, box.y + box.height / 2);
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

interface HeldWords {
  /** Whether the end of a visit is among the held messages. */
  endsVisit(): boolean;
  letGo(): void;
}

/** Holds main's messages to the kiosk page until they are released, as on a busy machine. */
export async function holdBack({ app }: Kiosk) {
  await app.evaluate(({ webContents }, stage) => {
    const page = webContents.getAllWebContents().find((one) => one.getURL() === 'endcap://kiosk/');
    if (!page) throw new Error('there is no kiosk window');
    const send = page.send.bind(page);
    const held: Array<{ readonly tell: string; readonly value: { readonly frame?: unknown } }> = [];
    page.send = (channel: string, ...messages: unknown[]) => {
      const [message] = messages as typeof held;
      if (channel === stage && message !== undefined) held.push(message);
      else send(channel, ...messages);
    };
    const heldWords: HeldWords = {
      endsVisit: () => held.some(({ tell, value }) => tell === 'link' && value.frame === null),
      letGo() {
        page.send = send;
        for (const message of held) send(stage, message);
      },
    };
    Object.assign(globalThis, { heldWords });
  }, STAGE_CHANNEL);
  return {
    endsVisit: () =>
      app.evaluate(() => (globalThis as unknown as { heldWords: HeldWords }).heldWords.endsVisit()),
    letGo: () => app.evaluate(() => (globalThis as unknown as { heldWords: HeldWords }).heldWords.letGo()),
  };
}
