import type { PlayBeacons } from '../../shared/beacon';
import type { Play } from '../../shared/play';
import type { DroppedRange, SequencePosition } from '../../shared/proof-sequence';
import { type RecordsDatabase, withKeys } from './database';
import { isSameResult, provenOf } from './play-totals';
import { type EpochRow, newEpoch, type SequenceEntryRow } from './rows';

/*
 * Rule 27: every settled play has an entry with the next number of its epoch. A row is cut when it is read for a
 * segment (see `createCutRows`). When the play or its beacons change later, the old values are first stored in the entry
 * (`cut`), and another entry of the same play is added, with the next revision. Most plays never change again, so
 * reading writes nothing.
 */

/** Plays whose entries are looked up at once. */
const PLAYS_AT_ONCE = 200;

type Cut = NonNullable<SequenceEntryRow['cut']>;
type CutEntry = SequenceEntryRow & { readonly cut: Cut };

/** The functions that add to the sequence, each as part of the transaction that changes the plays. */
export type Sequence = ReturnType<typeof sequenceOn>;

export function sequenceOn(database: RecordsDatabase) {
  const { plays, playBeacons, sequences, sequenceEntries } = database;

  async function append(
    added: ReadonlyArray<Pick<SequenceEntryRow, 'playId' | 'rev' | 'settledAt'>>,
    now: number,
  ): Promise<void> {
    if (added.length === 0) return;
    const row = await currentEpoch(database, now);
    await Promise.all([
      sequences.put({ ...row, last: row.last + added.length }),
      sequenceEntries.bulkAdd(
        added.map((entry, index) => ({ ...entry, epoch: row.epoch, seq: row.last + 1 + index })),
      ),
    ]);
  }

  /** Up to which number rows are cut, by epoch, for all epochs whose rows may get revisions. */
  const cutEpochs = async () => {
    const rows = (await sequences.toArray()).filter(({ isForgotten }) => !isForgotten);
    const cut = rows.map((row): [number, number] => [row.epoch, database.cutRows.upTo(row)]);
    return new Map(cut.filter(([, upTo]) => upTo > 0));
  };

  /**
   * The latest cut entry of each of these plays, which are changing. Entries that change for the first time store their
   * old values first: `before` returns them, and is called for the plays of such entries only.
   */
  async function cutEntries(
    playIds: readonly string[],
    epochs: ReadonlyMap<number, number>,
    before: (playIds: readonly string[]) => Promise<ReadonlyArray<Cut | undefined>>,
  ): Promise<CutEntry[]> {
    const found = await withKeys(sequenceEntries, 'playId', playIds);
    const changing = found.filter(({ epoch, seq, cut }) => !cut && seq <= (epochs.get(epoch) ?? 0));
    if (changing.length > 0) {
      const was = await before(changing.map(({ playId }) => playId));
      const kept = changing.flatMap((entry, place) => {
        const cut = was[place];
        return cut ? [Object.assign(entry, { cut })] : [];
      });
      await Promise.all([sequenceEntries.bulkPut(kept), keepCut(kept)]);
    }
    const latest = new Map<string, SequenceEntryRow>();
    for (const entry of found) {
      const known = latest.get(entry.playId);
      if (!known || entry.rev > known.rev) latest.set(entry.playId, entry);
    }
    return [...latest.values()]
      .filter((entry): entry is CutEntry => epochs.has(entry.epoch) && entry.cut !== undefined)
      .sort((a, b) => a.epoch - b.epoch || a.seq - b.seq);
  }

  /** Stores the marks of the epochs of these entries: the next window has to know that they were cut. */
  async function keepCut(kept: readonly SequenceEntryRow[]): Promise<void> {
    const rows = await sequences.bulkGet([...new Set(kept.map(({ epoch }) => epoch))]);
    await sequences.bulkPut(
      rows.flatMap((row) => (row ? [{ ...row, cut: database.cutRows.upTo(row) }] : [])),
    );
  }

  return {
    /** Whether any rows are cut, so that `playsMoved` needs to know the plays. */
    hasCut: async () => (await cutEpochs()).size > 0,
    /** Numbers a play that settled just now, at this time (ms since the epoch). */
    settled: ({ id }: Pick<Play, 'id'>, settledAt: number) =>
      append([{ playId: id, rev: 0, settledAt }], settledAt),

    /**
     * Results of beacons changed: plays whose rows were cut get a revision once none of their beacons is pending.
     * `before`: the previous results, where there were any.
     */
    async beaconsChanged(
      results: readonly PlayBeacons[],
      before: ReadonlyMap<string, PlayBeacons>,
      at: number,
    ) {
      const epochs = await cutEpochs();
      if (epochs.size === 0) return;
      const changed = new Map(results.map((row) => [row.playId, row]));
      const latest = await cutEntries([...changed.keys()], epochs, async (ids) =>
        (await plays.bulkGet([...ids])).map((play) => play && cutOf(play, before.get(play.id))),
      );
      await append(
        latest.flatMap(({ playId, rev, cut }) => {
          const now = changed.get(playId);
          if (now?.pending !== 0 || (cut.beacons && isSameResult(cut.beacons, now))) return [];
          return [{ playId, rev: rev + 1, settledAt: at }];
        }),
        at,
      );
    },

    /**
     * Settled plays were moved by `by` ms (rule 10); those whose rows were cut get a revision. No play is earlier than
     * `from`, before or after the move.
     */
    async playsMoved(moved: readonly Play[], by: number, from: number) {
      const epochs = await cutEpochs();
      for (let index = 0; index < moved.length; index += PLAYS_AT_ONCE) {
        const some = moved.slice(index, index + PLAYS_AT_ONCE);
        const byId = new Map(some.map((play) => [play.id, play]));
        const latest = await cutEntries([...byId.keys()], epochs, async (ids) => {
          const results = await playBeacons.bulkGet([...ids]);
          return ids.map((id, place) => {
            const play = byId.get(id);
            const shownAt = play?.shownAt == null ? null : play.shownAt - by;
            return play && cutOf({ at: play.at - by, shownAt }, results[place]);
          });
        });
        await append(
          latest.map(({ playId, rev, settledAt }) => ({ playId, rev: rev + 1, settledAt: settledAt + by })),
          from,
        );
      }
      // Plays without a number may have moved to before the point that numbering has reached.
      for (const row of await sequences.toArray())
        if (row.numberedTo && row.numberedTo.at >= from) await sequences.put({ ...row, numberedTo: null });
    },
  };
}

/** The part of a row that may still change. */
export function cutOf({ at, shownAt }: Pick<Play, 'at' | 'shownAt'>, results: PlayBeacons | undefined): Cut {
  return { at, shownAt, ...provenOf(results) };
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
