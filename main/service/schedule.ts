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
