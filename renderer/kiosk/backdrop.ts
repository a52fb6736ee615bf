import type { Fit, Size } from './view';

/** Longer side of the small picture that is enlarged to the whole screen, px. It needs no detail. */
const LONG_SIDE = 96;
/** In px of that small picture, which extends beyond each edge by twice as much, so that its edges stay opaque. */
const BLUR = 4;
/** A creative fills the screen if their aspect ratios differ by at most this factor: a little of it is cut off. */
const NEARLY = 1.03;

/**
 * Draws the backdrop of a creative that does not fill the screen: its own picture, blurred and dimmed. It is drawn
 * once, small, and enlarged by the compositor, so it costs no frame. Sizes in px.
 *
 * @param ground what lies under the creative itself; null: its own blurred picture
 * @returns how the creative fits the screen; `fill`: no backdrop was needed or drawn
 */
export function drawBackdrop(
  canvas: HTMLCanvasElement,
  source: CanvasImageSource,
  size: Size,
  screen: Size,
  ground: 'white' | null,
): Fit {
  const wider = (size.width * screen.height) / (size.height * screen.width);
  if (!Number.isFinite(wider) || wider === 0 || Math.max(wider, 1 / wider) <= NEARLY) return 'fill';
  const scale = LONG_SIDE / Math.max(screen.width, screen.height);
  const width = Math.max(1, Math.round(screen.width * scale));
  const height = Math.max(1, Math.round(screen.height * scale));
  canvas.width = width;
  canvas.height = height;
  const cover = Math.max((width + 4 * BLUR) / size.width, (height + 4 * BLUR) / size.height);
  const drawn = { width: size.width * cover, height: size.height * cover };
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  if (context) {
    context.filter = `blur(${BLUR}px) brightness(0.6) saturate(1.15)`;
    context.imageSmoothingQuality = 'medium';
    const [left, top] = [(width - drawn.width) / 2, (height - drawn.height) / 2];
    context.drawImage(source, left, top, drawn.width, drawn.height);
    if (ground === null) return 'letterbox';
    // White under transparent parts, as in a browser.
    const whole = Math.min(width / size.width, height / size.height);
    const x = inset(width - size.width * whole);
    const y = inset(height - size.height * whole);
    context.filter = 'none';
    context.fillStyle = '#fff';
    context.fillRect(x, y, Math.max(0, width - 2 * x), Math.max(0, height - 2 * y));
  }
  return 'letterbox';
}

/** Half of what a picture leaves free, and a pixel: no white is seen beside a picture without transparent parts. */
const inset = (free: number) => (free === 0 ? 0 : free / 2 + 1);

/** Frees the memory of a canvas. */
export function clearCanvas(canvas: HTMLCanvasElement): void {
  canvas.width = 0;
  canvas.height = 0;
}
