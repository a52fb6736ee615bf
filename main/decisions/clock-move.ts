import type { FlightCounters } from '../../shared/books';
import { movePlays } from './flight-counters';
import { carryCounts, withoutPastCounts } from './judge-caps';
import type { CapList } from './playlist-columns';
import type { ClockChange } from './trusted-clock';

/** A flight's counters after a change of the clock. `exact`: see `movePlays`. */
export interface MovedFlight {
  readonly counters: FlightCounters;
  readonly exact: boolean;
}

/**
 * The effect of a change of the clock on the books, calculated in advance: with thousands of flights this takes longer
 * than main may be held (rule 31). Every change of counters makes a new object, so counters that are found here have
 * not changed since.
 */
export interface PreparedMove {
  readonly flights: ReadonlyMap<FlightCounters, MovedFlight>;
  /** Per cap list: the moved counters of its flight, and from when on its caps let the flight play, ms. */
  readonly caps: ReadonlyMap<
    CapList,
    { readonly counters: FlightCounters | undefined; readonly freeFrom: readonly number[] }
  >;
}

export const NOTHING_PREPARED: PreparedMove = { flights: new Map(), caps: new Map() };

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
