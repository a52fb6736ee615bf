import type { Ad } from '../../shared/ad';
import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Block } from '../fleet/link/commands';
import type { Context } from './audience';
import { NOTHING_PREPARED, type PreparedMove } from './clock-move';
import { Eligibility } from './eligibility';
import type { Explanation } from './explain';
import { FlightBooks } from './flight-books';
import type { RunningTime } from './judge-caps';
import { PlayOrder } from './play-order';
import { PlaylistCaps } from './playlist-caps';
import { layOut, type PlaylistColumns } from './playlist-columns';
import { nextChangeOf, type Tally, tallyOf } from './row-verdicts';
import {
  type Choice,
  type PlannedSlot,
  type Reservation,
  SlotChooser,
  type VoidedPlay,
} from './slot-chooser';
import { SourceCredits } from './source-credits';
import type { ClockChange } from './trusted-clock';

export type { Choice, Reservation, Tally };

/** What a decider starts from: the stored playlist and the books. */
export interface DeciderStart {
  readonly ads: readonly Ad[];
  /** URL of the media file that this kiosk shows for an ad, or null when it can show none. Asked once per playlist. */
  readonly mediaUrl: (ad: Ad) => string | null;
  /** `ads.sourceWeights` of the settings. */
  readonly weights: Readonly<Record<string, number>>;
  /** When ads without `expires_at` stop, ms since the epoch (rule 3); null: never. */
  readonly staleAt?: number | null;
  /** Of every flight that ever played, in the playlist or not. */
  readonly counters: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
  readonly sourceMix: SourceMixState;
  /** How long the kiosk has run in all, and whether its time is trusted (rule 10). Default: 0 ms, trusted. */
  readonly running?: RunningTime;
  /** The block that keeps an ad from the screen now (rule 30); null: none. Left out: nothing is ever blocked. */
  readonly blockOf?: (ad: Ad) => Block | null;
}

/** Counters and recency that a change of the clock altered, to be stored together with the moved plays. */
export interface MovedBooks {
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}

/** A playlist laid out in advance. It can be set once only. */
export type PreparedPlaylist = PlaylistColumns;

/**
 * Decides what plays (rules 5 to 9). All times are ms since the epoch, UTC, and
 * may go back and forth between calls. Nothing here is durable: what has to be
 * stored is returned.
 */
export interface Decider {
  /**
   * Lays out a playlist for `setPlaylist`, which is most of the work of a large one. Yields after every `adsPerStep`
   * ads, so that other work can run in between.
   */
  preparePlaylist(ads: readonly Ad[], adsPerStep: number): Generator<void, PreparedPlaylist, void>;
  /** Replaces the playlist in one step; credit, recency and counters stay. */
  setPlaylist(playlist: readonly Ad[] | PreparedPlaylist, staleAt?: number | null): void;
  /** Sets when ads without `expires_at` stop, after a good answer that brought nothing new (rule 3). */
  setStaleAt(staleAt: number | null): void;
  setContext(context: Context): void;
  /** Changes the weights of the sources (rule 9) from the next slot on. */
  setWeights(weights: Readonly<Record<string, number>>): void;
  /** Declares exactly these media URLs verified on disk. */
  setMediaReady(urls: Iterable<string>): void;
  mediaReady(url: string): void;
  mediaGone(url: string): void;
  /** Call when `blockOf` returns other results: it is called again for each ad of the playlist. */
  blocksChanged(): void;

  /** The ad for a slot at `at`, or null when none is eligible. Changes nothing. */
  choose(at: number): Choice | null;
  /**
   * What would play from `from` on if nothing changed but the time: at most `slots`
   * ads, each on the screen for `lengthMs`. Changes nothing. Costs as much as choosing
   * and reserving each.
   */
  forecast(from: number, slots: number, lengthMs: (ad: Ad) => number): readonly PlannedSlot[];
  /**
   * How many ads only a cap keeps from playing at `at`, by window; call it at each decision and add up the results. An
   * ad is reported once for each window and each time that its cap is reached, and again only after its caps let it
   * play. Unknown windows are reported as `unknown`.
   */
  capHits(at: number): ReadonlyMap<string, number>;
  /** Judges a choice again, by what is known now (rule 11). */
  check(choice: Choice, at: number): Explanation;
  /** Whether the choice was made from the current playlist. */
  isCurrent(choice: Choice): boolean;

  /**
   * Puts a play on the books, or returns null when the ad may not play at `at`.
   * Store `persist` before the first frame; if that fails, `rollBack`.
   */
  reserve(choice: Choice, at: number): Reservation | null;
  /** Undoes a reservation that could not be stored. A second call does nothing. */
  rollBack(reservation: Reservation): void;
  /** Takes a play of which no frame was shown off the books; null if this was already done. */
  giveBack(reservation: Reservation): VoidedPlay | null;
  /** Counts a play that was not chosen here (online delivery); null without a flight. */
  countExternal(flightId: string | null, at: number): FlightCounters | null;
  /** Takes a play counted by `countExternal` back; null without a flight. */
  giveBackExternal(flightId: string | null, at: number): FlightCounters | null;
  /**
   * Calculates in advance what `clockChanged` will do. Yields after every flight and every cap list, so that other work
   * can run in between. Changes nothing; playing may go on meanwhile.
   *
   * @param ran how long the kiosk has run in all, ms
   */
  prepareMove(change: ClockChange, ran: number): Generator<void, PreparedMove, void>;
  /**
   * Applies a change of the clock (rule 10): plays stamped since the clock was last right are moved, and a jump frees
   * no cap. Returns what changed, to be stored in one transaction with the plays.
   *
   * @param ran how long the kiosk has run in all, ms
   * @param prepared the result of `prepareMove` for the same change, which was found earlier
   */
  clockChanged(change: ClockChange, ran: number, prepared?: PreparedMove): MovedBooks;
  /** The counters of any flight, for judging ads outside the playlist; null without plays. */
  countersOf(flightId: string | null): FlightCounters | null;
  running(): RunningTime;
  /** Shrinks the counters of flights that have not played for 400 days; returns those that changed. */
  shrinkUnseen(at: number): FlightCounters[];
  /** Takes over counters that were recounted or restored. */
  replaceCounters(counters: readonly FlightCounters[]): void;
  /** Counters of flights whose caps may be counted too high at `at`, because play times that they need were dropped. */
  flightsToRecount(at: number): FlightCounters[];
  /** Takes over a recount, unless the flight's counters have changed since it began. */
  takeRecount(begunWith: FlightCounters, recounted: FlightCounters): void;

  /** Judges all ads, in playlist order. */
  explainAll(at: number): Explanation[];
  tally(at: number): Tally;
  /**
   * When time alone next makes an ad eligible or not, ms since the epoch, later
   * than `at`; null: never, until something else changes.
   */
  nextChangeAt(at: number): number | null;
  /**
   * Forgets the recency of creatives that are no longer in the playlist, except for the `keep` most recent of them.
   * Returns the forgotten keys, to be deleted from the books too.
   */
  forgetRecency(keep: number): string[];
}

/** Builds a decider over the stored playlist and the books. At first no media is ready and the context is empty. */
export function createDecider(start: DeciderStart): Decider {
  const { mediaUrl } = start;
  let columns = layOut(start.ads, mediaUrl);
  const books = new FlightBooks(start.counters, start.running ?? { at: 0, ran: 0, isTrusted: true });
  const caps = new PlaylistCaps(books, mediaUrl);
  const eligibility = new Eligibility(columns, start.staleAt ?? null, start.blockOf ?? (() => null));
  const credits = new SourceCredits(start.sourceMix, start.weights);
  const order = new PlayOrder(start.recency, columns);
  const chooser = new SlotChooser({ columns, books, eligibility, credits, order });

  function take(next: PlaylistColumns, staleAt: number | null): void {
    columns = next;
    credits.take(next.sources, next.sourceIndex);
    order.take(next);
    caps.take(next);
    eligibility.take(next, staleAt);
    chooser.take(next);
  }
  take(columns, eligibility.staleAt);

  return {
    preparePlaylist: (ads, adsPerStep) => caps.prepare(ads, adsPerStep),
    setPlaylist(next, staleAt = eligibility.staleAt) {
      take('firstRow' in next ? next : layOut(next, mediaUrl), staleAt);
    },
    setStaleAt: (staleAt) => eligibility.setStaleAt(staleAt),
    setWeights: (weights) => credits.weigh(weights),
    setContext: (context) => eligibility.setContext(context),
    setMediaReady: (urls) => eligibility.setMediaReady(urls),
    mediaReady: (url) => eligibility.mediaReady(url),
    mediaGone: (url) => eligibility.mediaGone(url),
    blocksChanged: () => eligibility.judgeBlocks(),

    choose: (at) => chooser.choose(at),
    forecast: (from, slots, lengthMs) => chooser.forecast(from, slots, lengthMs),
    capHits(at) {
      eligibility.refreshAudiences();
      return caps.hits(at);
    },
    check: (choice, at) => chooser.check(choice, at),
    isCurrent: (choice) => chooser.isCurrent(choice),
    reserve(choice, at) {
      caps.beforePlay(choice.ad.metadata.flightId, at);
      return chooser.reserve(choice, at);
    },
    rollBack: (reservation) => chooser.rollBack(reservation),
    giveBack: (reservation) => chooser.giveBack(reservation),

    countExternal(flightId, at) {
      caps.beforePlay(flightId, at);
      return books.countExternal(flightId, at);
    },
    giveBackExternal: (flightId, at) => books.giveBackExternal(flightId, at),
    prepareMove: (change, ran) => caps.prepareMove(change, ran),
    clockChanged(change, ran, prepared = NOTHING_PREPARED) {
      return { flights: caps.move(change, ran, prepared), recency: order.move(change) };
    },
    countersOf: (flightId) => books.of(flightId) ?? null,
    running: () => books.running,
    shrinkUnseen: (at) => books.shrinkUnseen(at),
    replaceCounters(replacements) {
      for (const next of replacements) books.keep(next);
    },
    flightsToRecount: (at) => caps.flightsToRecount(at),
    takeRecount: (begunWith, recounted) => books.takeRecount(begunWith, recounted),

    explainAll: (at) => chooser.explainAll(at),
    tally(at) {
      eligibility.refreshAudiences();
      return tallyOf(columns, at);
    },
    nextChangeAt(at) {
      eligibility.refreshAudiences();
      return nextChangeOf(columns, at);
    },
    forgetRecency: (keep) => order.forget(keep),
  };
}
