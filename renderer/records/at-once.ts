import type { RecordsInput } from '../../shared/records';
import { BooksConflict, type RecordsDatabase } from './database';
import { type EnvironmentRow, newEnvironment } from './rows';

/**
 * Stores a play and what it changes in one strict transaction (rule 8), with as few waits for an answer as possible:
 * each costs a turn of two processes, which is the slowest part on a busy kiosk. Makes all requests at once, except for
 * the one that needs the answer of another. Dexie waits for each answer, so this uses bare IndexedDB on Dexie's own
 * connection; it shares tables with every writer, so that it waits for theirs (`RecordsDatabase.write`).
 *
 * Rejects with `BooksConflict` when the play is recorded already; nothing is stored then, nor after any other error.
 */
export async function reserveAtOnce(
  database: RecordsDatabase,
  { play, flight, recency, sourceMix, ranMs }: RecordsInput<'reservePlay'>,
): Promise<null> {
  if (!database.isOpen()) await database.open();
  const { environment } = play;
  const transaction = database
    .backendDB()
    .transaction(['environments', 'plays', 'flights', 'recency'], 'readwrite', { durability: 'strict' });
  // Errors of requests are not handled here, so that any of them aborts the whole transaction.
  const adding = transaction.objectStore('plays').add(play);
  if (flight) transaction.objectStore('flights').put({ ...flight, environment });
  if (recency) transaction.objectStore('recency').put({ ...recency, environment });
  const environments = transaction.objectStore('environments');
  const reading: IDBRequest<EnvironmentRow | undefined> = environments.get(environment);
  reading.onsuccess = () => {
    const row = reading.result ?? newEnvironment(environment);
    environments.put({
      ...row,
      playCount: row.playCount + 1,
      sourceMix: sourceMix ?? row.sourceMix,
      ...(ranMs === undefined ? {} : { ranMs, numberedRanMs: ranMs }),
    });
    transaction.commit();
  };
  return new Promise((done, failed) => {
    transaction.oncomplete = () => done(null);
    transaction.onabort = () => {
      const isRecorded = adding.error?.name === 'ConstraintError';
      const error = isRecorded ? new BooksConflict(`play ${play.id} is already recorded`) : transaction.error;
      failed(error ?? new Error('the transaction was aborted'));
    };
  });
}
