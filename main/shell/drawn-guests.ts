import type { WebContents } from 'electron';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import { endByMain, wasEndedByMain } from './ended-by-main';

/** Of no page, as in `guest-paint.ts`. */
const OWN_WORLD = 7_391;
const ASK_EVERY_MS = 1_000;
/** A page that answers none of so many questions in a row hangs. */
const UNANSWERED = 5;

/** Guests that layers of the stage hold: pages and banners. */
export interface DrawnGuests {
  /** From when it is attached until it goes. */
  watch(url: string, contents: WebContents): void;
  /** Takes those at these addresses off the stage and ends their processes, even if they stand still. */
  end(urls: readonly string[], detail: string): void;
}

/**
 * Notices what harm pages and banners do themselves (rule 11).
 *
 * @param options.tellBroken tells the stage that a guest is to be seen no more
 * @param options.onHarm one hangs, or died, and not because main ended it
 */
export function watchDrawnGuests(options: {
  readonly tellBroken: (url: string, detail: string) => void;
  readonly onHarm: (url: string, cause: 'hang' | 'guest') => void;
  readonly schedule: Schedule;
  readonly log: Log;
}): DrawnGuests {
  const { tellBroken, onHarm, schedule, log } = options;
  const drawn = new Map<string, WebContents>();

  function end(url: string, contents: WebContents, detail: string): void {
    tellBroken(url, detail);
    endByMain(contents);
  }

  return {
    watch(url, contents) {
      drawn.set(url, contents);
      contents.once('destroyed', () => drawn.delete(url));
      contents.on('render-process-gone', (_event, { reason }) => {
        if (reason !== 'clean-exit' && !wasEndedByMain(contents)) onHarm(url, 'guest');
      });
      contents.once('did-finish-load', () =>
        awaitHang(contents, schedule, () => {
          log.error('a guest answers nothing; it is ended', { url });
          onHarm(url, 'hang');
          end(url, contents, 'it hung');
        }),
      );
    },
    end(urls, detail) {
      for (const [url, contents] of drawn) if (urls.includes(url)) end(url, contents, detail);
    },
  };
}

/**
 * Calls `hangs`, once, when the thread of a guest's page answers nothing for 5 s. Its last frame
 * may still be on the screen, but nothing on it moves, and a core is busy for it.
 */
function awaitHang(contents: WebContents, schedule: Schedule, hangs: () => void): void {
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
