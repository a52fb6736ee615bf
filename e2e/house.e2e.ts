import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect';
import { advanceMonotonicClock, fastTimersFromStart } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { solidImage } from './solid-image';
import {
  BLUE,
  BRIEF,
  expectOnScreen,
  expectPlaying,
  GREEN,
  kioskSettings,
  ORANGE,
  RED,
  serveTwoCreatives,
  VIOLET,
} from './two-creatives';

test('without an ad to play house creatives are shown, also pages, and their folder may change at any time; why is reported, and ads play once the service is back (rule 12)', async () => {
  test.slow();
  serveTwoCreatives(service, BRIEF);
  await service.goDown();
  const house = join(folder, 'house');
  mkdirSync(house);
  writeFileSync(join(house, 'a.png'), solidImage(ORANGE));
  const playback = { ...service.settings().playback, imageSeconds: 1, houseDir: house };
  // The pauses between failed tries grow, so timers run four times as fast.
  const running = await launch({ ...kioskSettings(service), playback }, fastTimersFromStart(4));
  await expectOnScreen(running, ORANGE);
  // The display shows a picture one frame before the page can report it, and the requests begin after it.
  await expect
    .poll(async () => {
      const { state, now, service: operations } = await running.status();
      return [state, now?.kind, operations.token?.lastError?.code];
    })
    .toEqual(['no-content', 'house', 'unreachable-connection']);

  // A picture that is still being copied is not shown; once it is complete, it is played.
  const page = `<!doctype html><html><body style="background:rgb(${GREEN})"></body></html>`;
  writeFileSync(join(house, 'c.html'), page);
  writeFileSync(join(house, 'b.part'), solidImage(VIOLET));
  renameSync(join(house, 'b.part'), join(house, 'b.png'));
  rmSync(join(house, 'a.png'));
  for (const _ of [1, 2]) await expectOnScreen(running, GREEN, VIOLET);
  const completed = (await running.plays()).filter(({ outcome }) => outcome === 'completed');
  expect(completed.length).toBeGreaterThan(2);
  expect(completed.filter(({ delivery }) => delivery !== 'house')).toEqual([]);

  // An ad that may play comes before house creatives.
  await service.comeBack();
  // Skips the pause before the next token. The playlist's own, at most 60 s, runs four times as fast.
  await advanceMonotonicClock(running, 60_000);
  await expectPlaying(running);
  await expectOnScreen(running, RED, BLUE);
});
