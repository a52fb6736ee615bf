import { Dexie } from 'dexie';
import type { PlayBeacons } from '../../shared/beacon';
import type { Play } from '../../shared/play';
import type { DroppedRange, SequencePosition } from '../../shared/proof-sequence';
import type { EpochRow, RecordsDatabase, SequenceEntryRow } from './database';
import { type BeaconResults, isSameResult } from './play-totals';

/*
 * Rule 27: every settled play has an entry with the next number of its epoch. A row is cut when it is read for the
 * first time: its entry keeps what may still change of the play and its beacons (`cut`), so that it reads the same
 * for ever. What changes later makes one more entry of the same play, with the next revision.
 */

/** Plays whose entries are looked up at once. */
const PLAYS_AT_ONCE = 200;

/** What adds to the sequence. Each is a part of the transaction that changes the plays. */
export type Sequence = ReturnType<typeof sequenceOn>;

export function sequenceOn(database: RecordsDatabase) {
  const { sequences, sequenceEntries } = database;

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

  /** Epochs with rows that may get revisions. */
  const cutEpochs = async () => {
    const rows = await sequences.filter(({ cut, isForgotten }) => cut > 0 && !isForgotten).toArray();
    return new Set(rows.map(({ epoch }) => epoch));
  };

  return {
    /** Whether `playsMoved` needs to know of plays. */
    hasCut: async () => (await cutEpochs()).size > 0,
    /** Numbers a play that settled just now, at this time (ms since the epoch). */
    settled: ({ id }: Pick<Play, 'id'>, settledAt: number) =>
      append([{ playId: id, rev: 0, settledAt }], settledAt),

    /** What became of beacons changed: rows that were cut get a revision once no beacon of theirs is pending. */
    async beaconsChanged(results: readonly PlayBeacons[], at: number) {
      const final = new Map(results.flatMap((row) => (row.pending === 0 ? [[row.playId, row]] : [])));
      if (final.size === 0) return;
      const epochs = await cutEpochs();
      if (epochs.size === 0) return;
      const latest = await latestEntries(database, [...final.keys()]);
      await append(
        latest.flatMap(({ epoch, playId, rev, cut }) =>
          epochs.has(epoch) && cut && !isSame(cut.beacons, final.get(playId))
            ? [{ playId, rev: rev + 1, settledAt: at }]
            : [],
        ),
        at,
      );
    },

    /** Settled plays moved by `by` ms (rule 10), the first of them at this time before or after: rows that were cut get a revision. */
    async playsMoved(playIds: readonly string[], by: number, from: number) {
      const epochs = await cutEpochs();
      for (let index = 0; index < playIds.length; index += PLAYS_AT_ONCE) {
        const latest = await latestEntries(database, playIds.slice(index, index + PLAYS_AT_ONCE));
        await append(
          latest.flatMap(({ epoch, playId, rev, cut, settledAt }) =>
            epochs.has(epoch) && cut ? [{ playId, rev: rev + 1, settledAt: settledAt + by }] : [],
          ),
          from,
        );
      }
      // Plays that are still to be numbered may have moved to before where that is.
      for (const row of await sequences.toArray())
        if (row.numberedTo && row.numberedTo.at >= from) await sequences.put({ ...row, numberedTo: null });
    },
  };
}

/** The epoch that plays are numbered in now; begun at `now`, ms since the epoch, where there is none. It is not stored yet then. */
export async function currentEpoch({ sequences }: RecordsDatabase, now: number): Promise<EpochRow> {
  const row = await sequences.reverse().first();
  return row && row.epoch > 0 ? row : newEpoch(Math.max(1, Math.floor(now)));
}

/** The last number that was given; null: none was. */
export async function latestNumber({ sequences }: RecordsDatabase): Promise<SequencePosition | null> {
  const row = await sequences.reverse().first();
  return row ? { epoch: row.epoch, seq: row.last } : null;
}

/** Plays may be stored without a number, because a version that gives none played them: all are looked through again. */
export async function noteUnnumbered({ sequences }: RecordsDatabase): Promise<void> {
  const rows = await sequences.toArray();
  const row = rows.find(({ numberedTo }) => numberedTo !== undefined) ?? rows.at(-1) ?? newEpoch(0);
  if (row.numberedTo !== null) await sequences.put({ ...row, numberedTo: null });
}

export function newEpoch(epoch: number): EpochRow {
  return { epoch, last: 0, cut: 0, stored: 0, delivered: 0, head: null, dropped: [] };
}

/** Of each of these plays that has entries, the one with the highest revision, in the order of their numbers. */
async function latestEntries(
  { sequenceEntries }: RecordsDatabase,
  playIds: readonly string[],
): Promise<SequenceEntryRow[]> {
  const latest = new Map<string, SequenceEntryRow>();
  const found = await sequenceEntries
    .where('playId')
    .anyOf([...playIds])
    .toArray();
  for (const entry of found) {
    const known = latest.get(entry.playId);
    if (!known || entry.rev > known.rev) latest.set(entry.playId, entry);
  }
  return [...latest.values()].sort((a, b) => a.epoch - b.epoch || a.seq - b.seq);
}

/** The number after `seq` that was not dropped; beyond `row.last`: there is none yet. */
export function nextNumber({ dropped }: Pick<EpochRow, 'dropped'>, seq: number): number {
  let next = seq + 1;
  for (const { first, last } of dropped) if (first <= next && next <= last) next = last + 1;
  return next;
}

/** The ranges with these numbers added; ascending, and never one beside the other. */
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

/** Entries of an epoch with `from` ≤ seq ≤ `to`, ascending. */
export function entriesBetween(
  { sequenceEntries }: RecordsDatabase,
  epoch: number,
  from: number,
  to: number,
) {
  return sequenceEntries
    .where('[epoch+seq]')
    .between([epoch, from], [epoch, Number.isFinite(to) ? to : Dexie.maxKey], true, true);
}

function isSame(cut: BeaconResults | null, results: BeaconResults | undefined): boolean {
  return cut && results ? isSameResult(cut, results) : !cut && !results;
}
