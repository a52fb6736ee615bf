import type { Ad, FrequencyCap, TargetingCondition } from '../../shared/ad';
import type { FlightCounters, RecencyEntry, SourceMixState } from '../../shared/books';
import { conditionMatches, momentOf } from './audience';
import { type CapHits, createCapHits } from './cap-hits';
import { capFreeFrom, isCarried, type RunningTime, withoutPastCounts } from './carried-counts';
import { type CapList, moveFlight, NOTHING_PREPARED, type PreparedMove } from './clock-move';
import { type Context, EMPTY_CONTEXT } from './context';
import { type Explanation, explainAd, type Media, validUntil } from './explain';
import { countPlay, countWindow, giveBackPlay, noPlays, shrinkUnseen } from './flight-counters';
import { isUncountable } from './frequency-caps';
import {
  layOut,
  layOutInSteps,
  NEVER_PLAYED,
  NO_MEDIA,
  type PlaylistColumns,
  sourceOf,
} from './playlist-columns';
import { forgettable, recencyKey } from './recency';
import { creditsAfter, nextSource, type SourceInPlaylist, sourceShares } from './source-mix';
import type { ClockChange } from './trusted-clock';

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
}

/** An ad chosen for a slot. `index` is its place in the playlist and its only identity. */
export interface Choice {
  readonly index: number;
  readonly ad: Ad;
  readonly mediaUrl: string;
  /** Which playlist `index` belongs to. */
  readonly playlist: number;
}

export interface ChooseOptions {
  /** Ads to pass over although they are eligible: failed in this slot, or set aside (rule 11). */
  readonly exclude?: (candidate: Choice) => boolean;
}

/** A slot to come, as far as can be said. `at`: when it would begin, ms since the epoch. */
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
export interface GivenBack {
  readonly counters: FlightCounters | null;
  readonly sourceMix: SourceMixState;
}

/** What is stored with the plays that a change of the clock moves. */
export interface MovedBooks {
  readonly flights: readonly FlightCounters[];
  readonly recency: readonly RecencyEntry[];
}

/** A playlist laid out in advance; to be set once. */
export type PreparedPlaylist = PlaylistColumns;

/** Ads by verdict; an ad with several reasons counts under each. */
export interface Tally {
  readonly ads: number;
  readonly eligible: number;
  readonly expired: number;
  readonly audience: number;
  readonly capped: number;
  readonly uncountable: number;
  readonly noMedia: number;
}

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
  setWeights(weights: Readonly<Record<string, number>>): void;
  setContext(context: Context): void;
  /** Declares exactly these media URLs verified on disk. */
  setMediaReady(urls: Iterable<string>): void;
  mediaReady(url: string): void;
  mediaGone(url: string): void;

  /** The ad for a slot at `at`, or null when none is eligible. Changes nothing. */
  choose(at: number, options?: ChooseOptions): Choice | null;
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
  reserve(choice: Choice, at: number, options?: ChooseOptions): Reservation | null;
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

  /** Judges one ad of the playlist; null when there is no such index. */
  explain(index: number, at: number): Explanation | null;
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

/** How many sources that left the playlist are remembered, should they come back. */
const ABSENT_SOURCES_KEPT = 256;
/** How many plays of online delivery may still be given back; one is under way, as a rule. */
const EXTERNAL_KEPT = 16;

/** Of any flight that has not played: what is asked of it does not depend on which one. */
const NO_PLAYS = noPlays('');

type ConditionKind = TargetingCondition['kind'];
const CONDITION_KINDS: readonly ConditionKind[] = ['demographic', 'basket', 'weather', 'unreadable'];

/** What undoing a reservation needs. */
interface Undo {
  readonly flightId: string | null;
  readonly movesBefore: number;
  readonly previousRecency: RecencyEntry | null;
  readonly previousTurn: number;
  readonly sources: readonly SourceInPlaylist[];
  readonly earned: Float64Array;
}

/** Builds a decider over the stored playlist and the books. No media is ready and nobody is there until told. */
export function createDecider(start: DeciderStart): Decider {
  const counters = new Map(start.counters.map((of) => [of.flightId, of]));
  const recency = new Map(start.recency.map((entry) => [entry.key, entry]));
  const absentCredits = new Map(start.sourceMix.credits.map(({ sourceId, credit }) => [sourceId, credit]));
  const readyUrls = new Set<string>();
  const undos = new WeakMap<Reservation, Undo>();
  /** Every move of plays so far, for those that were reserved before it. */
  const moves: { readonly after: number; readonly by: number }[] = [];
  /** Plays of online delivery that may still be given back. */
  const external: { readonly flightId: string; readonly at: number; readonly movesBefore: number }[] = [];
  /** Flights whose plays were moved without all their times being known. */
  const inexact = new Set<string>();
  let running = start.running ?? { at: 0, ran: 0, isTrusted: true };

  /** The playlist prepared last, and the flights whose counters changed since it was laid out. */
  let preparedPlaylist: { readonly columns: PlaylistColumns; readonly played: Set<string> } | null = null;
  let playlist = 0;
  let weights = start.weights;
  let staleAt = start.staleAt ?? null;
  let context = EMPTY_CONTEXT;
  /** Kinds of conditions that have to be judged again. */
  const staleConditions = new Set<ConditionKind>(CONDITION_KINDS);
  let sequence = 0;
  for (const entry of recency.values()) sequence = Math.max(sequence, entry.sequence + 1);

  let columns = layOut([], start.mediaUrl);
  let credits: Float64Array = new Float64Array();
  let shares: readonly number[] = [];
  let bestRows = new Int32Array();
  let hits: CapHits = createCapHits(columns, new Map(), capFree);
  take(layOut(start.ads, start.mediaUrl));

  function take(next: PlaylistColumns): void {
    const [left, creditsLeft] = [columns, credits];
    columns = next;
    hits = createCapHits(columns, hits.counted(), capFree);
    playlist += 1;
    credits = new Float64Array(columns.sources.length);
    bestRows = new Int32Array(columns.sources.length);
    for (const [source, { sourceId }] of columns.sources.entries()) {
      const before = left.sourceIndex.get(sourceId);
      credits[source] = (before === undefined ? absentCredits.get(sourceId) : creditsLeft[before]) ?? 0;
      if (before === undefined) absentCredits.delete(sourceId);
    }
    for (const [source, { sourceId }] of left.sources.entries()) {
      if (!columns.sourceIndex.has(sourceId)) absentCredits.set(sourceId, creditsLeft[source] ?? 0);
    }
    if (absentCredits.size > ABSENT_SOURCES_KEPT) absentCredits.clear();
    shares = sourceShares(columns.sources, weights);
    // By index, and each key looked up once: a long playlist takes over in one turn of main (rule 31).
    const { ads, recencyKeys, recencyOf, indexOfRow, lastPlayed, turn } = columns;
    const lastAd: (string | null)[] = new Array(recencyKeys.length).fill(null);
    for (let index = 0; index < recencyKeys.length; index += 1) {
      const last = recency.get(recencyKeys[index] as string);
      lastPlayed[index] = last?.sequence ?? NEVER_PLAYED;
      lastAd[index] = last?.adId ?? null;
    }
    for (let row = 0; row < indexOfRow.length; row += 1) {
      const key = recencyOf[row] as number;
      const hadTheTurn = lastAd[key] !== null && lastAd[key] === ads[indexOfRow[row] as number]?.id;
      turn[row] = hadTheTurn ? (lastPlayed[key] as number) : NEVER_PLAYED;
    }
    markReadyMedia();
    takeCaps();
    refreshValidity();
    for (const kind of CONDITION_KINDS) staleConditions.add(kind);
  }

  function markReadyMedia(): void {
    const { mediaUrls, mediaIsReady } = columns;
    for (let index = 0; index < mediaUrls.length; index += 1) {
      mediaIsReady[index] = index !== NO_MEDIA && readyUrls.has(mediaUrls[index] as string) ? 1 : 0;
    }
  }

  function refreshValidity(): void {
    for (let row = 0; row < columns.indexOfRow.length; row += 1) {
      const ad = columns.ads[columns.indexOfRow[row] as number];
      if (ad !== undefined) columns.validUntil[row] = validUntil(ad, staleAt);
    }
  }

  /** From when one cap of a list lets its flight play, ms since the epoch. */
  function capFree(index: number, cap: FrequencyCap): number {
    const list = columns.caps[index];
    if (!list || list.flightId === null) return Number.NEGATIVE_INFINITY;
    return capFreeFrom(counters.get(list.flightId) ?? NO_PLAYS, cap, running);
  }

  /** From when on the caps of a list let its flight play, ms since the epoch. */
  function freeFromOf(list: CapList): number {
    return capsFreeFrom(list, list.flightId === null ? undefined : counters.get(list.flightId), running);
  }

  function refreshCaps(index: number): void {
    const list = columns.caps[index];
    if (list === undefined) return;
    columns.freeFrom[index] = freeFromOf(list);
    hits.changed(index);
  }

  function refreshCapsOf(flightId: string): void {
    for (const index of columns.capsOfFlight.get(flightId) ?? []) refreshCaps(index);
  }

  /** The caps are judged step by step too; what is played meanwhile is judged again when the playlist is set. */
  function* prepare(ads: readonly Ad[], adsPerStep: number): Generator<void, PreparedPlaylist, void> {
    const next = yield* layOutInSteps(ads, start.mediaUrl, adsPerStep);
    preparedPlaylist = { columns: next, played: new Set() };
    for (const [index, list] of next.caps.entries()) {
      next.freeFrom[index] = freeFromOf(list);
      if ((index + 1) % adsPerStep === 0) yield;
    }
    return next;
  }

  function takeCaps(): void {
    if (preparedPlaylist?.columns === columns) {
      for (const flightId of preparedPlaylist.played) refreshCapsOf(flightId);
    } else {
      for (let index = 0; index < columns.caps.length; index += 1) refreshCaps(index);
    }
    preparedPlaylist = null;
  }

  function keepCounters(next: FlightCounters): FlightCounters {
    counters.set(next.flightId, next);
    refreshCapsOf(next.flightId);
    preparedPlaylist?.played.add(next.flightId);
    return next;
  }

  function count(flightId: string | null, at: number): FlightCounters | null {
    if (flightId === null) return null;
    const played = counters.get(flightId) ?? noPlays(flightId);
    return keepCounters(countPlay(withoutPastCounts(played, running.ran + (at - running.at)), at));
  }

  function uncount(flightId: string | null, at: number): FlightCounters | null {
    if (flightId === null) return null;
    return keepCounters(giveBackPlay(counters.get(flightId) ?? noPlays(flightId), at));
  }

  function refreshAudiences(): void {
    if (staleConditions.size === 0) return;
    const { conditions, conditionHolds, audiences, audienceMatches } = columns;
    const moment = momentOf(context);
    // Plain loops: there may be `MOST_TERMS` of them, and all are judged in one turn of main.
    for (let index = 0; index < conditions.length; index += 1) {
      const condition = conditions[index] as TargetingCondition;
      if (staleConditions.has(condition.kind)) {
        conditionHolds[index] = conditionMatches(condition, moment) ? 1 : 0;
      }
    }
    for (let index = 0; index < audiences.length; index += 1) {
      audienceMatches[index] = anyGroupHolds(audiences[index] ?? null, conditionHolds) ? 1 : 0;
    }
    staleConditions.clear();
  }

  function choiceAt(row: number): Choice | null {
    const index = columns.indexOfRow[row] ?? -1;
    const ad = columns.ads[index];
    const mediaUrl = columns.mediaUrls[columns.mediaOf[row] ?? NO_MEDIA];
    return ad === undefined || mediaUrl === undefined ? null : { index, ad, mediaUrl, playlist };
  }

  /** The least recently played eligible row from `from` up to `to`, or −1. Earlier rows win ties. */
  function bestRow(from: number, to: number, at: number, exclude: ChooseOptions['exclude']): number {
    const { validUntil, audienceOf, audienceMatches, capsOf, freeFrom, mediaOf, mediaIsReady } = columns;
    const { recencyOf, lastPlayed, turn } = columns;
    let best = -1;
    let bestPlayed = Number.POSITIVE_INFINITY;
    let bestTurn = Number.POSITIVE_INFINITY;
    for (let row = from; row < to; row += 1) {
      if (
        mediaIsReady[mediaOf[row] as number] === 0 ||
        audienceMatches[audienceOf[row] as number] === 0 ||
        at > (validUntil[row] as number) ||
        at < (freeFrom[capsOf[row] as number] as number)
      ) {
        continue;
      }
      const played = lastPlayed[recencyOf[row] as number] as number;
      if (played > bestPlayed) continue;
      const ownTurn = turn[row] as number;
      if (played === bestPlayed && ownTurn >= bestTurn) continue;
      if (exclude !== undefined) {
        const candidate = choiceAt(row);
        if (candidate === null || exclude(candidate)) continue;
      }
      best = row;
      bestPlayed = played;
      bestTurn = ownTurn;
    }
    return best;
  }

  /** Finds each source's best row; returns the sources that have one. */
  function contendersAt(at: number, exclude: ChooseOptions['exclude']): number[] {
    refreshAudiences();
    const contenders: number[] = [];
    for (let source = 0; source < columns.sources.length; source += 1) {
      const from = columns.firstRow[source] ?? 0;
      const row = bestRow(from, columns.firstRow[source + 1] ?? from, at, exclude);
      bestRows[source] = row;
      if (row >= 0) contenders.push(source);
    }
    return contenders;
  }

  function circumstances(ad: Ad, at: number, media: Media) {
    const { flightId } = ad.metadata;
    const played = flightId === null ? null : (counters.get(flightId) ?? null);
    return { at, context, counters: played, media, staleAt, running };
  }

  function mediaOf(url: string | undefined): Media {
    if (url === undefined || url === '') return { state: 'unsupported' };
    return readyUrls.has(url) ? { state: 'ready' } : { state: 'not-ready', url };
  }

  function check(choice: Choice, at: number): Explanation {
    return explainAd(choice.ad, circumstances(choice.ad, at, mediaOf(choice.mediaUrl)));
  }

  function explain(index: number, at: number): Explanation | null {
    const ad = columns.ads[index];
    if (ad === undefined) return null;
    const url = columns.mediaUrls[columns.mediaOf[columns.rowOfIndex[index] ?? 0] ?? NO_MEDIA];
    return explainAd(ad, circumstances(ad, at, mediaOf(url)));
  }

  function mixState(): SourceMixState {
    const present = columns.sources.map(({ sourceId }, source) => ({
      sourceId,
      credit: credits[source] ?? 0,
    }));
    const absent = [...absentCredits].map(([sourceId, credit]) => ({ sourceId, credit }));
    return { credits: [...present, ...absent] };
  }

  /** Lets the choice's source pay for a slot; returns what each source earned by it. */
  function charge(choice: Choice, at: number, exclude: ChooseOptions['exclude']): Float64Array {
    const source = columns.sourceIndex.get(sourceOf(choice.ad));
    if (source === undefined) return new Float64Array(columns.sources.length);
    const contenders = contendersAt(at, exclude);
    if (!contenders.includes(source)) contenders.push(source);
    const after = creditsAfter({ contenders, shares, credits }, source);
    const earned = after.map((credit, index) => credit - (credits[index] ?? 0));
    credits = after;
    return earned;
  }

  function refund({ sources, earned }: Undo): void {
    for (const [index, { sourceId }] of sources.entries()) {
      const amount = earned[index] ?? 0;
      const source = columns.sourceIndex.get(sourceId);
      if (source !== undefined) credits[source] = (credits[source] ?? 0) - amount;
      else if (absentCredits.has(sourceId)) {
        absentCredits.set(sourceId, (absentCredits.get(sourceId) ?? 0) - amount);
      }
    }
  }

  function takeTurn(choice: Choice, at: number): RecencyEntry {
    const key = recencyKey(choice.ad, choice.mediaUrl);
    const entry = { key, sequence, at, adId: choice.ad.id };
    sequence += 1;
    recency.set(key, entry);
    const known = columns.recencyIndex.get(key);
    if (known !== undefined) columns.lastPlayed[known] = entry.sequence;
    if (choice.playlist === playlist) {
      columns.turn[columns.rowOfIndex[choice.index] ?? 0] = entry.sequence;
    }
    return entry;
  }

  function returnTurn(
    choice: Choice,
    entry: RecencyEntry,
    undo: Pick<Undo, 'previousRecency' | 'previousTurn'>,
  ): void {
    const previous = undo.previousRecency;
    const row = columns.rowOfIndex[choice.index] ?? 0;
    if (choice.playlist === playlist && columns.turn[row] === entry.sequence) {
      columns.turn[row] = undo.previousTurn;
    }
    if (recency.get(entry.key)?.sequence !== entry.sequence) return;
    if (previous === null) recency.delete(entry.key);
    else recency.set(entry.key, previous);
    const known = columns.recencyIndex.get(entry.key);
    if (known !== undefined) columns.lastPlayed[known] = previous?.sequence ?? NEVER_PLAYED;
  }

  function choose(at: number, options: ChooseOptions = {}): Choice | null {
    const contenders = contendersAt(at, options.exclude);
    const source = nextSource({ contenders, shares, credits });
    return source < 0 ? null : choiceAt(bestRows[source] ?? -1);
  }

  /** Plays the slots through, and puts everything back as it was, bit by bit: what looks must not decide. */
  function forecast(from: number, slots: number, lengthMs: (ad: Ad) => number): PlannedSlot[] {
    const [creditsNow, sequenceNow] = [credits, sequence];
    const planned: PlannedSlot[] = [];
    const putBack: Array<() => void> = [];
    let at = from;
    while (planned.length < slots) {
      const choice = choose(at);
      if (choice === null) break;
      const { flightId } = choice.ad.metadata;
      const played = flightId === null ? undefined : counters.get(flightId);
      const undo = turnOf(choice);
      charge(choice, at, undefined);
      count(flightId, at);
      const entry = takeTurn(choice, at);
      putBack.push(() => {
        returnTurn(choice, entry, undo);
        if (flightId === null) return;
        if (played === undefined) counters.delete(flightId);
        else counters.set(flightId, played);
        refreshCapsOf(flightId);
      });
      planned.push({ choice, at });
      at += lengthMs(choice.ad);
    }
    for (const one of putBack.reverse()) one();
    credits = creditsNow;
    sequence = sequenceNow;
    return planned;
  }

  /** Whose turn it was before this one takes it. */
  function turnOf(choice: Choice): Pick<Undo, 'previousRecency' | 'previousTurn'> {
    return {
      previousRecency: recency.get(recencyKey(choice.ad, choice.mediaUrl)) ?? null,
      previousTurn: columns.turn[columns.rowOfIndex[choice.index] ?? 0] ?? NEVER_PLAYED,
    };
  }

  /** When a play is on the books now: where it was put, or where the clock's changes moved it since. */
  function stampNow(at: number, movesBefore: number): number {
    return moves
      .slice(movesBefore)
      .reduce((stamp, { after, by }) => (stamp > after ? stamp + by : stamp), at);
  }

  function* prepareMove(change: ClockChange, ran: number): Generator<void, PreparedMove, void> {
    const flights: PreparedMove['flights'][number][] = [];
    const ofFlight = new Map<string, PreparedMove['flights'][number]>();
    for (const known of counters.values()) {
      const prepared = { known, moved: moveFlight(known, change, ran) };
      flights.push(prepared);
      ofFlight.set(known.flightId, prepared);
      yield;
    }
    const caps: PreparedMove['caps'][number][] = [];
    const after = { at: change.now, ran, isTrusted: change.isTrusted };
    for (const list of columns.caps) {
      const of = list.flightId === null ? undefined : ofFlight.get(list.flightId);
      caps.push({ list, known: of?.known, freeFrom: capsFreeFrom(list, of?.moved.counters, after) });
      yield;
    }
    return { flights, caps };
  }

  function clockChanged(change: ClockChange, ran: number, prepared = NOTHING_PREPARED): MovedBooks {
    const { before, now, movesPlaysAfter, isTrusted } = change;
    const by = now - before;
    const unprepared: number[] = [];
    for (const [index, list] of columns.caps.entries()) {
      const known = list.flightId === null ? undefined : counters.get(list.flightId);
      const ready = prepared.caps[index];
      if (ready?.list === list && ready.known === known) {
        columns.freeFrom[index] = ready.freeFrom;
        hits.changed(index);
      } else unprepared.push(index);
    }
    const flights: FlightCounters[] = [];
    let place = 0;
    for (const known of counters.values()) {
      const ready = prepared.flights[place];
      place += 1;
      const moved = ready?.known === known ? ready.moved : moveFlight(known, change, ran);
      if (!moved.exact) inexact.add(known.flightId);
      if (moved.counters !== known) flights.push(moved.counters);
    }
    const entries: RecencyEntry[] = [];
    if (movesPlaysAfter !== null) {
      moves.push({ after: movesPlaysAfter, by });
      for (const entry of recency.values())
        if (entry.at > movesPlaysAfter) entries.push({ ...entry, at: entry.at + by });
    }
    for (const next of flights) counters.set(next.flightId, next);
    for (const entry of entries) recency.set(entry.key, entry);
    running = { at: now, ran, isTrusted };
    preparedPlaylist = null;
    for (const index of unprepared) refreshCaps(index);
    return { flights, recency: entries };
  }

  return {
    preparePlaylist: prepare,
    setPlaylist(next, nextStaleAt = staleAt) {
      staleAt = nextStaleAt;
      take('firstRow' in next ? next : layOut(next, start.mediaUrl));
    },
    setStaleAt(next) {
      staleAt = next;
      refreshValidity();
    },
    setWeights(next) {
      weights = next;
      shares = sourceShares(columns.sources, weights);
    },
    setContext(next) {
      if (!isSame(context.shopper, next.shopper)) staleConditions.add('demographic');
      if (!isSame(context.cart, next.cart)) staleConditions.add('basket');
      if (!isSame(context.weather, next.weather)) staleConditions.add('weather');
      context = next;
    },
    setMediaReady(urls) {
      readyUrls.clear();
      for (const url of urls) readyUrls.add(url);
      markReadyMedia();
    },
    mediaReady(url) {
      readyUrls.add(url);
      const index = columns.mediaIndex.get(url) ?? NO_MEDIA;
      if (index !== NO_MEDIA) columns.mediaIsReady[index] = 1;
    },
    mediaGone(url) {
      readyUrls.delete(url);
      columns.mediaIsReady[columns.mediaIndex.get(url) ?? NO_MEDIA] = 0;
    },

    choose,
    forecast,
    capHits(at) {
      refreshAudiences();
      return hits.look(at);
    },
    check,
    isCurrent: (choice) => choice.playlist === playlist,

    reserve(choice, at, options = {}) {
      if (!check(choice, at).eligible) return null;
      const { flightId } = choice.ad.metadata;
      const turn = turnOf(choice);
      const { sources } = columns;
      const earned = charge(choice, at, options.exclude);
      const reservation: Reservation = {
        choice,
        at,
        persist: {
          counters: count(flightId, at),
          recency: takeTurn(choice, at),
          sourceMix: mixState(),
        },
      };
      undos.set(reservation, {
        flightId,
        movesBefore: moves.length,
        ...turn,
        sources,
        earned,
      });
      return reservation;
    },
    rollBack(reservation) {
      const undo = undos.get(reservation);
      if (undo === undefined) return;
      undos.delete(reservation);
      uncount(undo.flightId, stampNow(reservation.at, undo.movesBefore));
      refund(undo);
      returnTurn(reservation.choice, reservation.persist.recency, undo);
    },
    giveBack(reservation) {
      const undo = undos.get(reservation);
      if (undo === undefined) return null;
      undos.delete(reservation);
      refund(undo);
      return {
        counters: uncount(undo.flightId, stampNow(reservation.at, undo.movesBefore)),
        sourceMix: mixState(),
      };
    },
    countExternal(flightId, at) {
      if (flightId === null) return null;
      external.push({ flightId, at, movesBefore: moves.length });
      if (external.length > EXTERNAL_KEPT) external.shift();
      return count(flightId, at);
    },
    giveBackExternal(flightId, at) {
      const index = external.findLastIndex((play) => play.flightId === flightId && play.at === at);
      const [play] = index < 0 ? [] : external.splice(index, 1);
      return uncount(flightId, play === undefined ? at : stampNow(at, play.movesBefore));
    },
    prepareMove,
    clockChanged,
    countersOf: (flightId) => (flightId === null ? null : (counters.get(flightId) ?? null)),
    running: () => running,
    shrinkUnseen(at) {
      const ran = running.ran + (at - running.at);
      return [...counters.values()].flatMap((known) => {
        const next = isCarried(known, ran) ? known : withoutPastCounts(shrinkUnseen(known, at), ran);
        return next === known ? [] : [keepCounters(next)];
      });
    },
    replaceCounters(replacements) {
      for (const next of replacements) keepCounters(next);
    },
    flightsToRecount(at) {
      const flights = new Set<FlightCounters>();
      for (const { flightId, caps } of columns.caps) {
        const played = flightId === null ? undefined : counters.get(flightId);
        if (played === undefined) continue;
        if (inexact.has(played.flightId)) flights.add(played);
        if (caps.some(({ window }) => !countWindow(played, window, at).exact)) flights.add(played);
      }
      return [...flights];
    },
    takeRecount(begunWith, recounted) {
      // Every change makes other counters of them.
      if (counters.get(begunWith.flightId) !== begunWith) return;
      inexact.delete(begunWith.flightId);
      keepCounters(begunWith.carried ? { ...recounted, carried: begunWith.carried } : recounted);
    },

    explain,
    explainAll(at) {
      return columns.ads.map((ad, index) => {
        const url = columns.mediaUrls[columns.mediaOf[columns.rowOfIndex[index] ?? 0] ?? NO_MEDIA];
        return explainAd(ad, circumstances(ad, at, mediaOf(url)));
      });
    },
    tally(at) {
      refreshAudiences();
      const tally = { eligible: 0, expired: 0, audience: 0, capped: 0, uncountable: 0, noMedia: 0 };
      for (let row = 0; row < columns.ads.length; row += 1) {
        const list = columns.caps[columns.capsOf[row] ?? 0];
        const isBlocked = at < (columns.freeFrom[columns.capsOf[row] ?? 0] ?? 0);
        const uncountable = list !== undefined && isUncountable(list.flightId, list.caps);
        const expired = at > (columns.validUntil[row] ?? 0);
        const audience = columns.audienceMatches[columns.audienceOf[row] ?? 0] === 0;
        const noMedia = columns.mediaIsReady[columns.mediaOf[row] ?? NO_MEDIA] === 0;
        if (expired) tally.expired += 1;
        if (audience) tally.audience += 1;
        if (isBlocked && !uncountable) tally.capped += 1;
        if (uncountable) tally.uncountable += 1;
        if (noMedia) tally.noMedia += 1;
        if (!(expired || audience || isBlocked || noMedia)) tally.eligible += 1;
      }
      return { ads: columns.ads.length, ...tally };
    },
    nextChangeAt(at) {
      refreshAudiences();
      let next = Number.POSITIVE_INFINITY;
      for (let row = 0; row < columns.ads.length; row += 1) {
        if (columns.mediaIsReady[columns.mediaOf[row] ?? NO_MEDIA] === 0) continue;
        if (columns.audienceMatches[columns.audienceOf[row] ?? 0] === 0) continue;
        const from = columns.freeFrom[columns.capsOf[row] ?? 0] ?? 0;
        const until = columns.validUntil[row] ?? 0;
        if (from > until || at > until) continue;
        next = Math.min(next, at < from ? from : until + 1);
      }
      return Number.isFinite(next) ? next : null;
    },
    forgetRecency(keep) {
      const keys = forgettable(recency.values(), new Set(columns.recencyKeys), keep);
      for (const key of keys) recency.delete(key);
      return keys;
    },
  };
}

/** From when a flight's caps all let its ads play, ms since the epoch (rules 7 and 10). */
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

/** Rule 6 over conditions that are judged: null is everyone. */
function anyGroupHolds(groups: readonly (readonly number[])[] | null, holds: Uint8Array): boolean {
  if (groups === null) return true;
  for (const group of groups) {
    let holdsAll = true;
    for (const condition of group) if (holds[condition] === 0) holdsAll = false;
    if (holdsAll) return true;
  }
  return false;
}

/** Whether two parts of a context, plain values both, are equal. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
