import type { FrequencyCap } from '../../shared/ad';
import type { CapHold, FlightCounters } from '../../shared/books';
import { countWindow, freeFrom, type WindowCount } from './flight-counters';

/*
 * A jump of the clock never frees a cap (rule 10): what each window of a flight held
 * just before it goes on to count, and every play since on top, for one length of the
 * window of running time. After so long no play from before the jump can be in the
 * window any more, whatever it is stamped with.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The windows that end, and how long each lasts, ms. The order is that of `CapHold.used`, which is stored. */
const HELD_WINDOWS: ReadonlyArray<readonly [window: string, length: number]> = [
  ['FREQUENCY_CAP_WINDOW_MINUTE', MINUTE],
  ['FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', 30 * MINUTE],
  ['FREQUENCY_CAP_WINDOW_HOUR', HOUR],
  ['FREQUENCY_CAP_WINDOW_DAY', 24 * HOUR],
  ['FREQUENCY_CAP_WINDOW_WEEK', 7 * 24 * HOUR],
];
const INDEX_OF: ReadonlyMap<string, number> = new Map(HELD_WINDOWS.map(([window], index) => [window, index]));
const LONGEST_MS = 7 * 24 * HOUR;

/** How long the kiosk had run in all (`ran`, ms) when the clock showed `at` (ms since the epoch). */
export interface RunningTime {
  readonly at: number;
  readonly ran: number;
}

/** How many plays count in `window` at `at` (rules 7 and 10). Never less than the truth. */
export function usedInWindow(
  counters: FlightCounters,
  window: string,
  at: number,
  running: RunningTime,
): WindowCount {
  const counted = countWindow(counters, window, at);
  const index = INDEX_OF.get(window);
  const { hold } = counters;
  if (hold === undefined || index === undefined || at >= heldUntil(hold, index, running)) return counted;
  const held = hold.used[index] ?? 0;
  return held > counted.used ? { used: held, exact: counted.exact } : counted;
}

/**
 * The moment from which the cap lets the flight play again, ms since the epoch: before it
 * `usedInWindow` is at or above the limit, from it on below. −Infinity: it is not reached;
 * Infinity: for good.
 */
export function capFreeFrom(counters: FlightCounters, cap: FrequencyCap, running: RunningTime): number {
  const counted = freeFrom(counters, cap);
  const index = INDEX_OF.get(cap.window);
  const { hold } = counters;
  if (hold === undefined || index === undefined || (hold.used[index] ?? 0) < cap.limit) return counted;
  return Math.max(counted, heldUntil(hold, index, running));
}

/**
 * Counters as a jump leaves them, before their plays are moved: each window keeps what it
 * held when the clock showed `running.at`.
 *
 * @param now what the clock shows after the jump, ms since the epoch
 */
export function holdCaps(counters: FlightCounters, now: number, running: RunningTime): FlightCounters {
  if (!isWorthHolding(counters, running)) return counters;
  const used = HELD_WINDOWS.map(([window]) => usedInWindow(counters, window, running.at, running).used);
  return { ...counters, hold: { ran: running.ran, from: now, used } };
}

/** Counters without a hold that is over; the same object when it is not, or there is none. */
export function withoutPastHold(counters: FlightCounters, ran: number): FlightCounters {
  if (counters.hold === undefined || ran < counters.hold.ran + LONGEST_MS) return counters;
  const { hold: _over, ...rest } = counters;
  return rest;
}

/** Whether a hold of these is still under way at this running time, ms. */
export function isHeld({ hold }: FlightCounters, ran: number): boolean {
  return hold !== undefined && ran < hold.ran + LONGEST_MS;
}

/** Who has not played for longer than any window lasts has nothing that a jump could free. */
function isWorthHolding(counters: FlightCounters, { at, ran }: RunningTime): boolean {
  const newest = counters.recent.at(-1) ?? Number.NEGATIVE_INFINITY;
  const newestHour = ((counters.hours.at(-1) ?? Number.NEGATIVE_INFINITY) + 1) * HOUR;
  return isHeld(counters, ran) || Math.max(newest, newestHour) > at - LONGEST_MS - 24 * HOUR;
}

/** When the hold of a window ends, on the clock, ms since the epoch. */
function heldUntil(hold: CapHold, index: number, running: RunningTime): number {
  const length = HELD_WINDOWS[index]?.[1] ?? 0;
  // Never more than one length is left, should the count of running time have been lost.
  const left = Math.min(hold.ran + length - running.ran, length);
  return running.at + left;
}
