import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect';
import { advanceMonotonicClock, fastTimersFromStart, type Kiosk } from './kiosk';
import { test } from './kiosk-test';
import { serveLoop } from './native-zone';
import { solidImage } from './solid-image';
import {
  BLUE,
  BRIEF,
  type Colour,
  expectOnScreen,
  GREEN,
  isColour,
  kioskSettings,
  ORANGE,
  RED,
  serveTwoCreatives,
  VIOLET,
} from './two-creatives';

const shows = async (running: Kiosk, expected: Colour) => isColour(expected, await running.colour());

test('without an ad to play house creatives are shown, also pages, and their folder may change at any time (rule 12)', async ({
  service,
  folder,
  start,
}) => {
  test.slow();
  service.setAds([]);
  const house = join(folder, 'house');
  mkdirSync(house);
  writeFileSync(join(house, 'a.png'), solidImage(ORANGE));
  const settings = service.settings();
  const running = await start({
    ...kioskSettings(service),
    playback: { ...settings.playback, imageSeconds: 1, houseDir: house },
  });
  await expect.poll(() => shows(running, ORANGE)).toBe(true);
  // The display shows a picture one frame before the page can report it.
  await expect
    .poll(async () => {
      const { state, now } = await running.status();
      return [state, now?.kind];
    })
    .toEqual(['no-content', 'house']);

  // A picture that is still being copied is not shown; once it is complete, it is played.
  const page = `<!doctype html><html><body style="background:rgb(${GREEN})"></body></html>`;
  writeFileSync(join(house, 'c.html'), page);
  writeFileSync(join(house, 'b.part'), solidImage(VIOLET));
  renameSync(join(house, 'b.part'), join(house, 'b.png'));
  rmSync(join(house, 'a.png'));
  for (const _ of [1, 2]) await expectOnScreen(running, GREEN, VIOLET);

  // An ad that may play comes before house creatives.
  serveLoop(service, BRIEF);
  await expect.poll(() => shows(running, RED), { timeout: 90_000 }).toBe(true);
});

test('without the service in its first run a kiosk shows house creatives, reports why, and plays ads once the service is back', async ({
  service,
  folder,
  start,
}) => {
  serveTwoCreatives(service, BRIEF);
  await service.goDown();
  const house = join(folder, 'house');
  mkdirSync(house);
  writeFileSync(join(house, 'a.png'), solidImage(ORANGE));
  const playback = { ...service.settings().playback, imageSeconds: 1, houseDir: house };
  // The pauses between failed tries grow, so timers run four times as fast.
  const running = await start({ ...kioskSettings(service), playback }, fastTimersFromStart(4));
  await expect.poll(() => shows(running, ORANGE)).toBe(true);
  const completed = async () => (await running.plays()).filter(({ outcome }) => outcome === 'completed');
  await expect.poll(async () => (await completed()).length).toBeGreaterThan(2);
  expect((await completed()).filter(({ delivery }) => delivery !== 'house')).toEqual([]);
  // The requests begin after the first picture.
  await expect
    .poll(async () => {
      const { state, service: operations } = await running.status();
      return [state, operations.token?.lastError?.code];
    })
    .toEqual(['no-content', 'unreachable-connection']);
  await service.comeBack();
  // Skips the pause before the next token. The playlist's own, at most 60 s, runs four times as fast.
  await advanceMonotonicClock(running, 60_000);
  await expect.poll(async () => (await running.status()).state).toBe('playing');
  await expectOnScreen(running, RED, BLUE);
});
