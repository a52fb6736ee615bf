import type { Fit, Size } from './view';

/**
 * Decodes a picture that is not animated, and passes its pixels to `draw`. The bitmap is closed when `draw` returns.
 *
 * Chromium keeps what it decoded for an image element in shared memory even after the element has released it: 8 MB for
 * a picture of 1920 x 1080. A bitmap leaves nothing behind.
 *
 * @returns false: it is animated, or cannot be decoded; use an image element, which shows it or reports the error
 */
export async function drawStill(url: string, draw: (pixels: ImageBitmap) => void): Promise<boolean> {
  if (isGivenUp) return false;
  const pixels = await bitmapOf(url).catch(() => null);
  if (pixels === null) return false;
  try {
    draw(pixels);
  } finally {
    pixels.close();
  }
  return true;
}

let isGivenUp = false;

/**
 * To be called when the graphics process died: canvases lost their content, and one that is not restored in time stays
 * empty forever, while an image element recovers by itself. So from now on `drawStill` returns false.
 */
export function disableCanvasDrawing(): void {
  isGivenUp = true;
}

/** Null: the picture is animated. */
async function bitmapOf(url: string): Promise<ImageBitmap | null> {
  const element = new Image();
  const isThere = new Promise<void>((resolve, reject) => {
    element.onload = () => resolve();
    element.onerror = () => reject(new Error('it cannot be read'));
  });
  element.src = url;
  try {
    const [isStill] = await Promise.all([isStillPicture(url), isThere]);
    // From the element, not from a `Blob`, which stays in main's memory until this page's garbage is collected.
    return isStill ? await createImageBitmap(element) : null;
  } finally {
    element.removeAttribute('src');
  }
}

/** Most remembered addresses. An address names its content, so its result stays valid. */
const MOST_KNOWN = 1_000;
const known = new Map<string, boolean>();

/** Rejects if the picture cannot be decoded completely: a bitmap of its element would be empty instead. */
async function isStillPicture(url: string): Promise<boolean> {
  const before = known.get(url);
  if (before !== undefined) return before;
  const answer = await fetch(url);
  const data = await answer.arrayBuffer();
  const type = answer.headers.get('content-type') ?? '';
  const decoder = new ImageDecoder({ type, data, transfer: [data] });
  try {
    await decoder.tracks.ready;
    const isStill = decoder.tracks.selectedTrack?.animated === false;
    if (isStill) (await decoder.decode()).image.close();
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(url, isStill);
    return isStill;
  } finally {
    decoder.close();
  }
}

/** Size of an element in pixels of the display. */
export const seenSize = ({ clientWidth, clientHeight }: HTMLElement): Size => ({
  width: clientWidth * devicePixelRatio,
  height: clientHeight * devicePixelRatio,
});

/** Draws a picture in the size in which `screen` (px of the display) shows it, but never enlarged. */
export function drawAsSeen(canvas: HTMLCanvasElement, pixels: ImageBitmap, screen: Size, fit: Fit): void {
  const ratios = [screen.width / pixels.width, screen.height / pixels.height];
  const scale = Math.min(1, fit === 'fill' ? Math.max(...ratios) : Math.min(...ratios));
  canvas.width = Math.max(1, Math.round(pixels.width * scale));
  canvas.height = Math.max(1, Math.round(pixels.height * scale));
  // A software canvas draws straight into the surface of its layer; an accelerated one would have a second surface.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return;
  // 'low' averages four source pixels per drawn pixel; below half the size it would skip some.
  context.imageSmoothingQuality = scale > 0.5 ? 'low' : 'high';
  context.drawImage(pixels, 0, 0, canvas.width, canvas.height);
}
