import type { FlightCounters } from '../../shared/books';
import { countPlay, movePlays, noPlays, shrinkUnseen, voidPlay } from './flight-counters';
import { carryCounts, isCarried, type RunningTime, withoutPastCounts } from './judge-caps';
import type { CapList } from './playlist-columns';
import type { ClockChange } from './trusted-clock';

/** A flight's counters after a change of the clock. `exact`: see `movePlays`. */
interface MovedFlight {
  readonly counters: FlightCounters;
  readonly exact: boolean;
}

/**
 * The effect of a change of the clock on the books, calculated in advance: with thousands of flights this takes longer
 * than main may be blocked (rule 31). Every change of counters makes a new object, so counters that are found here have
 * not changed since.
 */
export interface PreparedMove {
  readonly flights: ReadonlyMap<FlightCounters, MovedFlight>;
  /** Per cap list: the moved counters of its flight, and when its caps let the flight play again, ms. */
  readonly caps: ReadonlyMap<
    CapList,
    { readonly counters: FlightCounters | undefined; readonly freeFrom: readonly number[] }
  >;
}

/**
 * A flight's counters after a change of the clock (rule 10); the same object when nothing changes.
 *
 * @param ran how long the kiosk had run in all when the clock showed `change.before`, ms
 */
function moveFlight(known: FlightCounters, change: ClockChange, ran: number): MovedFlight {
  const { before, now, movesPlaysAfter, isJump, isTrusted } = change;
  const kept = isJump ? carryCounts(known, now, { at: before, ran, isTrusted }) : known;
  return movesPlaysAfter === null
    ? { counters: kept, exact: true }
    : movePlays(kept, movesPlaysAfter, now - before);
}

/** The counters of all flights that ever played, and what changes of the clock did to them. */
export class FlightBooks {
  readonly #counters: Map<string, FlightCounters>;
  #changed = (_flightId: string): void => {};
  /** Every move of plays in this run, applied to earlier plays when they are taken back. */
  readonly #moves: { readonly after: number; readonly by: number }[] = [];
  /** How many plays of each flight were taken back in this run. */
  readonly #takenBack = new Map<string, number>();
  /** Flights whose plays were moved without all their times being known. */
  readonly #inexact = new Set<string>();
  #running: RunningTime;

  constructor(counters: readonly FlightCounters[], running: RunningTime) {
    this.#counters = new Map(counters.map((of) => [of.flightId, of]));
    this.#running = running;
  }

  get running(): RunningTime {
    return this.#running;
  }

  /** Undefined without a flight, and for one that never played. */
  of(flightId: string | null): FlightCounters | undefined {
    return flightId === null ? undefined : this.#counters.get(flightId);
  }

  /**
   * Calls `changed` for each flight whose counters change, but not for a change of the clock, which concerns all
   * flights.
   */
  onChange(changed: (flightId: string) => void): void {
    this.#changed = changed;
  }

  keep(next: FlightCounters): FlightCounters {
    this.#counters.set(next.flightId, next);
    this.#changed(next.flightId);
    return next;
  }

  /** Restores the counters that `of` returned before. */
  putBack(flightId: string | null, before: FlightCounters | undefined): void {
    if (flightId === null) return;
    if (before !== undefined) this.keep(before);
    else {
      this.#counters.delete(flightId);
      this.#changed(flightId);
    }
  }

  /** Counts a play. `counters`: null without a flight. */
  count(flightId: string | null, at: number) {
    if (flightId === null) return { counters: null, takeBack: () => null };
    const movesBefore = this.#moves.length;
    const ran = this.#running.ran + (at - this.#running.at);
    return {
      counters: this.keep(countPlay(withoutPastCounts(this.#played(flightId), ran), at)),
      /** Takes the play back, at the time to which changes of the clock moved it. */
      takeBack: (): FlightCounters => {
        const stamp = this.#moves
          .slice(movesBefore)
          .reduce((moved, { after, by }) => (moved > after ? moved + by : moved), at);
        this.#takenBack.set(flightId, (this.#takenBack.get(flightId) ?? 0) + 1);
        return this.keep(voidPlay(this.#played(flightId), stamp));
      },
    };
  }

  shrinkUnseen(at: number): FlightCounters[] {
    const ran = this.#running.ran + (at - this.#running.at);
    return [...this.#counters.values()].flatMap((known) => {
      const next = isCarried(known, ran) ? known : withoutPastCounts(shrinkUnseen(known, at), ran);
      return next === known ? [] : [this.keep(next)];
    });
  }

  isInexact({ flightId }: FlightCounters): boolean {
    return this.#inexact.has(flightId);
  }

  /** How often plays that the flight has counted were taken back or moved in this run. */
  correctionsOf(flightId: string): number {
    return this.#moves.length + (this.#takenBack.get(flightId) ?? 0);
  }

  /**
   * Takes counters that were rebuilt from the stored plays, if these are all the plays that are counted now. As many plays
   * are the same plays, unless some were corrected since.
   *
   * @param corrections of `correctionsOf`, from before the first play was read
   * @returns whether it took them
   */
  takeRecount(recounted: FlightCounters, corrections: number): boolean {
    const { flightId, total } = recounted;
    const known = this.#counters.get(flightId);
    if (known?.total !== total || this.correctionsOf(flightId) !== corrections) return false;
    this.#inexact.delete(flightId);
    this.keep(known.carried ? { ...recounted, carried: known.carried } : recounted);
    return true;
  }

  /** Calculates in advance what `move` will do; yields after every flight. */
  *prepareMove(change: ClockChange, ran: number): Generator<void, PreparedMove['flights'], void> {
    const flights = new Map<FlightCounters, MovedFlight>();
    for (const known of this.#counters.values()) {
      flights.set(known, moveFlight(known, change, ran));
      yield;
    }
    return flights;
  }

  /** Moves the plays of all flights (rule 10); returns the counters that changed. */
  move(change: ClockChange, ran: number, prepared: PreparedMove['flights']): FlightCounters[] {
    const { before, now, movesPlaysAfter } = change;
    const flights: FlightCounters[] = [];
    for (const known of this.#counters.values()) {
      const moved = prepared.get(known) ?? moveFlight(known, change, ran);
      if (!moved.exact) this.#inexact.add(known.flightId);
      if (moved.counters !== known) flights.push(moved.counters);
    }
    if (movesPlaysAfter !== null) this.#moves.push({ after: movesPlaysAfter, by: now - before });
    for (const next of flights) this.#counters.set(next.flightId, next);
    this.#running = { at: now, ran, isTrusted: change.isTrusted };
    return flights;
  }

  #played(flightId: string): FlightCounters {
    return this.#counters.get(flightId) ?? noPlays(flightId);
  }
}
