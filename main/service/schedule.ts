/**
 * Runs something once, `ms` milliseconds from now; the returned function calls
 * it off. Passed in wherever something waits, so that tests turn the time by hand.
 */
export type Schedule = (ms: number, run: () => void) => () => void;

/** Longest wait a timer takes; beyond it Node fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The process's own timers. A wait is no reason for the process to stay alive. */
export const timers: Schedule = (ms, run) => {
  const timer = setTimeout(run, Math.min(Math.max(0, ms), MAX_TIMER_MS));
  if (typeof timer === 'object') timer.unref();
  return () => clearTimeout(timer);
};

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
