import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../main/demo-service/demo-service';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { solidImage } from './solid-image';

export type Colour = readonly [number, number, number];
export const RED: Colour = [200, 30, 40];
export const BLUE: Colour = [16, 48, 208];
export const GREEN: Colour = [20, 160, 70];
export const VIOLET: Colour = [120, 40, 200];
export const ORANGE: Colour = [230, 120, 20];

/** A file of the `fixtures` folder. */
export const fixture = (name: string) => readFileSync(join(__dirname, 'fixtures', name));

/**
 * Duration of an ad in tests that wait for many of them, s: just long enough to be seen. Such ads have no
 * beacon except the impression.
 */
export const BRIEF = 0.5;

const adOf =
  (type: string, ending: string) =>
  (id: string, durationSeconds = 1) => ({
    id,
    durationSeconds,
    media: [{ name: `${id}.${ending}`, type, width: 1280, height: 720 }],
    metadata: { flight_id: `flight-${id}`, source: 'SOURCE_TYPE_CMS', source_id: 'cms' },
    // Brief ads play very often: with them the five other beacons would be half of the machine's work.
    ...(durationSeconds > BRIEF ? {} : { tracking: [] }),
  });

/** An ad with one file of the same name; one second long by default. */
export const imageAd = adOf('image/png', 'png');
/** An image that is just long enough to be seen. */
export const briefAd = (id: string) => imageAd(id, BRIEF);
export const videoAd = adOf('video/mp4', 'mp4');
export const pageAd = adOf('text/html', 'html');

/** Serves pictures of one colour each: `red.png` for the name `red`. */
export function serveColours(service: DemoService, colours: Readonly<Record<string, Colour>>): void {
  for (const [name, colour] of Object.entries(colours))
    service.setMedia(`${name}.png`, solidImage(colour), 'image/png');
}

/** A page of one colour; `more` is the content of its body. */
export const pageOf = (colour: Colour, more = '') =>
  `<!doctype html><html><head><style>html{background:rgb(${colour})}</style></head><body>${more}</body></html>`;

/** Serves each page under its name: `green.html` for the name `green`. */
export function servePages(service: DemoService, pages: Readonly<Record<string, string>>): void {
  for (const [name, page] of Object.entries(pages))
    service.setMedia(`${name}.html`, Buffer.from(page), 'text/html');
}

/** Serves a playlist of two images with different colours, one second each by default. */
export function serveTwoCreatives(service: DemoService, seconds?: number): void {
  serveColours(service, { red: RED, blue: BLUE });
  service.setAds([imageAd('red', seconds), imageAd('blue', seconds)]);
}

/** Whether a colour on the display is the expected one, within the tolerance for scaling. */
export const isColour = (expected: Colour, seen: readonly number[]) =>
  seen.every((value, index) => Math.abs(value - (expected[index] ?? 0)) < 25);

/** Settings for this service: no native ads, a free API port, a refresh every second by default. */
export function kioskSettings(service: DemoService, refreshSeconds = 1) {
  const settings = service.settings();
  return {
    ...settings,
    ads: { ...settings.ads, refreshSeconds },
    native: { enabled: false },
    signals: { port: 0 },
  };
}

/** Waits until the middle of the display has shown each of these colours, in any order. */
export async function expectOnScreen(kiosk: Kiosk, ...colours: readonly Colour[]): Promise<void> {
  const missing = new Set(colours);
  await expect
    .poll(
      async () => {
        const seen = await kiosk.colour();
        for (const colour of missing) if (isColour(colour, seen)) missing.delete(colour);
        return [...missing];
      },
      // Uneven intervals, so that polling does not stay in step with the slots. A video that did not start while the
      // machine stood still comes again after half a minute.
      { message: 'colours not seen on the display', intervals: [70, 130, 110] },
    )
    .toEqual([]);
}

/** Waits until `more` more plays than now are completed; native ads do not count. */
export async function expectMorePlays(kiosk: Kiosk, more: number): Promise<void> {
  const completed = async () =>
    (await kiosk.plays()).filter(({ delivery, outcome }) => delivery !== 'native' && outcome === 'completed')
      .length;
  const before = await completed();
  await expect
    .poll(completed, { message: 'completed plays', timeout: 60_000 + 3_000 * more })
    .toBeGreaterThanOrEqual(before + more);
}

/** The kiosk's trusted time, ms since the epoch. */
export const clockOf = async (kiosk: Pick<Kiosk, 'status'>) => Date.parse((await kiosk.status()).clock.now);

/** Waits until this time has passed on the kiosk's clock, ms, for what must not happen in it. */
export async function expectToPass(kiosk: Pick<Kiosk, 'status'>, ms: number): Promise<void> {
  const since = await clockOf(kiosk);
  await expect.poll(() => clockOf(kiosk)).toBeGreaterThan(since + ms);
}

/** Waits for the state of a kiosk that plays. */
export const expectPlaying = (kiosk: Pick<Kiosk, 'status'>) =>
  expect.poll(async () => (await kiosk.status()).state).toBe('playing');

/** The codes with which error URLs of an ad were requested, in order of arrival. */
export const errorCodes = (service: DemoService, ad: string) =>
  service.beacons().flatMap(({ path, query }) => (/error/.test(path) && query.ad === ad ? [query.code] : []));

/** Waits for what the status says of files, one line each. */
export const mediaProblems = (kiosk: Kiosk) =>
  expect.poll(async () => (await kiosk.status()).media.problems.join('\n'));
