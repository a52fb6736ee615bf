import type { FlightCounters, RecencyEntry } from '../../shared/books';
import type { Log } from '../../shared/log';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../shared/records';
import { MOST_MOVED_AT_ONCE } from '../../shared/records';
import { type Records, RecordsError } from './records-client';

interface Through {
  readonly records: Records;
  readonly log: Log;
}

/**
 * Runs a command. If the records window dies meanwhile, repeats it once in the window that replaces it, so that the
 * slot is not lost. Rejects with `RecordsError`, but passes a `conflict` of the repetition to `repeated`.
 */
export async function runOrRepeat<C extends RecordsCommand>(
  { records, log }: Through,
  command: C,
  input: RecordsInput<C>,
  repeated: (conflict: RecordsError) => RecordsOutput<C>,
): Promise<RecordsOutput<C>> {
  try {
    return await records.run(command, input);
  } catch (error) {
    if (!(error instanceof RecordsError) || error.code !== 'lost') throw error;
    log.warn('the records window died during a command; the command is repeated', { command });
  }
  try {
    return await records.run(command, input);
  } catch (error) {
    if (!(error instanceof RecordsError) || error.code !== 'conflict') throw error;
    return repeated(error);
  }
}

/** Stores a move in parts. The window holds them in memory until the last one, so all are sent again when it dies. */
export async function storeMove(
  { records, log }: Through,
  move: Pick<RecordsInput<'movePlays'>, 'environment' | 'id' | 'after' | 'by' | 'ranMs'>,
  moved: { readonly flights: readonly FlightCounters[]; readonly recency: readonly RecencyEntry[] },
): Promise<void> {
  const { before, last } = movedInParts(moved);
  const storeAll = async () => {
    for (const [part, some] of before.entries())
      await records.run('keepMovedPart', { id: move.id, part, ...some });
    await records.run('movePlays', { ...move, parts: before.length, ...last });
  };
  try {
    await storeAll();
  } catch (error) {
    if (!(error instanceof RecordsError) || (error.code !== 'lost' && error.code !== 'conflict')) throw error;
    log.warn('the records window died during a command; the command is repeated', { command: 'movePlays' });
    await storeAll();
  }
}

/** Counters and recency for one message: at most `MOST_MOVED_AT_ONCE` of each. */
interface MovedPart {
  readonly flights: FlightCounters[];
  readonly recency: RecencyEntry[];
}

/**
 * Splits what a change of the clock moved, because copying 10,000 counters into one message
 * holds main for too long (rule 31). The last part goes with the command that stores them all.
 */
function movedInParts(moved: {
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}): { readonly before: readonly MovedPart[]; readonly last: MovedPart } {
  const { flights, recency } = moved;
  const longest = Math.max(flights.length, recency.length);
  const part = (from: number): MovedPart => ({
    flights: flights.slice(from, from + MOST_MOVED_AT_ONCE),
    recency: recency.slice(from, from + MOST_MOVED_AT_ONCE),
  });
  const before: MovedPart[] = [];
  let from = 0;
  for (; from + MOST_MOVED_AT_ONCE < longest; from += MOST_MOVED_AT_ONCE) before.push(part(from));
  return { before, last: part(from) };
}
