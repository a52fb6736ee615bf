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

/** A file of the journeys' own. */
export const fixture = (name: string) => readFileSync(join(__dirname, 'fixtures', name));

/**
 * Length of an ad where a journey waits for many of them, in seconds: as long as it takes to be seen.
 * It has no beacons but its impression.
 */
export const BRIEF = 0.5;

const adOf =
  (type: string, ending: string) =>
  (id: string, durationSeconds = 1) => ({
    id,
    durationSeconds,
    media: [{ name: `${id}.${ending}`, type, width: 1280, height: 720 }],
    metadata: { flight_id: `flight-${id}`, source: 'SOURCE_TYPE_CMS', source_id: 'cms' },
    // Of as many as there are of these, the five other beacons would be half of what the machine does.
    ...(durationSeconds > BRIEF ? {} : { tracking: [] }),
  });

/** An ad of one file, which is named like it; one second long unless told otherwise. */
export const imageAd = adOf('image/png', 'png');
export const videoAd = adOf('video/mp4', 'mp4');
export const pageAd = adOf('text/html', 'html');

/** Pictures of one colour each: `red.png` where it is called `red`. */
export function serveColours(service: DemoService, colours: Readonly<Record<string, Colour>>): void {
  for (const [name, colour] of Object.entries(colours))
    service.setMedia(`${name}.png`, solidImage(colour), 'image/png');
}

/** A playlist of two images that the screen's colour tells apart, one second each unless told otherwise. */
export function serveTwoCreatives(service: DemoService, seconds?: number): void {
  serveColours(service, { red: RED, blue: BLUE });
  service.setAds([imageAd('red', seconds), imageAd('blue', seconds)]);
}

/** Whether a colour seen on the display is the one expected, within what scaling may change. */
export const isColour = (expected: Colour, seen: readonly number[]) =>
  seen.every((value, index) => Math.abs(value - (expected[index] ?? 0)) < 25);

/** Settings for this service: no native ads, a free signals port, a refresh every second. */
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
      // Uneven, so that looking never falls into step with the slots.
      { message: 'colours not seen on the display', intervals: [70, 130, 110] },
    )
    .toEqual([]);
}

/** Waits until this many more plays are completed than there are now. */
export async function expectMorePlays(kiosk: Kiosk, more: number): Promise<void> {
  const completed = async () => (await kiosk.plays()).filter(({ outcome }) => outcome === 'completed').length;
  const before = await completed();
  await expect.poll(completed).toBeGreaterThanOrEqual(before + more);
}
