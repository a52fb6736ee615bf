import { writeSync } from 'node:fs';
import { describeError } from '../describe-error';
import { createErrorEnd, ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';

const errorEnd = createErrorEnd(exitAtOnce);
let isEndingInOrder = false;
/** Called at ends that are no error of main's. */
let onEnd = { asked: (): void => {}, givenUp: (): void => {} };

/**
 * Runs `run` when an unexpected error ends this process, before the exit. It has to be short and synchronous: promises
 * are not awaited. An error of its own is ignored.
 */
export const beforeErrorExit = errorEnd.beforeExit;

/**
 * Ends the process for an error that it cannot go on with, as for one that nothing handles: it is logged and
 * remembered, and the kiosk is started over.
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

/** The kiosk ends because what failed could not be started over. */
export function givingUp(): void {
  try {
    if (!isEndingInOrder) onEnd.givenUp();
  } catch {
    // It ends all the same; the next start finds that it was cut off.
  }
}

/** Sets what is called as soon as the kiosk is about to end so. */
export function whenEnding(run: typeof onEnd): void {
  onEnd = run;
}

/** Whether the kiosk was asked to end, or to start over, and is about to. */
export function isAskedToEnd(): boolean {
  return isEndingInOrder;
}

/** `app.exit` closes windows, and what listens to them would go on; this runs no JavaScript any more. */
function exitAtOnce(): void {
  (process as unknown as { reallyExit(code: number): never }).reallyExit(ERROR_EXIT_CODE);
}
