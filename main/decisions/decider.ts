import type { Ad } from '../../shared/ad';
import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import type { Block } from '../fleet/link/block';
import type { Context } from './audience';
import { createCapHits } from './cap-hits';
import { Eligibility } from './eligibility';
import type { CountedPlay } from './explain';
import { FlightBooks, type PreparedMove } from './flight-books';
import type { RunningTime } from './judge-caps';
import { PlayOrder } from './play-order';
import { PlaylistCaps } from './playlist-caps';
import { layOut, type PlaylistColumns } from './playlist-columns';
import { type Tally, tallyOf } from './row-verdicts';
import { type BooksChange, type Choice, type Entry, SlotChooser } from './slot-chooser';
import { SourceCredits } from './source-credits';
import type { ClockChange } from './trusted-clock';

export type { BooksChange, Choice, Entry, Tally };

/** What a decider starts from: the stored playlist and the books. */
export interface DeciderStart {
  readonly ads: readonly Ad[];
  /** URL of the media file that this kiosk shows for an ad, or null when it can show none. Asked once per playlist. */
  readonly mediaUrl: (ad: Ad) => string | null;
  /** `ads.sourceWeights` of the settings. */
  readonly weights: Readonly<Record<string, number>>;
  /** Of every flight that ever played, in the playlist or not. */
  readonly counters: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
  readonly sourceMix: SourceMixState;
  /** How long the kiosk has run in all, and whether its time is trusted (rule 10). Default: 0 ms, trusted. */
  readonly running?: RunningTime;
  /** The block that keeps an ad from the screen now (rule 30); null: none. Left out: nothing is ever blocked. */
  readonly blockOf?: (ad: Ad) => Block | null;
}

export type Decider = ReturnType<typeof createDecider>;

/**
 * Decides what plays (rules 5 to 9), from the stored playlist and the books; at first no media is ready and the context
 * is empty. All times are ms since the epoch, UTC, and may go back and forth between calls. Nothing here is durable:
 * what has to be stored is returned.
 */
export function createDecider(start: DeciderStart) {
  const { mediaUrl } = start;
  let columns = layOut(start.ads, mediaUrl);
  const books = new FlightBooks(start.counters, start.running ?? { at: 0, ran: 0, isTrusted: true });
  const caps = new PlaylistCaps(columns, books, mediaUrl);
  let hits = createCapHits(columns, new Map());
  const eligibility = new Eligibility(columns, start.blockOf ?? (() => null));
  const credits = new SourceCredits(start.sourceMix, start.weights);
  const order = new PlayOrder(start.recency);
  const chooser = new SlotChooser(columns, books, eligibility, credits, order);

  function replacePlaylist(next: PlaylistColumns, staleAt: number | null): void {
    columns = next;
    credits.setPlaylist(next.sources, next.sourceIndex);
    order.setPlaylist(next);
    caps.setPlaylist(next);
    hits = createCapHits(next, hits.counted());
    eligibility.setPlaylist(next, staleAt);
    chooser.setPlaylist(next);
  }
  replacePlaylist(columns, eligibility.staleAt);

  return {
    /**
     * Lays out a playlist for `setPlaylist`, which is most of the work of a large one. Yields after every ad, so that
     * other work can run in between. The result can be set once only.
     */
    preparePlaylist: (ads: readonly Ad[]) => caps.prepare(ads),
    /** Replaces the playlist in one step; credit, recency and counters stay. */
    setPlaylist(next: readonly Ad[] | PlaylistColumns, staleAt = eligibility.staleAt): void {
      replacePlaylist('sources' in next ? next : layOut(next, mediaUrl), staleAt);
    },
    /** Sets when ads without `expires_at` stop, after a good answer that brought nothing new (rule 3). */
    setStaleAt: (staleAt: number | null) => eligibility.setStaleAt(staleAt),
    setContext: (context: Context) => eligibility.setContext(context),
    /** Changes the weights of the sources (rule 9) from the next slot on. */
    setWeights: (weights: DeciderStart['weights']) => credits.weigh(weights),
    /** The file of this URL is verified on disk. */
    mediaReady: (url: string) => eligibility.mediaReady(url),
    mediaGone: (url: string) => eligibility.mediaGone(url),
    /** Call when `blockOf` returns other results: it is called again for each ad of the playlist. */
    blocksChanged: () => eligibility.judgeBlocks(),

    /** The ad for a slot at `at`, or null when none is eligible. Changes nothing. */
    choose: (at: number) => chooser.choose(at),
    /**
     * What would play from `from` on if nothing changed but the time: at most `slots`
     * ads, each on the screen for `lengthMs`. Changes nothing. Costs as much as choosing
     * and entering each.
     */
    forecast: (from: number, slots: number, lengthMs: (ad: Ad) => number) =>
      chooser.forecast(from, slots, lengthMs),
    /**
     * How many ads only a cap keeps from playing at `at`, by window; call it at each decision and add up the results.
     * An ad is reported once for each window and each time that its cap is reached, and again only after its caps let
     * it play. Unknown windows are reported as `unknown`.
     */
    capHits(at: number): ReadonlyMap<string, number> {
      eligibility.refreshAudiences();
      return hits.look(at);
    },
    /** Judges a choice again, by what is known now (rule 11). */
    check: (choice: Pick<Choice, 'ad' | 'mediaUrl'>, at: number) => chooser.check(choice, at),
    /** Whether the choice was made from the current playlist. */
    isCurrent: (choice: Choice) => chooser.isCurrent(choice),

    /** Puts a play on the books in memory, to be stored before its first frame; null: the ad may not play at `at`. */
    enter(choice: Choice, at: number): Entry | null {
      hits.beforePlay(choice.ad.metadata.flightId, at);
      return chooser.enter(choice, at);
    },
    /**
     * Counts a play that was not chosen here (online delivery). It has the turn of its key where the playlist has that:
     * others never follow it, and there may be a new one with each answer. The source mix stays.
     */
    countExternal({ ad, mediaUrl }: Pick<Choice, 'ad' | 'mediaUrl'>, at: number): Entry {
      const { flightId } = ad.metadata;
      hits.beforePlay(flightId, at);
      const { counters, takeBack } = books.count(flightId, at);
      const turn = order.isListed(ad, mediaUrl) ? order.takeTurn(ad, mediaUrl, -1, at) : null;
      return {
        books: { flight: counters, recency: turn?.entry ?? null, sourceMix: null },
        rollBack() {
          takeBack();
          if (turn) order.returnTurn(turn);
        },
        makeVoid: () => ({ flight: takeBack(), recency: null, sourceMix: null }),
      };
    },
    /**
     * Calculates in advance what `clockChanged` will do. Yields after every flight and every cap list, so that other
     * work can run in between. Changes nothing; playing may go on meanwhile.
     *
     * @param ran how long the kiosk has run in all, ms
     */
    prepareMove: (change: ClockChange, ran: number) => caps.prepareMove(change, ran),
    /**
     * Applies a change of the clock (rule 10): plays stamped since the clock was last right are moved, and a jump frees
     * no cap. Returns the counters that changed, to be stored in one transaction with the plays.
     *
     * @param ran how long the kiosk has run in all, ms
     * @param prepared the result of `prepareMove` for the same change, which was found earlier
     */
    clockChanged: (change: ClockChange, ran: number, prepared: PreparedMove) =>
      caps.move(change, ran, prepared),
    /** The counters of any flight, for judging ads outside the playlist; null without plays. */
    countersOf: (flightId: string | null) => books.of(flightId) ?? null,
    running: () => books.running,
    /** Shrinks the counters of flights that have not played for 400 days; returns those that changed. */
    shrinkUnseen: (at: number) => books.shrinkUnseen(at),
    /** Counts plays that are stored and were not counted. */
    countStored(plays: readonly CountedPlay[]): void {
      for (const { flightId, at } of plays) books.count(flightId, at);
    },
    /** Counters of flights whose caps may be counted too high at `at`, because play times that they need were dropped. */
    flightsToRecount: (at: number) => caps.flightsToRecount(at),
    /** See `FlightBooks`. */
    correctionsOf: (flightId: string) => books.correctionsOf(flightId),
    takeRecount: (recounted: FlightCounters, corrections: number) =>
      books.takeRecount(recounted, corrections),

    tally(at: number): Tally {
      eligibility.refreshAudiences();
      return tallyOf(columns, at);
    },
    /**
     * Forgets the recency of creatives that are no longer in the playlist, except for the `keep` most recent of them.
     * Returns the forgotten keys, to be deleted from the books too.
     */
    forgetRecency: (keep: number) => order.forget(keep),
  };
}
