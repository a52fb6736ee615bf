import type { Clock } from '../../shared/clock';
import { doublingMs } from '../egress/back-off';
import type { DiskCode } from './media-problem';

/** First pause in writing after a disk error, ms; doubles up to 15 minutes. */
const PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 900_000;

export type DiskErrors = ReturnType<typeof createDiskErrors>;

/** Errors when writing to the disk, and the pause after them. */
export function createDiskErrors(clock: Pick<Clock, 'monotonic'>) {
  let diskErrors: { code: DiskCode; detail: string; count: number; until: number } | null = null;
  return {
    /** The last error; null: none since the last successful write. */
    current: (): { readonly code: DiskCode; readonly detail: string } | null => diskErrors,
    /** Time until the next write may be tried, ms; 0: now. */
    pauseMs: (): number => (diskErrors ? Math.max(0, diskErrors.until - clock.monotonic()) : 0),
    /** Records a failed write. Returns how many failed in a row. */
    failed(code: DiskCode, detail: string): number {
      const count = (diskErrors?.count ?? 0) + 1;
      const pause = doublingMs(count, { minMs: PAUSE_MS, maxMs: MAX_PAUSE_MS });
      diskErrors = { code, detail, count, until: clock.monotonic() + pause };
      return count;
    },
    /** Ends the pause, because the cause may be gone; `current` stays until a write succeeds. */
    tryAgain(): void {
      if (diskErrors) diskErrors = { ...diskErrors, until: clock.monotonic() };
    },
    over(): void {
      diskErrors = null;
    },
  };
}
