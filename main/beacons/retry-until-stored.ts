import type { Log } from '../../shared/log';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../shared/records';
import { type Records, RecordsError } from '../records/records-client';
import type { Schedule } from '../schedule';

/** Pause after a command to the books failed, ms. */
export const BOOKS_RETRY_MS = 1_000;

export type RetryUntilStored = ReturnType<typeof retryUntilStoredIn>;

/**
 * Returns a function that repeats an idempotent command until the books have executed it. It rejects on a permanent
 * error, or when `until` returns false, and calls `input` for each try, because the state may have changed.
 */
export function retryUntilStoredIn(records: Records, schedule: Schedule, log: Log) {
  return async <C extends RecordsCommand>(
    command: C,
    input: () => RecordsInput<C>,
    until = () => true,
  ): Promise<RecordsOutput<C>> => {
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
