import type { Schedule } from '../service/schedule';

/** A rest is this many times as long as the work before it: playback keeps two thirds of the time. */
const SHARE = 2;
const LONGEST_MS = 500;

/**
 * Rests between pieces of long work, so that no frame is late. It takes the ms worked.
 *
 * @param hurries true while nobody sees frames: then it only yields
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
