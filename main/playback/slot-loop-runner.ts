import type { StageCommand, StageEvent } from '../../shared/stage';
import type { Basics } from '../basics';
import type { UrlBeacons } from '../beacons/outbox';
import { messageOf } from '../describe-error';
import type { OnlineSlots } from './online-slots';
import type { OpenPlays, OpenPlaysParts } from './open-plays';
import type { PlayerFact } from './player-fact';
import { brandCard, type SlotAd, type SlotAds, sameCreative, showingOf } from './slot-ad';
import { isErrorOfAd, stepSlotLoop } from './slot-loop';
import { initialLoopState, type LoopEffect, type LoopEvent, type LoopState } from './slot-loop-state';

/** While nothing is next, an ad is looked for again after this time, ms: a cap may let one play by then. */
const LOOK_AGAIN_MS = 1_000;
/** Longest time to check a creative's files and to open its guest, ms: guests may wait for a partition. */
const CREATIVE_DEADLINE_MS = 10_000;

type Decision = Extract<PlayerFact, { kind: 'decided' }>['next'];

export interface PlayerParts extends OpenPlaysParts, Pick<Basics, 'schedule'> {
  readonly sendToStage: (command: StageCommand) => void;
  /** Time since the stage last reported that it draws, ms; infinite before its first report. */
  readonly stageSilentMs: () => number;
  readonly ads: SlotAds;
  readonly online: Pick<OnlineSlots, 'slotBegan' | 'slotEnded' | 'idle'> | null;
  /** Whether the store is open at a time, ms since the epoch (rule 14). */
  readonly isOpen: (at: number) => boolean;
  readonly beacons: Pick<UrlBeacons, 'settled'>;
}

/** Carries out the effects of the slot loop: commands to the stage, calls to the open plays and reported facts. */
export class SlotLoopRunner {
  readonly #events: LoopEvent[] = [];
  #state: LoopState<SlotAd> = initialLoopState();
  #isTaking = false;
  /** The ad whose creative was asked for last. */
  #loading: SlotAd | null = null;
  #cancelLook: (() => void) | null = null;
  #decided: Decision | null = null;
  /** Whether the brand card was reported last as what is on the screen. */
  #isCardTold = false;
  /** Whether the brand card takes the place of what is showing at its end. */
  #cardFollows = false;
  /** Whether the store is open at the slot that an ad was last chosen for. */
  #isOpenThen = true;

  constructor(
    private readonly parts: PlayerParts,
    private readonly plays: OpenPlays,
  ) {}

  get state(): LoopState<SlotAd> {
    return this.#state;
  }

  /** Takes one event at a time: an event that an effect causes waits until the earlier effects are done. */
  dispatch(event: LoopEvent): void {
    this.#events.push(event);
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#take(next);
    } finally {
      this.#isTaking = false;
    }
    this.plays.tellIfQuiet();
  }

  #take(event: LoopEvent): void {
    if (event.type === 'stage') {
      this.#tellMissed(event.event);
      this.#logNoSound(event.event);
    }
    const before = this.#state;
    this.#step(event);
    if (event.type === 'stage' && event.event.type === 'ended') this.#tellCardAfter(event.event.reason);
    // A page that comes up shows its brand card until something follows.
    if (before.stage === 'away' && this.#state.stage === 'ready' && this.#state.next.phase === 'none') {
      this.#tellNothingNext();
      this.#tellCard();
    }
    if (event.type === 'hold') this.#tellDecided('held');
    if (this.#couldShow()) this.parts.online?.idle();
    if (before.next !== this.#state.next) {
      const next = this.#state.next.phase === 'none' ? null : this.#state.next.choice;
      const showing = next && showingOf(next.facts, next.facts.durationMs);
      this.parts.tell({ kind: 'next', showing, files: next?.files ?? [] });
    }
    this.#lookAgainLater();
  }

  #step(event: LoopEvent): void {
    const { clock } = this.parts;
    const now = clock.now();
    const step = stepSlotLoop(this.#state, event, {
      now,
      monotonic: clock.monotonic(),
      silentMs: this.parts.stageSilentMs(),
      choose: (at) => this.#choose(at),
      mayPlay: (ad, at) => this.parts.isOpen(at) && ad.mayPlay(at),
      stillFits: (ad, at) => this.parts.isOpen(at) && (ad.stillFits?.(at) ?? ad.mayPlay(at)),
      isBlocked: (ad) => ad.isBlocked(),
      same: (a, b) => a.isSame(b),
      sameCreative,
    });
    this.#state = step.state;
    for (const effect of step.effects) this.#perform(effect, now);
  }

  #choose(at: number): SlotAd | null {
    const { clock, isOpen, ads, tell } = this.parts;
    const started = clock.monotonic();
    this.#isOpenThen = isOpen(at);
    const choice = this.#isOpenThen ? ads.choose(at) : null;
    tell({ kind: 'chosen', tookMs: clock.monotonic() - started });
    return choice;
  }

  /** Whether nothing is on the screen, though an ad might play now (rule 14). */
  #couldShow(): boolean {
    const { stage, held, showing, next } = this.#state;
    const isFree = stage === 'ready' && held === null && showing === null && next.phase === 'none';
    return isFree && this.parts.isOpen(this.parts.clock.now());
  }

  #tellMissed(event: StageEvent): void {
    const { next } = this.#state;
    if (event.type !== 'failed' || (!isErrorOfAd(event.code) && event.code !== 'late')) return;
    if (next.phase === 'none' || next.slot !== event.slot) return;
    // Not `next.choice`: a refresh may have put another ad with the same creative in its place.
    this.#loading?.missed?.(event.code);
  }

  /** It is no error of an ad, so nothing else tells of it. */
  #logNoSound(event: StageEvent): void {
    const isSo =
      (event.type === 'failed' && event.code === 'no-sound') ||
      (event.type === 'ended' && event.reason === 'no-sound');
    if (isSo) this.parts.log.warn('a video broke off because the sound output did', { slot: event.slot });
  }

  #tellNothingNext(): void {
    this.#tellDecided(this.#isOpenThen && this.#state.held === null ? 'card' : 'held');
  }

  #tellDecided(next: Decision): void {
    const isStill = next === this.#decided && (next === 'card' || next === 'held');
    this.#decided = next;
    if (!isStill) this.parts.tell({ kind: 'decided', next });
  }

  /** The stage can report a slot as shown after it was told to stop it, so the card is told when that slot ends. */
  #tellCardAfter(reason: Extract<StageEvent, { type: 'ended' }>['reason']): void {
    if (reason === 'stopped' || this.#cardFollows) this.#tellCard();
    this.#cardFollows = false;
  }

  #tellCard(): void {
    if (this.#isCardTold) return;
    this.#isCardTold = true;
    const showing = brandCard(this.parts.clock.now());
    this.parts.tell({ kind: 'showing', showing, files: [], drawn: [], moving: false });
  }

  /** @param now when the loop received the event that caused it, ms since the epoch */
  #perform(effect: LoopEffect<SlotAd>, now: number): void {
    switch (effect.do) {
      case 'prepare':
        this.#tellDecided(effect.choice.facts.delivery);
        void this.#prepare(effect.slot, effect.choice);
        return;
      case 'reserve':
        this.plays.reserve(effect, (stored) =>
          this.dispatch({ type: 'reserved', slot: effect.slot, stored }),
        );
        return;
      case 'discard':
        this.parts.sendToStage({ type: 'discard', slot: effect.slot });
        return;
      case 'show':
        this.#cardFollows = false;
        this.parts.sendToStage({ type: 'show', slot: effect.slot });
        return;
      case 'brand':
        this.#tellNothingNext();
        this.parts.sendToStage({ type: 'brand' });
        if (this.#state.showing === null) this.#tellCard();
        else this.#cardFollows = true;
        return;
      case 'stop':
        this.parts.sendToStage({ type: 'stop' });
        this.#tellCard();
        return;
      case 'shown':
        this.#isCardTold = false;
        this.plays.shown(effect.slot, effect.durationMs, now);
        return;
      case 'happened':
        this.plays.happened(effect.slot, effect.event, now);
        return;
      case 'tapped':
        // Its play may be settled already: a tap on the last frame, which stays until the next ad's first one, counts.
        this.#state.showing?.choice.tapped?.(effect.part);
        return;
      case 'settle':
        this.plays.settle(effect, now);
        return;
      case 'failed':
        this.plays.failed(effect);
        return;
      case 'choose':
        this.#step({ type: 'changed' });
        return;
    }
  }

  async #prepare(slot: number, ad: SlotAd): Promise<void> {
    this.#loading = ad;
    // An error of one ad must not stop the loop.
    let detail = 'its file is not on disk any more';
    const fail = (why: string) => {
      const failed = { type: 'failed', slot, code: 'load-failed', detail: why } as const;
      this.dispatch({ type: 'stage', event: failed });
    };
    const cancel = this.parts.schedule(CREATIVE_DEADLINE_MS, () => fail('it was not ready to load in time'));
    const creative = await ad.creative().catch((error: unknown) => {
      detail = `it could not be prepared: ${messageOf(error)}`;
      return null;
    });
    cancel();
    // Given up while its file was checked; the stage may already prepare another slot.
    if (this.#state.next.phase !== 'preparing' || this.#state.next.slot !== slot) return;
    if (creative) {
      this.plays.prepared(slot, ad, creative.kind === 'video');
      this.parts.sendToStage({ type: 'prepare', slot, creative });
      this.dispatch({ type: 'sent', slot });
      return;
    }
    fail(detail);
  }

  #lookAgainLater(): void {
    const { stage, held, next } = this.#state;
    if (stage === 'ready' && held === null && next.phase === 'none') {
      this.#cancelLook ??= this.parts.schedule(LOOK_AGAIN_MS, () => {
        this.#cancelLook = null;
        this.dispatch({ type: 'changed' });
      });
      return;
    }
    this.#cancelLook?.();
    this.#cancelLook = null;
  }
}
