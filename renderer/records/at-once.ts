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
  try {
    await completion(transaction);
    return null;
  } catch (error) {
    if (adding.error?.name === 'ConstraintError')
      throw new BooksConflict(`play ${play.id} is already recorded`);
    throw error;
  }
}

/** Rejects when the transaction is aborted. */
const completion = (transaction: IDBTransaction) =>
  new Promise<void>((done, failed) => {
    transaction.oncomplete = () => done();
    transaction.onabort = () => failed(transaction.error ?? new Error('the transaction was aborted'));
  });

type Answers<Requests extends readonly IDBRequest[]> = {
  -readonly [Place in keyof Requests]: Requests[Place] extends IDBRequest<infer Answer> ? Answer : never;
};

/**
 * Runs a read-only transaction that makes all its requests at once and is then committed, because every further wait
 * for an answer costs a turn of two processes. Dexie waits for each answer, so this uses bare IndexedDB on Dexie's own
 * connection. A caller that acts on the answers must prevent changes in between (`inTurn`).
 *
 * Resolves with the answers when the transaction is complete. Rejects when any request fails.
 */
export async function askAtOnce<Requests extends readonly IDBRequest[]>(
  database: RecordsDatabase,
  tables: readonly string[],
  ask: (table: (name: string) => IDBObjectStore) => Requests,
): Promise<Answers<Requests>> {
  if (!database.isOpen()) await database.open();
  const transaction = database.backendDB().transaction([...tables], 'readonly');
  const requests = ask((name) => transaction.objectStore(name));
  transaction.commit();
  await completion(transaction);
  return requests.map(({ result }) => result) as Answers<Requests>;
}
