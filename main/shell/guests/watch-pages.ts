import { app, type ProcessMetric } from 'electron';
import type { Reading } from '../../reading/reading';
import { ownMemory } from '../own-memory';
import {
  blockMeter,
  countAnew,
  type Excess,
  excessOf,
  filledSince,
  LOOK_MS,
  MAX_IN_MAIN_KB,
  type MemoryBounds,
  type MemoryLevel,
} from './page-bounds';

/** Pages of one guest, or of one visit of the link view. */
export interface WatchedPages extends MemoryLevel {
  readonly processes: ReadonlySet<number>;
  readonly bounds: MemoryBounds;
  /** Called when they exceed their bounds. */
  readonly onExcess: (excess: Excess) => void;
  /** Called when main is blocked and they are busy. */
  readonly onBlocked: () => void;
}

/** Processor time that each process has used, s. */
const processorTimes = (metrics: readonly ProcessMetric[]): ReadonlyMap<number, number> =>
  new Map(metrics.map(({ pid, cpu }) => [pid, cpu.cumulativeCPUUsage ?? 0]));

/** Processor time that main's own thread has used, s. Its workers may be busy while it waits. */
function timeOfMain(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000_000;
}

/** Memory of main's process without the heap of main's own thread, kB: Chromium's, with what it keeps for pages. */
function keptInMain(): number {
  const { rss, heapTotal, external } = ownMemory();
  return (rss - heapTotal - external) / 1024;
}

/**
 * Pages count as blocking or filling main if they used more than this share of the processor time that main used
 * meanwhile. Pages that make workers without end use 0.18 to 0.31 of it, idle ones almost none.
 */
const SHARE_OF_MAIN = 1 / 10;

export type PageWatch = ReturnType<typeof createPageWatch>;

/** Finds pages that together take too much memory or too many processes, or that block or fill main (decision 90). */
export function createPageWatch({ hasWorkers }: Pick<Reading, 'hasWorkers'>) {
  const watched = new Set<WatchedPages>();
  let looks: NodeJS.Timeout | null = null;
  const isBlocked = blockMeter();
  // At the last look.
  let lookedAt = 0;
  let used = processorTimes([]);
  let usedByMain = 0;

  function look(): void {
    if (![...watched].some(({ processes }) => processes.size > 0)) {
      if (looks) clearInterval(looks);
      looks = null;
      return;
    }
    const metrics = app.getAppMetrics();
    const before = used;
    used = processorTimes(metrics);
    const usedSince = (pid: number) => Math.max(0, (used.get(pid) ?? 0) - (before.get(pid) ?? 0));
    const usedNow = timeOfMain();
    const mainSeconds = usedNow - usedByMain;
    usedByMain = usedNow;
    const lateMs = performance.now() - lookedAt - LOOK_MS;
    lookedAt = performance.now();
    const isBusy = ({ processes }: WatchedPages) =>
      [...processes].reduce((sum, pid) => sum + usedSince(pid), 0) > mainSeconds * SHARE_OF_MAIN;
    if (isBlocked(lateMs, mainSeconds * 1_000))
      for (const pages of [...watched].filter(isBusy)) pages.onBlocked();
    const inMainKb = keptInMain();
    // Workers that read take memory, too: what main's process takes meanwhile is not counted.
    if (hasWorkers()) countAnew(watched, inMainKb);
    const filledKb = filledSince(watched, inMainKb);
    const blamed = filledKb > MAX_IN_MAIN_KB ? [...watched].filter(isBusy) : [];
    // What ended pages had is freed a little later, and is not blamed on others.
    if (blamed.length > 0) countAnew(watched, inMainKb);
    const sizes = new Map(metrics.map(({ pid, memory }) => [pid, memory.workingSetSize]));
    for (const pages of [...watched]) {
      const excess = excessOf(pages.processes, sizes, pages.bounds, blamed.includes(pages) ? filledKb : 0);
      if (excess !== null) pages.onExcess(excess);
    }
  }

  return {
    /** Begins to watch pages, which have no processes yet. */
    add(pages: Omit<WatchedPages, 'leastInMainKb'>) {
      const entry = { ...pages, leastInMainKb: keptInMain() };
      watched.add(entry);
      return {
        /** To be called when they have a process more. */
        grew(): void {
          if (looks !== null) return;
          lookedAt = performance.now();
          used = processorTimes(app.getAppMetrics());
          usedByMain = timeOfMain();
          looks = setInterval(look, LOOK_MS).unref();
        },
        left: (): void => void watched.delete(entry),
      };
    },
  };
}
