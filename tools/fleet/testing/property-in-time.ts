import * as fc from 'fast-check';

/** A busy machine does fewer runs, because each one asks a server some ten questions. */
const LIMIT_MS = 30_000;

/**
 * Asserts a property until its time is up, and then waits for the run under way: fast-check leaves such a run alone, which
 * would go on in the table of the next test.
 */
export async function assertInTime<T>(
  values: fc.Arbitrary<T>,
  check: (value: T) => Promise<void>,
  numRuns: number,
): Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const property = fc.asyncProperty(values, (value) => {
    const run = check(value);
    running = run.catch(() => {});
    return run;
  });
  await fc.assert(property, { numRuns, interruptAfterTimeLimit: LIMIT_MS }).finally(() => running);
}
