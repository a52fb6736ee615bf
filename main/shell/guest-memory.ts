import { app } from 'electron';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';

/** Far more than a beacon or a banner needs; what takes more is ended before the kiosk suffers, kB. */
const MOST_MEMORY_KB = 400 * 1024;
const MEMORY_LOOK_MS = 250;

/** A guest whose processes are watched. */
export interface WatchedGuest {
  processes(): ReadonlySet<number>;
  end(): void;
}

/**
 * Ends guests that take too much memory in one process: a script can take it faster than it
 * can be told to stop.
 *
 * @returns to be called when a guest was added to the list
 */
export function watchMemory(guests: () => Iterable<WatchedGuest>, schedule: Schedule, log: Log): () => void {
  let isLooking = false;
  function look(): void {
    const open = [...guests()];
    if (isLooking || open.length === 0) return;
    isLooking = true;
    schedule(MEMORY_LOOK_MS, () => {
      isLooking = false;
      const sizes = new Map(app.getAppMetrics().map(({ pid, memory }) => [pid, memory.workingSetSize]));
      for (const guest of guests()) {
        const size = Math.max(0, ...[...guest.processes()].map((pid) => sizes.get(pid) ?? 0));
        if (size <= MOST_MEMORY_KB) continue;
        log.warn('a guest took too much memory; it was ended', { megabytes: Math.round(size / 1024) });
        guest.end();
      }
      look();
    });
  }
  return look;
}
