import { lookup as lookUpInSystem } from 'node:dns/promises';
import type { Schedule } from '../schedule';
import { shared } from '../turns';
import type { Lookup } from './checked-target';

/** Error code of a look-up that got no place. */
const TOO_MANY_LOOKUPS = 'EBUSY';

/**
 * Runs at most `mostAtOnce` look-ups at once (rule 31). Further ones wait, and reject with the code `EBUSY`
 * after `waitMs`. `lookup` must have its own time limit.
 */
export function boundedLookup(
  lookup: Lookup,
  { mostAtOnce, waitMs, schedule }: { mostAtOnce: number; waitMs: number; schedule: Schedule },
): Lookup {
  let underWay = 0;
  const waiting = new Set<() => void>();

  function waitForPlace(hostname: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = schedule(waitMs, () => {
        waiting.delete(take);
        const error = new Error(`too many look-ups wait for an answer; ${hostname} was not asked`);
        reject(Object.assign(error, { code: TOO_MANY_LOOKUPS }));
      });
      const take = () => {
        cancel();
        resolve();
      };
      waiting.add(take);
    });
  }

  /** Lets the next waiting look-up start. */
  function passOn(): void {
    const [next] = waiting;
    if (!next) {
      underWay -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  return async (hostname) => {
    if (underWay < mostAtOnce) underWay += 1;
    else await waitForPlace(hostname);
    try {
      return await lookup(hostname);
    } finally {
      passOn();
    }
  };
}

/** The system's resolver, hosts file included. It occupies a thread until it has an answer. */
export const systemLookup: Lookup = shared((name) => lookUpInSystem(name, { all: true }));
