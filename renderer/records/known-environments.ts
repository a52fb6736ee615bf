import type { EnvironmentRow } from './rows';

export type KnownEnvironments = ReturnType<typeof createKnownEnvironments>;

/**
 * The environments' rows as the last reservation stored them, so that the next one need not read its row first. When
 * any other transaction that can write such rows begins, all rows become unknown; writing transactions run one after
 * the other, so a row that is read in a later one is right again.
 */
export function createKnownEnvironments() {
  const known = new Map<string, EnvironmentRow>();
  let turn = 0;
  return {
    /**
     * A row, null when it is not known and has to be read. A later `take` invalidates earlier ones: of two reservations
     * under way, only the later one's row is kept.
     */
    take(key: string) {
      const row = known.get(key) ?? null;
      known.delete(key);
      turn += 1;
      return { row, turn };
    },
    /** Call it once the row is stored. Does nothing if another writer, or another `take`, came in between. */
    keep(row: EnvironmentRow, taken: { readonly turn: number }): void {
      if (taken.turn === turn) known.set(row.key, row);
    },
    /** Another transaction may change rows. */
    forget(): void {
      turn += 1;
      known.clear();
    },
  };
}
