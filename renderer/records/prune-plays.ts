import type { RecordsInput, RecordsOutput } from '../../shared/records';
import { type RecordsDatabase, withKeys } from './database';
import type { HourTotalsStore } from './hour-totals';
import type { EpochRow } from './rows';
import { withDropped } from './sequence';

/** Carries out `prunePlays`, in one transaction. */
export async function prunePlays(
  database: RecordsDatabase,
  totals: Pick<HourTotalsStore, 'forget'>,
  { before, keep, keepUnsent, limit }: RecordsInput<'prunePlays'>,
): Promise<RecordsOutput<'prunePlays'>> {
  const { environments, plays, playBeacons, sequences, sequenceEntries } = database;
  return database.write(async () => {
    const books = await environments.toArray();
    const surplus = books.reduce((sum, { playCount }) => sum + playCount, 0) - keep;
    if (surplus <= 0) return {};
    const old = await plays.where('at').below(before).limit(Math.min(limit, surplus)).toArray();
    const oldIds = old.map(({ id }) => id);
    const entries = await withKeys(sequenceEntries, 'playId', oldIds);
    const rows = new Map((await sequences.toArray()).map((row) => [row.epoch, row]));
    const isSent = ({ epoch, seq }: { epoch: number; seq: number }) => seq <= (rows.get(epoch)?.stored ?? 0);
    const sent = new Set(entries.filter(isSent).map(({ playId }) => playId));
    for (const entry of entries) if (!isSent(entry)) sent.delete(entry.playId);
    const keepsUnsent = keepUnsent !== undefined && surplus <= keepUnsent;
    const doomed = keepsUnsent ? old.filter(({ id }) => sent.has(id)) : old;
    const ids = new Set(doomed.map(({ id }) => id));
    const gone = entries.filter(({ playId }) => ids.has(playId));
    await plays.bulkDelete([...ids]);
    await playBeacons.bulkDelete([...ids]);
    await sequenceEntries.bulkDelete(gone.map(({ epoch, seq }): [number, number] => [epoch, seq]));
    await sequences.bulkPut(
      [...rows.values()].flatMap((row): EpochRow[] => {
        // Those behind the epoch's end get a number of another one.
        const unsent = gone.filter(
          (entry) => entry.epoch === row.epoch && !isSent(entry) && entry.seq <= row.last,
        );
        const numbers = unsent.map(({ seq }) => seq);
        return numbers.length === 0 ? [] : [{ ...row, dropped: withDropped(row.dropped, numbers) }];
      }),
    );
    const deleted: RecordsOutput<'prunePlays'> = {};
    for (const row of books) {
      const pruned = doomed.filter(({ environment }) => environment === row.key);
      const last = pruned.at(-1);
      if (!last) continue;
      const { moving, playCount } = row;
      await environments.put({
        ...row,
        playCount: Math.max(0, playCount - pruned.length),
        // Still differs by the plays that were reserved since.
        ...(moving?.playCount === undefined
          ? {}
          : { moving: { ...moving, playCount: moving.playCount - pruned.length } }),
      });
      await totals.forget(row.key, Number.NEGATIVE_INFINITY, last.at);
      deleted[row.key] = pruned.length;
    }
    return deleted;
  });
}
