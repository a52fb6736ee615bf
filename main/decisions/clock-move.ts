import type { FrequencyCap } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import { carryCounts, withoutPastCounts } from './carried-counts';
import { movePlays } from './flight-counters';
import type { ClockChange } from './trusted-clock';

/** What a change of the clock makes of a flight's counters; `exact`: see `movePlays`. */
export interface MovedFlight {
  readonly counters: FlightCounters;
  readonly exact: boolean;
}

/** The caps of some ads of the playlist, as its columns hold them. */
export interface CapList {
  readonly flightId: string | null;
  readonly caps: readonly FrequencyCap[];
}

/**
 * What a change of the clock will make of the books, worked out ahead: with thousands of
 * flights it takes longer than main may be held (rule 31). In the decider's order of flights
 * and of lists of caps; each holds only where `known`, the counters it was worked out from,
 * are those of the flight still: one that plays meanwhile is worked out anew.
 */
export interface PreparedMove {
  readonly flights: readonly { readonly known: FlightCounters; readonly moved: MovedFlight }[];
  /** From when caps let their ads play, ms since the epoch. */
  readonly caps: readonly {
    readonly list: CapList;
    readonly known: FlightCounters | undefined;
    readonly freeFrom: number;
  }[];
}

export const NOTHING_PREPARED: PreparedMove = { flights: [], caps: [] };

/**
 * A flight's counters as a change of the clock leaves them (rule 10); the same object when
 * it changes nothing.
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
