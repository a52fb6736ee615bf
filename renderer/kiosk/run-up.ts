/** Of so many latest starts the slowest counts. */
const REMEMBERED = 8;
const LEAST_MS = 34;
const MOST_MS = 250;
const AT_FIRST_MS = 80;

/** How long the latest videos took from their start until they moved, ms. */
export type RunUp = readonly number[];

/** Remembers that a video moved `ms` after it was started. */
export const learnRunUp = (runUp: RunUp, ms: number): RunUp => [...runUp, ms].slice(-REMEMBERED);

/** How long before its slot a video has to be started so that it moves when the slot begins, ms: 34 to 250. */
export function runUpMs(runUp: RunUp): number {
  return runUp.length === 0 ? AT_FIRST_MS : Math.min(MOST_MS, Math.max(LEAST_MS, ...runUp));
}
