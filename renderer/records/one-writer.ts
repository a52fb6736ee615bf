import type { DBCore, Middleware } from 'dexie';

/**
 * Lets writing transactions run one after the other, whatever tables they touch:
 * each takes `store` along, on which they queue up.
 *
 * When a process is killed while two of them are under way, Chromium (148 at
 * least) finds at the next start that both held the database's own lock, calls
 * that a corruption, and deletes the database.
 */
export function oneWriter(store: string): Middleware<DBCore> {
  return {
    stack: 'dbcore',
    name: 'one-writer',
    create: (down) => ({
      ...down,
      transaction: (stores, mode, options) =>
        down.transaction(mode === 'readwrite' ? [...new Set([...stores, store])] : stores, mode, options),
    }),
  };
}
