import { app } from 'electron';
import type { Schedule } from '../../schedule';
import { type Excess, excessOf, type MemoryBounds } from './memory-bounds';

const MEMORY_LOOK_MS = 250;

/** Pages of one guest, or of one visit of the link view. */
export interface WatchedPages {
  readonly processes: ReadonlySet<number>;
  /** Called when they exceed their bounds. */
  readonly onExcess: (excess: Excess) => void;
}

/**
 * Finds pages that together take too much memory or too many processes.
 *
 * @returns a function to call when a process was added
 */
export function watchMemory(
  watched: ReadonlySet<WatchedPages>,
  bounds: MemoryBounds,
  schedule: Schedule,
): () => void {
  let isLooking = false;
  return function look(): void {
    if (isLooking || ![...watched].some(({ processes }) => processes.size > 0)) return;
    isLooking = true;
    schedule(MEMORY_LOOK_MS, () => {
      isLooking = false;
      const sizes = new Map(app.getAppMetrics().map(({ pid, memory }) => [pid, memory.workingSetSize]));
      for (const { processes, onExcess } of [...watched]) {
        const excess = excessOf(processes, sizes, bounds);
        if (excess !== null) onExcess(excess);
      }
      look();
    });
  };
}
