import type { FrequencyCap } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import {
  capWindow,
  LONGEST_LOOK_BACK_MS,
  LONGEST_WINDOW_MS,
  nextPeriodStart,
  periodStart,
} from './frequency-caps';

/*
 * The plays of a flight, in as much detail as caps need (rule 7).
 *
 * Look-back windows need exact times; calendar windows need only hours, because their periods begin on the hour. No
 * window has an upper bound, so a window always holds the newest plays, and dropping the oldest times changes no count
 * until a window reaches back to a dropped one. Such a window returns a number that is at least the true one, with
 * `exact: false`: at worst an ad waits, a cap is never exceeded, and a recount of the stored plays corrects it.
 *
 * That happens only when the clock is set back by more than the slack below while plays from after that moment are
 * still stamped in the future.
 */

const HOUR = 3_600_000;

/** Times older than the newest by more than this are dropped, ms: the longest look-back and ten minutes of slack. */
const RECENT_KEPT_MS = LONGEST_LOOK_BACK_MS + 10 * 60_000;
/**
 * At least this many are kept whatever their age, so that one wrong timestamp in the future does not drop the history.
 */
const MIN_RECENT_KEPT = 16;
/**
 * Never more are kept, even if the clock stands still: caps of a higher limit may then wait for up to an hour longer.
 */
const MAX_RECENT_KEPT = 4096;

/** The longest window and a day of slack. */
const HOURS_KEPT = LONGEST_WINDOW_MS / HOUR + 24;
const HOURS_KEPT_AT_LEAST = 16;

/** After this time without a play, a flight keeps only its total; ms. */
const UNSEEN_MS = Math.max(400 * 24 * HOUR, LONGEST_WINDOW_MS + 24 * HOUR);

/** Before every play. */
const NEVER = Number.NEGATIVE_INFINITY;

/** How many plays a window holds. If it is not exact, the true number may be lower. */
export interface WindowCount {
  readonly used: number;
  readonly exact: boolean;
}

export function noPlays(flightId: string): FlightCounters {
  return {
    flightId,
    total: 0,
    recent: [],
    recentDroppedTo: null,
    hours: [],
    hourPlays: [],
    hoursDroppedTo: null,
  };
}

/** Counters with one more play at `at` (ms since the epoch); the order of plays does not matter. */
export function countPlay(counters: FlightCounters, at: number): FlightCounters {
  const next = copyOf(counters);
  next.total += 1;
  if (next.recentDroppedTo === null || at > next.recentDroppedTo) {
    next.recent.splice(firstAfter(next.recent, at), 0, at);
  }
  addToHour(next, hourOf(at));
  if (next.carried) next.carried = { ...next.carried, used: next.carried.used.map((used) => used + 1) };
  drop(next);
  return next;
}

/**
 * Counters without the play at `at`, of which no frame was shown (rule 8). A
 * play that was never counted leaves them as they are.
 */
export function voidPlay(counters: FlightCounters, at: number): FlightCounters {
  if (counters.total === 0) return counters;
  const behind = firstAfter(counters.recent, at);
  const kept = counters.recent[behind - 1] === at;
  const wasDropped = counters.recentDroppedTo !== null && at <= counters.recentDroppedTo;
  const hour = hourOf(at);
  const index = counters.hours.indexOf(hour);
  const hourWasDropped = counters.hoursDroppedTo !== null && hour <= counters.hoursDroppedTo;
  if (!(kept || wasDropped) || !(index >= 0 || hourWasDropped)) return counters;
  const next = copyOf(counters);
  next.total -= 1;
  if (kept) next.recent.splice(behind - 1, 1);
  if (index >= 0) {
    const left = (next.hourPlays[index] ?? 1) - 1;
    if (left > 0) {
      next.hourPlays[index] = left;
    } else {
      next.hours.splice(index, 1);
      next.hourPlays.splice(index, 1);
    }
  }
  // A play from before the jump may or may not be part of the carried counts, so it stays counted.
  if (next.carried && at >= next.carried.from)
    next.carried = { ...next.carried, used: next.carried.used.map((used) => Math.max(0, used - 1)) };
  return next;
}

/**
 * Counters with every play after `after` moved by `by` ms (rule 10); the same object when none is moved. A play whose
 * time was dropped is counted in the latest hour that is possible, so that no window counts too few. `exact` is false
 * when that hour may be wrong and a recount is due.
 */
export function movePlays(
  counters: FlightCounters,
  after: number,
  by: number,
): { readonly counters: FlightCounters; readonly exact: boolean } {
  const { recent, recentDroppedTo, hoursDroppedTo } = counters;
  const newest = Math.max(recent.at(-1) ?? NEVER, recentDroppedTo ?? NEVER);
  const newestHour = Math.max(counters.hours.at(-1) ?? NEVER, hoursDroppedTo ?? NEVER);
  if (by === 0 || (newest <= after && newestHour <= hourOf(after))) return { counters, exact: true };

  const next = copyOf(counters);
  // Of plays until `at`: they may be from before `after`, even if an earlier move counted them in a later hour.
  const latest = (at: number) => (at <= after ? at : Math.max(after, at + by));
  if (recentDroppedTo !== null) next.recentDroppedTo = latest(recentDroppedTo);
  if (hoursDroppedTo !== null) next.hoursDroppedTo = hourOf(latest(endOf(hoursDroppedTo)));

  let exact = true;
  const hours = new Map<number, number>();
  const count = (hour: number, plays: number) => hours.set(hour, (hours.get(hour) ?? 0) + plays);
  for (const [index, hour] of counters.hours.entries()) {
    const known = firstAfter(recent, endOf(hour)) - firstAfter(recent, hour * HOUR - 1);
    const unknown = (counters.hourPlays[index] ?? 0) - known;
    if (unknown <= 0) continue;
    const last = Math.min(endOf(hour), recentDroppedTo ?? Number.POSITIVE_INFINITY);
    if (last > after) exact = false;
    count(hourOf(latest(last)), unknown);
  }
  const times = recent.map((at) => (at > after ? at + by : at)).sort((a, b) => a - b);
  for (const at of times) count(hourOf(at), 1);

  const droppedTo = next.recentDroppedTo ?? NEVER;
  const droppedHour = next.hoursDroppedTo ?? NEVER;
  next.recent = times.filter((at) => at > droppedTo);
  const kept = [...hours].filter(([hour]) => hour > droppedHour).sort(([a], [b]) => a - b);
  next.hours = kept.map(([hour]) => hour);
  next.hourPlays = kept.map(([, plays]) => plays);
  drop(next);
  return { counters: next, exact };
}

/**
 * Counters of a flight that has not played for 400 days, shrunk to their total; the same
 * object for any other. No window but the flight's own reaches back so far.
 */
export function shrinkUnseen(counters: FlightCounters, now: number): FlightCounters {
  const { flightId, total, recent, hours } = counters;
  const newest = recent.at(-1) ?? counters.recentDroppedTo;
  const newestHour = hours.at(-1) ?? counters.hoursDroppedTo;
  if (recent.length === 0 && hours.length === 0) return counters;
  if (newest === null || newestHour === null) return counters;
  if (Math.max(newest, endOf(newestHour)) > now - UNSEEN_MS) return counters;
  const recentDroppedTo = Math.max(newest, counters.recentDroppedTo ?? NEVER);
  const hoursDroppedTo = Math.max(newestHour, counters.hoursDroppedTo ?? NEVER);
  return { flightId, total, recent: [], recentDroppedTo, hours: [], hourPlays: [], hoursDroppedTo };
}

/** Counters rebuilt from all the times (ms since the epoch, any order) at which the flight played. */
export function recount(flightId: string, plays: readonly number[]): FlightCounters {
  const next = recountKeepingAll(flightId, plays);
  drop(next);
  return next;
}

/**
 * Like `recount`, but nothing is dropped, so every answer is exact however far
 * back it reaches. For explaining a given history, not for storing.
 */
export function recountKeepingAll(flightId: string, plays: readonly number[]): FlightCounters {
  const next = copyOf(noPlays(flightId));
  next.total = plays.length;
  next.recent = [...plays].sort((a, b) => a - b);
  for (const at of next.recent) addToHour(next, hourOf(at));
  return next;
}

/**
 * How many plays `window` holds at `at` (ms since the epoch), rule 7. May be too high, never too low.
 *
 * @param isTrusted whether the service has sent its time in this run (rule 10)
 */
export function countWindow(
  counters: FlightCounters,
  window: string,
  at: number,
  isTrusted = true,
): WindowCount {
  const how = capWindow(window, isTrusted);
  switch (how.kind) {
    case 'flight':
      return { used: counters.total, exact: true };
    case 'calendar':
      return countFromHour(counters, hourOf(periodStart(how, at)));
    case 'look-back': {
      const start = at - how.length;
      if (counters.recentDroppedTo === null || start >= counters.recentDroppedTo) {
        return { used: counters.recent.length - firstAfter(counters.recent, start), exact: true };
      }
      return { used: countFromHour(counters, hourOf(start)).used, exact: false };
    }
  }
}

/**
 * The moment from which `countWindow` is below the limit, ms since the epoch; before, it is not. −Infinity: it always was;
 * Infinity: it never will be. `capFreeFrom` adds what the flight carries over a jump of the clock.
 */
export function countBelowFrom(counters: FlightCounters, cap: FrequencyCap, isTrusted = true): number {
  const { limit } = cap;
  if (limit <= 0) return Number.POSITIVE_INFINITY;
  if (counters.total < limit) return Number.NEGATIVE_INFINITY;
  const how = capWindow(cap.window, isTrusted);
  switch (how.kind) {
    case 'flight':
      return Number.POSITIVE_INFINITY;
    case 'calendar':
      return nextPeriodStart(how, firstHourBelow(counters, limit) * HOUR);
    case 'look-back': {
      const deciding = counters.recent[counters.recent.length - limit];
      if (deciding !== undefined) return deciding + how.length;
      const dropped = counters.recentDroppedTo ?? NEVER;
      return Math.min(dropped, firstHourBelow(counters, limit) * HOUR) + how.length;
    }
  }
}

type Writable = { -readonly [K in keyof FlightCounters]: FlightCounters[K] };

function copyOf(counters: FlightCounters): Writable {
  return {
    ...counters,
    recent: counters.recent.slice(),
    hours: counters.hours.slice(),
    hourPlays: counters.hourPlays.slice(),
  };
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR);
}

/** The last ms of an hour. */
function endOf(hour: number): number {
  return (hour + 1) * HOUR - 1;
}

/** Index of the first element greater than `value` in an ascending list. */
function firstAfter(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function addToHour({ hours, hourPlays, hoursDroppedTo }: Writable, hour: number): void {
  if (hoursDroppedTo !== null && hour <= hoursDroppedTo) return;
  const behind = firstAfter(hours, hour);
  if (hours[behind - 1] !== hour) {
    hours.splice(behind, 0, hour);
    hourPlays.splice(behind, 0, 1);
  } else hourPlays[behind - 1] = (hourPlays[behind - 1] ?? 0) + 1;
}

function drop(counters: Writable): void {
  const { recent, hours } = counters;
  const tooOld = firstAfter(recent, (recent.at(-1) ?? 0) - RECENT_KEPT_MS);
  const dropped = Math.max(
    Math.min(tooOld, recent.length - MIN_RECENT_KEPT),
    recent.length - MAX_RECENT_KEPT,
  );
  const newestDropped = recent[dropped - 1];
  if (newestDropped !== undefined) {
    recent.splice(0, dropped);
    counters.recentDroppedTo = newestDropped;
  }
  const droppedHours = Math.min(
    firstAfter(hours, (hours.at(-1) ?? 0) - HOURS_KEPT),
    hours.length - HOURS_KEPT_AT_LEAST,
  );
  const newestDroppedHour = hours[droppedHours - 1];
  if (newestDroppedHour !== undefined) {
    hours.splice(0, droppedHours);
    counters.hourPlays.splice(0, droppedHours);
    counters.hoursDroppedTo = newestDroppedHour;
  }
}

function countFromHour(counters: FlightCounters, hour: number): WindowCount {
  if (counters.hoursDroppedTo !== null && hour <= counters.hoursDroppedTo) {
    return { used: counters.total, exact: false };
  }
  let used = 0;
  for (let index = counters.hours.length - 1; index >= 0; index -= 1) {
    if ((counters.hours[index] ?? hour) < hour) break;
    used += counters.hourPlays[index] ?? 0;
  }
  return { used, exact: true };
}

/** The first hour from which fewer than `limit` plays are counted. Requires a total of at least `limit`. */
function firstHourBelow(counters: FlightCounters, limit: number): number {
  let plays = 0;
  for (let index = counters.hours.length - 1; index >= 0; index -= 1) {
    plays += counters.hourPlays[index] ?? 0;
    if (plays >= limit) return (counters.hours[index] ?? 0) + 1;
  }
  return (counters.hoursDroppedTo ?? NEVER) + 1;
}
