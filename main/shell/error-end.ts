import { asError } from '../describe-error';

/** The last thing the process does about an error that nothing handles. */
export interface ErrorEnd {
  /** Runs all steps and exits; does not return where `exit` does not. Safe to be called with anything. */
  end(thrown: unknown): void;
  /** Runs `run` before the exit, as soon as it can be; returns what takes it back. */
  beforeExit(run: (error: Error) => void): () => void;
}

/**
 * How a process ends for an unexpected error (rule 25): every step is run at once and by itself, so that what goes
 * wrong in one of them keeps neither the others nor the end. An error during all this ends the process on the spot.
 *
 * @param exit ends the process and does not return
 */
export function createErrorEnd(exit: () => void): ErrorEnd {
  const steps = new Set<{ run(error: Error): void }>();
  let isEnding = false;
  return {
    end(thrown) {
      if (!isEnding) {
        isEnding = true;
        const error = asError(thrown);
        for (const step of steps) {
          try {
            step.run(error);
          } catch {
            // The next ones are worth as much.
          }
        }
      }
      exit();
    },
    beforeExit(run) {
      const step = { run };
      steps.add(step);
      return () => void steps.delete(step);
    },
  };
}
