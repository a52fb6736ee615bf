import type { FrequencyCap } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import { movePlays } from './flight-counters';
import { carryCounts, withoutPastCounts } from './judge-caps';
import type { ClockChange } from './trusted-clock';

/** A flight's counters after a change of the clock. `exact`: see `movePlays`. */
export interface MovedFlight {
  readonly counters: FlightCounters;
  readonly exact: boolean;
}

/** A cap list of the playlist's columns, shared by some of its ads. */
export interface CapList {
  readonly flightId: string | null;
  readonly caps: readonly FrequencyCap[];
}

/**
 * The effect of a change of the clock on the books, calculated in advance: with thousands of flights this takes longer
 * than main may be held (rule 31). Flights and cap lists are in the decider's order. An entry is used only while
 * `known`, the counters it was calculated from, are still those of the flight; otherwise it is calculated again.
 */
export interface PreparedMove {
  readonly flights: readonly { readonly known: FlightCounters; readonly moved: MovedFlight }[];
  /** Per cap list: the time from which it lets its ads play, ms since the epoch. */
  readonly caps: readonly {
    readonly list: CapList;
    readonly known: FlightCounters | undefined;
    readonly freeFrom: number;
  }[];
}

export const NOTHING_PREPARED: PreparedMove = { flights: [], caps: [] };

/**
 * A flight's counters after a change of the clock (rule 10); the same object when nothing changes.
 *
 * @param ran how long the kiosk had run in all when the clock showed `change.before`, ms
 */
export function moveFlight(known: FlightCounters, change: ClockChange, ran: number): MovedFlight {
  const { before, now, movesPlaysAfter, isJump, isTrusted } = change;
  const kept = isJump ? carryCounts(known, now, { at: before, ran, isTrusted }) : known;
  const moved =
    movesPlaysAfter === null
      ? { counters: kept, exact: true }
      : movePlays(kept, movesPlaysAfter, now - before);
  if (moved.counters === known) return moved;
  return { counters: withoutPastCounts(moved.counters, ran), exact: moved.exact };
}
