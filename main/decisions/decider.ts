import type { Ad } from '../../shared/ad';
import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Block } from '../fleet/link/commands';
import type { Context } from './audience';
import type { RunningTime } from './carried-counts';
import { NOTHING_PREPARED, type PreparedMove } from './clock-move';
import { Eligibility } from './eligibility';
import type { Explanation } from './explain';
import { FlightBooks } from './flight-books';
import { PlayOrder } from './play-order';
import { PlaylistCaps } from './playlist-caps';
import { layOut, type PlaylistColumns } from './playlist-columns';
import { nextChangeOf, type Tally, tallyOf } from './row-verdicts';
import { type Choice, type GivenBack, type PlannedSlot, type Reservation, SlotChooser } from './slot-chooser';
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
  /** How long the kiosk has run in all, and whether its time is trusted (rule 10). Left out: it is. */
  readonly running?: RunningTime;
  /** The block that keeps an ad from the screen now (rule 30); null: none. Left out: nothing is ever blocked. */
  readonly blockOf?: (ad: Ad) => Block | null;
}

/** What is stored with the plays that a change of the clock moves. */
export interface MovedBooks {
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}

/** A playlist laid out in advance; to be set once. */
export type PreparedPlaylist = PlaylistColumns;

/**
 * Decides what plays (rules 5 to 9). All times are ms since the epoch, UTC, and
 * may go back and forth between calls. Nothing here is durable: what has to be
 * stored is returned.
 */
export interface Decider {
  /**
   * Lays a playlist out for `setPlaylist`, pausing after every `adsPerStep` ads:
   * between the steps a caller can let others go first. Laying out is most of the
   * work of a large playlist.
   */
  preparePlaylist(ads: readonly Ad[], adsPerStep: number): Generator<void, PreparedPlaylist, void>;
  /** Replaces the playlist in one step; credit, recency and counters stay. */
  setPlaylist(playlist: readonly Ad[] | PreparedPlaylist, staleAt?: number | null): void;
  /** Moves the end of ads without `expires_at`: an answer was good but brought nothing new (rule 3). */
  setStaleAt(staleAt: number | null): void;
  setContext(context: Context): void;
  /** Divides the slots anew among the sources (rule 9), from the next slot on. */
  setWeights(weights: Readonly<Record<string, number>>): void;
  /** Declares exactly these media URLs verified on disk. */
  setMediaReady(urls: Iterable<string>): void;
  mediaReady(url: string): void;
  mediaGone(url: string): void;
  /** `blockOf` answers differently now. Asks it about each ad; playing asks no more. */
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
   * How many ads only a cap keeps from playing at `at`, by window: to be asked at each decision, and counted.
   * An ad is told of once for each window and each time that its cap is reached, and again only after its caps
   * let it play. An unknown window is called `unknown`.
   */
  capHits(at: number): ReadonlyMap<string, number>;
  /** Judges a choice again, by what is known now (rule 11). */
  check(choice: Choice, at: number): Explanation;
  /** Whether the choice belongs to the playlist of this moment. */
  isCurrent(choice: Choice): boolean;

  /**
   * Puts a play on the books, or returns null when the ad may not play at `at`.
   * Store `persist` before the first frame; if that fails, `rollBack`.
   */
  reserve(choice: Choice, at: number): Reservation | null;
  /** Undoes a reservation that could not be stored. A second call does nothing. */
  rollBack(reservation: Reservation): void;
  /** Takes a play of which no frame was shown off the books; null if that was done before. */
  giveBack(reservation: Reservation): GivenBack | null;
  /** Counts a play that was not chosen here (online delivery); null without a flight. */
  countExternal(flightId: string | null, at: number): FlightCounters | null;
  /** Takes a play counted by `countExternal` back; null without a flight. */
  giveBackExternal(flightId: string | null, at: number): FlightCounters | null;
  /**
   * Works out what `clockChanged` will do, pausing after every flight and every list of caps:
   * between the steps others can go first. Changes nothing; playing may go on meanwhile.
   *
   * @param ran how long the kiosk has run in all, ms
   */
  prepareMove(change: ClockChange, ran: number): Generator<void, PreparedMove, void>;
  /**
   * The clock was set (rule 10): plays stamped since it was right move along, and a jump
   * frees no cap. Returns what changed, to be stored in one transaction with the plays.
   *
   * @param ran how long the kiosk has run in all, ms
   * @param prepared of a change by just as much, earlier by the time that has passed since
   */
  clockChanged(change: ClockChange, ran: number, prepared?: PreparedMove): MovedBooks;
  /** For judging ads that are not of the playlist. */
  countersOf(flightId: string | null): FlightCounters | null;
  running(): RunningTime;
  /** Shrinks the counters of flights that have not played for 400 days; returns those that changed. */
  shrinkUnseen(at: number): FlightCounters[];
  /** Takes over counters that were recounted or restored. */
  replaceCounters(counters: readonly FlightCounters[]): void;
  /** Counters of flights whose caps are counted too high at `at`, because what was dropped would be needed. */
  flightsToRecount(at: number): FlightCounters[];
  /** Takes over a recount, unless the flight has played, or a play was given back, since it was begun. */
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
   * Forgets the recency of creatives that are in no playlist any more, beyond the
   * `keep` most recent of them; returns the keys, so that the books forget them too.
   */
  forgetRecency(keep: number): string[];
}

/** Builds a decider over the stored playlist and the books. No media is ready and nobody is there until told. */
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
