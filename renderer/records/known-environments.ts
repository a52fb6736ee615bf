import type { DBCore, Middleware } from 'dexie';
import type { EnvironmentRow } from './database';

/** A row that was taken, and what must not have happened since if another is to be kept in its place. */
export interface TakenEnvironment {
  /** Null when nobody knows it: it has to be read. */
  readonly row: EnvironmentRow | null;
  readonly turn: number;
}

/**
 * Environments' rows as the last reservation stored them, so that the next one
 * need not read its row first. Whoever else may write such a row makes all of them
 * unknown the moment its transaction begins; writing transactions go one after
 * the other, so what is read in one that begins later is true again.
 */
export interface KnownEnvironments {
  readonly middleware: Middleware<DBCore>;
  /** Each taking ends the worth of the one before: of two reservations under way, the later one's row stays. */
  take(key: string): TakenEnvironment;
  /** Once it is stored; without effect if anybody began to write in between. */
  keep(row: EnvironmentRow, taken: TakenEnvironment): void;
  forget(): void;
}

export function createKnownEnvironments(table: string): KnownEnvironments {
  const known = new Map<string, EnvironmentRow>();
  let turn = 0;
  const forget = () => {
    turn += 1;
    known.clear();
  };
  return {
    middleware: {
      stack: 'dbcore',
      name: 'known-environments',
      create: (down) => ({
        ...down,
        transaction(stores, mode, options) {
          if (mode === 'readwrite' && stores.includes(table)) forget();
          return down.transaction(stores, mode, options);
        },
      }),
    },
    take(key) {
      const row = known.get(key) ?? null;
      known.delete(key);
      turn += 1;
      return { row, turn };
    },
    keep(row, taken) {
      if (taken.turn === turn) known.set(row.key, row);
    },
    forget,
  };
}
