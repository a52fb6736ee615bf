import type { Schedule } from '../service/schedule';

/** Times as long as the work before it: two thirds of the time are left to what plays. */
const SHARE = 2;
const LONGEST_MS = 500;

/**
 * A rest between two pieces of long work, in ms worked, so that the frames of what
 * plays are not late for it.
 *
 * @param hurries while nobody sees frames: then other work is merely let in
 */
export function unhurried(
  schedule: Schedule,
  pause: () => Promise<void>,
  hurries: () => boolean = () => false,
): (workedMs: number) => Promise<void> {
  return (workedMs) =>
    hurries()
      ? pause()
      : new Promise((resolve) => {
          schedule(Math.min(LONGEST_MS, Math.max(1, workedMs * SHARE)), resolve);
        });
}
