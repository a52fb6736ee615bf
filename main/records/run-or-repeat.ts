import type { Log } from '../../shared/log';
import { MOST_MOVED_AT_ONCE, type RecordsCommand, type RecordsInput } from '../../shared/records';
import type { MovedBooks } from '../decisions/decider';
import { type Records, RecordsError } from './records-client';

/**
 * Runs a command. If the records window dies meanwhile, calls `repeat`, for the window that replaces it, so that the
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
    /** How often it is repeated; absent: once. */
    readonly times?: number;
  } = {},
): Promise<Result> {
  const { repeat = run, after = ['lost'], times = 1 } = options;
  try {
    return await run();
  } catch (error) {
    if (times === 0 || !(error instanceof RecordsError) || !after.includes(error.code)) throw error;
    log.warn('the records window failed in a command; the command is repeated', { command, error });
  }
  return runOrRepeat(log, command, repeat, { ...options, times: times - 1 });
}

/** As often as the records window is replaced within a minute. */
const MOVE_REPEATS = 5;

/** Stores a move in parts. The window holds them in memory until the last one, so all are sent again when it dies. */
export async function storeMove(
  { records, log }: { readonly records: Records; readonly log: Log },
  move: Pick<RecordsInput<'movePlays'>, 'environment' | 'id' | 'after' | 'by' | 'ranMs'>,
  moved: MovedBooks,
): Promise<void> {
  const before = inParts(moved);
  const last = before.pop() ?? { flights: [], recency: [] };
  const storeAll = async () => {
    for (const [part, some] of before.entries())
      await records.run('keepMovedPart', { id: move.id, part, ...some });
    await records.run('movePlays', { ...move, parts: before.length, ...last });
  };
  // A conflict: a window that took over between two parts lacks the first ones. It is repeated until the kiosk ends for
  // lack of a window, because it cannot be made up for: later plays have times that it would move, too. For the same
  // reason, after an error of the storage, which may pass.
  await runOrRepeat(log, 'movePlays', storeAll, {
    after: ['lost', 'timeout', 'conflict', 'storage'],
    times: MOVE_REPEATS,
  });
}

/**
 * Counters and recency in parts for one message each, because copying 10,000 counters into one message holds main for
 * too long (rule 31).
 */
function inParts({ flights, recency }: MovedBooks) {
  const parts = [];
  for (let from = 0; from < Math.max(flights.length, recency.length); from += MOST_MOVED_AT_ONCE) {
    const to = from + MOST_MOVED_AT_ONCE;
    parts.push({ flights: flights.slice(from, to), recency: recency.slice(from, to) });
  }
  return parts;
}
