import type { RecordsDatabase } from './database';

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
  await new Promise<void>((done, failed) => {
    transaction.oncomplete = () => done();
    transaction.onabort = () => failed(transaction.error ?? new Error('the transaction was aborted'));
  });
  return requests.map(({ result }) => result) as Answers<Requests>;
}
