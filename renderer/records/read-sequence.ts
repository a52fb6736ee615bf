import type { Play } from '../../shared/play';
import type { SequenceEntry, SequencePosition } from '../../shared/proof-sequence';
import type { RecordsInput, RecordsOutput } from '../../shared/records';
import { BooksConflict, type RecordsDatabase } from './database';
import { provenOf } from './play-totals';
import type { EpochRow, PlayBeaconsRow, SequenceEntryRow } from './rows';
import { cutUpTo, mayHaveMore, nextNumber } from './sequence';

/** After this time since a play settled, its row is cut even while beacons are pending, ms (rule 27). */
const CUT_AFTER_MS = 600_000;

/**
 * Carries out `readSequence`. Each request is a transaction of its own, and of all other commands only a reservation can
 * come in between: only the last request takes a table that it needs. Rejects with `BooksConflict` when rows before
 * these are not cut: an earlier window read them, and they may have changed since.
 */
export function readSequence(
  database: RecordsDatabase,
  { after, limit, now }: RecordsInput<'readSequence'>,
): Promise<RecordsOutput<'readSequence'>> {
  const { sequences, sequenceEntries, playBeacons, plays } = database;
  return database.inTurn(async () => {
    const [rows, entries] = await Promise.all([
      sequences.toArray(),
      sequenceEntries.where('[epoch+seq]').above([after.epoch, after.seq]).limit(limit).toArray(),
    ]);
    const row = rowToRead(rows, after);
    if (!row) return { entries: [], more: false };
    const first = nextNumber(row, seqIn(row, after));
    const cutBefore = cutUpTo(database, row);
    if (first > nextNumber(row, cutBefore))
      throw new BooksConflict(`rows from ${first} on cannot be read before the rows after ${cutBefore}`);
    const found = entries.filter(({ epoch, seq }, index) => epoch === row.epoch && seq === first + index);
    const results = await playBeacons.bulkGet(found.map(({ playId }) => playId));
    const end = found.findIndex(
      (entry, index) => entry.seq > cutBefore && !mayBeCut(entry, results[index], now),
    );
    const cut = end < 0 ? found : found.slice(0, end);
    const last = cut.at(-1);
    if (!last) return { entries: [], more: false };
    const played = await plays.bulkGet(cut.map(({ playId }) => playId));
    database.rowsRead.set(row.epoch, Math.max(cutBefore, last.seq));
    const next = rowToRead(rows, last);
    return {
      entries: cut.map((entry, index) => readAs(entry, played[index], results[index])),
      more: end < 0 && next !== undefined && nextNumber(next, seqIn(next, last)) <= next.last,
    };
  });
}

/** The epoch of `after`, or the first later one when that epoch has no more numbers and will get none. */
const rowToRead = (rows: readonly EpochRow[], after: SequencePosition): EpochRow | undefined =>
  rows.find((row) => row.epoch >= after.epoch && mayHaveMore(row, seqIn(row, after)));

/** Where a position is in this epoch or a later one: before its first number. */
const seqIn = (row: EpochRow, { epoch, seq }: SequencePosition): number => (row.epoch === epoch ? seq : 0);

function mayBeCut(
  { settledAt }: SequenceEntryRow,
  results: PlayBeaconsRow | undefined,
  now: number,
): boolean {
  if (!results || results.pending === 0) return true;
  // A time in the future was stamped by a clock that has been set back since.
  return now - settledAt >= CUT_AFTER_MS || settledAt > now;
}

function readAs(
  { epoch, seq, rev }: SequenceEntryRow,
  play: Play | undefined,
  results: PlayBeaconsRow | undefined,
): SequenceEntry {
  if (!play) throw new Error(`the play of number ${seq} in epoch ${epoch} is missing`);
  return { epoch, seq, rev, play, ...provenOf(results) };
}
