import type { DecidingBooks, FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Play } from '../../shared/play';
import type { SequencePosition } from '../../shared/proof-sequence';
import type { RecordsInput, StoredBooks, StoredPlaylist } from '../../shared/records';
import type { BooksSnapshot } from './snapshot';

/** The books in main's memory: decisions use them, and lost data is restored from them. */
export class BooksMirror {
  readonly flights = new Map<string, FlightCounters>();
  readonly recency = new Map<string, RecencyEntry>();
  sourceMix: SourceMixState | null = null;
  playlist: StoredPlaylist | null = null;
  playCount = 0;
  /** How many plays prunes without an answer have deleted at most: they are missing, but not lost. */
  maybePruned = 0;
  lastPlayAt: number | null = null;
  /** A position that the sequence of settled plays has reached at least; null: unknown. */
  sequence: SequencePosition | null = null;
  /** It may lack a play that still counts, or hold counters that could not be stored. */
  isUnsure = false;
  /** Whether it holds anything that the snapshot does not. */
  isChanged = true;
  /** How long earlier runs took, ms, and when this one began on the monotonic clock. */
  #ranBefore = 0;
  readonly #clock: Clock;
  readonly #startedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** How long the kiosk has run in all, ms. */
  ranMs(): number {
    return Math.round(this.#ranBefore + this.#clock.monotonic() - this.#startedAt);
  }

  /** Sets the running time before this run, ms, unless a longer one is known, also by the counters: it never goes back. */
  ranAtLeast(beforeThisRun: number): void {
    this.#ranBefore = Math.max(this.#ranBefore, beforeThisRun);
    for (const { carried } of this.flights.values())
      this.#ranBefore = Math.max(this.#ranBefore, carried?.ran ?? 0);
  }

  takeOver(stored: StoredBooks): void {
    this.keep(stored);
    this.sourceMix = stored.sourceMix;
    this.playlist = stored.playlist;
    this.playCount = stored.playCount;
    this.lastPlayAt = stored.lastPlayAt;
    this.sequence = stored.sequence ?? null;
    this.ranAtLeast(stored.ranMs ?? 0);
  }

  /** Takes over what the snapshot holds and the database lost; `flights` are the counters that it lost. */
  restore(snapshot: BooksSnapshot, flights: readonly FlightCounters[]): void {
    const isNewer = ({ key, sequence }: RecencyEntry) => (this.recency.get(key)?.sequence ?? -1) < sequence;
    this.keep({ flights, recency: snapshot.recency.filter(isNewer) });
    this.sourceMix ??= snapshot.sourceMix;
    // The plays of earlier runs count as played, so the first trusted time of this run must not move them (rule 10).
    for (const at of flights.flatMap(({ recent }) => recent.at(-1) ?? [])) this.#playedAt(at);
  }

  keep(changed: {
    readonly flights?: readonly FlightCounters[];
    readonly recency?: readonly RecencyEntry[];
  }): void {
    const { flights = [], recency = [] } = changed;
    this.isChanged = true;
    for (const counters of flights) this.flights.set(counters.flightId, counters);
    for (const entry of recency) this.recency.set(entry.key, entry);
  }

  forgetRecency(keys: readonly string[]): void {
    this.isChanged = true;
    for (const key of keys) this.recency.delete(key);
  }

  /** Applies what a reservation or a settlement changed. */
  followPlay(changed: Pick<RecordsInput<'reservePlay'>, 'flight' | 'recency' | 'sourceMix'>): void {
    const { flight, recency, sourceMix } = changed;
    this.keep({ flights: flight ? [flight] : [], recency: recency ? [recency] : [] });
    this.sourceMix = sourceMix ?? this.sourceMix;
  }

  noteReservation({ at }: Play): void {
    this.playCount += 1;
    this.#playedAt(at);
  }

  #playedAt(at: number): void {
    this.lastPlayAt = Math.max(at, this.lastPlayAt ?? at);
  }

  /** What the next decision depends on. */
  state(): DecidingBooks {
    return {
      flights: [...this.flights.values()],
      recency: [...this.recency.values()],
      sourceMix: this.sourceMix,
    };
  }
}
