import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Play, Settlement } from '../../shared/play';
import type { StageCommand, StageCreative, StageEvent } from '../../shared/stage';
import type { UrlBeacons } from '../beacons/url-beacons';
import type { Choice, Decider, Reservation } from '../decisioning/decider';
import type { MediaCache } from '../media/media-cache';
import type { Records } from '../records/records-client';
import { initialLoopState, type LoopEffect, type LoopEvent, type LoopState, stepSlotLoop } from './slot-loop';
import { vastErrorCode } from './vast-error';

/** What the rest of the kiosk may want to know about playback. */
export type PlayerFact =
  | {
      readonly kind: 'showing';
      readonly choice: Choice;
      readonly startedAt: number;
      readonly durationMs: number | null;
    }
  | { readonly kind: 'nothing-showing' }
  | { readonly kind: 'next'; readonly choice: Choice | null }
  | { readonly kind: 'settled'; readonly play: Play }
  | { readonly kind: 'decided'; readonly tookMs: number; readonly found: boolean }
  | { readonly kind: 'books-failing'; readonly fault: string };

export interface PlayerParts {
  readonly sendToStage: (command: StageCommand) => void;
  readonly decider: Decider;
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
  /** Nothing more is reserved, and what shows is settled as interrupted, until `resume` (rule 14). */
  hold(reason: string): void;
  resume(): void;
  /** Holds, and resolves when everything shown is settled in the books and every beacon had its answer. */
  shutDown(): Promise<void>;
}

/** A play on the books that is not settled yet. */
interface OpenPlay {
  readonly play: Play;
  readonly choice: Choice;
  readonly reservation: Reservation;
}

/** Longest wait before a look whether something became eligible, ms: a guard, not the way it is noticed. */
const LONGEST_WAIT_MS = 60_000;

/** Carries out what the slot loop decides: talks to the stage, the books, the cache and the beacons. */
export function createPlayer(parts: PlayerParts): Player {
  const { decider, clock, log, tell } = parts;
  let state: LoopState<Choice> = initialLoopState();
  const open = new Map<number, OpenPlay>();
  const storing = new Set<Promise<unknown>>();
  let cancelWake: (() => void) | null = null;
  let onQuiet: (() => void) | null = null;

  function dispatch(event: LoopEvent): void {
    const step = stepSlotLoop(state, event, {
      now: clock.now(),
      choose(at) {
        const started = clock.monotonic();
        const choice = decider.choose(at);
        tell({ kind: 'decided', tookMs: clock.monotonic() - started, found: choice !== null });
        return choice;
      },
      mayPlay: (choice, at) => decider.isCurrent(choice) && decider.check(choice, at).eligible,
      same: (a, b) => a.playlist === b.playlist && a.index === b.index,
    });
    const before = state;
    state = step.state;
    for (const effect of step.effects) perform(effect);
    if (before.next !== state.next)
      tell({ kind: 'next', choice: state.next.phase === 'none' ? null : state.next.choice });
    wakeWhenTimeAloneChangesIt();
    if (open.size === 0 && storing.size === 0) onQuiet?.();
  }

  function perform(effect: LoopEffect<Choice>): void {
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
      case 'stop':
        parts.sendToStage({ type: effect.do });
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
        parts.beacons.fire(`slot-${effect.slot}`, 'error', ad.errors, vastErrorCode(effect.code));
        parts.media.strike(mediaUrl, `${effect.code}: ${effect.detail}`);
        return;
      }
    }
  }

  async function prepare(slot: number, choice: Choice): Promise<void> {
    const media = await parts.media.verified(choice.mediaUrl);
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

  function reserve(slot: number, choice: Choice, at: number, durationMs: number): void {
    const reservation = decider.reserve(choice, at);
    if (!reservation) {
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
      delivery: 'offline',
      durationMs,
      outcome: 'reserved',
      shownAt: null,
      viewedMs: 0,
      presentedFrames: null,
      droppedFrames: null,
      endReason: null,
    };
    const { counters, recency, sourceMix } = reservation.persist;
    store(
      parts.records.run('reservePlay', { play, flight: counters, recency, sourceMix }).then(
        () => {
          open.set(slot, { play, choice, reservation });
          dispatch({ type: 'reserved', slot, stored: true });
        },
        (fault: unknown) => {
          // The outcome may be unknown (a window that died): counted on disk, perhaps, and never shown.
          decider.rollBack(reservation);
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
    tell({ kind: 'showing', choice, startedAt: clock.now(), durationMs: play.durationMs });
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

  function settle(effect: Extract<LoopEffect<Choice>, { do: 'settle' }>): void {
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
    const back = effect.outcome === 'given-back' ? decider.giveBack(found.reservation) : null;
    const books = { flight: back?.counters ?? null, recency: null, sourceMix: back?.sourceMix ?? null };
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
    hold: (reason) => dispatch({ type: 'hold', reason }),
    resume: () => dispatch({ type: 'resume' }),
    async shutDown() {
      const quiet = new Promise<void>((resolve) => {
        onQuiet = resolve;
      });
      dispatch({ type: 'hold', reason: 'shut-down' });
      await quiet;
      await parts.beacons.settled();
    },
  };
}
