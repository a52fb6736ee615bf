import type { Ad } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import type { FlightBooks, PreparedMove } from './flight-books';
import { countWindow, noPlays } from './flight-counters';
import { isUncountable } from './frequency-caps';
import { capFreeFrom, type RunningTime } from './judge-caps';
import { type CapList, layOutInSteps, type PlaylistColumns } from './playlist-columns';
import type { ClockChange } from './trusted-clock';

/** Stands for any flight that has not played; its id is not used. */
const NO_PLAYS = noPlays('');

/** The times from which the caps of the playlist let its flights play (rule 7): the columns `capsFreeFrom` and `freeFrom`. */
export class PlaylistCaps {
  /** The playlist prepared last, and the flights whose counters changed since it was laid out. */
  #prepared: { readonly columns: PlaylistColumns; readonly changed: Set<string> } | null = null;

  constructor(
    private columns: PlaylistColumns,
    private readonly books: FlightBooks,
    private readonly mediaUrl: (ad: Ad) => string | null,
  ) {
    books.onChange((flightId) => {
      this.#refreshFlight(flightId);
      this.#prepared?.changed.add(flightId);
    });
  }

  /** Lays out a playlist and judges its caps. Flights that play meanwhile are judged again in `setPlaylist`. */
  *prepare(ads: readonly Ad[]): Generator<void, PlaylistColumns, void> {
    const next = yield* layOutInSteps(ads, this.mediaUrl);
    this.#prepared = { columns: next, changed: new Set() };
    for (const [index, list] of next.caps.entries()) {
      setFreeFrom(next, index, this.#freeFrom(list));
      yield;
    }
    return next;
  }

  setPlaylist(columns: PlaylistColumns): void {
    this.columns = columns;
    if (this.#prepared?.columns === columns) {
      for (const flightId of this.#prepared.changed) this.#refreshFlight(flightId);
    } else {
      for (let index = 0; index < columns.caps.length; index += 1) this.#refresh(index);
    }
    this.#prepared = null;
  }

  flightsToRecount(at: number): FlightCounters[] {
    const flights = new Set<FlightCounters>();
    for (const { flightId, caps } of this.columns.caps) {
      const played = this.books.of(flightId);
      if (played === undefined) continue;
      const isExact = caps.every(({ window }) => countWindow(played, window, at).exact);
      if (!isExact || this.books.isInexact(played)) flights.add(played);
    }
    return [...flights];
  }

  /** Calculates in advance what `move` will do; yields after every flight and every cap list. */
  *prepareMove(change: ClockChange, ran: number): Generator<void, PreparedMove, void> {
    const flights = yield* this.books.prepareMove(change, ran);
    const caps = new Map<CapList, { counters: FlightCounters | undefined; freeFrom: number[] }>();
    const after = { at: change.now, ran, isTrusted: change.isTrusted };
    for (const list of this.columns.caps) {
      const known = this.books.of(list.flightId);
      const counters = known && flights.get(known)?.counters;
      caps.set(list, { counters, freeFrom: capsFreeFrom(list, counters, after) });
      yield;
    }
    return { flights, caps };
  }

  /** Moves the plays of all flights and judges all caps again; returns the counters that changed. */
  move(change: ClockChange, ran: number, prepared: PreparedMove): FlightCounters[] {
    const flights = this.books.move(change, ran, prepared.flights);
    this.#prepared = null;
    for (const [index, list] of this.columns.caps.entries()) {
      const ready = prepared.caps.get(list);
      const isUpToDate = ready !== undefined && ready.counters === this.books.of(list.flightId);
      setFreeFrom(this.columns, index, isUpToDate ? ready.freeFrom : this.#freeFrom(list));
    }
    return flights;
  }

  #refreshFlight(flightId: string): void {
    for (const index of this.columns.capsOfFlight.get(flightId) ?? []) this.#refresh(index);
  }

  #refresh(index: number): void {
    const list = this.columns.caps[index];
    if (list !== undefined) setFreeFrom(this.columns, index, this.#freeFrom(list));
  }

  #freeFrom(list: CapList): number[] {
    return capsFreeFrom(list, this.books.of(list.flightId), this.books.running);
  }
}

function setFreeFrom(columns: PlaylistColumns, index: number, caps: readonly number[]): void {
  columns.capsFreeFrom[index] = caps;
  columns.freeFrom[index] = Math.max(...caps);
}

/** The time from which each cap of a list lets its ads play, ms since the epoch (rules 7 and 10). */
function capsFreeFrom(
  { flightId, caps }: CapList,
  played: FlightCounters | undefined,
  running: RunningTime,
): number[] {
  if (isUncountable(flightId, caps)) return [Number.POSITIVE_INFINITY];
  return caps.map((cap) => capFreeFrom(played ?? NO_PLAYS, cap, running));
}
