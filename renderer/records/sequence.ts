import type { PlayBeacons } from '../../shared/beacon';
import type { Play } from '../../shared/play';
import type { DroppedRange, SequencePosition } from '../../shared/proof-sequence';
import { type RecordsDatabase, withKeys } from './database';
import { type EpochRow, newEpoch, type SequenceEntryRow } from './rows';

/*
 * Rule 27: every settled play has an entry with the next number of its epoch. A row is cut when it is read for a
 * segment (see `rowsRead`). When the play or its beacons change later, another entry of the same play is added,
 * with the next revision. Most plays never change again.
 */

/** The functions that add to the sequence, each as part of the transaction that changes the plays. */
export type Sequence = ReturnType<typeof sequenceOn>;

export function sequenceOn(database: RecordsDatabase) {
  const { sequences, sequenceEntries } = database;

  /** Returns the last number that was given; null: none was. */
  async function append(added: readonly Unnumbered[], now: number): Promise<SequencePosition | null> {
    if (added.length === 0) return null;
    const row = await currentEpoch(database, now);
    await Promise.all([giveNumbers(database, row, added), sequences.put(row)]);
    return { epoch: row.epoch, seq: row.last };
  }

  /**
   * Adds a revision of each of these plays whose row is cut; other rows will be read as the play is then. `settledAt`
   * returns the revision's time for that of the row before. At most a thousand plays or so: all are looked up at once.
   */
  async function revise(playIds: readonly string[], settledAt: (before: number) => number, now: number) {
    if (playIds.length === 0) return;
    const epochs = (await sequences.toArray()).filter(({ isForgotten }) => !isForgotten);
    const cut = new Map(epochs.map((row) => [row.epoch, cutUpTo(database, row)]));
    if ([...cut.values()].every((upTo) => upTo === 0)) return;
    const latest = new Map<string, SequenceEntryRow>();
    for (const entry of await withKeys(sequenceEntries, 'playId', playIds))
      if (entry.rev >= (latest.get(entry.playId)?.rev ?? 0)) latest.set(entry.playId, entry);
    const found = [...latest.values()]
      .filter(({ epoch, seq }) => seq <= (cut.get(epoch) ?? 0))
      .sort((a, b) => a.epoch - b.epoch || a.seq - b.seq);
    await append(
      found.map((row) => ({ playId: row.playId, rev: row.rev + 1, settledAt: settledAt(row.settledAt) })),
      now,
    );
  }

  return {
    /** Numbers a play that settled just now, at this time (ms since the epoch), and returns its number. */
    settled: ({ id }: Pick<Play, 'id'>, settledAt: number) =>
      append([{ playId: id, rev: 0, settledAt }], settledAt),

    /** Results of beacons changed: plays whose rows are cut get a revision once none of their beacons is pending. */
    beaconsChanged(results: readonly PlayBeacons[], at: number) {
      const final = results.filter(({ pending }) => pending === 0).map(({ playId }) => playId);
      return revise(final, () => at, at);
    },

    /**
     * Plays were moved by `by` ms (rule 10); those whose rows are cut get a revision. No play is earlier than
     * `from`, before or after the move.
     */
    async playsMoved(playIds: readonly string[], by: number, from: number) {
      await revise(playIds, (before) => before + by, from);
      // Plays without a number may have moved to before the point that numbering has reached.
      for (const row of await sequences.toArray())
        if (row.numberedTo && row.numberedTo.at >= from) await sequences.put({ ...row, numberedTo: null });
    },
  };
}

type Unnumbered = Pick<SequenceEntryRow, 'playId' | 'rev' | 'settledAt'>;

/** Gives these the next numbers of an epoch. Changes its row, which the caller stores. */
export function giveNumbers(
  { sequenceEntries }: RecordsDatabase,
  row: EpochRow,
  added: readonly Unnumbered[],
): Promise<unknown> {
  const before = row.last;
  row.last += added.length;
  return sequenceEntries.bulkAdd(
    added.map((entry, index) => ({ ...entry, epoch: row.epoch, seq: before + 1 + index })),
  );
}

/**
 * The epoch that plays are numbered in now. If there is none, a new one that begins at `now` (ms since the epoch) and
 * is not stored yet.
 */
export async function currentEpoch({ sequences }: RecordsDatabase, now: number): Promise<EpochRow> {
  const row = await sequences.reverse().first();
  return row && row.epoch > 0 ? row : newEpoch(Math.max(1, Math.floor(now)));
}

/** The last number that was given; null: none was. */
export async function latestNumber({ sequences }: RecordsDatabase): Promise<SequencePosition | null> {
  const row = await sequences.reverse().first();
  return row ? { epoch: row.epoch, seq: row.last } : null;
}

/** A version that does not number plays has run and may have stored some: all plays are searched again. */
export async function noteUnnumbered({ sequences }: RecordsDatabase): Promise<void> {
  const rows = await sequences.toArray();
  const row = rows.find(({ numberedTo }) => numberedTo !== undefined) ?? rows.at(-1) ?? newEpoch(0);
  if (row.numberedTo !== null) await sequences.put({ ...row, numberedTo: null });
}

/** Rows up to this number are cut: they are in a segment, or were read here for one. */
export const cutUpTo = (
  { rowsRead }: RecordsDatabase,
  { epoch, stored }: Pick<EpochRow, 'epoch' | 'stored'>,
): number => Math.max(stored, rowsRead.get(epoch) ?? 0);

/** The number after `seq` that was not dropped; beyond `row.last`: there is none yet. */
export function nextNumber({ dropped }: Pick<EpochRow, 'dropped'>, seq: number): number {
  let next = seq + 1;
  for (const { first, last } of dropped) if (first <= next && next <= last) next = last + 1;
  return next;
}

/** Whether an epoch has a number after `seq`, or may still get one from the numbering of old plays. */
export function mayHaveMore(row: EpochRow, seq: number): boolean {
  return row.numberedTo !== undefined || nextNumber(row, seq) <= row.last;
}

/** The ranges with these numbers added; ascending, with adjacent ranges merged. */
export function withDropped(
  ranges: EpochRow['dropped'],
  numbers: readonly number[],
): Array<Pick<DroppedRange, 'first' | 'last'>> {
  const all = [...ranges, ...numbers.map((number) => ({ first: number, last: number }))].sort(
    (a, b) => a.first - b.first,
  );
  const merged: Array<{ first: number; last: number }> = [];
  for (const { first, last } of all) {
    const before = merged.at(-1);
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged;
}
