import type { NativeImage, WebContents } from 'electron';
import type { Schedule } from '../service/schedule';

/** Of no page: what runs in it neither sees nor changes what a page does. */
const OWN_WORLD = 7_391;
const LOOK_AGAIN_MS = 100;
const TWO_FRAMES =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))';

/**
 * Calls `painted` once a guest has drawn something: its frames advance, and its picture
 * is not empty. What the page says of itself is not asked. It is never called for a page
 * that stays blank, hangs or goes; whoever waits has a deadline.
 */
export async function awaitPaint(
  contents: WebContents,
  schedule: Schedule,
  painted: () => void,
): Promise<void> {
  try {
    await contents.executeJavaScriptInIsolatedWorld(OWN_WORLD, [{ code: TWO_FRAMES }]);
    if (contents.isDestroyed()) return;
    if (!isBlank(await contents.capturePage())) {
      painted();
      return;
    }
  } catch {
    // It goes or is gone, or there is no picture of it yet.
  }
  if (!contents.isDestroyed()) schedule(LOOK_AGAIN_MS, () => void awaitPaint(contents, schedule, painted));
}

/** Nothing was drawn: no picture, or one that is transparent all over. */
function isBlank(picture: NativeImage): boolean {
  if (picture.isEmpty()) return true;
  const small = picture.resize({ width: 64, quality: 'good' }).toBitmap();
  for (let alpha = 3; alpha < small.length; alpha += 4) if ((small[alpha] ?? 0) > 8) return false;
  return true;
}
