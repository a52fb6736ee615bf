import type { FrequencyCap } from '../../shared/ad';
import type { CarriedCounts, FlightCounters } from '../../shared/books';
import { countWindow, freeFrom, type WindowCount } from './flight-counters';
import { CAP_WINDOWS, capWindow, LONGEST_WINDOW_MS } from './frequency-caps';

/*
 * What a cap is judged by: `usedInWindow` says how much of it is used, `capFreeFrom` when it lets
 * its flight play again. Both go by the counters of the flight, and after a jump of the clock also
 * by what they held before it.
 *
 * A jump of the clock never frees a cap (rule 10): what each window of a flight held
 * just before it goes on to count, and every play since on top, for one length of the
 * window of running time. After so long no play from before the jump can be in the
 * window any more, whatever it is stamped with.
 */

const HOUR = 3_600_000;

/** The windows that end, and how long each lasts, ms. The order is that of `CarriedCounts.used`, which is stored. */
const CARRIED_WINDOWS = CAP_WINDOWS.flatMap((window) => {
  const how = capWindow(window);
  return how.kind === 'flight' ? [] : [[window, how.length] as const];
});
const INDEX_OF: ReadonlyMap<string, number> = new Map(
  CARRIED_WINDOWS.map(([window], index) => [window, index]),
);

/** How long the kiosk had run in all (`ran`, ms) when the clock showed `at` (ms since the epoch). */
export interface RunningTime {
  readonly at: number;
  readonly ran: number;
  /** Whether the service has told the time in this run (rule 10). */
  readonly isTrusted: boolean;
}

/** How many plays count in `window` at `at` (rules 7 and 10). Never less than the truth. */
export function usedInWindow(
  counters: FlightCounters,
  window: string,
  at: number,
  running: RunningTime,
): WindowCount {
  const counted = countWindow(counters, window, at, running.isTrusted);
  const index = INDEX_OF.get(window);
  const { carried } = counters;
  if (carried === undefined || index === undefined || at >= carriedUntil(carried, index, running))
    return counted;
  const carriedUsed = usedAtJump(counters.total, carried, index);
  return carriedUsed > counted.used ? { used: carriedUsed, exact: counted.exact } : counted;
}

/**
 * The moment from which the cap lets the flight play again, ms since the epoch: before it
 * `usedInWindow` is at or above the limit, from it on below. −Infinity: it is not reached;
 * Infinity: for good.
 */
export function capFreeFrom(counters: FlightCounters, cap: FrequencyCap, running: RunningTime): number {
  const counted = freeFrom(counters, cap, running.isTrusted);
  const index = INDEX_OF.get(cap.window);
  const { carried } = counters;
  if (carried === undefined || index === undefined) return counted;
  if (usedAtJump(counters.total, carried, index) < cap.limit) return counted;
  return Math.max(counted, carriedUntil(carried, index, running));
}

/**
 * Counters as a jump leaves them, before their plays are moved: each window keeps what it
 * held when the clock showed `running.at`.
 *
 * @param now what the clock shows after the jump, ms since the epoch
 */
export function carryCounts(counters: FlightCounters, now: number, running: RunningTime): FlightCounters {
  if (!isWorthCarrying(counters, running)) return counters;
  const used = CARRIED_WINDOWS.map(([window]) => usedInWindow(counters, window, running.at, running).used);
  return { ...counters, carried: { ran: running.ran, from: now, used } };
}

/** Counters without carried counts that are over; the same object when there are none. */
export function withoutPastCounts(counters: FlightCounters, ran: number): FlightCounters {
  if (counters.carried === undefined || ran < counters.carried.ran + LONGEST_WINDOW_MS) return counters;
  const { carried: _over, ...rest } = counters;
  return rest;
}

/** Whether counts are still carried at this running time, ms. */
export function isCarried({ carried }: FlightCounters, ran: number): boolean {
  return carried !== undefined && ran < carried.ran + LONGEST_WINDOW_MS;
}

/** Who has not played for longer than any window lasts has nothing that a jump could free. */
function isWorthCarrying(counters: FlightCounters, { at, ran }: RunningTime): boolean {
  const newest = counters.recent.at(-1) ?? Number.NEGATIVE_INFINITY;
  const newestHour = ((counters.hours.at(-1) ?? Number.NEGATIVE_INFINITY) + 1) * HOUR;
  return isCarried(counters, ran) || Math.max(newest, newestHour) > at - LONGEST_WINDOW_MS - 24 * HOUR;
}

/** A window that the version which stored the counts did not know may have held every play. */
function usedAtJump(total: number, { used }: CarriedCounts, index: number): number {
  return used[index] ?? total;
}

/** When a window's carried count ends, on the clock, ms since the epoch. */
function carriedUntil(carried: CarriedCounts, index: number, running: RunningTime): number {
  const length = CARRIED_WINDOWS[index]?.[1] ?? 0;
  // Never more than one length is left, should the count of running time have been lost.
  const left = Math.min(carried.ran + length - running.ran, length);
  return running.at + left;
}
