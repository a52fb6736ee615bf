import { app } from 'electron';
import type { Schedule } from '../../schedule';
import { type Excess, excessOf, holdMeter, LOOK_MS, type MemoryBounds } from './memory-bounds';

/** Pages of one guest, or of one visit of the link view. */
export interface WatchedPages {
  readonly processes: ReadonlySet<number>;
  /** Called when they exceed their bounds. */
  readonly onExcess: (excess: Excess) => void;
  /** Called when main was held and their processes were the busiest. */
  readonly onHold: () => void;
}

/**
 * Finds pages that together take too much memory or too many processes, or that hold main.
 *
 * @returns a function to call when a process was added
 */
export function watchMemory(
  watched: ReadonlySet<WatchedPages>,
  bounds: MemoryBounds,
  schedule: Schedule,
): () => void {
  let isLooking = false;
  const isHeld = holdMeter();
  return function look(): void {
    if (isLooking || ![...watched].some(({ processes }) => processes.size > 0)) return;
    isLooking = true;
    const dueAt = performance.now() + LOOK_MS;
    schedule(LOOK_MS, () => {
      isLooking = false;
      const metrics = app.getAppMetrics();
      if (isHeld(performance.now() - dueAt)) {
        const loads = new Map(metrics.map(({ pid, cpu }) => [pid, cpu.percentCPUUsage]));
        const loadOf = ({ processes }: WatchedPages) =>
          [...processes].reduce((sum, pid) => sum + (loads.get(pid) ?? 0), 0);
        const busy = [...watched].filter((pages) => loadOf(pages) > 0);
        busy.sort((one, other) => loadOf(other) - loadOf(one))[0]?.onHold();
      }
      const sizes = new Map(metrics.map(({ pid, memory }) => [pid, memory.workingSetSize]));
      for (const { processes, onExcess } of [...watched]) {
        const excess = excessOf(processes, sizes, bounds);
        if (excess !== null) onExcess(excess);
      }
      look();
    });
  };
}
