/** How much the pages of one guest, or one visit of the link view, may take together (rule 17). */
export interface MemoryBounds {
  /** Memory of all its processes, without what all pages share, kB. */
  readonly mostKb: number;
  /** Frames of other sites have processes of their own; no ad needs more than this. */
  readonly mostProcesses: number;
}

/** Part of the working set that the process of any page has, mostly shared programs and fonts, kB. */
export const OF_ANY_PAGE_KB = 100 * 1024;

/** Far more than a beacon or a banner needs; a guest that takes more is killed before the kiosk suffers. */
export const GUEST_BOUNDS: MemoryBounds = { mostKb: 300 * 1024, mostProcesses: 6 };
/** A shop with its videos, maps and payment frames, in up to four windows; a kiosk may have 4 GB. */
export const LINK_BOUNDS: MemoryBounds = { mostKb: 1_200 * 1024, mostProcesses: 32 };

/**
 * Chromium keeps Blobs, databases, caches and locks of pages in main's process. All pages together may have it keep
 * this much, kB (decision 90).
 */
export const MAX_IN_MAIN_KB = 512 * 1024;

/** What main's process kept for Chromium, from the beginning of some pages on. */
export interface MemoryLevel {
  /** The least that it was since they began, kB. */
  leastInMainKb: number;
}

/**
 * By how much main's process has grown since the oldest of these pages began, kB.
 *
 * @param levels in the order in which the pages began
 */
export function filledSince(levels: Iterable<MemoryLevel>, nowKb: number): number {
  const [oldest = null] = levels;
  for (const level of levels) level.leastInMainKb = Math.min(level.leastInMainKb, nowKb);
  return oldest === null ? 0 : nowKb - oldest.leastInMainKb;
}

/** From now on only what main's process takes beyond the present level is counted, kB. */
export function countAnew(levels: Iterable<MemoryLevel>, nowKb: number): void {
  for (const level of levels) level.leastInMainKb = nowKb;
}

/** By how much pages exceed their bounds. */
export interface Excess {
  readonly megabytes: number;
  readonly processes: number;
}

/**
 * Judges the processes of a guest together; null: they are within bounds.
 *
 * @param processes ids, those of processes that have ended included
 * @param sizes working set of each living process, kB
 * @param inMainKb what main keeps for pages, if this guest may be the one that fills it
 */
export function excessOf(
  processes: Iterable<number>,
  sizes: ReadonlyMap<number, number>,
  bounds: MemoryBounds,
  inMainKb = 0,
): Excess | null {
  const living = [...processes].flatMap((pid) => sizes.get(pid) ?? []);
  const own = living.reduce((sum, size) => sum + Math.max(0, size - OF_ANY_PAGE_KB), 0);
  const isTooLarge = own > bounds.mostKb || inMainKb > MAX_IN_MAIN_KB;
  if (!isTooLarge && living.length <= bounds.mostProcesses) return null;
  return { megabytes: Math.round((own + inMainKb) / 1024), processes: living.length };
}

/** How often pages are looked at, ms. */
export const LOOK_MS = 250;
/** A look that is this late was held up, ms. */
const LATE_MS = 500;
/** Processor time that main may use in late looks in a row, ms. */
const MAX_BUSY_MS = 1_500;

/**
 * Judges whether main is blocked by its work, for example by workers that a page makes in a loop: each is work for main,
 * and nothing tells of it (decision 90). A main that waits for a slow disk or a busy machine works little.
 *
 * @returns a function that takes by how much a look is late and the processor time of main's thread since the last look,
 * both in ms, and returns whether main was blocked for too long
 */
export function blockMeter(): (lateMs: number, busyMs: number) => boolean {
  let lates = 0;
  let busySoFar = 0;
  return (lateMs, busyMs) => {
    const isLate = lateMs > LATE_MS;
    lates = isLate ? lates + 1 : 0;
    busySoFar = isLate ? busySoFar + busyMs : 0;
    // A single long piece of work, such as the start, is no page's doing.
    if (lates < 2 || busySoFar <= MAX_BUSY_MS) return false;
    lates = 0;
    busySoFar = 0;
    return true;
  };
}
