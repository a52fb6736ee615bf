import type { Ad } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Play, Settlement } from '../../shared/play';
import type { RecordsInput } from '../../shared/records';
import type { StageCommand, StageCreative, StageEvent } from '../../shared/stage';
import type { UrlBeacons } from '../beacons/outbox';
import type { Decider, Reservation } from '../decisioning/decider';
import type { Explanation } from '../decisioning/explain';
import type { MediaCache } from '../media/media-cache';
import type { Records } from '../records/records-client';
import type { OnlineSlots } from './online-slots';
import { offlineChoice, type SlotChoice, sameChoice, sameCreative } from './slot-choice';
import { initialLoopState, type LoopEffect, type LoopEvent, type LoopState, stepSlotLoop } from './slot-loop';
import { vastErrorCode } from './vast-error';

/** What the rest of the kiosk may want to know about playback. */
export type PlayerFact =
  | {
      readonly kind: 'showing';
      readonly choice: SlotChoice;
      readonly startedAt: number;
      readonly durationMs: number | null;
    }
  | { readonly kind: 'nothing-showing' }
  | { readonly kind: 'next'; readonly choice: SlotChoice | null }
  /** A play is on the books; `counters` as they are with it. */
  | {
      readonly kind: 'reserved';
      readonly play: Play;
      readonly choice: SlotChoice;
      readonly counters: FlightCounters | null;
    }
  | { readonly kind: 'settled'; readonly play: Play }
  | { readonly kind: 'decided'; readonly tookMs: number; readonly found: boolean }
  /** Why no ad is reserved (rule 14); null: none holds any more. */
  | { readonly kind: 'held'; readonly reason: string | null }
  | { readonly kind: 'books-failing'; readonly fault: string };

export interface PlayerParts {
  readonly sendToStage: (command: StageCommand) => void;
  readonly decider: Decider;
  /** Online delivery, or null where slots are filled from the stored playlist alone. */
  readonly online: OnlineSlots | null;
  /** Judges an online ad at its slot: its expiry is short (rules 5 to 7). */
  readonly judge: (ad: Ad, at: number) => Explanation;
  /** Whether the store is open at a time, ms since the epoch (rule 14). */
  readonly isOpen: (at: number) => boolean;
  readonly records: Records;
  readonly media: Pick<MediaCache, 'verified' | 'strike'>;
  readonly beacons: UrlBeacons;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly newId: () => string;
  readonly log: Log;
  /** Whose books the plays go to (rule 26). */
  readonly environment: string;
  /** How long an image without a duration of its own is shown, ms. */
  readonly imageMs: number;
  readonly volume: number;
  readonly tell: (fact: PlayerFact) => void;
}

export interface Player {
  onStageEvent(event: StageEvent): void;
  /** The kiosk window died; another will report `ready`. */
  onStageLost(): void;
  /** Playlist, media, signals or clock changed. */
  changed(): void;
  /**
   * While any reason holds, nothing is reserved; what showed is settled as
   * interrupted (rule 14).
   */
  hold(reason: string, holds: boolean): void;
  /** Holds, and resolves when everything shown is settled in the books and every beacon had its answer. */
  shutDown(): Promise<void>;
}

/** A play on the books that is not settled yet. */
interface OpenPlay {
  readonly play: Play;
  readonly choice: SlotChoice;
  readonly entry: Entry;
}

type BooksChange = Pick<RecordsInput<'reservePlay'>, 'flight' | 'recency' | 'sourceMix'>;

/** A play as it stands in the books in memory. */
interface Entry {
  readonly books: BooksChange;
  /** It could not be stored. */
  rollBack(): void;
  /** No frame of it was shown: what to store. */
  giveBack(): BooksChange;
}

const UNCHANGED: BooksChange = { flight: null, recency: null, sourceMix: null };

/** How long the stage may take to say that it stopped, ms. */
const STAGE_ANSWER_MS = 3_000;

/** Longest wait before a look whether something became eligible, ms: a guard, not the way it is noticed. */
const LONGEST_WAIT_MS = 60_000;

/** Carries out what the slot loop decides: talks to the stage, the books, the cache and the beacons. */
export function createPlayer(parts: PlayerParts): Player {
  const { decider, clock, log, tell } = parts;
  let state: LoopState<SlotChoice> = initialLoopState();
  const events: LoopEvent[] = [];
  let taking = false;
  const open = new Map<number, OpenPlay>();
  const holds = new Set<string>();
  const storing = new Set<Promise<unknown>>();
  let cancelWake: (() => void) | null = null;
  let onQuiet: (() => void) | null = null;

  /** One event at a time: what an effect brings about waits until the effects before it are done. */
  function dispatch(event: LoopEvent): void {
    events.push(event);
    if (taking) return;
    taking = true;
    try {
      for (let next = events.shift(); next !== undefined; next = events.shift()) take(next);
    } finally {
      taking = false;
    }
    if (open.size === 0 && storing.size === 0) onQuiet?.();
  }

  function take(event: LoopEvent): void {
    const step = stepSlotLoop(state, event, {
      now: clock.now(),
      choose(at) {
        const started = clock.monotonic();
        const choice = choose(at);
        tell({ kind: 'decided', tookMs: clock.monotonic() - started, found: choice !== null });
        return choice;
      },
      mayPlay,
      same: sameChoice,
      sameCreative,
    });
    const before = state;
    state = step.state;
    for (const effect of step.effects) perform(effect);
    // A page that comes up shows its brand card until something follows.
    if (before.stage === 'away' && state.stage === 'ready' && state.next.phase === 'none')
      tell({ kind: 'nothing-showing' });
    if (before.next !== state.next)
      tell({ kind: 'next', choice: state.next.phase === 'none' ? null : state.next.choice });
    wakeWhenTimeAloneChangesIt();
  }

  function choose(at: number): SlotChoice | null {
    if (!parts.isOpen(at)) return null;
    const online = parts.online?.candidate() ?? null;
    if (online && parts.judge(online.ad, at).eligible) return { delivery: 'online', ...online };
    const choice = decider.choose(at);
    return choice && offlineChoice(choice);
  }

  function mayPlay(slotChoice: SlotChoice, at: number): boolean {
    if (!parts.isOpen(at)) return false;
    if (slotChoice.delivery === 'online') return parts.judge(slotChoice.ad, at).eligible;
    return decider.isCurrent(slotChoice.choice) && decider.check(slotChoice.choice, at).eligible;
  }

  /** Puts the play on the books in memory, and says what to store and how to take it back. */
  function enter(slotChoice: SlotChoice, at: number): Entry | null {
    if (slotChoice.delivery === 'online') {
      const { flightId } = slotChoice.ad.metadata;
      const counters = decider.countExternal(flightId, at);
      parts.online?.taken();
      const takeBack = () => ({
        flight: decider.giveBackExternal(flightId, at),
        recency: null,
        sourceMix: null,
      });
      return {
        books: { flight: counters, recency: null, sourceMix: null },
        rollBack: takeBack,
        giveBack: takeBack,
      };
    }
    const reservation: Reservation | null = decider.reserve(slotChoice.choice, at);
    if (!reservation) return null;
    const { counters, recency, sourceMix } = reservation.persist;
    return {
      books: { flight: counters, recency, sourceMix },
      rollBack: () => decider.rollBack(reservation),
      giveBack() {
        const back = decider.giveBack(reservation);
        return { flight: back?.counters ?? null, recency: null, sourceMix: back?.sourceMix ?? null };
      },
    };
  }

  function perform(effect: LoopEffect<SlotChoice>): void {
    switch (effect.do) {
      case 'prepare':
        void prepare(effect.slot, effect.choice);
        return;
      case 'reserve':
        reserve(effect.slot, effect.choice, effect.at, effect.durationMs);
        return;
      case 'discard':
      case 'show':
        parts.sendToStage({ type: effect.do, slot: effect.slot });
        return;
      case 'brand':
        parts.online?.idle();
        parts.sendToStage({ type: 'brand' });
        tell({ kind: 'nothing-showing' });
        return;
      case 'stop':
        parts.sendToStage({ type: 'stop' });
        tell({ kind: 'nothing-showing' });
        return;
      case 'shown':
        shown(effect.slot);
        return;
      case 'progress':
        track(effect.slot, effect.quartile);
        return;
      case 'settle':
        settle(effect);
        return;
      case 'failed': {
        const { ad, mediaUrl } = effect.choice;
        log.warn('a creative could not be shown', {
          ad: ad.id,
          url: mediaUrl,
          code: effect.code,
          detail: effect.detail,
        });
        parts.beacons.fire(null, 'error', ad.errors, vastErrorCode(effect.code));
        parts.media.strike(mediaUrl, `${effect.code}: ${effect.detail}`);
        return;
      }
    }
  }

  async function prepare(slot: number, choice: SlotChoice): Promise<void> {
    const media = await parts.media.verified(choice.mediaUrl);
    // Given up while its file was checked: the stage may be preparing another by now.
    if (state.next.phase !== 'preparing' || state.next.slot !== slot) return;
    if (!media) {
      dispatch({
        type: 'stage',
        event: { type: 'failed', slot, code: 'load-failed', detail: 'its file is not on disk any more' },
      });
      return;
    }
    const kind = media.type.startsWith('video/') ? 'video' : 'image';
    const creative: StageCreative = {
      kind,
      url: `media://cache/${media.key}`,
      durationMs: kind === 'image' ? (choice.ad.durationMs ?? parts.imageMs) : null,
      volume: parts.volume,
    };
    parts.sendToStage({ type: 'prepare', slot, creative });
  }

  function reserve(slot: number, choice: SlotChoice, at: number, durationMs: number): void {
    const entry = enter(choice, at);
    if (!entry) {
      dispatch({ type: 'reserved', slot, stored: false });
      return;
    }
    const { metadata } = choice.ad;
    const play: Play = {
      id: parts.newId(),
      environment: parts.environment,
      at,
      adId: choice.ad.id,
      requestId: metadata.requestId,
      flightId: metadata.flightId,
      campaignId: metadata.campaignId,
      source: metadata.source,
      sourceId: metadata.sourceId,
      mediaUrl: choice.mediaUrl,
      delivery: choice.delivery,
      durationMs,
      outcome: 'reserved',
      shownAt: null,
      viewedMs: 0,
      presentedFrames: null,
      droppedFrames: null,
      endReason: null,
    };
    store(
      parts.records.run('reservePlay', { play, ...entry.books }).then(
        () => {
          open.set(slot, { play, choice, entry });
          tell({ kind: 'reserved', play, choice, counters: entry.books.flight });
          dispatch({ type: 'reserved', slot, stored: true });
        },
        (fault: unknown) => {
          // The outcome may be unknown (a window that died): counted on disk, perhaps, and never shown.
          entry.rollBack();
          log.error('a play could not be reserved; it is not shown', { fault });
          tell({ kind: 'books-failing', fault: fault instanceof Error ? fault.message : String(fault) });
          dispatch({ type: 'reserved', slot, stored: false });
        },
      ),
    );
  }

  function shown(slot: number): void {
    const found = open.get(slot);
    if (!found) return;
    const { choice, play } = found;
    const startedAt = clock.now();
    tell({ kind: 'showing', choice, startedAt, durationMs: play.durationMs });
    parts.online?.slotBegan(startedAt + (play.durationMs ?? 0));
    parts.beacons.fire(play.id, 'impression', choice.ad.impressions);
    track(slot, 'creativeView');
    track(slot, 'start');
  }

  function track(slot: number, event: string): void {
    const found = open.get(slot);
    if (!found) return;
    const urls = found.choice.ad.tracking
      .filter((tracking) => tracking.event === event)
      .map(({ url }) => url);
    if (urls.length > 0) parts.beacons.fire(found.play.id, event, urls);
  }

  function settle(effect: Extract<LoopEffect<SlotChoice>, { do: 'settle' }>): void {
    const found = open.get(effect.slot);
    if (!found) return;
    if (effect.outcome === 'completed') track(effect.slot, 'complete');
    open.delete(effect.slot);
    const settlement: Settlement = {
      outcome: effect.outcome,
      shownAt: effect.shownAt,
      viewedMs: Math.round(effect.report?.viewedMs ?? 0),
      presentedFrames: effect.report?.presentedFrames ?? null,
      droppedFrames: effect.report?.droppedFrames ?? null,
      endReason: effect.endReason,
    };
    const books = effect.outcome === 'given-back' ? found.entry.giveBack() : UNCHANGED;
    const { id } = found.play;
    tell({ kind: 'settled', play: { ...found.play, ...settlement } });
    store(
      parts.records.run('settlePlay', { id, settlement, ...books }).then(
        () => {},
        // It stays reserved on disk, and counts: the next start calls it unknown.
        (fault: unknown) => log.error('a play could not be settled', { play: id, fault }),
      ),
    );
  }

  function store(work: Promise<void>): void {
    storing.add(work);
    void work.finally(() => {
      storing.delete(work);
      if (open.size === 0 && storing.size === 0) onQuiet?.();
    });
  }

  function wakeWhenTimeAloneChangesIt(): void {
    cancelWake?.();
    cancelWake = null;
    if (state.next.phase !== 'none' || state.held !== null || state.stage === 'away') return;
    const now = clock.now();
    const change = decider.nextChangeAt(now) ?? Number.POSITIVE_INFINITY;
    const due = state.notBefore > now ? Math.min(state.notBefore, change) : change;
    const wait = Math.max(1, Math.min(due - now, LONGEST_WAIT_MS));
    cancelWake = parts.schedule(wait, () => dispatch({ type: 'changed' }));
  }

  return {
    onStageEvent(event) {
      if (event.type !== 'heartbeat') dispatch({ type: 'stage', event });
    },
    onStageLost: () => dispatch({ type: 'stage-lost' }),
    changed: () => dispatch({ type: 'changed' }),
    hold(reason, isHeld) {
      const before = holds.size;
      if (isHeld) holds.add(reason);
      else holds.delete(reason);
      if (holds.size === before) return;
      const [first] = holds;
      dispatch(first === undefined ? { type: 'resume' } : { type: 'hold', reason: first });
      tell({ kind: 'held', reason: first ?? null });
    },
    async shutDown() {
      const quiet = new Promise<void>((resolve) => {
        onQuiet = resolve;
      });
      parts.online?.stop();
      dispatch({ type: 'hold', reason: 'shut-down' });
      // A window that no longer answers must not keep its play from being settled.
      const cancel = parts.schedule(STAGE_ANSWER_MS, () => dispatch({ type: 'stage-lost' }));
      await quiet;
      cancel();
      await parts.beacons.settled();
    },
  };
}
