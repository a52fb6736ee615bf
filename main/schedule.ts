/**
 * Runs a function once, `ms` milliseconds from now; the returned function cancels it. It is a parameter of
 * everything that waits, so that tests control the time.
 */
export type Schedule = (ms: number, run: () => void) => () => void;

/** Longest delay of a timer, ms; with a longer one, Node fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The timers of this process. They do not keep the process alive. */
export const timers: Schedule = (ms, run) => {
  const timer = setTimeout(run, Math.min(Math.max(0, ms), MAX_TIMER_MS));
  if (typeof timer === 'object') timer.unref();
  return () => clearTimeout(timer);
};

/** The pause lasts this many times as long as the work before it, so playback has two thirds of the time. */
const SHARE = 2;
const MAX_REST_MS = 500;

/**
 * Pauses between pieces of long work, so that no frame is late. The returned function takes the time worked,
 * ms.
 * @param skipsRest true while no frames are shown: then it only yields
 */
export function restAfterWork(
  schedule: Schedule,
  pause: () => Promise<void>,
  skipsRest: () => boolean = () => false,
): (workedMs: number) => Promise<void> {
  return (workedMs) =>
    skipsRest()
      ? pause()
      : new Promise((resolve) => {
          schedule(Math.min(MAX_REST_MS, Math.max(1, workedMs * SHARE)), resolve);
        });
}
