const listeners = new Set<(error: Error) => void>();

/**
 * Runs `run`, synchronously, when main ends because of an unexpected error (rule 25).
 *
 * @returns ends listening
 */
export function onLastWords(run: (error: Error) => void): () => void {
  listeners.add(run);
  return () => void listeners.delete(run);
}

/** Runs what wanted to be told; an error in there is of no interest any more. */
export function sayLastWords(error: Error): void {
  for (const run of listeners) {
    try {
      run(error);
    } catch {
      // The process ends because of the first error.
    }
  }
}
