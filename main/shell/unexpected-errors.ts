import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import { describeError } from '../describe-error';
import { ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';
import type { Late } from '../late';
import { createErrorEnd } from './error-end';
import { lastLog } from './last-log';
import { TRIES } from './restart-budget';
import { isStartedOver } from './service-manager';
import { openUnexpectedEnds, type UnexpectedEnds } from './unexpected-ends';
import { uptime } from './uptime';

const errorEnd = createErrorEnd(exitAtOnce);
let isEndingInOrder = false;

/**
 * Runs `run` when an unexpected error ends this process, before it is gone; returns what takes it back. It has to
 * be short and synchronous: nobody waits for a promise any more. An error of its own is of no consequence.
 */
export const onLastWords = errorEnd.beforeExit;

/**
 * Ends the process for an error that it cannot go on with, as for one that nothing handles: it is logged and
 * remembered, and the kiosk is started over.
 */
export const endForError = errorEnd.end;

/** From now on every unexpected error in main ends the process at once, without a dialog (rule 25). */
export function endOnUnexpectedErrors(): void {
  onLastWords((error) => writeSync(2, `an unexpected error ended the kiosk: ${describeError(error)}\n`));
  endOnErrors(endForError);
}

/** The kiosk ends because it was asked to: an error on the way does not start it over. */
export function endingInOrder(): void {
  isEndingInOrder = true;
}

/**
 * Has unexpected errors written to the log in the data folder, remembered for the next start, and the kiosk started
 * over. Nothing else has to be saved: what counts is on the disk before anything is shown or sent (rules 8 and 15).
 */
export function rememberUnexpectedErrors(dataDirectory: string, lateLog: Late<Log>): UnexpectedEnds {
  const ends = openUnexpectedEnds(join(dataDirectory, 'unexpected-ends.json'), uptime);
  let count = 1;
  onLastWords(() => {
    count = ends.note();
  });
  onLastWords((error) => {
    const log = lastLog(dataDirectory);
    // What was logged before the log was there comes first.
    lateLog.use(log, log.asOf);
    log.error('an unexpected error ended the kiosk', { error: describeError(error), withinAMinute: count });
  });
  onLastWords(() => {
    if (isEndingInOrder || isStartedOver(process.env)) return;
    // Installed there is nobody else to bring it back; from source somebody watches.
    if (app.isPackaged || count <= TRIES) app.relaunch();
  });
  return ends;
}

/** `app.exit` closes windows, and what listens to them would go on; this runs no JavaScript any more. */
function exitAtOnce(): void {
  (process as unknown as { reallyExit(code: number): never }).reallyExit(ERROR_EXIT_CODE);
}
