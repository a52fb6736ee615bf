import { readFileSync } from 'node:fs';

/** Time this thread has worked, ms; where the system does not say, time that has passed. */
export function workedMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The longest of five steps in which `workedMs` advances, ms: next to nothing on most kernels, 4 on some. */
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
 * The longest time that this thread worked without letting timers and I/O run
 * while `work` went on, ms. What other programs take of the machine does not count.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let since = workedMs();
  const look = (): void => {
    const now = workedMs();
    longest = Math.max(longest, now - since);
    since = workedMs();
  };
  // No more often: a look at every turn would keep the thread busy, at the cost of what works beside it.
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  return longest;
}
