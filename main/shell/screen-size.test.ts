import { expect, it } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { screenSize } from './screen-size';

/** A screen over a display that the test changes. */
function world(rotation: number, width: number, height: number) {
  let display = { size: { width, height }, scaleFactor: 1 };
  let isThere = true;
  let asked = 0;
  let resized = 0;
  let tell = () => {};
  const time = handTurnedTime();
  const screen = screenSize({
    display() {
      asked += 1;
      return display;
    },
    isThere: () => isThere,
    onDisplayChange(listener) {
      tell = listener;
    },
    rotation,
    resized() {
      resized += 1;
    },
    schedule: time.schedule,
  });
  return {
    size: () => [screen.width, screen.height],
    asked: () => asked,
    resized: () => resized,
    /** Changes the display, and lets time pass until its size counts, if not told otherwise. */
    async change(width: number, height: number, { scaleFactor = 1, isThereNow = true, ms = 3_000 } = {}) {
      display = { size: { width, height }, scaleFactor };
      isThere = isThereNow;
      tell();
      await time.advance(ms);
    },
  };
}

it.each([
  [0, [1920, 1200]],
  [90, [1200, 1920]],
  [180, [1920, 1200]],
  [270, [1200, 1920]],
])(
  'the screen has the size that shoppers see, with the picture turned by %d degrees',
  async (rotation, size) => {
    const on = world(rotation, 1024, 768);
    await on.change(1280, 800, { scaleFactor: 1.5 });
    expect(on.size()).toEqual(size);
  },
);

it('a change of the display is told only if the screen has another size by it', async () => {
  const on = world(0, 1024, 768);
  await on.change(1024, 768);
  expect(on.resized()).toBe(0);
  await on.change(1080, 1920);
  expect(on.resized()).toBe(1);
  // The list of displays changes more often.
  await on.change(1080, 1920);
  expect(on.resized()).toBe(1);
});

it('a size that a display passes through is not told', async () => {
  const on = world(0, 1080, 1920);
  await on.change(1024, 768, { ms: 2_900 });
  await on.change(1200, 1920, { ms: 2_900 });
  await on.change(1080, 1920);
  expect([on.size(), on.resized()]).toEqual([[1080, 1920], 0]);
});

it('the screen keeps its size while its display is away: the system then names any', async () => {
  const on = world(0, 1080, 1920);
  await on.change(1920, 1080, { isThereNow: false });
  expect([on.size(), on.resized()]).toEqual([[1080, 1920], 0]);
  await on.change(1080, 1920);
  expect([on.size(), on.resized()]).toEqual([[1080, 1920], 0]);
});

it('the system is not asked for each ad, because it answers slowly', () => {
  const on = world(0, 1024, 768);
  for (let ads = 0; ads < 1_000; ads += 1) on.size();
  expect(on.asked()).toBe(1);
});
