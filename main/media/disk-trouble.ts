import type { Clock } from '../../shared/clock';
import type { DiskCode } from './media-problem';

/** Pause after a fault of the disk before anything is written again, ms; doubles up to a quarter of an hour. */
const PAUSE_MS = 10_000;
const PAUSE_CEILING_MS = 900_000;

/** Whether the disk takes what is written to it, and how long nothing is tried where it does not. */
export interface DiskTrouble {
  /** The fault that was last met, while nothing was written since; null: none. */
  current(): { readonly code: DiskCode; readonly detail: string } | null;
  /** How much longer nothing is written, ms; 0: it may be tried. */
  pauseMs(): number;
  /** A write failed. Answers how many did in a row. */
  failed(code: DiskCode, detail: string): number;
  /** The folder could not even be opened: tried again at every look. */
  unusable(code: DiskCode, detail: string): void;
  /** The cause is mended as far as is known: the pause is over, the trouble only after a write. */
  tryAgain(): void;
  over(): void;
}

export function createDiskTrouble(clock: Pick<Clock, 'monotonic'>): DiskTrouble {
  let trouble: { code: DiskCode; detail: string; count: number; until: number } | null = null;
  return {
    current: () => trouble,
    pauseMs: () => (trouble ? Math.max(0, trouble.until - clock.monotonic()) : 0),
    failed(code, detail) {
      const count = (trouble?.count ?? 0) + 1;
      const pause = Math.min(PAUSE_CEILING_MS, PAUSE_MS * 2 ** (count - 1));
      trouble = { code, detail, count, until: clock.monotonic() + pause };
      return count;
    },
    unusable(code, detail) {
      trouble = { code, detail, count: 1, until: clock.monotonic() };
    },
    tryAgain() {
      if (trouble) trouble = { ...trouble, until: clock.monotonic() };
    },
    over() {
      trouble = null;
    },
  };
}
