import { asError } from './describe-error';

/** Exit code of a process after an error that nothing handled: EX_SOFTWARE of sysexits.h. */
export const ERROR_EXIT_CODE = 70;

/**
 * From now on, `end` gets every unhandled error and every unhandled rejection, and ends the process (rule 25). By
 * default, Electron shows a dialog for such an error and the process goes on. A later call replaces `end`.
 */
export function endOnErrors(end: (thrown: unknown) => void): void {
  if (process.hasUncaughtExceptionCaptureCallback()) process.setUncaughtExceptionCaptureCallback(null);
  process.setUncaughtExceptionCaptureCallback(end);
  // Thrown again as an unhandled error, so that both kinds end in the same way.
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
}

/**
 * Ends a process after an unexpected error (rule 25): runs every step, even if an earlier one failed. A second call
 * meanwhile exits at once.
 *
 * @param exit ends the process and does not return
 */
export function createErrorEnd(exit: () => void) {
  const steps: Array<(error: Error) => void> = [];
  let isEnding = false;
  return {
    /** Runs all steps and exits; does not return if `exit` does not. Accepts any thrown value. */
    end(thrown: unknown): void {
      if (!isEnding) {
        isEnding = true;
        const error = asError(thrown);
        for (const step of steps) {
          try {
            step(error);
          } catch {
            // An error of one step must not skip the next ones.
          }
        }
      }
      exit();
    },
    /** Adds a step that runs before the exit. */
    beforeExit: (run: (error: Error) => void) => void steps.push(run),
  };
}
