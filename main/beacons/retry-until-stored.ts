import type { Log } from '../../shared/log';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../shared/records';
import { type Records, RecordsFault } from '../records/records-client';
import type { Schedule } from '../service/schedule';

/** Pause after the books refused a command, ms. */
export const BOOKS_RETRY_MS = 1_000;

/**
 * Runs a command that may be repeated until the books have carried it out; rejects only if
 * they never will, or `until` says that it is too late. Each try asks for its input anew:
 * meanwhile things go on.
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
      } catch (fault) {
        const isTransient =
          fault instanceof RecordsFault && ['lost', 'timeout', 'storage'].includes(fault.code);
        if (!isTransient || !until()) throw fault;
        log.warn('the outbox waits for the books', { command, fault });
        await new Promise<void>((resolve) => schedule(BOOKS_RETRY_MS, resolve));
      }
    }
  };
}
