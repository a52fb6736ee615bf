import { Dexie } from 'dexie';
import type { Play } from '../../shared/play';
import type { PlayCursor, PlayReport, ProvenPlay } from '../../shared/proof-of-play';
import type { PlayTotalsRow, RecordsDatabase } from './database';
import {
  type CountedPlays,
  createPlayCounter,
  DAY_MS,
  dayOf,
  HOUR_MS,
  hourOf,
  isSettled,
  type PlayCounter,
  reportOf,
} from './play-totals';

/*
 * A report over a million plays must not read a million rows. So what is over is
 * counted once, in the background and in small portions: every hour with plays
 * gets a row of totals, and every day whose hours can change no more another. A
 * report adds up days, the hours at the edges, and the plays that no row covers.
 *
 * The rows are derived: they can be thrown away at any time, and what a report
 * says always equals a count of the plays that are stored. Nothing is added to the
 * transactions of a slot; whatever moves or removes plays lets go of the rows that
 * counted them.
 */

/** An hour is counted this long after its end: by then its plays are settled, and no small step of the clock goes back into it. */
const AFTER_HOUR_MS = 10 * 60_000;
/** An hour in which something can still change is counted again after so long. */
const RECOUNT_MS = 10 * 60_000;
/** Plays read in one transaction, some 4 ms: no reservation waits for longer. */
const ROWS_AT_ONCE = 100;
/** Plays that no row covers and a report reads all the same: some hours, at most 200 ms in which no play is reserved. */
const MOST_UNCOUNTED = 2_000;

export interface CondensedPlays {
  /** Counts what is over, until about `limit` plays were read. */
  condense(
    environment: string,
    now: number,
    limit: number,
  ): Promise<{ done: boolean; oldest: number | null; to: number | null }>;
  /** Null: too many plays of the period were never counted. */
  report(environment: string, from: number, to: number): Promise<PlayReport | null>;
  /** A play is about to be stored; to be awaited before that. */
  arriving(play: Play): Promise<void>;
  /** Plays from this time on are about to move or go. */
  letGoFrom(environment: string, at: number): Promise<void>;
  /** Plays up to this time are about to go. */
  letGoUpTo(environment: string, at: number): Promise<void>;
  /** Plays of a period in the order of their time, with their beacons. At most `limit` rows are looked at. */
  listing(query: Listing): Promise<{ plays: ProvenPlay[]; next: PlayCursor | null }>;
}

export interface Listing {
  readonly environment: string | null;
  readonly from: number;
  readonly to: number;
  readonly flightId: string | null;
  readonly after: PlayCursor | null;
  readonly order: 'oldest-first' | 'newest-first';
  readonly limit: number;
}

/** Which hours the rows cover: `from` ≤ hour < `to`; those without plays have no row. */
interface Covered {
  readonly from: number;
  readonly to: number;
}

const NOT_COVERED: Covered = { from: 0, to: Number.NEGATIVE_INFINITY };

export function condensedPlaysOn(database: RecordsDatabase): CondensedPlays {
  const { plays, playBeacons, playTotals, countedPeriods } = database;
  /** This window is the only writer: what it has read once stays true. */
  const coveredPeriods = new Map<string, Covered>();
  /** Changes whenever rows are let go of, so that a count begun before that is not stored after it. */
  let generation = 0;
  /** The hour whose plays are being counted just now. */
  let counting: { readonly environment: string; readonly hour: number } | null = null;

  async function covered(environment: string): Promise<Covered> {
    const known = coveredPeriods.get(environment);
    if (known) return known;
    const stored = await countedPeriods.get(environment);
    const found = stored ? { from: stored.from, to: stored.to } : NOT_COVERED;
    coveredPeriods.set(environment, found);
    return found;
  }

  async function cover(environment: string, period: Covered): Promise<void> {
    await countedPeriods.put({ environment, ...period });
    coveredPeriods.set(environment, period);
  }

  /** A change of the rows and of what they cover, in one transaction. */
  const change = <Result>(environment: string, work: (period: Covered) => Promise<Result>): Promise<Result> =>
    database
      .transaction('rw', [playTotals, countedPeriods], async () =>
        work((await countedPeriods.get(environment)) ?? NOT_COVERED),
      )
      .catch((fault: unknown) => {
        // What is remembered may be what was not stored.
        coveredPeriods.delete(environment);
        throw fault;
      });

  const playsBetween = (environment: string, from: number, to: number) =>
    plays
      .where('[environment+at]')
      .between(
        [environment, Number.isFinite(from) ? from : Dexie.minKey],
        [environment, Number.isFinite(to) ? to : Dexie.maxKey],
        true,
        false,
      );

  const rowsBetween = (environment: string, span: 'hour' | 'day', from: number, to: number) =>
    playTotals
      .where('[environment+span+start]')
      .between([environment, span, from], [environment, span, to], true, false);

  async function withBeacons(rows: readonly Play[]): Promise<ProvenPlay[]> {
    const results = await playBeacons.bulkGet(rows.map(({ id }) => id));
    return rows.map((play, index) => {
      const row = results[index];
      if (!row) return { play, beacons: null };
      const { sent, unknown, failed, pending, scripts } = row;
      return { play, beacons: { sent, unknown, failed, pending }, ...(scripts ? { scripts } : {}) };
    });
  }

  async function listing(query: Listing): Promise<{ plays: ProvenPlay[]; next: PlayCursor | null }> {
    const { environment, from, after, order, flightId, limit } = query;
    const newestFirst = order === 'newest-first';
    // The cursor's own time is looked at again: several plays can have it.
    const start = after && !newestFirst ? Math.max(from, after.at) : from;
    const includesEnd = after !== null && newestFirst && after.at < query.to;
    const end = includesEnd ? after.at : query.to;
    const found =
      environment === null
        ? plays.where('at').between(start, end, true, includesEnd)
        : plays
            .where('[environment+at]')
            .between([environment, start], [environment, end], true, includesEnd);
    const isBeyond = ({ at, id }: Play) =>
      after === null ||
      (newestFirst
        ? at < after.at || (at === after.at && id < after.id)
        : at > after.at || (at === after.at && id > after.id));
    return database.transaction('r', [plays, playBeacons], async () => {
      const rows = await (newestFirst ? found.reverse() : found).filter(isBeyond).limit(limit).toArray();
      const last = rows.at(-1);
      const wanted = flightId === null ? rows : rows.filter((play) => play.flightId === flightId);
      return {
        plays: await withBeacons(wanted),
        next: last && rows.length === limit ? { at: last.at, id: last.id } : null,
      };
    });
  }

  /** Counts the plays of a period, portion by portion. */
  async function countInto(counter: PlayCounter, environment: string, from: number, to: number) {
    let after: PlayCursor | null = null;
    let read = 0;
    do {
      const portion: { plays: ProvenPlay[]; next: PlayCursor | null } = await listing({
        environment,
        from,
        to,
        flightId: null,
        after,
        order: 'oldest-first',
        limit: ROWS_AT_ONCE,
      });
      for (const { play, beacons } of portion.plays) counter.add(play, beacons);
      read += portion.plays.length;
      after = portion.next;
    } while (after);
    return read;
  }

  function rowOf(
    environment: string,
    span: 'hour' | 'day',
    start: number,
    counted: CountedPlays,
    now: number,
  ): PlayTotalsRow {
    const row = { environment, span, start, hours: [...counted.hours], origins: [...counted.origins] };
    return isSettled(counted) ? row : { ...row, recountAt: now + RECOUNT_MS };
  }

  /** Counts an hour; false when its plays changed meanwhile. */
  async function countHour(environment: string, hour: number, now: number) {
    const before = generation;
    const counter = createPlayCounter();
    counting = { environment, hour };
    const read = await countInto(counter, environment, hour, hour + HOUR_MS);
    const row = rowOf(environment, 'hour', hour, counter.counted(), now);
    const stored = await change(environment, async (period) => {
      if (generation !== before) return false;
      await playTotals.put(row);
      const from = period.to === Number.NEGATIVE_INFINITY ? hour : Math.min(period.from, hour);
      const counted = { from, to: Math.max(period.to, hour + HOUR_MS) };
      await cover(environment, counted);
      await countDay(environment, dayOf(hour), counted);
      return true;
    }).finally(() => {
      counting = null;
    });
    return { read, stored };
  }

  /** Puts the hours of a day together once the day is over and none of them can change. */
  async function countDay(environment: string, day: number, period: Covered): Promise<void> {
    if (period.to < day + DAY_MS || day < period.from) return;
    const hours = await rowsBetween(environment, 'hour', day, day + DAY_MS).toArray();
    if (hours.length === 0 || hours.some(({ recountAt }) => recountAt !== undefined)) return;
    const counter = createPlayCounter();
    for (const hour of hours) counter.merge(hour);
    await playTotals.put(rowOf(environment, 'day', day, counter.counted(), 0));
  }

  async function condense(environment: string, now: number, limit: number) {
    const before = hourOf(now - AFTER_HOUR_MS);
    let read = 0;
    while (read < limit) {
      const { to } = await covered(environment);
      const next = await playsBetween(environment, to, before).first();
      if (!next) break;
      const day = dayOf(to - 1);
      const counted = await countHour(environment, hourOf(next.at), now);
      read += Math.max(1, counted.read);
      // The hours after the last play of a day are empty: it is over only now.
      if (counted.stored && dayOf(next.at) > day) {
        await change(environment, (period) => countDay(environment, day, period));
      }
    }
    while (read < limit) {
      // One due unreasonably far ahead was stamped by a clock that has gone back since.
      const due = await playTotals
        .where('recountAt')
        .belowOrEqual(now)
        .or('recountAt')
        .above(now + 2 * RECOUNT_MS)
        .filter((row) => row.environment === environment)
        .first();
      if (!due) break;
      await playTotals
        .where('[environment+span+start]')
        .equals([environment, 'day', dayOf(due.start)])
        .delete();
      read += Math.max(1, (await countHour(environment, due.start, now)).read);
    }
    const { to } = await covered(environment);
    const isDone = (await playsBetween(environment, to, before).first()) === undefined;
    const oldest = await playsBetween(
      environment,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ).first();
    return { done: isDone, oldest: oldest?.at ?? null, to: Number.isFinite(to) ? to : null };
  }

  async function report(environment: string, from: number, to: number): Promise<PlayReport | null> {
    return database.transaction('r', [plays, playBeacons, playTotals, countedPeriods], async () => {
      const period = (await countedPeriods.get(environment)) ?? NOT_COVERED;
      const firstHour = Math.max(hourOf(from + HOUR_MS - 1), period.from);
      const lastHour = Math.min(hourOf(to), period.to);
      const uncounted: Array<readonly [from: number, to: number]> =
        firstHour < lastHour
          ? [
              [from, firstHour],
              [lastHour, to],
            ]
          : [[from, to]];
      let rows = 0;
      for (const [start, end] of uncounted) {
        if (start >= end) continue;
        // Keys up to the bound: counting a million of them takes seconds.
        const most = MOST_UNCOUNTED - rows + 1;
        rows += (await playsBetween(environment, start, end).limit(most).primaryKeys()).length;
        if (rows > MOST_UNCOUNTED) return null;
      }
      const counter = createPlayCounter();
      for (const [start, end] of uncounted) {
        if (start >= end) continue;
        const found = await playsBetween(environment, start, end).toArray();
        for (const { play, beacons } of await withBeacons(found)) counter.add(play, beacons);
      }
      if (firstHour < lastHour) await mergeRows(counter, environment, firstHour, lastHour);
      return reportOf(from, to, counter.counted());
    });
  }

  /** Whole days by their own rows, the rest by hours. */
  async function mergeRows(counter: PlayCounter, environment: string, from: number, to: number) {
    const days = await rowsBetween(environment, 'day', dayOf(from + DAY_MS - 1), dayOf(to)).toArray();
    let start = from;
    for (const day of days) {
      counter.merge(day);
      await mergeHours(counter, environment, start, day.start);
      start = day.start + DAY_MS;
    }
    await mergeHours(counter, environment, start, to);
  }

  async function mergeHours(counter: PlayCounter, environment: string, from: number, to: number) {
    if (from >= to) return;
    for (const hour of await rowsBetween(environment, 'hour', from, to).toArray()) counter.merge(hour);
  }

  async function letGo(environment: string, from: number, to: number, rest: Covered): Promise<void> {
    await change(environment, async () => {
      await rowsBetween(environment, 'hour', hourOf(from), to).delete();
      await rowsBetween(environment, 'day', dayOf(from), to).delete();
      await cover(environment, rest);
    });
  }

  async function letGoFrom(environment: string, at: number): Promise<void> {
    const period = await covered(environment);
    generation += 1;
    if (at >= period.to) return;
    const to = hourOf(at);
    await letGo(environment, at, period.to, to > period.from ? { ...period, to } : NOT_COVERED);
  }

  return {
    condense,
    report,
    listing,
    async arriving({ environment, at }) {
      const { from, to } = coveredPeriods.get(environment) ?? (await covered(environment));
      if (at >= from && at < to) await letGoFrom(environment, at);
      else if (counting?.environment === environment && counting.hour === hourOf(at)) generation += 1;
    },
    letGoFrom,
    async letGoUpTo(environment, at) {
      const period = await covered(environment);
      generation += 1;
      const from = hourOf(at) + HOUR_MS;
      if (from <= period.from) return;
      const rest = from < period.to ? { ...period, from } : NOT_COVERED;
      await letGo(environment, period.from, from, rest);
    },
  };
}
