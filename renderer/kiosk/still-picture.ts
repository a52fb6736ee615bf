import type { Fit } from './view';

/**
 * Decodes a picture that is not animated, and passes its pixels to `draw`. The bitmap is closed when `draw` returns.
 *
 * Chromium keeps what it decoded for an image element in shared memory even after the element has released it: 8 MB for
 * a picture of 1920 x 1080. A bitmap leaves nothing behind.
 *
 * @returns false: use an image element, because it is animated, or cannot be drawn
 * @throws if it shows nothing on white, or is damaged: it would be an empty screen, which is billed
 */
export async function drawStill(url: string, draw: (pixels: ImageBitmap) => void): Promise<boolean> {
  const pixels = await (isGivenUp ? isStillPicture(url).then(() => null) : bitmapOf(url));
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

/** Null: the picture is animated, or there is no memory for a bitmap. */
async function bitmapOf(url: string): Promise<ImageBitmap | null> {
  const element = new Image();
  const isThere = new Promise<void>((resolve, reject) => {
    element.onload = () => resolve();
    element.onerror = () => reject(new Error('the picture cannot be read'));
  });
  element.src = url;
  try {
    const [isStill] = await Promise.all([isStillPicture(url), isThere]);
    // From the element, not from a `Blob`, which stays in main's memory until this page's garbage is collected.
    return isStill ? await createImageBitmap(element).catch(() => null) : null;
  } finally {
    // Releases the picture. Without the attribute, Chromium would keep the element as long as the page lives.
    element.src = '';
  }
}

/** Most remembered addresses. An address names its content, so its result stays valid. */
const MAX_KNOWN = 1_000;
const known = new Map<string, 'still' | 'animated' | 'empty'>();

/** Rejects if it cannot be seen whole: an image element would show what can be decoded, and report no error. */
async function isStillPicture(url: string): Promise<boolean> {
  const before = known.get(url);
  const kind = before ?? (await kindOf(url).catch(damaged));
  if (before === undefined && known.size >= MAX_KNOWN) known.clear();
  known.set(url, kind);
  if (kind === 'empty') throw new Error('the picture shows nothing on white: it is transparent, or white');
  return kind === 'still';
}

function damaged(error: unknown): never {
  throw new Error(`the picture cannot be decoded completely: ${String(error)}`);
}

/** Most frames of an animation that are looked at for one that shows something. */
const MAX_FRAMES = 100;
/** Most pixels of these frames. One of 50 million pixels holds the page for 0.3 s (measured on two cores). */
const MAX_PIXELS = MAX_FRAMES * 1_920 * 1_080;

async function kindOf(url: string): Promise<'still' | 'animated' | 'empty'> {
  const answer = await fetch(url);
  const data = await answer.arrayBuffer();
  const type = answer.headers.get('content-type') ?? '';
  const decoder = new ImageDecoder({ type, data, transfer: [data] });
  try {
    await decoder.tracks.ready;
    const track = decoder.tracks.selectedTrack;
    // A GIF of one frame counts as animated too.
    const frames = track?.animated ? track.frameCount : 1;
    const most = Math.min(frames, MAX_FRAMES);
    for (let frame = 0, pixels = 0; frame < most && pixels < MAX_PIXELS; frame += 1) {
      const look = await lookAt(decoder, frame);
      if (!look.isEmpty) return frames > 1 ? 'animated' : 'still';
      pixels += look.pixels;
    }
    return 'empty';
  } finally {
    decoder.close();
  }
}

/** Rejects if the frame cannot be decoded completely. */
async function lookAt(decoder: ImageDecoder, frameIndex: number) {
  const { image } = await decoder.decode({ frameIndex });
  try {
    return { isEmpty: showsNothing(image), pixels: image.codedWidth * image.codedHeight };
  } finally {
    image.close();
  }
}

/** Side of the square that a picture is drawn into to see if it shows something, px: in 32, thin words of 4K vanish. */
const SIDE = 256;
/** A pixel that differs from the ground by up to this much cannot be seen, 0 to 255. */
const UNSEEN = 8;
/** What lies under transparent parts: white, as in a browser. Most words without a ground of their own are black. */
const GROUND = '#fff';

function showsNothing(image: VideoFrame): boolean {
  // Other formats, `RGBX` for example, have no opacity.
  if (image.format !== null && !image.format.endsWith('A')) return false;
  const context = new OffscreenCanvas(SIDE, SIDE).getContext('2d', { willReadFrequently: true });
  if (context === null) return false;
  // Otherwise small parts of a large picture would be skipped.
  context.imageSmoothingQuality = 'high';
  context.fillStyle = GROUND;
  context.fillRect(0, 0, SIDE, SIDE);
  context.drawImage(image, 0, 0, SIDE, SIDE);
  return context.getImageData(0, 0, SIDE, SIDE).data.every((value) => value >= 255 - UNSEEN);
}

/** Draws a picture in the size in which the display shows the canvas, but never enlarged. */
export function drawAsSeen(canvas: HTMLCanvasElement, pixels: ImageBitmap, fit: Fit): void {
  const { clientWidth, clientHeight } = canvas;
  const ratios = [clientWidth / pixels.width, clientHeight / pixels.height].map(
    (each) => each * devicePixelRatio,
  );
  const scale = Math.min(1, fit === 'fill' ? Math.max(...ratios) : Math.min(...ratios));
  canvas.width = Math.max(1, Math.round(pixels.width * scale));
  canvas.height = Math.max(1, Math.round(pixels.height * scale));
  // A software canvas draws straight into the surface of its layer; an accelerated one would have a second surface.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return;
  // 'low' averages four source pixels per drawn pixel; below half the size it would skip some.
  context.imageSmoothingQuality = scale > 0.5 ? 'low' : 'high';
  context.fillStyle = GROUND;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(pixels, 0, 0, canvas.width, canvas.height);
}
