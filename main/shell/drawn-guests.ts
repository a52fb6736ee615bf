import type { WebContents } from 'electron';
import type { Log } from '../../shared/log';
import { endByMain, wasEndedByMain } from './ended-by-main';
import type { Liveness } from './liveness';

/** Of no page, as in `guest-paint.ts`. */
const OWN_WORLD = 7_391;
const ASK_EVERY_MS = 1_000;
/** A page that answers nothing for so long hangs. It was asked a second or two into that: its silence is 5 s at least. */
const HANGS_MS = 7_000;

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
  readonly liveness: Pick<Liveness, 'register'>;
  readonly log: Log;
}): DrawnGuests {
  const { tellBroken, onHarm, liveness, log } = options;
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
        awaitHang(contents, liveness, () => {
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
 * Calls `hangs`, once, when the thread of a guest's page answers nothing for `HANGS_MS`. Its last frame
 * may still be on the screen, but nothing on it moves, and a core is busy for it.
 */
function awaitHang(contents: WebContents, liveness: Pick<Liveness, 'register'>, hangs: () => void): void {
  const signs = liveness.register({
    name: 'guest',
    withinMs: HANGS_MS,
    ask: {
      everyMs: ASK_EVERY_MS,
      // Each question counts for itself: one that a reload swallows is no hang.
      run: () =>
        void contents
          .executeJavaScriptInIsolatedWorld(OWN_WORLD, [{ code: 'true' }])
          .then(signs.heard, signs.heard),
    },
    onSilence() {
      signs.end();
      hangs();
    },
  });
  contents.once('destroyed', signs.end);
  contents.once('render-process-gone', signs.end);
  // It has just loaded.
  signs.heard();
}
