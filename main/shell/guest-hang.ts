import type { WebContents } from 'electron';
import type { Schedule } from '../service/schedule';

/** Of no page, as in `guest-paint.ts`. */
const OWN_WORLD = 7_391;
const ASK_EVERY_MS = 1_000;
/** A page that answers none of so many questions in a row hangs. */
const UNANSWERED = 5;

/**
 * Calls `hangs`, once, when the thread of a guest's page answers nothing for 5 s. Its last frame
 * may still be on the screen, but nothing on it moves, and a core is busy for it.
 */
export function watchForHang(contents: WebContents, schedule: Schedule, hangs: () => void): void {
  let unanswered = 0;
  // Each question counts for itself: one that a reload swallows is no hang.
  const answered = () => {
    unanswered = 0;
  };
  const ask = (): void => {
    if (contents.isDestroyed() || contents.isCrashed()) return;
    if (unanswered >= UNANSWERED) {
      hangs();
      return;
    }
    unanswered += 1;
    contents.executeJavaScriptInIsolatedWorld(OWN_WORLD, [{ code: 'true' }]).then(answered, answered);
    schedule(ASK_EVERY_MS, ask);
  };
  ask();
}
