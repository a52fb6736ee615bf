import { writeSync } from 'node:fs';
import { describeError } from '../describe-error';
import { createErrorEnd, ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';

const errorEnd = createErrorEnd(exitAtOnce);
let isEndingInOrder = false;
/** Callbacks for ends that no error in main caused. */
let onEnd = { asked: (): void => {}, givenUp: (): void => {} };

/**
 * Runs `run` when an unexpected error ends this process, before the exit. It has to be short and synchronous: promises
 * are not awaited. An error of its own is ignored.
 */
export const beforeErrorExit = errorEnd.beforeExit;

/**
 * Ends the process because of an error after which it cannot go on, as for an unhandled error: it is logged and
 * stored, and the kiosk is started over.
 */
export const endForError = errorEnd.end;

/** From now on every unexpected error in main ends the process at once, without a dialog (rule 25). */
export function endOnUnexpectedErrors(): void {
  beforeErrorExit((error) => writeSync(2, `an unexpected error ended the kiosk: ${describeError(error)}\n`));
  endOnErrors(endForError);
}

/** The kiosk ends because it was asked to: an error during that does not start it over. */
export function endingInOrder(): void {
  isEndingInOrder = true;
  onEnd.asked();
}

/** Call it when the kiosk ends because a part that failed could not be started over. */
export function givingUp(): void {
  try {
    if (!isEndingInOrder) onEnd.givenUp();
  } catch {
    // The kiosk ends anyway; the next start finds that it was cut off.
  }
}

/** Sets what is called when the kiosk is about to end: `asked` if it was asked to, `givenUp` if it gave up. */
export function whenEnding(run: typeof onEnd): void {
  onEnd = run;
}

/** Whether the kiosk was asked to end, or to start over, and is about to. */
export function isAskedToEnd(): boolean {
  return isEndingInOrder;
}

/** Not `app.exit`, which closes windows, so that their listeners would still run; this runs no more JavaScript. */
function exitAtOnce(): void {
  (process as unknown as { reallyExit(code: number): never }).reallyExit(ERROR_EXIT_CODE);
}
