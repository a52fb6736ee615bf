import type { Play } from '../../shared/play';
import type { SequenceEntry, SequencePosition } from '../../shared/proof-sequence';
import type { RecordsInput, RecordsOutput } from '../../shared/records';
import { askAtOnce } from './ask-at-once';
import type { EpochRow, PlayBeaconsRow, RecordsDatabase, SequenceEntryRow } from './database';
import { cutOf, nextNumber } from './sequence';

/** A row is cut with beacons pending when its play settled so long ago (rule 27). */
const CUT_AFTER_MS = 600_000;

/**
 * Carries out `readSequence`, in four transactions that no other command comes between. Only the last two take tables
 * that a reservation takes, which a slot waits for: so it waits for one answer, and goes between the two.
 */
export function readSequence(
  database: RecordsDatabase,
  { after, limit, now }: RecordsInput<'readSequence'>,
): Promise<RecordsOutput<'readSequence'>> {
  return database.inTurn(async () => {
    const [rows, entries] = await entriesAfter(database, after, limit);
    const row = rowToRead(rows, after);
    if (!row) return { entries: [], more: false };
    const first = nextOf(row, after);
    const found = entries.filter(({ epoch, seq }, index) => epoch === row.epoch && seq === first + index);
    const results = await beaconsOf(database, found);
    const end = found.findIndex(
      (entry, index) => entry.seq > row.cut && !mayBeCut(entry, results[index], now),
    );
    const cut = end < 0 ? found : found.slice(0, end);
    const last = cut.at(-1);
    if (!last) return { entries: [], more: false };
    if (last.seq > row.cut) await cutUpTo(database, row, last.seq);
    const plays = await playsOf(database, cut);
    const next = rowToRead(rows, last);
    return {
      entries: cut.map((entry, index) => readAs(entry, plays[index], results[index])),
      more: end < 0 && next !== undefined && nextOf(next, last) <= next.last,
    };
  });
}

/** The epochs from that of `after` on, and the first entries behind it, whatever their epoch. */
const entriesAfter = (database: RecordsDatabase, after: SequencePosition, limit: number) =>
  askAtOnce(
    database,
    { tables: ['sequences', 'sequenceEntries'] },
    (table): [IDBRequest<EpochRow[]>, IDBRequest<SequenceEntryRow[]>] => [
      table('sequences').getAll(IDBKeyRange.lowerBound(after.epoch)),
      table('sequenceEntries').getAll(IDBKeyRange.lowerBound([after.epoch, after.seq], true), limit),
    ],
  );

const beaconsOf = (database: RecordsDatabase, entries: readonly SequenceEntryRow[]) =>
  askAtOnce(database, { tables: ['playBeacons'] }, (table) =>
    entries.map(({ playId }): IDBRequest<PlayBeaconsRow | undefined> => table('playBeacons').get(playId)),
  );

/**
 * Rows up to `seq` are cut from now on. That must be on the disk once somebody else knows one of them: when their
 * segment is stored, durably, and the row of their epoch with it. Until then it need not outlive a power cut.
 */
const cutUpTo = (database: RecordsDatabase, row: EpochRow, seq: number) =>
  askAtOnce(database, { tables: ['sequences'], writes: 'relaxed' }, (table) => [
    table('sequences').put({ ...row, cut: seq }),
  ]);

const playsOf = (database: RecordsDatabase, entries: readonly SequenceEntryRow[]) =>
  askAtOnce(database, { tables: ['plays'] }, (table) =>
    entries.map(({ playId }): IDBRequest<Play | undefined> => table('plays').get(playId)),
  );

/** The epoch of `after`, or the first one behind it when it has no more numbers and will get none. */
const rowToRead = (rows: readonly EpochRow[], after: SequencePosition): EpochRow | undefined =>
  rows.find(
    (row) => row.epoch >= after.epoch && (row.numberedTo !== undefined || nextOf(row, after) <= row.last),
  );

/** The first number of an epoch behind a place. */
const nextOf = (row: EpochRow, { epoch, seq }: SequencePosition): number =>
  nextNumber(row, row.epoch === epoch ? seq : 0);

function mayBeCut(
  { settledAt }: SequenceEntryRow,
  results: PlayBeaconsRow | undefined,
  now: number,
): boolean {
  if (!results || results.pending === 0) return true;
  // One that settled in the future was stamped by a clock that has gone back since.
  return now - settledAt >= CUT_AFTER_MS || settledAt > now;
}

function readAs(
  { epoch, seq, rev, cut }: SequenceEntryRow,
  play: Play | undefined,
  results: PlayBeaconsRow | undefined,
): SequenceEntry {
  if (!play) throw new Error(`the play of number ${seq} in epoch ${epoch} is missing`);
  const { at, shownAt, beacons, scripts } = cut ?? cutOf(play, results);
  return {
    ...{ epoch, seq, rev, play: { ...play, at, shownAt } },
    ...{ beacons, ...(scripts ? { scripts } : {}) },
  };
}
