import type { WebContents } from 'electron';
import type { Log } from '../../shared/log';
import { watchFrames } from './frame-world';

/** Not workers: they have no choosers, and attaching to one never completes. */
const FRAMES = [{ type: 'iframe' }];

/**
 * Keeps a foreign page, and every frame in it, from opening the system's file chooser,
 * which would show the kiosk's disk to a shopper (rule 21). No preference forbids it, so
 * this uses Chromium's DevTools protocol. Call it before the first page is loaded.
 */
export function forbidChoosers(contents: WebContents, log: Log): void {
  const { debugger: tools } = contents;
  // In parallel: a busy page answers late, but each command takes effect at once.
  const hold = (session?: string) =>
    Promise.all([
      tools.sendCommand('Page.enable', {}, session),
      tools.sendCommand('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }, session),
      // Frames of other sites have their own processes. They do not wait for the debugger, because then they would
      // never show their page. A tap is handled by the same thread after these commands.
      tools.sendCommand(
        'Target.setAutoAttach',
        { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: FRAMES },
        session,
      ),
    ]);
  const logError = (error: unknown) => {
    // The page closed before it answered.
    if (contents.isDestroyed() || (error instanceof Error && /target closed/.test(error.message))) return;
    log.warn('choosers could not be forbidden to a page', { error });
  };
  try {
    tools.attach('1.3');
  } catch (error) {
    logError(error);
    return;
  }
  watchFrames(tools, (session) => void hold(session).catch(logError));
  hold().catch(logError);
}
