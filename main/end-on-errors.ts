import { asError } from './describe-error';

/** What a process ends with after an error that nothing handles: EX_SOFTWARE of sysexits.h. */
export const ERROR_EXIT_CODE = 70;

/**
 * From now on every error that nothing handles, and every rejected promise that nobody handles, goes to `end`,
 * which ends the process (rule 25). Electron opens a dialog for such an error otherwise, and the process lives on.
 * Called again, the last one counts.
 */
export function endOnErrors(end: (thrown: unknown) => void): void {
  if (process.hasUncaughtExceptionCaptureCallback()) process.setUncaughtExceptionCaptureCallback(null);
  process.setUncaughtExceptionCaptureCallback(end);
  // Thrown from here it is an error that nothing handles: there is one way to the end.
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
}

/**
 * How a process ends for an unexpected error (rule 25): every step is run, also after another one failed. A second
 * call during that exits at once.
 *
 * @param exit ends the process and does not return
 */
export function createErrorEnd(exit: () => void) {
  const steps: Array<(error: Error) => void> = [];
  let isEnding = false;
  return {
    /** Runs all steps and exits; does not return where `exit` does not. Safe to be called with anything. */
    end(thrown: unknown): void {
      if (!isEnding) {
        isEnding = true;
        const error = asError(thrown);
        for (const step of steps) {
          try {
            step(error);
          } catch {
            // The next steps run all the same.
          }
        }
      }
      exit();
    },
    /** Has `run` run before the exit. */
    beforeExit: (run: (error: Error) => void) => void steps.push(run),
  };
}
