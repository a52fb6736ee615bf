import { Dexie } from 'dexie';
import type { ProofPosition } from '../../shared/proof-sequence';
import type { RecordsCommands } from '../../shared/records';
import { BooksConflict, isSetAside, type RecordsDatabase, withKeys } from './database';
import { readSequence } from './read-sequence';
import { type EpochRow, newEpoch } from './rows';
import { currentEpoch, cutUpTo, giveNumbers, mayHaveMore, nextNumber } from './sequence';

/**
 * The commands that number settled plays and read them (rule 27), and store segments until they are delivered (rule 28).
 * Only a reservation can come between the parts of one.
 */
export function sequenceCommandsOn(database: RecordsDatabase) {
  const { plays, sequences, sequenceEntries, segments, segmentBodies } = database;

  return {
    readSequence: (input) => readSequence(database, input),

    proofPosition: () =>
      database.transaction('r', [sequences, sequenceEntries, segments], () => positionOf(database)),

    beginEpoch: ({ now, forgetWaiting, kiosk }) =>
      database.write(async () => {
        const [current, rows] = await Promise.all([currentEpoch(database, now), sequences.toArray()]);
        if (kiosk !== undefined && current.kiosk === kiosk) return { epoch: current.epoch };
        const why = forgetWaiting ? 'copied' : kiosk === undefined ? 'went-back' : 'key-lost';
        if (why !== 'copied' && rows.every(({ last }) => last === 0)) {
          await sequences.put(current);
          return { epoch: current.epoch };
        }
        database.rowsRead.clear();
        const begun = newEpoch(Math.max(Math.floor(now), current.epoch + 1));
        if (kiosk !== undefined) begun.kiosk = kiosk;
        for (const { numberedTo, ...row } of rows) {
          // Entries in a stored segment stay under a lost key: the receiver may have their plays under the old name.
          const left = await entriesAfter(database, row.epoch, row.last).last();
          const ends = { copied: left?.seq ?? row.last, 'went-back': row.delivered, 'key-lost': row.stored };
          const end = ends[why];
          if (why !== 'copied' && numberedTo !== undefined) begun.numberedTo = null;
          const dropped = row.dropped.filter(({ first }) => first <= end);
          const closed: EpochRow = { ...row, last: end, cut: Math.min(row.cut, end), stored: end, dropped };
          if (why === 'copied') closed.delivered = end;
          if (why !== 'went-back') closed.isForgotten = true;
          await sequences.put(closed);
        }
        await sequences.put(begun);
        for (const row of await segments.toArray()) {
          if (why === 'key-lost' || (why === 'went-back' && isSetAside(row))) continue;
          const key: [number, number] = [row.epoch, row.first];
          await Promise.all([segments.delete(key), segmentBodies.delete(key)]);
        }
        return { epoch: begun.epoch };
      }),

    numberPlays: ({ limit }) =>
      database.write(async () => {
        const rows = await sequences.toArray();
        for (const row of rows) {
          const left = await entriesAfter(database, row.epoch, row.last).limit(limit).toArray();
          if (left.length === 0) continue;
          // Those of a lost key get no revisions: a play whose first row is cut again is cut as it is then.
          const added = left.filter(({ rev }) => rev === 0 || !row.isForgotten);
          const current = rows.at(-1) ?? row;
          await sequenceEntries.bulkDelete(left.map(({ epoch, seq }): [number, number] => [epoch, seq]));
          await giveNumbers(database, current, added);
          await sequences.put(current);
          return { numbered: added.length, done: false };
        }
        const row = rows.find(({ numberedTo }) => numberedTo !== undefined);
        if (!row) return { numbered: 0, done: true };
        const { numberedTo: to, ...numbered } = row;
        const found = await (to ? plays.where('at').aboveOrEqual(to.at) : plays.orderBy('at'))
          .filter(({ at, id }) => !to || at > to.at || id > to.id)
          .limit(limit)
          .toArray();
        const ids = found.map(({ id }) => id);
        const known = new Set((await withKeys(sequenceEntries, 'playId', ids)).map(({ playId }) => playId));
        const fresh = found.filter(({ id, outcome }) => outcome !== 'reserved' && !known.has(id));
        const added = fresh.map(({ id, at }) => ({ playId: id, rev: 0, settledAt: at }));
        await giveNumbers(database, numbered, added);
        const end = found.at(-1);
        const done = found.length < limit || end === undefined;
        await sequences.put(done ? numbered : { ...numbered, numberedTo: { at: end.at, id: end.id } });
        return { numbered: added.length, done };
      }),

    storeSegment: ({ bytes, ...segment }) =>
      database.write(async () => {
        const { epoch, first, last, count, digest } = segment;
        const [rows, stored] = await Promise.all([sequences.toArray(), segments.toArray()]);
        const pending = stored.find((row) => !isSetAside(row));
        if (pending?.epoch === epoch && pending.first === first && pending.digest === digest) return null;
        const name = `segment ${first} to ${last} of epoch ${epoch}`;
        if (pending)
          throw new BooksConflict(
            `${name} cannot be stored while the segment ${pending.first} to ${pending.last} waits`,
          );
        const row = rows.find((each) => each.epoch === epoch);
        if (!row || nextNumber(row, row.stored) !== first)
          throw new BooksConflict(`${name} does not follow ${row?.stored ?? 'anything'}`);
        const cut = Math.min(cutUpTo(database, row), row.last);
        if (last > cut || count !== last - first + 1 || nextNumber(row, last - 1) !== last)
          throw new BooksConflict(
            `${name} with ${count} rows is not what was read: rows are read up to ${cut}`,
          );
        const earlier = rows.find((each) => each.epoch < epoch && mayHaveMore(each, each.stored));
        if (earlier) throw new BooksConflict(`${name} comes before all of epoch ${earlier.epoch} is stored`);
        await Promise.all([
          segments.put(segment),
          segmentBodies.put({ epoch, first, bytes }),
          sequences.put({ ...row, cut: Math.max(row.cut, last), stored: last, head: digest }),
        ]);
        return null;
      }),

    readSegment: async ({ epoch, first }) => (await segmentBodies.get([epoch, first]))?.bytes ?? null,

    settleSegment: ({ epoch, first, how, at, status }) =>
      database.write(async () => {
        const [row, segment] = await Promise.all([sequences.get(epoch), segments.get([epoch, first])]);
        if (!row || !segment) return null;
        const since = isSetAside(segment) ? segment.since : at;
        await Promise.all([
          sequences.put({ ...row, delivered: Math.max(row.delivered, segment.last) }),
          how === 'set-aside'
            ? segments.put({ ...segment, since, triedAt: at, status })
            : Promise.all([segments.delete([epoch, first]), segmentBodies.delete([epoch, first])]),
        ]);
        return null;
      }),
  } satisfies Partial<RecordsCommands>;
}

/** The entries of an epoch after this number, with those that `beginEpoch` left behind its end. */
const entriesAfter = ({ sequenceEntries }: RecordsDatabase, epoch: number, seq: number) =>
  sequenceEntries.where('[epoch+seq]').between([epoch, seq], [epoch, Dexie.maxKey], false, true);

async function positionOf(database: RecordsDatabase): Promise<ProofPosition> {
  const { sequences, segments } = database;
  const [rows, stored] = await Promise.all([sequences.toArray(), segments.toArray()]);
  /** The first position after which there is a number, or may be one later. */
  const placeOf = (place: (row: EpochRow) => number) => {
    const row = rows.find((each) => mayHaveMore(each, place(each))) ?? rows.at(-1);
    return row ? { epoch: row.epoch, seq: place(row) } : { epoch: 0, seq: 0 };
  };
  const cursor = placeOf(({ delivered }) => delivered);
  const after = rows.map(({ epoch, delivered }) => entriesAfter(database, epoch, delivered).first());
  const oldest = (await Promise.all(after)).find((entry) => entry !== undefined);
  let waiting = 0;
  for (const { epoch, last, delivered, dropped } of rows) {
    waiting += last - delivered;
    for (const gone of dropped) waiting -= Math.max(0, gone.last - Math.max(gone.first - 1, delivered));
    // Those left behind the end, from first to last: counting a million would take too long.
    const first = await entriesAfter(database, epoch, last).first();
    const end = await entriesAfter(database, epoch, last).last();
    if (first && end) waiting += end.seq - first.seq + 1;
  }
  return {
    cursor,
    readFrom: placeOf((row) => row.stored),
    heads: rows.flatMap(({ epoch, head }) => (head === null ? [] : [{ epoch, digest: head }])),
    waiting,
    oldestSettledAt: oldest?.settledAt ?? null,
    setAside: stored.filter(isSetAside),
    dropped: rows.flatMap(({ epoch, dropped }) => dropped.map((range) => ({ epoch, ...range }))),
    pending: stored.find((row) => !isSetAside(row)) ?? null,
  };
}
