import { describe, expect, it } from 'vitest';
import { picturePoint } from './admin-overlay';
import type { Rotation } from './overlay';

const WINDOW = { width: 1080, height: 1920 };

describe('a press on a rotated picture', () => {
  // Where the picture's own top-left corner lies in the window.
  const corners: ReadonlyArray<[Rotation, number, number]> = [
    [0, 0, 0],
    [90, 1080, 0],
    [180, 1080, 1920],
    [270, 0, 1920],
  ];
  it.each(corners)('has its origin at the visible top left corner: %i°', (rotation, x, y) => {
    expect(picturePoint({ x, y, ...WINDOW }, rotation)).toMatchObject({ x: 0, y: 0 });
  });

  it.each(corners)('stays within the picture and uses its size: %i°', (rotation) => {
    const seen = picturePoint({ x: 100, y: 300, ...WINDOW }, rotation);
    const turned = rotation === 90 || rotation === 270;
    expect(seen).toMatchObject(turned ? { width: 1920, height: 1080 } : { width: 1080, height: 1920 });
    expect(seen.x).toBeLessThan(seen.width);
    expect(seen.y).toBeLessThan(seen.height);
  });

  it('moves right on the picture when it moves down in a window rotated by 90°', () => {
    const above = picturePoint({ x: 500, y: 100, ...WINDOW }, 90);
    const below = picturePoint({ x: 500, y: 200, ...WINDOW }, 90);
    expect(below.x).toBeGreaterThan(above.x);
    expect(below.y).toBe(above.y);
  });
});
