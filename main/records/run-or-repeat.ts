import type { Log } from '../../shared/log';
import type { RecordsCommand } from '../../shared/records';
import { RecordsError } from './records-client';

/**
 * Runs a command. If the records window dies meanwhile, calls `repeat` once, for the window that replaces it, so that the
 * slot is not lost. Rejects with `RecordsError`.
 */
export async function runOrRepeat<Result>(
  log: Log,
  command: RecordsCommand,
  run: () => Promise<Result>,
  options: {
    readonly repeat?: () => Promise<Result>;
    /** The errors after which it is repeated. */
    readonly after?: ReadonlyArray<RecordsError['code']>;
  } = {},
): Promise<Result> {
  const { repeat = run, after = ['lost'] } = options;
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof RecordsError) || !after.includes(error.code)) throw error;
    log.warn('the records window failed in a command; the command is repeated', { command, error });
  }
  return repeat();
}
