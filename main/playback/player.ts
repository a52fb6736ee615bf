import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Play, Settlement } from '../../shared/play';
import type { StageCommand, StageCreative, StageEvent } from '../../shared/stage';
import type { UrlBeacons } from '../beacons/outbox';
import type { DrawnFile } from '../media/quarantine';
import type { Records } from '../records/records-client';
import type { OnlineSlots } from './online-slots';
import {
  type Entry,
  type SlotAd,
  type SlotAds,
  type SlotEvent,
  type SlotFacts,
  sameCreative,
  UNCHANGED,
} from './slot-ad';
import {
  initialLoopState,
  isFaultOfAd,
  type LoopEffect,
  type LoopEvent,
  type LoopState,
  stepSlotLoop,
} from './slot-loop';
import type { OnStage } from './suspects';

/** What the rest of the kiosk may want to know about playback. */
export type PlayerFact =
  | {
      readonly kind: 'showing';
      readonly facts: SlotFacts;
      readonly files: readonly string[];
      /** It is a video: its frames have to advance. */
      readonly moving: boolean;
      readonly startedAt: number;
      readonly durationMs: number | null;
    }
  | { readonly kind: 'nothing-showing' }
  | { readonly kind: 'next'; readonly facts: SlotFacts | null; readonly files: readonly string[] }
  /** A play is on the books. */
  | { readonly kind: 'reserved'; readonly play: Play; readonly facts: SlotFacts }
  | { readonly kind: 'settled'; readonly play: Play; readonly drawn: readonly DrawnFile[] }
  /** Something to show was looked for. */
  | { readonly kind: 'chosen'; readonly tookMs: number }
  /** What comes next; `held`: nothing, because the store is closed then. May be told again and again. */
  | { readonly kind: 'decided'; readonly next: SlotFacts['delivery'] | 'card' | 'held' }
  /** A slot that ran to its end is on the screen no more, so long after its planned end. */
  | { readonly kind: 'left-screen'; readonly overrunMs: number }
  /** Why no ad is reserved (rule 14); null: none holds any more. */
  | { readonly kind: 'held'; readonly reason: string | null }
  | { readonly kind: 'books-failing'; readonly fault: string };

export interface PlayerParts {
  readonly sendToStage: (command: StageCommand) => void;
  readonly ads: SlotAds;
  /** Online delivery wants to know when slots begin; null where there is none. */
  readonly online: Pick<OnlineSlots, 'slotBegan' | 'idle' | 'stop'> | null;
  /** When time alone next changes what may play, ms since the epoch; null: never. */
  readonly nextChangeAt: (at: number) => number | null;
  /** Whether the store is open at a time, ms since the epoch (rule 14). */
  readonly isOpen: (at: number) => boolean;
  readonly records: Records;
  readonly beacons: Pick<UrlBeacons, 'settled'>;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly newId: () => string;
  readonly log: Log;
  /** Whose books the plays go to (rule 26). */
  readonly environment: string;
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
  /** What the stage draws: whom a hang or a death is put down to (rule 11). */
  onStage(): OnStage;
  /** Holds, and resolves when everything shown is settled in the books and every beacon had its answer. */
  shutDown(): Promise<void>;
}

/** A play on the books that is not settled yet. */
interface OpenPlay {
  readonly play: Play;
  readonly ad: SlotAd;
  readonly entry: Entry;
  readonly moving: boolean;
}

/** Two layers, and some that were given up in between. */
const SLOTS_ON_STAGE = 8;
/** How long the stage may take to say that it stopped, ms. */
const STAGE_ANSWER_MS = 3_000;

/** Longest wait before a look whether something became eligible, ms: a guard, not the way it is noticed. */
const LONGEST_WAIT_MS = 60_000;

/** Carries out what the slot loop decides: talks to the stage, the books, the cache and the beacons. */
export function createPlayer(parts: PlayerParts): Player {
  const { clock, log, tell } = parts;
  let state: LoopState<SlotAd> = initialLoopState();
  const events: LoopEvent[] = [];
  let taking = false;
  const open = new Map<number, OpenPlay>();
  /** By slot: another ad with the same creative may take a prepared one's place. */
  const drawn = new Map<number, Pick<SlotAd, 'drawn' | 'guestErrors'>>();
  const holds = new Set<string>();
  const storing = new Set<Promise<unknown>>();
  let preparedKind: StageCreative['kind'] | null = null;
  let cancelWake: (() => void) | null = null;
  let onQuiet: (() => void) | null = null;
  /** Whether the store is open when the slot begins that was last chosen for. */
  let isOpenThen = true;

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
    if (event.type === 'stage') tellMissed(event.event);
    const step = stepSlotLoop(state, event, {
      now: clock.now(),
      choose(at) {
        const started = clock.monotonic();
        isOpenThen = parts.isOpen(at);
        const choice = isOpenThen ? parts.ads.choose(at) : null;
        tell({ kind: 'chosen', tookMs: clock.monotonic() - started });
        return choice;
      },
      mayPlay: (ad, at) => parts.isOpen(at) && ad.mayPlay(at),
      same: (a, b) => a.isSame(b),
      sameCreative,
    });
    const before = state;
    state = step.state;
    for (const effect of step.effects) perform(effect);
    // A page that comes up shows its brand card until something follows.
    if (before.stage === 'away' && state.stage === 'ready' && state.next.phase === 'none') {
      tellNothingNext();
      tell({ kind: 'nothing-showing' });
    }
    if (before.next !== state.next) {
      const next = state.next.phase === 'none' ? null : state.next.choice;
      tell({ kind: 'next', facts: next?.facts ?? null, files: next?.files ?? [] });
    }
    wakeWhenTimeAloneChangesIt();
  }

  function tellMissed(event: StageEvent): void {
    const { next } = state;
    if (event.type !== 'failed' || (!isFaultOfAd(event.code) && event.code !== 'late')) return;
    if (next.phase !== 'none' && next.slot === event.slot) next.choice.missed?.(event.code);
  }

  function tellNothingNext(): void {
    tell({ kind: 'decided', next: isOpenThen && state.held === null ? 'card' : 'held' });
  }

  function perform(effect: LoopEffect<SlotAd>): void {
    switch (effect.do) {
      case 'prepare':
        tell({ kind: 'decided', next: effect.choice.facts.delivery });
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
        tellNothingNext();
        parts.online?.idle();
        parts.sendToStage({ type: 'brand' });
        tell({ kind: 'nothing-showing' });
        return;
      case 'stop':
        parts.sendToStage({ type: 'stop' });
        tell({ kind: 'nothing-showing' });
        return;
      case 'shown':
        shown(effect.slot, effect.durationMs);
        return;
      case 'progress':
        happened(effect.slot, effect.reached);
        return;
      case 'marked':
        happened(effect.slot, { mark: effect.mark });
        return;
      case 'tapped':
        open.get(effect.slot)?.ad.tapped(effect.part);
        return;
      case 'settle':
        settle(effect);
        return;
      case 'failed': {
        const { choice: ad, code, detail } = effect;
        const { adId, mediaUrl } = ad.facts;
        log.warn('a creative could not be shown', { ad: adId, url: mediaUrl, code, detail });
        ad.failed(code, detail, open.get(effect.slot)?.play.id ?? null);
        return;
      }
    }
  }

  async function prepare(slot: number, ad: SlotAd): Promise<void> {
    // Whatever goes wrong with one ad, the loop goes on.
    let detail = 'its file is not on disk any more';
    const creative = await ad.creative().catch((fault: unknown) => {
      detail = `it could not be readied: ${fault instanceof Error ? fault.message : String(fault)}`;
      return null;
    });
    // Given up while its file was checked: the stage may be preparing another by now.
    if (state.next.phase !== 'preparing' || state.next.slot !== slot) return;
    if (creative) {
      preparedKind = creative.kind;
      drawn.set(slot, { drawn: ad.drawn, guestErrors: ad.guestErrors });
      for (const earlier of drawn.keys()) if (earlier < slot - SLOTS_ON_STAGE) drawn.delete(earlier);
      parts.sendToStage({ type: 'prepare', slot, creative });
      dispatch({ type: 'sent', slot });
      return;
    }
    dispatch({ type: 'stage', event: { type: 'failed', slot, code: 'load-failed', detail } });
  }

  function reserve(slot: number, ad: SlotAd, at: number, durationMs: number | null): void {
    const moving = preparedKind === 'video';
    const entry = ad.enter(at);
    if (!entry) {
      dispatch({ type: 'reserved', slot, stored: false });
      return;
    }
    const { frequencyCaps: _caps, durationMs: stated, ...facts } = ad.facts;
    const play: Play = {
      ...facts,
      id: parts.newId(),
      environment: parts.environment,
      at,
      durationMs: durationMs ?? stated,
      outcome: 'reserved',
      shownAt: null,
      viewedMs: 0,
      presentedFrames: null,
      droppedFrames: null,
      stalls: null,
      endReason: null,
    };
    store(
      parts.records.run('reservePlay', { play, ...entry.books }).then(
        () => {
          open.set(slot, { play, ad, entry, moving });
          tell({ kind: 'reserved', play, facts: ad.facts });
          dispatch({ type: 'reserved', slot, stored: true });
        },
        (fault: unknown) => {
          // The outcome may be unknown (no answer in time): counted on disk, perhaps, and never shown.
          entry.rollBack();
          log.error('a play could not be reserved; it is not shown', { fault });
          tell({ kind: 'books-failing', fault: fault instanceof Error ? fault.message : String(fault) });
          dispatch({ type: 'reserved', slot, stored: false });
        },
      ),
    );
  }

  function shown(slot: number, durationMs: number): void {
    const found = open.get(slot);
    if (!found) return;
    const { ad } = found;
    open.set(slot, { ...found, play: { ...found.play, durationMs } });
    const startedAt = clock.now();
    tell({
      kind: 'showing',
      facts: ad.facts,
      files: ad.files,
      moving: found.moving,
      startedAt,
      durationMs,
    });
    parts.online?.slotBegan(startedAt + durationMs);
    happened(slot, 'shown');
  }

  function happened(slot: number, event: SlotEvent): void {
    const found = open.get(slot);
    if (found) found.ad.happened(event, found.play.id);
  }

  function settle(effect: Extract<LoopEffect<SlotAd>, { do: 'settle' }>): void {
    const found = open.get(effect.slot);
    if (!found) return;
    if (effect.outcome === 'completed') happened(effect.slot, 'complete');
    found.ad.over();
    open.delete(effect.slot);
    const guestErrors = drawn.get(effect.slot)?.guestErrors ?? [];
    const settlement: Settlement = {
      durationMs: found.play.durationMs,
      outcome: effect.outcome,
      shownAt: effect.shownAt,
      viewedMs: Math.round(effect.report?.viewedMs ?? 0),
      presentedFrames: effect.report?.presentedFrames ?? null,
      droppedFrames: effect.report?.droppedFrames ?? null,
      stalls: effect.report?.stalls ?? null,
      endReason: effect.endReason,
      ...(guestErrors.length === 0 ? {} : { guestErrors: [...guestErrors] }),
    };
    const books = effect.outcome === 'given-back' ? found.entry.giveBack() : UNCHANGED;
    const { id } = found.play;
    tell({ kind: 'settled', play: { ...found.play, ...settlement }, drawn: drawnIn(effect.slot) });
    store(
      parts.records.run('settlePlay', { id, settlement, ...books }).then(
        () => {},
        // It stays reserved on disk, and counts: the next start calls it unknown.
        (fault: unknown) => log.error('a play could not be settled', { play: id, fault }),
      ),
    );
  }

  const drawnIn = (slot: number): readonly DrawnFile[] => drawn.get(slot)?.drawn ?? [];

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
    const change = parts.nextChangeAt(now) ?? Number.POSITIVE_INFINITY;
    const due = state.notBefore > now ? Math.min(state.notBefore, change) : change;
    const wait = Math.max(1, Math.min(due - now, LONGEST_WAIT_MS));
    cancelWake = parts.schedule(wait, () => dispatch({ type: 'changed' }));
  }

  return {
    onStageEvent(event) {
      if (event.type === 'left') tell({ kind: 'left-screen', overrunMs: event.overrunMs });
      else if (event.type !== 'heartbeat') dispatch({ type: 'stage', event });
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
    onStage() {
      const { showing, next } = state;
      const coming = next.phase === 'none' ? null : { files: drawnIn(next.slot), isReady: isPrepared(next) };
      // Committed and prepared, with nothing running before it: it is being raised.
      if (next.phase === 'committed' && coming?.isReady && (showing === null || showing.state === 'ended'))
        return { front: { ...coming, shownAt: clock.now() }, back: null };
      const front = showing && { files: drawnIn(showing.slot), isReady: true, shownAt: showing.shownAt };
      return { front, back: coming };
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

const isPrepared = (next: LoopState<SlotAd>['next']) =>
  next.phase !== 'none' && next.phase !== 'preparing' && next.durationMs !== null;
