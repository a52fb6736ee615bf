import { writeSync } from 'node:fs';
import { describeError } from '../describe-error';
import { ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';
import { createErrorEnd } from './error-end';

const errorEnd = createErrorEnd(exitAtOnce);
let isEndingInOrder = false;
/** Hear of ends that are no error of main's. */
let onEnd = { asked: (): void => {}, givenUp: (): void => {} };

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
  onEnd.asked();
}

/** The kiosk ends because what failed could not be brought back: nobody asked for that. */
export function givingUp(): void {
  try {
    if (!isEndingInOrder) onEnd.givenUp();
  } catch {
    // It ends all the same; the next start finds that it was cut off.
  }
}

/** Has one of these run as soon as the kiosk is about to end so, in place of those given before. */
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
