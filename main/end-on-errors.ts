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
