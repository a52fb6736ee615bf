import { Dexie } from 'dexie';
import { HOUR_MS } from '../../shared/clock';
import type { RecordsInput } from '../../shared/records';
import type { RecordsDatabase } from './database';
import { playsBetween } from './play-listing';
import { addPlay, createPlayCounter, hourOf, noTotals, originKey } from './play-totals';
import type { HourTotalsRow } from './rows';

/*
 * A report over a million plays must not read a million rows. So a report stores the totals of each hour (UTC) that it
 * counts, in a row for each origin (flight, campaign, source) that played in it.
 *
 * An hour has either no rows, or rows that count all of its settled plays: whatever changes one of these plays or the
 * results of its beacons deletes the rows of its hour in the same transaction, and the next report counts it again.
 */

/** Read in one transaction, about 10 ms, so that no reservation waits for longer. */
const HOURS_AT_ONCE = 24;

export type HourTotalsStore = ReturnType<typeof hourTotalsOn>;

export function hourTotalsOn(database: RecordsDatabase) {
  const { plays, playBeacons, hourTotals } = database;

  const rowsBetween = (environment: string, from: number, to: number) =>
    hourTotals
      .where('[environment+hour+origin]')
      .between([environment, from, Dexie.minKey], [environment, to, Dexie.minKey], true, false);

  const forget = (environment: string, from: number, to: number) =>
    rowsBetween(environment, hourOf(from), hourOf(to) + HOUR_MS).delete();

  /**
   * The stored totals of some hours, none for an hour without plays. Leaves out hours that must be counted: they have
   * no totals, or a play of theirs is on the screen.
   */
  const storedTotals = (environment: string, from: number, to: number) =>
    database.transaction('r', [plays, hourTotals], async () => {
      const reserved = await plays.where('[environment+outcome]').equals([environment, 'reserved']).toArray();
      const hours = new Map<number, HourTotalsRow[]>();
      for (const row of await rowsBetween(environment, from, to).toArray())
        hours.set(row.hour, [...(hours.get(row.hour) ?? []), row]);
      for (let hour = from; hour < to; hour += HOUR_MS)
        if (!hours.has(hour) && !(await playsBetween(database, environment, hour, hour + HOUR_MS).first()))
          hours.set(hour, []);
      for (const { at } of reserved) hours.delete(hourOf(at));
      return hours;
    });

  /**
   * Counts the plays of an hour, or of a part of it, and stores the totals of a whole hour in which no play is on the
   * screen.
   */
  const countPlays = (environment: string, from: number, to: number) =>
    database.write(async () => {
      const found = await playsBetween(database, environment, from, to).toArray();
      const results = await playBeacons.bulkGet(found.map(({ id }) => id));
      const hour = hourOf(from);
      const origins = new Map<string, HourTotalsRow>();
      for (const [index, play] of found.entries()) {
        const origin = originKey(play);
        const row = origins.get(origin) ?? { environment, hour, origin, totals: noTotals() };
        addPlay(row.totals, play, results[index]);
        origins.set(origin, row);
      }
      const rows = [...origins.values()];
      const isStored = to - from === HOUR_MS && found.every(({ outcome }) => outcome !== 'reserved');
      if (isStored) await hourTotals.bulkPut(rows);
      return { rows, stored: isStored ? found.length : 0 };
    });

  /**
   * Reports the plays with `from` ≤ time < `to`, ms since the epoch. When more than about `limit` plays must be counted
   * first, returns no report but the share that is `done`, 0 to 1: call it again.
   */
  async function report({ environment, from, to, limit }: RecordsInput<'reportPlays'>) {
    const counter = createPlayCounter();
    const nextPlay = (at: number) => playsBetween(database, environment, at, to).first();
    const oldest = await nextPlay(from);
    let counted = 0;
    for (let next = oldest; oldest && next; ) {
      const start = hourOf(next.at);
      const end = Math.min(start + HOURS_AT_ONCE * HOUR_MS, to);
      const known = await storedTotals(environment, start, end);
      for (let hour = start; hour < end; hour += HOUR_MS) {
        const part = [Math.max(hour, from), Math.min(hour + HOUR_MS, to)] as const;
        const isWhole = part[1] - part[0] === HOUR_MS;
        let rows = isWhole ? known.get(hour) : undefined;
        if (!rows && isWhole && counted >= limit) {
          const newest = await playsBetween(database, environment, hour, to).last();
          const done = (hour - oldest.at) / Math.max(1, (newest?.at ?? hour) - oldest.at);
          return { report: null, done: Math.min(1, Math.max(0, done)) };
        }
        if (!rows) {
          const count = await countPlays(environment, ...part);
          counted += count.stored;
          rows = count.rows;
        }
        for (const { origin, totals } of rows) counter.add(part[0], origin, totals);
      }
      next = await nextPlay(end);
    }
    return { report: counter.report(from, to), done: 1 };
  }

  return {
    /** Forgets the totals of all hours from the one of `from` to the one of `to`; part of a transaction. */
    forget,
    /** Results of the beacons of these plays changed; part of that transaction. */
    async beaconsChanged(playIds: readonly string[]) {
      const changed = (await plays.bulkGet([...playIds])).filter((play) => play !== undefined);
      const hours = new Map(changed.map((play) => [`${hourOf(play.at)} ${play.environment}`, play]));
      await Promise.all([...hours.values()].map(({ environment, at }) => forget(environment, at, at)));
    },
    report,
  };
}
