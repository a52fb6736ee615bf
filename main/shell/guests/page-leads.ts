import type { Clock } from '../../../shared/clock';

/** Pages of a loop whose times are kept at most. */
export const MAX_PAGES = 1_000;
/** A page gets this many times as long as its last load took, because a busy machine is slower. */
const MARGIN = 2;
const MARGIN_MS = 500;

/**
 * How long before their slots pages of the loop are loaded (decision 105). A page runs from its load on, and what it
 * tells before its slot is lost on shoppers.
 */
export function createPageLeads(clock: Pick<Clock, 'monotonic'>) {
  /** How long the last load took until something was painted, ms; the latest at the end. */
  const took = new Map<string, number>();
  return {
    /** ms; undefined: it was never loaded, or has not painted since, so it is loaded as early as possible. */
    of(page: string): number | undefined {
      const ms = took.get(page);
      return ms === undefined ? undefined : MARGIN * ms + MARGIN_MS;
    },
    /** Its load begins. Returns a function to call when it has painted. */
    loads(page: string): () => void {
      took.delete(page);
      const from = clock.monotonic();
      return () => {
        took.set(page, clock.monotonic() - from);
        const [oldest] = took.keys();
        if (took.size > MAX_PAGES && oldest !== undefined) took.delete(oldest);
      };
    },
  };
}
