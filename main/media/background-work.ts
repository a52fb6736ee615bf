import type { Log } from '../../shared/log';
import { words } from './media-problem';

/** Work that nobody waits for, until the end. */
export interface BackgroundWork {
  /** Lets a task go on, whatever becomes of it; a fault is logged as `what`. */
  start(what: string, task: Promise<unknown>): void;
  /** Resolves when nothing is under way any more. */
  finished(): Promise<void>;
}

export function createBackgroundWork(log: Log): BackgroundWork {
  const work = new Set<Promise<unknown>>();
  return {
    start(what, task) {
      const kept = task
        .catch((fault: unknown) => log.warn(what, { fault: words(fault) }))
        .finally(() => work.delete(kept));
      work.add(kept);
    },
    async finished() {
      while (work.size > 0) await Promise.all(work);
    },
  };
}
