import { readFileSync } from 'node:fs';

/** Processor time of this thread, ms; if the system does not report it, wall time. */
export function workedMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The longest of five steps by which `workedMs` advances, ms: almost 0 on most kernels, 4 on some. */
export function workedStepMs(): number {
  let longest = 0;
  let since = workedMs();
  for (let steps = 0; steps < 5; ) {
    const now = workedMs();
    if (now === since) continue;
    longest = Math.max(longest, now - since);
    since = now;
    steps += 1;
  }
  return longest;
}

/**
 * The longest time that this thread worked without letting timers and I/O run, until `work` was done, ms. The time of
 * other programs does not count.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let since = workedMs();
  const look = (): void => {
    const now = workedMs();
    longest = Math.max(longest, now - since);
    since = workedMs();
  };
  // Not at every turn, because that would keep the thread busy and slow down the measured work.
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  return longest;
}
