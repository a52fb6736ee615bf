import { expect, test } from 'vitest';
import { enlargement } from './fitted-banner';

test.each([
  // A banner of the usual sizes in a frame of its own shape fills it.
  [
    { width: 300, height: 250 },
    { width: 900, height: 750 },
    { scale: 3, left: 0, top: 0 },
  ],
  [
    { width: 320, height: 50 },
    { width: 960, height: 150 },
    { scale: 3, left: 0, top: 0 },
  ],
  [
    { width: 728, height: 90 },
    { width: 1820, height: 225 },
    { scale: 2.5, left: 0, top: 0 },
  ],
  // One that is larger than the screen is shown whole.
  [
    { width: 1920, height: 1080 },
    { width: 960, height: 540 },
    { scale: 0.5, left: 0, top: 0 },
  ],
  // In a frame of another shape it stands in the middle.
  [
    { width: 100, height: 100 },
    { width: 400, height: 200 },
    { scale: 2, left: 100, top: 0 },
  ],
  [
    { width: 100, height: 10 },
    { width: 200, height: 100 },
    { scale: 2, left: 0, top: 40 },
  ],
])('a banner of %j in a frame of %j', (banner, frame, laid) => {
  expect(enlargement(banner, frame)).toEqual(laid);
});
