import { Dexie } from 'dexie';

/** Runs work when it is its turn; Dexie's transactions that are requested meanwhile wait until it ends. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes the transactions of a database wait for each other here, in the order of their requests; one inside another
 * would wait for itself. Two reasons:
 *
 * - Dexie finds a transaction again after each `await` by counting microtasks, and miscounts when two are under way:
 *   what follows is then stored outside of it, and it ends with `PrematureCommitError`.
 * - A reservation, which a slot waits for, bypasses this queue (`reserveAtOnce`), so it waits for at most one
 *   transaction.
 */
export function oneAtATime(database: Dexie): InTurn {
  const begin = database.transaction.bind(database) as (...input: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn: InTurn = (work) => {
    const turn = last.then(() => Dexie.ignoreTransaction(work));
    last = turn.catch(() => {});
    return turn;
  };
  database.transaction = ((...input: unknown[]) => inTurn(() => begin(...input))) as Dexie['transaction'];
  return inTurn;
}
