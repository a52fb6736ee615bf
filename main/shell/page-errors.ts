import type { WebContents } from 'electron';
import type { Log } from '../../shared/log';

/** So many errors of one page are logged: a loop of them must not wash everything else out of the log. */
const MOST_LINES = 20;
const MOST_WORDS = 1_000;
/** Electron itself puts a style sheet into each `<webview>`, which the page's policy refuses; nothing needs it. */
const OF_WEBVIEWS = 'Applying inline style violates';

/**
 * Logs the errors that nothing handles in a page of ours, and what it calls an error itself (rule 25). They end
 * nothing: a page that does not do its work any more is found by its heartbeat.
 */
export function logPageErrors(contents: WebContents, page: string, log: Log): void {
  let lines = 0;
  contents.on('console-message', ({ level, message, sourceId, lineNumber }) => {
    if (level !== 'error' || lines >= MOST_LINES || message.startsWith(OF_WEBVIEWS)) return;
    lines += 1;
    log.error('a page of the kiosk reports an error', {
      page,
      error: message.slice(0, MOST_WORDS).toWellFormed(),
      at: `${sourceId.slice(0, MOST_WORDS)}:${lineNumber}`,
    });
  });
}
