import { app } from 'electron';
import type { Schedule } from '../schedule';
import { type Excess, excessOf, type MemoryBounds } from './memory-bounds';

const MEMORY_LOOK_MS = 250;

/** Pages of one guest, or of one visit. */
export interface WatchedPages {
  processes(): ReadonlySet<number>;
  /** Called when they exceed their bounds. */
  end(excess: Excess): void;
}

/**
 * Ends pages that together take too much memory or too many processes.
 *
 * @returns a function to call when pages were added
 */
export function watchMemory(
  watched: () => Iterable<WatchedPages>,
  bounds: MemoryBounds,
  schedule: Schedule,
): () => void {
  let isLooking = false;
  function look(): void {
    if (isLooking || [...watched()].length === 0) return;
    isLooking = true;
    schedule(MEMORY_LOOK_MS, () => {
      isLooking = false;
      const sizes = new Map(app.getAppMetrics().map(({ pid, memory }) => [pid, memory.workingSetSize]));
      for (const pages of [...watched()]) {
        const excess = excessOf(pages.processes(), sizes, bounds);
        if (excess !== null) pages.end(excess);
      }
      look();
    });
  }
  return look;
}
