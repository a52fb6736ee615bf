import type { RecordsCommands } from '../../shared/records';
import { BooksConflict, isSetAside, type RecordsDatabase } from './database';
import { cutUpTo, mayHaveMore, nextNumber } from './sequence';

/** The commands that store segments until they are delivered (rule 28), each one transaction. */
export function segmentCommandsOn(database: RecordsDatabase) {
  const { sequences, segments, segmentBodies } = database;

  return {
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
          throw new BooksConflict(`${name} of ${count} rows is not what was read, up to ${cut}`);
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
