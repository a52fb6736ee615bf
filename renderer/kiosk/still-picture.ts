import type { Fit } from './backdrop';
import type { Size } from './view';

/**
 * Decodes a picture that does not move, and gives `draw` its pixels, which are gone when that returns.
 *
 * What is decoded to show an image element, Chromium keeps in shared memory after the element has let go of it: 8 MB
 * of a picture of 1920 x 1080. Of a bitmap nothing is left.
 *
 * @returns false: it moves, or cannot be decoded or drawn; an image element shows it, or says what is wrong with it
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
 * The graphics process died. What was drawn into a canvas is gone with it, and a canvas that was not restored in time
 * stays empty for ever; the picture of an element comes back by itself. So this page draws no more of them.
 */
export function giveUpDrawing(): void {
  isGivenUp = true;
}

/** Null: it moves. */
async function bitmapOf(url: string): Promise<ImageBitmap | null> {
  const element = new Image();
  const isThere = new Promise<void>((resolve, reject) => {
    element.onload = () => resolve();
    element.onerror = () => reject(new Error('it cannot be read'));
  });
  element.src = url;
  try {
    const [isStill] = await Promise.all([isStillPicture(url), isThere]);
    // Not of a `Blob`: that lies in main's memory until this page's garbage is collected.
    return isStill ? await createImageBitmap(element) : null;
  } finally {
    element.removeAttribute('src');
  }
}

/** So many addresses are remembered. Each names its content, so what was found out stays true. */
const MOST_KNOWN = 1_000;
const known = new Map<string, boolean>();

/** Rejects where it cannot be decoded to its end: a bitmap of its element would be empty instead. */
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

/** What an element takes up of the display, px. */
export const seenSize = ({ clientWidth, clientHeight }: HTMLElement): Size => ({
  width: clientWidth * devicePixelRatio,
  height: clientHeight * devicePixelRatio,
});

/** Draws a picture as large as it will be seen on a `screen` (px of the display), and never larger than it is. */
export function drawAsSeen(canvas: HTMLCanvasElement, pixels: ImageBitmap, screen: Size, fit: Fit): void {
  const ratios = [screen.width / pixels.width, screen.height / pixels.height];
  const scale = Math.min(1, fit === 'fill' ? Math.max(...ratios) : Math.min(...ratios));
  canvas.width = Math.max(1, Math.round(pixels.width * scale));
  canvas.height = Math.max(1, Math.round(pixels.height * scale));
  // Its pixels go straight into the surface of its layer: a canvas of the graphics hardware would have another one.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return;
  // Up to half the size each pixel seen is made of four; below that those between them would be left out.
  context.imageSmoothingQuality = scale > 0.5 ? 'low' : 'high';
  context.drawImage(pixels, 0, 0, canvas.width, canvas.height);
}
