import { Dexie } from 'dexie';
import type { Play } from '../../shared/play';
import type { PlayCursor } from '../../shared/proof-of-play';
import type { RecordsInput, RecordsOutput } from '../../shared/records';
import type { RecordsDatabase } from './database';
import { type PlayListing, playsBetween } from './play-listing';
import {
  addBeacons,
  addPlay,
  type BeaconResults,
  createPlayCounter,
  HOUR_MS,
  hourOf,
  noTotals,
  originKey,
  type PlayCounter,
} from './play-totals';
import type { HourTotalsRow } from './rows';

/*
 * A report over a million plays must not read a million rows. So each hour (UTC) has a row of totals for each origin
 * (flight, campaign, source) that played in it. The transaction that settles a play adds it to its row, and the
 * transaction that changes the results of its beacons updates the row.
 *
 * An hour has either no rows, or rows that count all of its settled plays. Rows can be deleted at any time: a report
 * counts the plays of an hour without rows.
 */

/** Read in one transaction, about 10 ms, so that no reservation waits for longer. */
const HOURS_AT_ONCE = 24;
const PLAYS_AT_ONCE = 200;

export type HourTotals = ReturnType<typeof hourTotalsOn>;

export function hourTotalsOn(database: RecordsDatabase, listPlays: PlayListing) {
  const { plays, playBeacons, hourTotals } = database;

  const rowsBetween = (environment: string, from: number, to: number) =>
    hourTotals
      .where('[environment+hour+origin]')
      .between([environment, from, Dexie.minKey], [environment, to, Dexie.minKey], true, false);

  /** The first settled play of an hour, other than `except`. */
  const settledIn = (environment: string, hour: number, except?: string) =>
    playsBetween(database, environment, hour, hour + HOUR_MS)
      .filter(({ id, outcome }) => outcome !== 'reserved' && id !== except)
      .first();

  /** Counts a play; part of the transaction that settles it. */
  async function settled(play: Play): Promise<void> {
    const { id, environment, at } = play;
    const hour = hourOf(at);
    const origin = originKey(play);
    const [row, beacons] = await Promise.all([
      hourTotals.get([environment, hour, origin]),
      playBeacons.get(id),
    ]);
    if (!row && !(await rowsBetween(environment, hour, hour + HOUR_MS).first())) {
      // The hour was not counted yet: a row with this play alone would look complete.
      if (await settledIn(environment, hour, id)) return;
    }
    const totals = row?.totals ?? noTotals();
    addPlay(totals, play, beacons);
    await hourTotals.put({ environment, hour, origin, totals });
  }

  /** Adds changed results of beacons, by the ids of their plays; part of the transaction that stores them. */
  async function beaconsChanged(differences: ReadonlyMap<string, BeaconResults>): Promise<void> {
    const changed = (await plays.bulkGet([...differences.keys()])).filter(
      (play) => play !== undefined && play.outcome !== 'reserved' && play.outcome !== 'given-back',
    ) as Play[];
    const keys = changed.map((play): [string, number, string] => [
      play.environment,
      hourOf(play.at),
      originKey(play),
    ]);
    if (keys.length === 0) return;
    const rows = new Map<string, HourTotalsRow>();
    for (const [index, row] of (await hourTotals.bulkGet(keys)).entries()) {
      const difference = differences.get(changed[index]?.id ?? '');
      if (!row || !difference) continue;
      const name = JSON.stringify(keys[index]);
      const kept = rows.get(name) ?? row;
      addBeacons(kept.totals.beacons, difference);
      rows.set(name, kept);
    }
    await hourTotals.bulkPut([...rows.values()]);
  }

  /** Counts all settled plays of an hour; returns how many were read. */
  const countHour = (environment: string, hour: number): Promise<number> =>
    database.transaction('rw', [plays, playBeacons, hourTotals], async () => {
      const found = (await playsBetween(database, environment, hour, hour + HOUR_MS).toArray()).filter(
        ({ outcome }) => outcome !== 'reserved',
      );
      const results = await playBeacons.bulkGet(found.map(({ id }) => id));
      const origins = new Map<string, HourTotalsRow>();
      for (const [index, play] of found.entries()) {
        const origin = originKey(play);
        const row = origins.get(origin) ?? { environment, hour, origin, totals: noTotals() };
        addPlay(row.totals, play, results[index]);
        origins.set(origin, row);
      }
      await hourTotals.bulkPut([...origins.values()]);
      return found.length;
    });

  /** Reads the totals of some whole hours, their reserved plays, and which of these hours have to be counted first. */
  const readHours = (environment: string, from: number, to: number) =>
    database.transaction('r', [plays, playBeacons, hourTotals], async () => {
      const rows = await rowsBetween(environment, from, to).toArray();
      const counted = new Set(rows.map(({ hour }) => hour));
      const uncounted: number[] = [];
      for (let hour = from; hour < to; hour += HOUR_MS)
        if (!counted.has(hour) && (await settledIn(environment, hour))) uncounted.push(hour);
      const reserved = await plays
        .where('[environment+outcome]')
        .equals([environment, 'reserved'])
        .filter(({ at }) => at >= from && at < to)
        .toArray();
      const beacons = await playBeacons.bulkGet(reserved.map(({ id }) => id));
      return { rows, uncounted, reserved, beacons };
    });

  /** Adds the plays of a part of an hour one by one. */
  async function addSingly(to: PlayCounter, environment: string, period: readonly [number, number]) {
    let after: PlayCursor | null = null;
    do {
      const page: Awaited<ReturnType<PlayListing>> = await listPlays({
        ...{ environment, from: period[0], to: period[1], flightId: null, after },
        ...{ order: 'oldest-first', limit: PLAYS_AT_ONCE },
      });
      for (const { play, beacons } of page.plays) to.add(play, beacons ?? undefined);
      after = page.next;
    } while (after);
  }

  /**
   * Reports the plays with `from` ≤ time < `to`, ms since the epoch. When more than about `limit` plays must be counted
   * first, returns no report but the share that is `done`, 0 to 1: call it again.
   */
  async function report({
    environment,
    from,
    to,
    limit,
  }: RecordsInput<'reportPlays'>): Promise<RecordsOutput<'reportPlays'>> {
    const counter = createPlayCounter();
    const firstHour = hourOf(from + HOUR_MS - 1);
    const lastHour = Math.max(firstHour, hourOf(to));
    await addSingly(counter, environment, [from, Math.min(to, firstHour)]);
    if (lastHour < to) await addSingly(counter, environment, [lastHour, to]);
    const nextPlay = (at: number) => playsBetween(database, environment, at, lastHour).first();
    const oldest = await nextPlay(firstHour);
    let counted = 0;
    for (let next = oldest; oldest && next; ) {
      const start = hourOf(next.at);
      const end = Math.min(start + HOURS_AT_ONCE * HOUR_MS, lastHour);
      let hours = await readHours(environment, start, end);
      while (hours.uncounted.length > 0) {
        for (const hour of hours.uncounted) {
          if (counted >= limit) {
            const newest = await playsBetween(database, environment, hour, lastHour).last();
            const done = (hour - oldest.at) / Math.max(1, (newest?.at ?? hour) - oldest.at);
            return { report: null, done: Math.min(1, Math.max(0, done)) };
          }
          counted += await countHour(environment, hour);
        }
        hours = await readHours(environment, start, end);
      }
      for (const { hour, origin, totals } of hours.rows) counter.merge(hour, origin, totals);
      for (const [index, play] of hours.reserved.entries()) counter.add(play, hours.beacons[index]);
      next = await nextPlay(end);
    }
    return { report: counter.report(from, to), done: 1 };
  }

  return {
    settled,
    beaconsChanged,
    /** Forgets the totals from the hour of this time on; part of a transaction that moves plays. */
    async forgetFrom(environment: string, at: number) {
      await rowsBetween(environment, hourOf(at), Number.POSITIVE_INFINITY).delete();
    },
    /** Forgets the totals up to the hour of this time; part of a transaction that deletes plays. */
    async forgetUpTo(environment: string, at: number) {
      await rowsBetween(environment, Number.MIN_SAFE_INTEGER, hourOf(at) + HOUR_MS).delete();
    },
    report,
  };
}
