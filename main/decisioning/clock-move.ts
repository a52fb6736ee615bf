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
 * flights it takes longer than main may be held (rule 31). All of it is found by the counters
 * that it was worked out from: a flight that plays meanwhile has others, and is worked out anew.
 */
export interface PreparedMove {
  readonly flights: ReadonlyMap<FlightCounters, MovedFlight>;
  /** From when caps let their ads play, ms since the epoch, and the counters before the change. */
  readonly freeFrom: ReadonlyMap<
    CapList,
    { readonly known: FlightCounters | undefined; readonly from: number }
  >;
}

export const NOTHING_PREPARED: PreparedMove = { flights: new Map(), freeFrom: new Map() };

/**
 * A flight's counters as a change of the clock leaves them (rule 10); the same object when
 * it changes nothing.
 *
 * @param ran how long the kiosk had run in all when the clock showed `change.before`, ms
 */
export function moveFlight(known: FlightCounters, change: ClockChange, ran: number): MovedFlight {
  const { before, now, movesPlaysAfter, isJump } = change;
  const kept = isJump ? carryCounts(known, now, { at: before, ran }) : known;
  const moved =
    movesPlaysAfter === null
      ? { counters: kept, exact: true }
      : movePlays(kept, movesPlaysAfter, now - before);
  if (moved.counters === known) return moved;
  return { counters: withoutPastCounts(moved.counters, ran), exact: moved.exact };
}
