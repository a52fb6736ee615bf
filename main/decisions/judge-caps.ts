import type { FrequencyCap } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import { countBelowFrom, countWindow } from './flight-counters';
import { CAP_WINDOWS, capWindow, LONGEST_WINDOW_MS } from './frequency-caps';

/*
 * Judges caps: `usedInWindow` returns how much of a cap is used, `capFreeFrom` when it lets its flight play again. Both
 * use the counters of the flight and, after a jump of the clock, its carried counts.
 *
 * A jump of the clock never frees a cap (rule 10). The count that each window of a flight held just before the jump
 * stays in force, plus every play since, for one window length of running time. After that, no play from before the
 * jump can be in the window any more, whatever its timestamp.
 */

const HOUR = 3_600_000;

/** The windows that end, each with its length in ms, in the order of `CarriedCounts.used`, which is stored. */
const CARRIED_WINDOWS = CAP_WINDOWS.flatMap((window) => {
  const how = capWindow(window);
  return how.kind === 'flight' ? [] : [[window, how.length] as const];
});

/** How long the kiosk had run in all (`ran`, ms) when the clock showed `at` (ms since the epoch). */
export interface RunningTime {
  readonly at: number;
  readonly ran: number;
  /** Whether the service has sent its time in this run (rule 10). */
  readonly isTrusted: boolean;
}

/** How many plays count in `window` at `at` (rules 7 and 10). May be too high, never too low. */
export function usedInWindow(
  counters: FlightCounters,
  window: string,
  at: number,
  running: RunningTime,
): number {
  const { used } = countWindow(counters, window, at, running.isTrusted);
  const carried = carriedIn(window, counters, running);
  return carried === null || at >= carried.until ? used : Math.max(used, carried.used);
}

/**
 * The moment from which the cap lets the flight play again, ms since the epoch: before it `usedInWindow` is at or above
 * the limit, from it on below. −Infinity: the cap is not reached; Infinity: it never lets the flight play again.
 */
export function capFreeFrom(counters: FlightCounters, cap: FrequencyCap, running: RunningTime): number {
  const counted = countBelowFrom(counters, cap, running.isTrusted);
  const carried = carriedIn(cap.window, counters, running);
  return carried === null || carried.used < cap.limit ? counted : Math.max(counted, carried.until);
}

/**
 * The counters after a jump, before their plays are moved: each window carries the count that it held when the clock
 * showed `running.at`.
 *
 * @param now the clock's time after the jump, ms since the epoch
 */
export function carryCounts(counters: FlightCounters, now: number, running: RunningTime): FlightCounters {
  if (!isWorthCarrying(counters, running)) return counters;
  const used = CARRIED_WINDOWS.map(([window]) => usedInWindow(counters, window, running.at, running));
  return { ...counters, carried: { ran: running.ran, from: now, used } };
}

/** The counters without carried counts that are no longer in force; the same object when nothing changes. */
export function withoutPastCounts(counters: FlightCounters, ran: number): FlightCounters {
  if (counters.carried === undefined || isCarried(counters, ran)) return counters;
  const { carried: _over, ...rest } = counters;
  return rest;
}

/** Whether counts are still carried at this running time, ms. */
export function isCarried({ carried }: FlightCounters, ran: number): boolean {
  return carried !== undefined && ran < carried.ran + LONGEST_WINDOW_MS;
}

/** A flight that has not played within the longest window holds nothing that a jump could free. */
function isWorthCarrying(counters: FlightCounters, { at, ran }: RunningTime): boolean {
  // No play is later: one whose hour is not listed is of `hoursDroppedTo` or earlier.
  const newestHour = counters.hours.at(-1) ?? counters.hoursDroppedTo ?? Number.NEGATIVE_INFINITY;
  return isCarried(counters, ran) || (newestHour + 1) * HOUR > at - LONGEST_WINDOW_MS - 24 * HOUR;
}

/** The count that a window carries, and when that ends on the clock, ms since the epoch; null: it carries none. */
function carriedIn(window: string, { total, carried }: FlightCounters, running: RunningTime) {
  if (carried === undefined) return null;
  const index = CARRIED_WINDOWS.findIndex(([name]) => name === window);
  const length = CARRIED_WINDOWS[index]?.[1];
  if (length === undefined) return null;
  // If the stored running time was lost, the difference could exceed one window length.
  const left = Math.min(carried.ran + length - running.ran, length);
  // Counts stored by an older version can lack a window; such a window may have held every play.
  return { used: carried.used[index] ?? total, until: running.at + left };
}
