import type { WebContents } from 'electron';
import type { Log } from '../../shared/log';
import { limitedLog } from '../limited-log';

const MAX_LENGTH = 1_000;
/** Electron itself puts a style sheet into each `<webview>`, which the page's policy refuses; nothing needs it. */
const OF_WEBVIEWS = 'Applying inline style violates';

/**
 * Logs unhandled errors of one of our own pages, and errors that it logs itself (rule 25). Nothing is ended for them:
 * the heartbeat shows whether the page still works. A page may stay for years with an error in a loop.
 */
export function logPageErrors(
  contents: Pick<WebContents, 'on'>,
  page: string,
  log: Log,
  monotonic = () => performance.now(),
): void {
  const limited = limitedLog({ log, clock: { monotonic } });
  contents.on('preload-error', (_event, path, error) => log.error('a preload failed', { path, error }));
  contents.on('console-message', ({ level, message, sourceId, lineNumber }) => {
    if (level !== 'error' || message.startsWith(OF_WEBVIEWS)) return;
    limited.error('a page of the kiosk reports an error', {
      page,
      error: message.slice(0, MAX_LENGTH).toWellFormed(),
      at: `${sourceId.slice(0, MAX_LENGTH)}:${lineNumber}`,
    });
  });
}
