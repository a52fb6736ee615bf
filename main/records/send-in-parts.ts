import type { DecidingBooks, FlightCounters } from '../../shared/books';
import type { Log } from '../../shared/log';
import { MAX_COUNTERS_AT_ONCE, type RecordsInput } from '../../shared/records';
import { portions } from '../reading/portions';
import type { Records } from './records-client';
import { runOrRepeat } from './run-or-repeat';

/** More would not help: a records window that dies more often within a minute ends the kiosk (rule 25). */
const MOVE_REPEATS = 5;

type CountedBooks = Pick<DecidingBooks, 'flights' | 'recency'>;

/**
 * Sends counters and recency to the records window in parts, because copying 10,000 counters into one message blocks main
 * for too long (rule 31). The window holds them in memory until the command with this `id` stores all of them at once.
 * Returns how many parts there are.
 */
export async function sendParts(
  records: Records,
  id: string,
  { flights, recency }: CountedBooks,
): Promise<number> {
  let parts = 0;
  const send = (some: CountedBooks) => records.run('keepPart', { id, part: parts++, ...some });
  for (const portion of portions(flights, MAX_COUNTERS_AT_ONCE))
    await send({ flights: [...portion], recency: [] });
  for (const portion of portions(recency, MAX_COUNTERS_AT_ONCE))
    await send({ flights: [], recency: [...portion] });
  return parts;
}

/**
 * Stores a move of plays, in steps, because moving very many takes longer than a call may take. All parts are sent again
 * when the window dies.
 */
export async function storeMove(
  { records, log }: { readonly records: Records; readonly log: Log },
  move: Pick<RecordsInput<'movePlays'>, 'environment' | 'id' | 'after' | 'by' | 'ranMs'>,
  flights: readonly FlightCounters[],
): Promise<void> {
  const storeAll = async () => {
    const parts = await sendParts(records, move.id, { flights: [...flights], recency: [] });
    while (await records.run('movePlays', { ...move, parts }));
  };
  // A conflict: a window that took over between two parts lacks the first ones. A lost move cannot be made up for,
  // because it would also move later plays. So it is repeated until the kiosk ends for lack of a window, even after
  // an error of the storage, which may pass.
  await runOrRepeat(log, 'movePlays', storeAll, {
    after: ['lost', 'timeout', 'conflict', 'storage'],
    times: MOVE_REPEATS,
  });
}
