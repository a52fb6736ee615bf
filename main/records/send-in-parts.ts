import type { DecidingBooks, FlightCounters } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { MAX_COUNTERS_AT_ONCE, type RecordsInput } from '../../shared/records';
import { BOOKS_RETRY_MS } from '../beacons/retry-until-stored';
import { portions } from '../reading/portions';
import type { Schedule } from '../schedule';
import { type Records, RecordsError } from './records-client';

/**
 * How long a move is tried, ms: Chromium closes a database after an error of the disk, and it takes fifteen seconds until
 * another window opens it. Meanwhile nothing is reserved.
 */
const MAX_MOVE_MS = 30_000;

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
 * Stores a move of plays, in steps, because moving very many takes longer than a call may take. Where it fails, all parts
 * are sent again, for half a minute, because a lost move cannot be made up for: it would also move later plays. Counters that
 * have moved without their plays would be "corrected" by them.
 */
export async function storeMove(
  parts: Readonly<{ records: Records; clock: Pick<Clock, 'monotonic'>; schedule: Schedule; log: Log }>,
  move: Pick<RecordsInput<'movePlays'>, 'environment' | 'id' | 'after' | 'by' | 'ranMs'>,
  flights: readonly FlightCounters[],
): Promise<void> {
  const { records, clock, schedule, log } = parts;
  const until = clock.monotonic() + MAX_MOVE_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      const sent = await sendParts(records, move.id, { flights: [...flights], recency: [] });
      while (await records.run('movePlays', { ...move, parts: sent }));
      return;
    } catch (error) {
      // A conflict: a window that took over between two parts lacks the first ones.
      const passes = ['lost', 'timeout', 'conflict', 'storage'];
      const mayPass = error instanceof RecordsError && passes.includes(error.code);
      if (!mayPass || clock.monotonic() >= until) throw error;
      if (isFirst) log.warn('plays could not be moved with the clock; it is tried again', { error });
    }
    await new Promise<void>((resolve) => void schedule(BOOKS_RETRY_MS, resolve));
  }
}
