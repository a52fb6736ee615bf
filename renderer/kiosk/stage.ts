import { assertNever } from '../../shared/assert-never';
import type { NativeCardPart } from '../../shared/native';
import type { StageCommand, StageCreative, StageEvent } from '../../shared/stage';
import { Layer } from './layer';

/** How long before a slot's end main is told to commit the next one, ms. */
const ENDING_LEAD_MS = 250;
/** A video whose position stands still this long has stalled, ms. */
const STALL_MS = 3_000;
/** At 60 frames/s, a swap asked for at least half a frame early lands on the nearest frame. */
const HALF_FRAME_MS = 8;

/** Rule 16. */
const VIEW_THRESHOLD_MS = 1_000;
/** Frames further apart than this are no continuous view, ms. */
const FRAME_GAP_MS = 250;

type EndReason = Extract<StageEvent, { type: 'ended' }>['reason'];

interface Prepared {
  readonly slot: number;
  readonly durationMs: number;
}

interface Showing {
  readonly slot: number;
  readonly durationMs: number;
  /** Nominal start, ms on the page's monotonic clock: the end of the slot before, so that no drift adds up. */
  readonly startedAt: number;
  ended: boolean;
  presentedTold: boolean;
  endingTold: boolean;
  quartilesTold: number;
  lastPositionMs: number;
  lastAdvanceAt: number;
  /** Since when it is visible without a break, and the frame before this one; null: not at the moment. */
  visible: { readonly since: number; readonly lastFrameAt: number } | null;
  viewedTold: boolean;
}

export interface StageView {
  /** What lies over the layers, if anything. */
  show(card: 'none' | 'brand'): void;
  /** Whether anything lies over the layers at the moment. */
  isCovered(): boolean;
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
  #front = new Layer(this.#onTap);
  #back = new Layer(this.#onTap);
  #prepared: Prepared | null = null;
  #showing: Showing | null = null;
  /** What follows the end of the current slot, once main has committed it. */
  #next: { kind: 'slot'; slot: number } | { kind: 'brand' } | null = null;
  #ticking = false;

  constructor(
    host: HTMLElement,
    private readonly view: StageView,
    private readonly emit: (event: StageEvent) => void,
  ) {
    host.append(this.#front.element, this.#back.element);
    this.#front.raise();
  }

  obey(command: Exclude<StageCommand, { type: 'message' | 'rotate' }>): void {
    switch (command.type) {
      case 'prepare':
        void this.#prepare(command.slot, command.creative);
        return;
      case 'discard':
        if (this.#prepared?.slot === command.slot) this.#dropPrepared();
        return;
      case 'show':
        if (this.#prepared?.slot !== command.slot) {
          this.emit({
            type: 'failed',
            slot: command.slot,
            code: 'not-prepared',
            detail: 'this slot is not prepared',
          });
          return;
        }
        this.#next = { kind: 'slot', slot: command.slot };
        this.#advanceIfFree();
        return;
      case 'brand':
        this.#next = { kind: 'brand' };
        this.#advanceIfFree();
        return;
      case 'stop':
        this.#stop();
        return;
      default:
        assertNever(command);
    }
  }

  async #prepare(slot: number, creative: StageCreative): Promise<void> {
    this.#dropPrepared();
    const layer = this.#back;
    const outcome = await layer.prepare(creative);
    if (outcome === null) return; // Superseded or discarded: nobody waits for this answer.
    if ('code' in outcome) {
      layer.release();
      this.emit({ type: 'failed', slot, code: outcome.code, detail: outcome.detail.slice(0, 500) });
      return;
    }
    this.#prepared = { slot, durationMs: outcome.durationMs };
    this.emit({ type: 'prepared', slot, durationMs: outcome.durationMs });
  }

  #dropPrepared(): void {
    if (this.#next?.kind === 'slot') {
      // Committed but never shown: its books can be given back.
      this.emit({
        type: 'failed',
        slot: this.#next.slot,
        code: 'stopped',
        detail: 'stopped before its first frame',
      });
      this.#next = null;
    }
    this.#prepared = null;
    this.#back.release();
  }

  #advanceIfFree(): void {
    if (this.#showing === null || this.#showing.ended) this.#advance(performance.now());
    else this.#tickEachFrame();
  }

  /** Puts what was committed on the screen. `startsAt` is its nominal start. */
  #advance(startsAt: number): void {
    const next = this.#next;
    this.#next = null;
    if (next?.kind === 'brand') {
      this.#showing = null;
      this.view.show('brand');
      this.#front.release();
      return;
    }
    const prepared = this.#prepared;
    if (next === null || prepared === null) return;
    this.#prepared = null;

    [this.#front, this.#back] = [this.#back, this.#front];
    this.#front.raise();
    this.#back.lower();
    this.view.show('none');

    const showing: Showing = {
      slot: prepared.slot,
      durationMs: prepared.durationMs,
      startedAt: startsAt,
      ended: false,
      presentedTold: false,
      endingTold: false,
      quartilesTold: 0,
      lastPositionMs: 0,
      lastAdvanceAt: startsAt,
      visible: null,
      viewedTold: false,
    };
    this.#showing = showing;
    this.#front.start((reason) => {
      if (this.#showing === showing) this.#end(showing, reason);
    });
    const leaving = this.#back;
    const generation = leaving.generation;
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        // The frame with the swap has been drawn.
        this.#tellPresented(showing);
        // A prepare that came in between owns the layer already.
        if (leaving.generation === generation) leaving.release();
      });
    });
    this.#tickEachFrame();
  }

  #tellPresented(showing: Showing): void {
    if (showing.presentedTold) return;
    showing.presentedTold = true;
    this.emit({ type: 'presented', slot: showing.slot });
  }

  #end(showing: Showing, reason: EndReason): void {
    if (showing.ended) return;
    showing.ended = true;
    // Raised, so a frame of it may have been seen: never report an end without a beginning.
    this.#tellPresented(showing);
    const now = performance.now();
    this.emit({
      type: 'ended',
      slot: showing.slot,
      reason,
      report: { viewedMs: Math.max(0, now - showing.startedAt), ...this.#front.frames },
    });
    if (this.#next) {
      // A slot that ran its length hands over at its nominal end; one that broke off, now.
      const nominalEnd = showing.startedAt + showing.durationMs;
      const onTime = reason === 'ended' && !this.#front.isMoving && now - nominalEnd < ENDING_LEAD_MS;
      this.#advance(onTime ? nominalEnd : now);
    } else {
      this.#front.freeze();
    }
  }

  #stop(): void {
    this.#dropPrepared();
    this.#next = null;
    if (this.#showing && !this.#showing.ended) this.#end(this.#showing, 'stopped');
    this.#showing = null;
    this.view.show('brand');
    this.#front.release();
  }

  #tickEachFrame(): void {
    if (this.#ticking) return;
    this.#ticking = true;
    const tick = () => {
      const showing = this.#showing;
      if (showing === null || showing.ended) {
        this.#ticking = false;
        return;
      }
      this.#observe(showing, performance.now());
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Once a frame: quartiles, the ending notice, the end of an image, a stalled video. */
  #observe(showing: Showing, now: number): void {
    const isVideo = this.#front.isMoving;
    const playedMs = isVideo ? this.#front.positionMs : now - showing.startedAt;
    const quartiles = ['firstQuartile', 'midpoint', 'thirdQuartile'] as const;
    while (showing.quartilesTold < 3 && playedMs >= (showing.durationMs * (showing.quartilesTold + 1)) / 4) {
      const quartile = quartiles[showing.quartilesTold];
      showing.quartilesTold += 1;
      if (quartile) this.emit({ type: 'progress', slot: showing.slot, quartile });
    }
    this.#watch(showing, now, isVideo);
    const remainingMs = Math.max(0, showing.durationMs - playedMs);
    if (!showing.endingTold && remainingMs <= ENDING_LEAD_MS) {
      showing.endingTold = true;
      this.emit({ type: 'ending', slot: showing.slot, remainingMs });
    }
    if (!isVideo) {
      if (remainingMs <= HALF_FRAME_MS) this.#end(showing, 'ended');
      return;
    }
    if (playedMs > showing.lastPositionMs) {
      showing.lastPositionMs = playedMs;
      showing.lastAdvanceAt = now;
    } else if (now - showing.lastAdvanceAt > STALL_MS) {
      this.#end(showing, 'stalled');
    }
  }

  /** Counts the continuous second of rule 16; whatever interrupts it starts it again. */
  #watch(showing: Showing, now: number, isVideo: boolean): void {
    if (showing.viewedTold || !showing.presentedTold) return;
    const { visible } = showing;
    const unseen =
      document.visibilityState !== 'visible' ||
      this.view.isCovered() ||
      (visible !== null && now - visible.lastFrameAt > FRAME_GAP_MS) ||
      (isVideo && now - showing.lastAdvanceAt > FRAME_GAP_MS);
    showing.visible = unseen ? null : { since: visible?.since ?? now, lastFrameAt: now };
    if (showing.visible && now - showing.visible.since >= VIEW_THRESHOLD_MS) {
      showing.viewedTold = true;
      this.emit({ type: 'viewed', slot: showing.slot });
    }
  }
}
