import type { Ad } from '../../shared/ad';
import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Eligibility } from './eligibility';
import { type Explanation, explainAd } from './explain';
import type { FlightBooks } from './flight-books';
import type { PlayOrder, TakenTurn } from './play-order';
import { NO_MEDIA, type PlaylistColumns, sourceIdOf } from './playlist-columns';
import { findBestRows } from './row-verdicts';
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

/** What a play changes in the books, stored in one transaction with it; null: nothing. */
export interface BooksChange {
  readonly flight: FlightCounters | null;
  readonly recency: RecencyEntry | null;
  readonly sourceMix: SourceMixState | null;
}

/** A play on the books in memory (rule 8), and how to take it off again, once. */
export interface Entry {
  readonly books: BooksChange;
  /** The play could not be stored. */
  rollBack(): void;
  /** No frame of the play was shown. Returns what to store; null: it was taken off before. */
  makeVoid(): BooksChange | null;
}

/** Chooses the ad for a slot and puts its play on the books (rules 8 and 9). */
export class SlotChooser {
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

  setPlaylist(columns: PlaylistColumns): void {
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

  enter(choice: Choice, at: number): Entry | null {
    if (!this.check(choice, at).eligible) return null;
    const { flightId } = choice.ad.metadata;
    const charge = this.#charge(choice, at);
    const { counters: flight, takeBack } = this.books.count(flightId, at);
    const turn = this.#takeTurn(choice, at);
    let isOnBooks = true;
    const takeOff = (): FlightCounters | null => {
      isOnBooks = false;
      this.credits.refund(charge);
      return takeBack();
    };
    return {
      books: { flight, recency: turn.entry, sourceMix: this.credits.stored() },
      rollBack: () => {
        if (!isOnBooks) return;
        takeOff();
        this.order.returnTurn(turn);
      },
      // The ad keeps its turn: it is not tried again before its siblings.
      makeVoid: () =>
        isOnBooks ? { flight: takeOff(), recency: null, sourceMix: this.credits.stored() } : null,
    };
  }

  /** Finds each source's best row; returns the sources that have one. */
  #contendersAt(at: number): number[] {
    this.eligibility.refreshAudiences();
    findBestRows(this.columns, at, this.#bestRows);
    const contenders: number[] = [];
    for (let source = 0; source < this.#bestRows.length; source += 1)
      if ((this.#bestRows[source] as number) >= 0) contenders.push(source);
    return contenders;
  }

  #choiceAt(index: number): Choice | null {
    const { ads, mediaUrls, mediaOf } = this.columns;
    const ad = ads[index];
    const mediaUrl = mediaUrls[mediaOf[index] ?? NO_MEDIA];
    if (ad === undefined || mediaUrl === undefined) return null;
    return { index, ad, mediaUrl, playlist: this.#playlist };
  }

  #charge({ ad }: Choice, at: number): Charge {
    return this.credits.charge(sourceIdOf(ad), this.#contendersAt(at));
  }

  #takeTurn(choice: Choice, at: number): TakenTurn {
    const row = this.isCurrent(choice) ? choice.index : -1;
    return this.order.takeTurn(choice.ad, choice.mediaUrl, row, at);
  }
}
