import { assertNever } from '../../shared/assert-never';
import type { NativeCardPart } from '../../shared/native';
import type { StageCommand, StageCreative, StageEvent } from '../../shared/stage';
import type { Layer, NextSlot, Place } from './layer';
import { type Milestone, milestonesOf } from './milestones';
import { RunUp } from './run-up';
import { planSlot } from './slot-plan';
import type { Run } from './video-run';

/** How long before a slot's end main is told to commit the next one, ms. */
const ENDING_LEAD_MS = 500;
/** A swap asked for at most half a frame early lands on the nearest frame, at 60 frames/s. */
const HALF_FRAME_MS = 8.3;
/**
 * So long before its slot what does not move is drawn whole, and seen by nobody yet:
 * words and shadows take a machine without a graphics card three frames, ms.
 */
const DRAW_AHEAD_MS = 150;
/** A video may be this far from its end when its slot ends: it is cut off where nobody sees it, ms. */
const CUT_OFF_MS = 150;
/** A time to look again that is always over. */
const EACH_FRAME = Number.NEGATIVE_INFINITY;
/** A committed video that does not move this long after it was started is given up, ms. */
const START_DEADLINE_MS = 2_000;
/** A video that says it ended this far from its stated end was cut short, ms. */
const BROKEN_OFF_MS = 500;

/** Rule 16. */
const VIEW_THRESHOLD_MS = 1_000;
/** Frames further apart than this are no continuous view, ms. */
const FRAME_GAP_MS = 250;

type Failed = Extract<StageEvent, { type: 'failed' }>;
type EndReason = Extract<StageEvent, { type: 'ended' }>['reason'];

interface Prepared {
  readonly slot: number;
  readonly durationMs: number;
  readonly milestones: readonly Milestone[];
}

interface Showing {
  readonly slot: number;
  readonly durationMs: number;
  /** From when its length is counted, ms on the page's monotonic clock: as a rule the planned end of the slot before. */
  readonly startedAt: number;
  /** When the next one should begin; the same clock. */
  readonly nextAt: number;
  /** When it was raised; the same clock. */
  readonly raisedAt: number;
  ended: boolean;
  presentedTold: boolean;
  endingTold: boolean;
  readonly milestones: readonly Milestone[];
  milestonesTold: number;
  /** Since when it is visible without a break, and the frame before this one; null: not at the moment. */
  visible: { readonly since: number; readonly lastFrameAt: number } | null;
  /** As its layer was at the frame before this one. */
  isTorn: boolean;
  viewedTold: boolean;
}

type Following = { readonly kind: 'slot'; readonly slot: number } | { readonly kind: 'brand' };

export interface StageView {
  /** What lies over the layers, if anything. */
  show(card: 'none' | 'brand'): void;
  /** Whether anything lies over the layers at the moment. */
  isCovered(): boolean;
}

/** A place for a creative; two of them make a stage. */
export type StageLayer = Pick<
  Layer,
  | 'prepare'
  | 'start'
  | 'shown'
  | 'freeze'
  | 'release'
  | 'generation'
  | 'isLost'
  | 'canBeLost'
  | 'isTorn'
  | 'drawsAhead'
> & { place: Place; readonly run: Run | null };

/** The page's frames: when they are drawn, and whether anybody could see them. */
export interface StageFrames {
  /** Calls once, at the next frame, with its time in ms on the page's monotonic clock. */
  next(run: (now: number) => void): void;
  /** Calls once in `ms`, or somewhat later. Answers how to call it off. */
  later(ms: number, run: () => void): () => void;
  now(): number;
  areVisible(): boolean;
}

/**
 * Two layers in one document. The next creative is loaded into the hidden one
 * and raised when the one in front ends; until then, and when nothing follows in
 * time, the last frame stays (rule 11).
 */
export class Stage {
  readonly #onTap = (part: NativeCardPart) => {
    if (this.#showing && !this.#showing.ended) this.emit({ type: 'tap', slot: this.#showing.slot, part });
  };
  #front: StageLayer;
  #back: StageLayer;
  #prepared: Prepared | null = null;
  /** What is being loaded and decoded, and for which slot. */
  #preparing: { slot: number; readonly creative: StageCreative } | null = null;
  /** Why the latest slot that could not be prepared could not: also the answer if main commits it all the same. */
  #broken: Failed | null = null;
  #showing: Showing | null = null;
  /** What follows the end of the current slot, once main has committed it. */
  #next: Following | null = null;
  /** When what follows should begin; null when nothing leads up to the next. */
  #freeSince: number | null = null;
  #hasShown = false;
  readonly #runUp = new RunUp();
  /** Whether the next frame is asked for, to look at what is on the stage. */
  #isLooking = false;
  #endRest = (): void => {};

  constructor(
    makeLayer: (onTap: (part: NativeCardPart) => void) => StageLayer,
    private readonly view: StageView,
    private readonly emit: (event: StageEvent) => void,
    private readonly frames: StageFrames,
  ) {
    this.#front = makeLayer(this.#onTap);
    this.#back = makeLayer(this.#onTap);
    this.#front.place = 'front';
    this.#back.place = 'next';
  }

  obey(command: Exclude<StageCommand, { type: 'message' | 'screen' }>): void {
    switch (command.type) {
      case 'prepare':
        void this.#prepare(command.slot, command.creative);
        return;
      case 'discard':
        if (this.#prepared?.slot === command.slot || this.#preparing?.slot === command.slot)
          this.#dropPrepared();
        return;
      case 'show':
        this.#commit(command.slot);
        return;
      case 'brand':
        this.#next = { kind: 'brand' };
        this.#look();
        return;
      case 'stop':
        this.#stop();
        return;
      default:
        assertNever(command);
    }
  }

  /** The brand card, unless something was on the stage already. */
  lightUp(): void {
    if (this.#hasShown) return;
    this.#hasShown = true;
    this.view.show('brand');
    if (this.#next?.kind !== 'slot' || this.#prepared !== null) return;
    // Its first frame would come too long after it was entered in the books. What is loaded of it is not lost.
    this.#giveBack(this.#next.slot);
  }

  #commit(slot: number): void {
    const isComing = this.#preparing?.slot === slot && !this.#hasShown;
    if (this.#prepared?.slot !== slot && !isComing) {
      const unknown = { code: 'not-prepared', detail: 'this slot is not prepared' } as const;
      this.emit(this.#broken?.slot === slot ? this.#broken : { type: 'failed', slot, ...unknown });
      return;
    }
    this.#next = { kind: 'slot', slot };
    // A dark screen waits for no frame of its own.
    if (!this.#hasShown) this.#proceed(this.#next, this.frames.now());
    this.#look();
  }

  async #prepare(forSlot: number, creative: StageCreative): Promise<void> {
    if (this.#preparing !== null && isSame(this.#preparing.creative, creative)) {
      this.#preparing.slot = forSlot;
      return;
    }
    this.#dropPrepared();
    const layer = this.#back;
    layer.place = 'next';
    const preparing = { slot: forSlot, creative };
    this.#preparing = preparing;
    const outcome = await layer.prepare(creative, this.#nextSlot);
    if (outcome === null) return; // Superseded or discarded: nobody waits for this answer.
    this.#preparing = null;
    const { slot } = preparing;
    if ('code' in outcome) {
      layer.release();
      if (this.#next?.kind === 'slot') this.#next = null;
      this.#broken = { type: 'failed', slot, code: outcome.code, detail: outcome.detail.slice(0, 500) };
      this.emit(this.#broken);
      return;
    }
    const { durationMs } = outcome;
    this.#prepared = { slot, durationMs, milestones: milestonesOf(durationMs, creative.marks) };
    this.emit({ type: 'prepared', slot, durationMs });
    if (this.#next?.kind === 'slot') this.#proceed(this.#next, this.frames.now());
  }

  /** The slot after the one that runs. */
  readonly #nextSlot: NextSlot = {
    remainingMs: () => {
      const showing = this.#showing;
      if (showing === null) return null;
      // One that has ended stays until the next one comes: that is due.
      return showing.ended ? 0 : Math.max(0, showing.startedAt + showing.durationMs - this.frames.now());
    },
    isIn: (ms) =>
      new Promise((done) => {
        const early = (this.#nextSlot.remainingMs() ?? 0) - ms;
        if (early > 0) this.frames.later(early, done);
        else done();
      }),
  };

  #dropPrepared(): void {
    if (this.#next?.kind === 'slot') this.#giveBack(this.#next.slot);
    this.#prepared = null;
    this.#preparing = null;
    this.#letGoOfNext();
  }

  /** Committed but never shown: its books can be given back. */
  #giveBack(slot: number): void {
    this.#next = null;
    this.emit({ type: 'failed', slot, code: 'stopped', detail: 'stopped before its first frame' });
  }

  #letGoOfNext(): void {
    this.#back.place = 'next';
    this.#back.release();
  }

  /** At the next frame, and from then on as often as there is something to look at. */
  #look(): void {
    this.#endRest();
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.frames.next((now) => {
      this.#isLooking = false;
      if (this.#showing && !this.#showing.ended) this.#observe(this.#showing, now);
      else if (this.#showing && this.#front.isLost) this.#coverLost();
      if (this.#next) this.#proceed(this.#next, now);
      this.#lookAgain();
    });
  }

  #lookAgain(): void {
    const at = this.#lookAt();
    if (at === null) return;
    const ms = at - this.frames.now();
    if (ms > 0) this.#endRest = this.frames.later(ms, () => this.#look());
    else this.#look();
  }

  /**
   * When to look again, ms on the page's monotonic clock; null: not before the next command. What stands in
   * front needs no look for most of its time, and each frame that is asked for is paid for, drawn anew or not.
   * From the ending notice on every frame is looked at again: that is early enough for all that has to happen at
   * its very frame, even if the timer is late, or a machine that drew nothing for seconds takes a moment.
   */
  #lookAt(): number | null {
    const showing = this.#showing;
    const isCommitted = this.#next !== null;
    const mayBeLost = this.#front.canBeLost || (isCommitted && this.#back.canBeLost);
    if (showing === null) return isCommitted ? EACH_FRAME : null;
    if (showing.ended) return isCommitted || mayBeLost ? EACH_FRAME : null;
    if (mayBeLost || this.#front.run !== null || !showing.viewedTold || showing.endingTold) return EACH_FRAME;
    const endingAt = showing.startedAt + showing.durationMs - ENDING_LEAD_MS;
    const milestone = showing.milestones[showing.milestonesTold];
    return milestone ? Math.min(endingAt, showing.startedAt + milestone.atMs) : endingAt;
  }

  /** At each look while something is committed: starts it ahead of time, and raises it when it is due. */
  #proceed(next: Following, now: number): void {
    const running = this.#showing !== null && !this.#showing.ended ? this.#showing : null;
    if (next.kind === 'brand') {
      if (running === null) this.#showBrand();
      return;
    }
    if (this.#prepared === null) return;
    if (this.#back.isLost) {
      this.#giveUp(next.slot, 'decode-failed', 'it broke off before its first frame');
      return;
    }
    const remainingMs = running === null ? 0 : running.startedAt + running.durationMs - now;
    if (remainingMs <= DRAW_AHEAD_MS && this.#back.drawsAhead) this.#back.place = 'rising';
    if (remainingMs > this.#runUp.ms) return;
    const run = this.#back.start(now);
    if (run !== null && !run.hasStarted) {
      this.#observeRun(run, now);
      if (!run.hasStarted && run.isBroken) {
        this.#giveUp(next.slot, 'decode-failed', 'the video broke off before it moved');
        return;
      }
      if (!run.hasStarted && now - run.startedAt > START_DEADLINE_MS) {
        const detail = `the video did not move within ${START_DEADLINE_MS / 1000} s`;
        this.#giveUp(next.slot, 'start-timeout', detail);
        return;
      }
    }
    // What lights a dark screen need not move yet: the frame it was prepared with is its first.
    if (running === null && (run === null || run.hasStarted || !this.#hasShown)) this.#raise(now);
  }

  /** How long it takes until it moves is what the next video is started ahead by. */
  #observeRun(run: Run, now: number): void {
    const { hasStarted } = run;
    run.observe(now);
    if (!hasStarted && run.hasStarted) this.#runUp.learn(now - run.startedAt);
  }

  /** There is no last frame to stay: never black (rule 12). */
  #coverLost(): void {
    this.#showing = null;
    this.view.show('brand');
  }

  /** What was committed does not start: no frame of it was shown. */
  #giveUp(slot: number, code: 'decode-failed' | 'start-timeout', detail: string): void {
    this.#next = null;
    this.#prepared = null;
    this.#letGoOfNext();
    this.emit({ type: 'failed', slot, code, detail });
  }

  #showBrand(): void {
    this.#tellLeft(this.frames.now());
    this.#next = null;
    this.#showing = null;
    this.#freeSince = null;
    this.#hasShown = true;
    this.view.show('brand');
    this.#releaseOnceDrawn(this.#front);
  }

  /** Puts what was committed on the screen. */
  #raise(now: number): void {
    const prepared = this.#prepared;
    this.#next = null;
    this.#prepared = null;
    if (prepared === null) return;
    this.#tellLeft(now);

    [this.#front, this.#back] = [this.#back, this.#front];
    this.#front.place = 'front';
    this.#back.place = 'behind';
    this.#hasShown = true;
    this.view.show('none');
    this.#front.shown(now);

    const showing: Showing = {
      slot: prepared.slot,
      durationMs: prepared.durationMs,
      ...planSlot(this.#freeSince, now, prepared.durationMs),
      raisedAt: now,
      ended: false,
      presentedTold: false,
      endingTold: false,
      milestones: prepared.milestones,
      milestonesTold: 0,
      visible: null,
      isTorn: false,
      viewedTold: false,
    };
    this.#showing = showing;
    this.#freeSince = null;
    this.#releaseOnceDrawn(this.#back, () => {
      if (this.#front.isLost) this.#voidRaised(showing);
      else this.#tellPresented(showing);
    });
  }

  /** A layer is covered: once the frame that covers it is drawn, it may let go. */
  #releaseOnceDrawn(leaving: StageLayer, drawn: () => void = () => {}): void {
    const { generation } = leaving;
    this.frames.next(() => {
      this.frames.next(() => {
        drawn();
        // A prepare that came in between owns the layer already.
        if (leaving.generation === generation) leaving.release();
      });
    });
  }

  /** What stood in front has run to its end and is covered now. */
  #tellLeft(now: number): void {
    if (this.#showing === null || this.#freeSince === null) return;
    const { slot, startedAt, durationMs } = this.#showing;
    this.emit({ type: 'left', slot, overrunMs: Math.max(0, now - startedAt - durationMs) });
  }

  #tellPresented(showing: Showing): void {
    if (showing.presentedTold) return;
    showing.presentedTold = true;
    this.emit({ type: 'presented', slot: showing.slot });
  }

  /** It was raised, and its process died before a frame of it was drawn: nothing of it was seen (rule 8). */
  #voidRaised(showing: Showing): void {
    if (showing.presentedTold || showing.ended) return;
    showing.ended = true;
    this.#showBrand();
    const detail = 'its process ended before its first frame';
    this.emit({ type: 'failed', slot: showing.slot, code: 'decode-failed', detail });
  }

  #end(showing: Showing, reason: EndReason, now: number): void {
    if (showing.ended) return;
    showing.ended = true;
    // Raised, so a frame of it may have been seen: never report an end without a beginning.
    this.#tellPresented(showing);
    if (reason === 'ended') this.#tellMilestones(showing, showing.durationMs);
    const { run } = this.#front;
    const counts = run?.counts(now) ?? { presentedFrames: null, droppedFrames: null, stalls: null };
    // A picture that stands still where it should move is not what the ad shows.
    const viewedMs = Math.max(0, now - showing.raisedAt - (run?.stoodStillMs(now) ?? 0));
    this.emit({
      type: 'ended',
      slot: showing.slot,
      reason,
      report: { viewedMs, ...counts },
    });
    this.#freeSince = reason === 'ended' ? showing.nextAt : null;
    if (this.#next === null) this.#front.freeze();
    if (this.#front.isLost) this.#coverLost();
  }

  #stop(): void {
    this.#dropPrepared();
    if (this.#showing && !this.#showing.ended) this.#end(this.#showing, 'stopped', this.frames.now());
    this.#front.freeze();
    this.#showBrand();
  }

  /** At each look: quartiles and marks, the ending notice, the end, a video that stalls or breaks. */
  #observe(showing: Showing, now: number): void {
    const { run } = this.#front;
    if (this.#front.isLost && !showing.presentedTold) {
      this.#voidRaised(showing);
      return;
    }
    if (run) this.#observeRun(run, now);
    const playedMs = run?.positionMs ?? now - showing.startedAt;
    this.#tellMilestones(showing, playedMs);
    this.#watch(showing, now);

    // A video that was held up is played to its end all the same.
    const lackingMs = run === null || run.hasEnded ? 0 : showing.durationMs - run.positionMs - CUT_OFF_MS;
    const remainingMs = Math.max(0, lackingMs, showing.startedAt + showing.durationMs - now);
    if (!showing.endingTold && remainingMs <= ENDING_LEAD_MS) {
      showing.endingTold = true;
      this.emit({ type: 'ending', slot: showing.slot, remainingMs });
    }
    if (run?.isBroken || this.#front.isLost) this.#end(showing, 'error', now);
    else if (run?.hasStalled(now)) this.#end(showing, 'stalled', now);
    else if (run?.hasEnded && showing.durationMs - run.positionMs > BROKEN_OFF_MS)
      this.#end(showing, 'error', now);
    else if (remainingMs <= HALF_FRAME_MS) this.#end(showing, 'ended', now);
  }

  #tellMilestones(showing: Showing, playedMs: number): void {
    for (const { atMs, reached } of showing.milestones.slice(showing.milestonesTold)) {
      if (atMs > playedMs) return;
      showing.milestonesTold += 1;
      this.emit({ ...reached, slot: showing.slot });
    }
  }

  /** Counts the continuous second of rule 16; whatever interrupts it starts it again. */
  #watch(showing: Showing, now: number): void {
    if (showing.viewedTold || !showing.presentedTold) return;
    const { visible } = showing;
    const { isTorn } = this.#front;
    const unseen =
      (isTorn && !showing.isTorn) ||
      !this.frames.areVisible() ||
      this.view.isCovered() ||
      (visible !== null && now - visible.lastFrameAt > FRAME_GAP_MS) ||
      (this.#front.run !== null && this.#front.run.stillFor(now) > FRAME_GAP_MS);
    showing.isTorn = isTorn;
    showing.visible = unseen ? null : { since: visible?.since ?? now, lastFrameAt: now };
    if (showing.visible && now - showing.visible.since >= VIEW_THRESHOLD_MS) {
      showing.viewedTold = true;
      this.emit({ type: 'viewed', slot: showing.slot });
    }
  }
}

const isSame = (a: StageCreative, b: StageCreative) => JSON.stringify(a) === JSON.stringify(b);
