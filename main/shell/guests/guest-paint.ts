import type { NativeImage, WebContents } from 'electron';
import type { Schedule } from '../../schedule';

/**
 * Evaluates an expression in a page at once; `WebContents` would wait until its pictures and frames are loaded. The
 * page may have replaced all functions that the expression calls. So that it cannot send main something large, the
 * expression has to be a number or a boolean by its operators alone. Null: it threw.
 */
export const evaluateIn = async (contents: WebContents, expression: string): Promise<unknown> =>
  contents.mainFrame.executeJavaScript(
    `(async () => { try { return ${expression} } catch { return null } })()`,
  );

const LOOK_AGAIN_MS = 100;
const TWO_FRAMES =
  '!!await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))';

/**
 * Resolves to true once a guest has drawn something: its frames advance, and its picture is not empty; to false when
 * it is gone. It may stay blank or hang for ever, so callers need a deadline.
 */
export async function hasPainted(
  contents: WebContents,
  schedule: Schedule,
  isBlank: (picture: NativeImage) => boolean = isTransparent,
): Promise<boolean> {
  while (!contents.isDestroyed()) {
    try {
      await evaluateIn(contents, TWO_FRAMES);
      if (!isBlank(await contents.capturePage())) return true;
    } catch {
      // The guest is closing or closed, or has no picture yet.
    }
    await new Promise<void>((resolve) => schedule(LOOK_AGAIN_MS, resolve));
  }
  return false;
}

/** Whether nothing was drawn: there is no picture, or it is fully transparent. */
const isTransparent = (picture: NativeImage): boolean =>
  picture.isEmpty() || smallBitmap(picture).every((byte, at) => at % 4 !== 3 || byte <= 8);

/** A banner with a smaller painted share does not count as painted (rule 16). */
const LEAST_SHARE = 0.01;
/** A colour whose channels (0 to 255) are all this near to white counts as the ground. */
const NEAR = 10;

/** Whether less than a hundredth of a banner's box is opaque and not the white ground that the card lays under it. */
export function isBareGround(picture: NativeImage): boolean {
  return picture.isEmpty() || paintedShare(smallBitmap(picture)) < LEAST_SHARE;
}

/**
 * The share of a picture that is opaque and not white, 0 to 1.
 *
 * @param bitmap four bytes a pixel: blue, green, red, opacity
 */
export function paintedShare(bitmap: Uint8Array): number {
  let painted = 0;
  for (let at = 0; at + 3 < bitmap.length; at += 4) {
    const isOpaque = (bitmap[at + 3] ?? 0) > 127;
    const darkest = Math.min(bitmap[at] ?? 0, bitmap[at + 1] ?? 0, bitmap[at + 2] ?? 0);
    if (isOpaque && darkest < 255 - NEAR) painted += 1;
  }
  return bitmap.length < 4 ? 0 : painted / Math.floor(bitmap.length / 4);
}

const smallBitmap = (picture: NativeImage) => picture.resize({ width: 64, quality: 'good' }).toBitmap();
