import type { WebContents } from 'electron';
import { z } from 'zod';
import type { Log } from '../../shared/log';

/** No workers: they know no choosers, would refuse to be held, and wait for ever. */
const FRAMES = [{ type: 'iframe' }];
const Attached = z.object({ sessionId: z.string() });

/**
 * Keeps a foreign page, and every frame in it, from opening a dialog of the system
 * to choose files: it would show the kiosk's disk to a shopper (rule 21). No
 * preference forbids it; Chromium's own protocol of its tools does. Call it before
 * the first page is loaded.
 */
export function forbidChoosers(contents: WebContents, log: Log): void {
  const { debugger: tools } = contents;
  // None waits for the one before it: a page that is busy answers late, and is held at once all the same.
  const hold = (session?: string) =>
    Promise.all([
      tools.sendCommand('Page.enable', {}, session),
      tools.sendCommand('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }, session),
      // Frames of other sites live in processes of their own. They do not wait until they are held too, for one
      // that waits never shows its page; a finger's input comes by this same thread, and later.
      tools.sendCommand(
        'Target.setAutoAttach',
        { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter: FRAMES },
        session,
      ),
    ]);
  const complain = (fault: unknown) => {
    // It went before it had answered.
    if (contents.isDestroyed() || (fault instanceof Error && /target closed/.test(fault.message))) return;
    log.warn('choosers could not be forbidden to a page', { fault });
  };
  try {
    tools.attach('1.3');
  } catch (fault) {
    complain(fault);
    return;
  }
  tools.on('message', (_event, method, params) => {
    if (method !== 'Target.attachedToTarget') return;
    const attached = Attached.safeParse(params);
    if (attached.success) hold(attached.data.sessionId).catch(complain);
  });
  hold().catch(complain);
}
