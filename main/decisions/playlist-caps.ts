import type { Ad, FrequencyCap } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import { type CapHits, createCapHits } from './cap-hits';
import type { CapList, PreparedMove } from './clock-move';
import type { FlightBooks } from './flight-books';
import { countWindow, noPlays } from './flight-counters';
import { isUncountable } from './frequency-caps';
import { capFreeFrom, type RunningTime } from './judge-caps';
import { layOutInSteps, type PlaylistColumns } from './playlist-columns';
import type { ClockChange } from './trusted-clock';

/** Stands for any flight that has not played; its id is not used. */
const NO_PLAYS = noPlays('');

/** The times from which the caps of the playlist let its flights play (rule 7): the column `freeFrom`. */
export class PlaylistCaps {
  #hits: CapHits;
  /** The playlist prepared last, and the flights whose counters changed since it was laid out. */
  #prepared: { readonly columns: PlaylistColumns; readonly changed: Set<string> } | null = null;

  constructor(
    private columns: PlaylistColumns,
    private readonly books: FlightBooks,
    private readonly mediaUrl: (ad: Ad) => string | null,
  ) {
    this.#hits = createCapHits(columns, new Map(), this.#capFree);
    books.onChange((flightId) => {
      this.#refreshFlight(flightId);
      this.#prepared?.changed.add(flightId);
    });
  }

  /** Lays out a playlist and judges its caps. Flights that play meanwhile are judged again in `take`. */
  *prepare(ads: readonly Ad[]): Generator<void, PlaylistColumns, void> {
    const next = yield* layOutInSteps(ads, this.mediaUrl);
    this.#prepared = { columns: next, changed: new Set() };
    for (const [index, list] of next.caps.entries()) {
      next.freeFrom[index] = this.#listFreeFrom(list);
      yield;
    }
    return next;
  }

  take(columns: PlaylistColumns): void {
    this.columns = columns;
    this.#hits = createCapHits(columns, this.#hits.counted(), this.#capFree);
    if (this.#prepared?.columns === columns) {
      for (const flightId of this.#prepared.changed) this.#refreshFlight(flightId);
    } else {
      for (let index = 0; index < columns.caps.length; index += 1) this.#refresh(index);
    }
    this.#prepared = null;
  }

  /** See `Decider.capHits`. Audiences must be up to date. */
  hits(at: number): ReadonlyMap<string, number> {
    return this.#hits.look(at);
  }

  /** Call before a play of a flight is counted at `at`, so that its caps can count as hit again. */
  beforePlay(flightId: string | null, at: number): void {
    for (const index of this.columns.capsOfFlight.get(flightId ?? '') ?? []) this.#hits.beforePlay(index, at);
  }

  /** See `Decider.flightsToRecount`. */
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
    const ofFlight = new Map(flights.map((one) => [one.known.flightId, one]));
    const caps: PreparedMove['caps'][number][] = [];
    const after = { at: change.now, ran, isTrusted: change.isTrusted };
    for (const list of this.columns.caps) {
      const of = list.flightId === null ? undefined : ofFlight.get(list.flightId);
      caps.push({ list, known: of?.known, freeFrom: capsFreeFrom(list, of?.moved.counters, after) });
      yield;
    }
    return { flights, caps };
  }

  /** Moves the plays of all flights and judges all caps again; returns the counters that changed. */
  move(change: ClockChange, ran: number, prepared: PreparedMove): FlightCounters[] {
    const unprepared: number[] = [];
    for (const [index, list] of this.columns.caps.entries()) {
      const ready = prepared.caps[index];
      if (ready?.list === list && ready.known === this.books.of(list.flightId)) {
        this.columns.freeFrom[index] = ready.freeFrom;
        this.#hits.changed(index);
      } else unprepared.push(index);
    }
    const flights = this.books.move(change, ran, prepared.flights);
    this.#prepared = null;
    for (const index of unprepared) this.#refresh(index);
    return flights;
  }

  #refreshFlight(flightId: string): void {
    for (const index of this.columns.capsOfFlight.get(flightId) ?? []) this.#refresh(index);
  }

  #refresh(index: number): void {
    const list = this.columns.caps[index];
    if (list === undefined) return;
    this.columns.freeFrom[index] = this.#listFreeFrom(list);
    this.#hits.changed(index);
  }

  #listFreeFrom(list: CapList): number {
    return capsFreeFrom(list, this.books.of(list.flightId), this.books.running);
  }

  /** The time from which one cap of a list lets its flight play, ms since the epoch. */
  readonly #capFree = (index: number, cap: FrequencyCap): number => {
    const list = this.columns.caps[index];
    if (!list || list.flightId === null) return Number.NEGATIVE_INFINITY;
    return capFreeFrom(this.books.of(list.flightId) ?? NO_PLAYS, cap, this.books.running);
  };
}

/** The time from which all caps of a list let their ads play, ms since the epoch (rules 7 and 10). */
function capsFreeFrom(
  { flightId, caps }: CapList,
  played: FlightCounters | undefined,
  running: RunningTime,
): number {
  if (isUncountable(flightId, caps)) return Number.POSITIVE_INFINITY;
  if (flightId === null) return Number.NEGATIVE_INFINITY;
  const counters = played ?? NO_PLAYS;
  return caps.reduce(
    (from, cap) => Math.max(from, capFreeFrom(counters, cap, running)),
    Number.NEGATIVE_INFINITY,
  );
}
