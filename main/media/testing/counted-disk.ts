import { type Disk, realDisk } from '../disk';

const isFile = (answer: unknown): answer is object =>
  typeof answer === 'object' && answer !== null && 'close' in answer;

/**
 * The real disk, and how many of its answers are awaited. A test that turns its clock in a loop must not do so
 * meanwhile, or deadlines pass that a slow disk has not missed.
 */
export function countedDisk(): { readonly disk: Disk; readonly awaited: () => number } {
  let awaited = 0;
  const counting = <Methods extends object>(methods: Methods): Methods =>
    Object.fromEntries(
      Object.entries(methods).map(([name, method]) => {
        if (typeof method !== 'function') return [name, method];
        const counted = async (...given: unknown[]) => {
          awaited += 1;
          try {
            const answer = await method(...given);
            return isFile(answer) ? counting(answer) : answer;
          } finally {
            awaited -= 1;
          }
        };
        return [name, counted];
      }),
    ) as Methods;
  return { disk: counting(realDisk), awaited: () => awaited };
}
