import type { WebContents } from 'electron';
import { OWN_WORLD } from './guest-paint';
import type { Liveness } from './liveness';
import { killByMain, wasKilledByMain } from './page-processes';
import { type GuestListParts, reportBroken } from './watch-guests';

const ASK_EVERY_MS = 1_000;
/** A page that is silent for this long hangs, ms. The first question may come 2 s into it, so at least 5 s remain. */
const HANGS_MS = 7_000;

/** Reports pages and banners that hang or die (rule 11): guests that layers of the stage hold. */
export function watchDrawnGuests({ stage, onHarm, liveness, log }: GuestListParts) {
  const drawn = new Map<string, WebContents>();

  function end(url: string, contents: WebContents, detail: string): void {
    reportBroken(stage, url, detail);
    killByMain(contents);
  }

  return {
    /** Watches a guest from its attachment until it is destroyed. */
    watch(url: string, contents: WebContents) {
      drawn.set(url, contents);
      contents.once('destroyed', () => drawn.delete(url));
      contents.on('render-process-gone', (_event, { reason }) => {
        if (reason !== 'clean-exit' && !wasKilledByMain(contents)) onHarm(url, 'guest');
      });
      contents.once('did-finish-load', () =>
        awaitHang(contents, liveness, () => {
          log.error('a guest does not answer; it is closed', { url });
          onHarm(url, 'hang');
          end(url, contents, 'it hung');
        }),
      );
    },
    /** Removes the guests at these addresses from the stage and kills their processes, even if they hang. */
    end(urls: readonly string[], detail: string) {
      for (const [url, contents] of drawn) if (urls.includes(url)) end(url, contents, detail);
    },
  };
}

/**
 * Calls `hangs`, once, when the thread of a guest's page does not answer for `HANGS_MS`. Its last frame
 * may still be on the screen.
 */
function awaitHang(contents: WebContents, liveness: Pick<Liveness, 'register'>, hangs: () => void): void {
  const signs = liveness.register({
    name: 'guest',
    withinMs: HANGS_MS,
    ask: {
      everyMs: ASK_EVERY_MS,
      // A rejection counts as an answer: a reload drops the question.
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
  // The page has just loaded, which counts as an answer.
  signs.heard();
}
