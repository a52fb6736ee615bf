import { writeSync } from 'node:fs';
import { describeError } from '../describe-error';
import { createErrorEnd, ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';

const errorEnd = createErrorEnd(exitAtOnce);

/**
 * Runs `run` when an unexpected error ends this process, before the exit. It has to be short and synchronous: promises
 * are not awaited. An error of its own is ignored.
 */
export const beforeErrorExit = errorEnd.beforeExit;

/**
 * Ends the process because of an error after which it cannot go on, as for an unhandled error: it is logged and
 * stored, and the kiosk is started over (`kiosk-end.ts`).
 */
export const endForError = errorEnd.end;

/** From now on every unexpected error in main ends the process at once, without a dialog (rule 25). */
export function endOnUnexpectedErrors(): void {
  beforeErrorExit((error) => writeSync(2, `an unexpected error ended the kiosk: ${describeError(error)}\n`));
  endOnErrors(endForError);
}

/** Not `app.exit`, which closes windows, so that their listeners would still run; this runs no more JavaScript. */
function exitAtOnce(): void {
  (process as unknown as { reallyExit(code: number): never }).reallyExit(ERROR_EXIT_CODE);
}
