import { expect, it, vi } from 'vitest';
import { drawBackdrop } from './backdrop';

const SOURCE = {} as CanvasImageSource;
const SCREEN = { width: 1280, height: 720 };
const PORTRAIT = { width: 360, height: 640 };

/** Draws a backdrop; returns how the creative fits, and the white rectangles. */
function draw(size: typeof SCREEN, ground: 'white' | null) {
  const context = { drawImage: vi.fn(), fillRect: vi.fn() };
  const canvas = { width: 0, height: 0, getContext: () => context } as unknown as HTMLCanvasElement;
  return { fit: drawBackdrop(canvas, SOURCE, size, SCREEN, ground), white: context.fillRect.mock.calls };
}

it('lays white under a creative of another shape, inside its edges', () => {
  const { fit, white } = draw(PORTRAIT, 'white');
  expect(fit).toBe('letterbox');
  const [[x, y, width, height] = []] = white as number[][];
  expect([y, height]).toEqual([0, 54]);
  expect(x).toBeCloseTo((96 - (54 * 360) / 640) / 2 + 1);
  expect(width).toBeCloseTo((54 * 360) / 640 - 2);
});

it('lays no white under an opaque video, where it would flash before the first frame', () => {
  expect(draw(PORTRAIT, null)).toEqual({ fit: 'letterbox', white: [] });
});

it('draws nothing for a creative of the screen’s shape', () => {
  expect(draw({ width: 640, height: 355 }, 'white')).toEqual({ fit: 'fill', white: [] });
});
