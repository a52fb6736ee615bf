import { z } from 'zod';
import type { Unlocking } from '../../shared/admin';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { doublingMs } from '../egress/back-off';
import { openStateFile } from '../state-file';

/** This many wrong PINs are free; from then on every try waits first. */
export const FREE_ATTEMPTS = 5;
const FIRST_WAIT_MS = 30_000;
const MAX_WAIT_MS = 15 * 60_000;
/** Largest stored count: the wait is already the longest, so a larger one makes no difference. */
const MAX_FAILURES = 1_000;

const Kept = z.object({ version: z.literal(1), failures: z.int().min(0).max(MAX_FAILURES) });

/** The wait before the next try after this many wrong ones in a row, ms: 0, then 30 s, doubling up to 15 minutes. */
export function waitAfter(failures: number): number {
  if (failures < FREE_ATTEMPTS) return 0;
  return doublingMs(failures - FREE_ATTEMPTS + 1, { minMs: FIRST_WAIT_MS, maxMs: MAX_WAIT_MS });
}

export type PinAttempts = Awaited<ReturnType<typeof openPinAttempts>>;

/**
 * Limits how often a PIN may be tried (rule 24). Wrong tries are counted across restarts, in `file`; only the
 * right PIN resets the count. The wait after them is measured on the monotonic clock only and starts over with
 * the process, so neither a change of the wall clock nor a restart shortens it. A file that cannot be read
 * counts as all free tries used up, and is read again at the next try before anything replaces it; whoever can delete
 * it can already access everything in the data folder.
 */
export async function openPinAttempts(file: string, clock: Pick<Clock, 'monotonic'>, log: Log) {
  const count = await openStateFile<number>({
    path: file,
    nothing: 0,
    lost: FREE_ATTEMPTS,
    ifUnread: 'replace',
    log,
    read: (text) => Kept.parse(JSON.parse(text)).failures,
    write: (failures) => `${JSON.stringify({ version: 1, failures })}\n`,
    // 0: the right PIN was entered before the file could be read.
    merge: (stored, newer) => (newer === 0 ? 0 : Math.max(stored, newer)),
    unread: 'the count of wrong PINs cannot be read; all free tries count as used up',
    notStored: 'tries of the PIN cannot be counted across restarts',
  });
  let waitFrom = clock.monotonic();
  let trying = false;

  const failures = count.now;
  const waitMs = () => Math.max(0, Math.ceil(waitFrom + waitAfter(failures()) - clock.monotonic()));

  return {
    /** How many more wrong tries are free, and how long the present wait still lasts, ms. */
    standing: () => ({ attemptsLeft: Math.max(0, FREE_ATTEMPTS - failures()), waitMs: waitMs() }),
    /**
     * Compares a PIN by `compare`, unless a wait runs or another try is under way. The try is stored as a wrong one
     * before it is compared, so that killing the process does not undo it.
     */
    async attempt(compare: () => Promise<boolean>): Promise<Unlocking> {
      if (trying) return { result: 'wait', waitMs: 1_000 };
      trying = true;
      try {
        let wait = 0;
        // The disk may be full, and staff need the overlay to clear it. So the try goes on where it cannot be stored.
        await count.changeEvenIfNotStored((before) => {
          // Only here, because the stored count may have been read only now.
          wait = waitMs();
          if (wait > 0) return before;
          waitFrom = clock.monotonic();
          return Math.min(before + 1, MAX_FAILURES);
        });
        if (wait > 0) return { result: 'wait', waitMs: wait };
        if (await compare()) {
          await count.changeEvenIfNotStored(() => 0);
          return { result: 'unlocked' };
        }
        // The wait begins when the answer is known, not when the try began: a slow disk would use it up.
        waitFrom = clock.monotonic();
        const next = waitMs();
        return next > 0
          ? { result: 'wait', waitMs: next }
          : { result: 'wrong', attemptsLeft: FREE_ATTEMPTS - failures() };
      } finally {
        trying = false;
      }
    },
  };
}
