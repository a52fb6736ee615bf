import type { Log } from '../../shared/log';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../shared/records';
import { type Records, RecordsError } from '../records/records-client';
import type { Schedule } from '../schedule';

/** Pause after a command to the books failed, ms. */
export const BOOKS_RETRY_MS = 1_000;

/**
 * Repeats an idempotent command until the books have executed it. Rejects on a permanent error, or when
 * `until` returns false. Calls `input` for each try, because the state may have changed.
 */
export type RetryUntilStored = <C extends RecordsCommand>(
  command: C,
  input: () => RecordsInput<C>,
  until?: () => boolean,
) => Promise<RecordsOutput<C>>;

export function retryUntilStoredIn(records: Records, schedule: Schedule, log: Log): RetryUntilStored {
  return async (command, input, until = () => true) => {
    for (;;) {
      try {
        return await records.run(command, input());
      } catch (error) {
        const isTransient =
          error instanceof RecordsError && ['lost', 'timeout', 'storage'].includes(error.code);
        if (!isTransient || !until()) throw error;
        log.warn('the outbox waits for the books', { command, error });
        await new Promise<void>((resolve) => schedule(BOOKS_RETRY_MS, resolve));
      }
    }
  };
}
