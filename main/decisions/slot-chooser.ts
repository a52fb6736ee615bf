import type { Ad } from '../../shared/ad';
import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Eligibility } from './eligibility';
import { type Explanation, explainAd } from './explain';
import type { CountedOnce, FlightBooks } from './flight-books';
import type { PlayOrder, TakenTurn } from './play-order';
import { NO_MEDIA, type PlaylistColumns, sourceOf } from './playlist-columns';
import { bestRowOf } from './row-verdicts';
import type { Charge, SourceCredits } from './source-credits';

/** An ad chosen for a slot. `index` is its place in the playlist and its only identity. */
export interface Choice {
  readonly index: number;
  readonly ad: Ad;
  readonly mediaUrl: string;
  /** Which playlist `index` belongs to. */
  readonly playlist: number;
}

/** A predicted slot. `at`: when it would begin, ms since the epoch. */
export interface PlannedSlot {
  readonly choice: Choice;
  readonly at: number;
}

/** A play on the books (rule 8), and what to store in one transaction with it. */
export interface Reservation {
  readonly choice: Choice;
  /** ms since the epoch: the moment it counts from. */
  readonly at: number;
  readonly persist: {
    /** Null when the ad has no flight. */
    readonly counters: FlightCounters | null;
    readonly recency: RecencyEntry;
    readonly sourceMix: SourceMixState;
  };
}

/** What to store when a play is given back. The ad keeps its turn: it is not tried again before its siblings. */
export interface VoidedPlay {
  readonly counters: FlightCounters | null;
  readonly sourceMix: SourceMixState;
}

interface Undo {
  readonly counted: CountedOnce;
  readonly charge: Charge;
  readonly turn: TakenTurn;
}

/** Chooses the ad for a slot and puts its play on the books (rules 8 and 9). */
export class SlotChooser {
  readonly #undos = new WeakMap<Reservation, Undo>();
  #playlist = 0;
  /** Each source's best row, as `#contendersAt` found it last. */
  #bestRows = new Int32Array();

  constructor(
    private columns: PlaylistColumns,
    private readonly books: FlightBooks,
    private readonly eligibility: Eligibility,
    private readonly credits: SourceCredits,
    private readonly order: PlayOrder,
  ) {}

  take(columns: PlaylistColumns): void {
    this.columns = columns;
    this.#playlist += 1;
    this.#bestRows = new Int32Array(columns.sources.length);
  }

  choose(at: number): Choice | null {
    const source = this.credits.next(this.#contendersAt(at));
    return source < 0 ? null : this.#choiceAt(this.#bestRows[source] ?? -1);
  }

  isCurrent(choice: Choice): boolean {
    return choice.playlist === this.#playlist;
  }

  check({ ad, mediaUrl }: Pick<Choice, 'ad' | 'mediaUrl'>, at: number): Explanation {
    const { context, staleAt } = this.eligibility;
    const counters = this.books.of(ad.metadata.flightId) ?? null;
    const media = this.eligibility.mediaOf(mediaUrl);
    const block = this.eligibility.blockOf(ad);
    return explainAd(ad, { at, context, counters, media, staleAt, block, running: this.books.running });
  }

  explainAll(at: number): Explanation[] {
    const { ads, mediaUrls, mediaOf, rowOfIndex } = this.columns;
    return ads.map((ad, index) => {
      const mediaUrl = mediaUrls[mediaOf[rowOfIndex[index] ?? 0] ?? NO_MEDIA] ?? '';
      return this.check({ ad, mediaUrl }, at);
    });
  }

  /** Simulates the slots, then restores every value exactly: a forecast must not influence decisions. */
  forecast(from: number, slots: number, lengthMs: (ad: Ad) => number): PlannedSlot[] {
    const planned: PlannedSlot[] = [];
    const turns: TakenTurn[] = [];
    const played: Array<readonly [string | null, FlightCounters | undefined]> = [];
    const putCreditsBack = this.credits.remember();
    let at = from;
    while (planned.length < slots) {
      const choice = this.choose(at);
      if (choice === null) break;
      const { flightId } = choice.ad.metadata;
      played.push([flightId, this.books.of(flightId)]);
      this.#charge(choice, at);
      this.books.count(flightId, at);
      turns.push(this.#takeTurn(choice, at));
      planned.push({ choice, at });
      at += lengthMs(choice.ad);
    }
    for (const [flightId, before] of played.reverse()) this.books.putBack(flightId, before);
    this.order.undo(turns);
    putCreditsBack();
    return planned;
  }

  reserve(choice: Choice, at: number): Reservation | null {
    if (!this.check(choice, at).eligible) return null;
    const { flightId } = choice.ad.metadata;
    const charge = this.#charge(choice, at);
    const counters = this.books.count(flightId, at);
    const turn = this.#takeTurn(choice, at);
    const persist = { counters, recency: turn.entry, sourceMix: this.credits.stored() };
    const reservation: Reservation = { choice, at, persist };
    this.#undos.set(reservation, { counted: this.books.countedNow(flightId, at), charge, turn });
    return reservation;
  }

  rollBack(reservation: Reservation): void {
    const undo = this.#takeUndo(reservation);
    if (undo === undefined) return;
    this.books.takeBack(undo.counted);
    this.credits.refund(undo.charge);
    this.order.returnTurn(undo.turn);
  }

  giveBack(reservation: Reservation): VoidedPlay | null {
    const undo = this.#takeUndo(reservation);
    if (undo === undefined) return null;
    this.credits.refund(undo.charge);
    return { counters: this.books.takeBack(undo.counted), sourceMix: this.credits.stored() };
  }

  #takeUndo(reservation: Reservation): Undo | undefined {
    const undo = this.#undos.get(reservation);
    this.#undos.delete(reservation);
    return undo;
  }

  /** Finds each source's best row; returns the sources that have one. */
  #contendersAt(at: number): number[] {
    this.eligibility.refreshAudiences();
    const contenders: number[] = [];
    for (let source = 0; source < this.columns.sources.length; source += 1) {
      const row = bestRowOf(this.columns, source, at);
      this.#bestRows[source] = row;
      if (row >= 0) contenders.push(source);
    }
    return contenders;
  }

  #choiceAt(row: number): Choice | null {
    const { indexOfRow, ads, mediaUrls, mediaOf } = this.columns;
    const index = indexOfRow[row] ?? -1;
    const ad = ads[index];
    const mediaUrl = mediaUrls[mediaOf[row] ?? NO_MEDIA];
    if (ad === undefined || mediaUrl === undefined) return null;
    return { index, ad, mediaUrl, playlist: this.#playlist };
  }

  #charge({ ad }: Choice, at: number): Charge {
    return this.credits.charge(sourceOf(ad), this.#contendersAt(at));
  }

  #takeTurn(choice: Choice, at: number): TakenTurn {
    const row = this.isCurrent(choice) ? (this.columns.rowOfIndex[choice.index] ?? -1) : -1;
    return this.order.takeTurn(choice.ad, choice.mediaUrl, row, at);
  }
}
