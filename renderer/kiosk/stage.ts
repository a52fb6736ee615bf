import { assertNever } from '../../shared/assert-never';
import type { StageEvent } from '../../shared/stage';
import type { Layer } from './layer';
import { nextFrameDueAt, stepStage } from './stage-machine';
import {
  DARK_STAGE,
  type EachLayer,
  type LayerLook,
  NOT_DUE,
  type Place,
  type StageEffect,
  type StageInput,
  type StageState,
} from './stage-state';
import type { VideoRun } from './video-run';

/** What a stage needs of a `Layer`. */
export type StageLayer = LayerLook &
  Pick<Layer, 'prepare' | 'start' | 'shown' | 'freeze' | 'release' | 'onChange'> & {
    place: Place;
    readonly run: Pick<VideoRun, 'observe'> | null;
  };

/** The page around the layers. */
export interface StagePage {
  /** Calls once, at the next frame, with its time in ms on the page's monotonic clock. */
  next(run: (now: number) => void): void;
  /** Calls once in `ms`, or somewhat later. Returns a function that cancels it. */
  later(ms: number, run: () => void): () => void;
  now(): number;
  /** The window is visible, and nothing lies over the layers. */
  isSeen(): boolean;
  /** Shows a card over the layers, or none. */
  show(card: 'none' | 'brand'): void;
  emit(event: StageEvent): void;
}

/** Carries out what the stage's machine decides, and asks for a frame when something is due or has changed. */
export class Stage {
  #state: StageState = DARK_STAGE;
  /** Whether a frame is requested already. */
  #isLooking = false;
  #endRest = (): void => {};

  constructor(
    private readonly layers: EachLayer<StageLayer>,
    private readonly page: StagePage,
  ) {
    layers[0].place = 'front';
    layers[1].place = 'next';
    layers[2].place = 'behind';
    for (const layer of layers) layer.onChange = () => this.changed();
  }

  /**
   * Looks at the next frame. To be called when something changed: a video ended, a page broke, the layers were covered
   * or uncovered.
   */
  changed(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.page.next((now) => {
      this.#isLooking = false;
      this.take({ type: 'frame' }, now);
    });
  }

  /** Takes a command of main, a tap, or what the stage itself waits for. */
  take(input: StageInput, now = this.page.now()): void {
    const { layers } = this;
    for (const { run } of layers) run?.observe(now);
    const look = { now, layers, isSeen: this.page.isSeen() };
    const { state, effects } = stepStage(this.#state, input, look);
    this.#state = state;
    for (const effect of effects) this.#perform(effect, now);
    this.#rest();
  }

  #perform(effect: StageEffect, now: number): void {
    switch (effect.do) {
      case 'tell':
        this.page.emit(effect.event);
        return;
      case 'load':
        void this.layers[effect.layer].prepare(effect.creative).then((outcome) => {
          this.take({ type: 'loaded', loadedFor: effect.slot, outcome });
        });
        return;
      case 'release':
      case 'start':
      case 'shown':
      case 'freeze':
        this.layers[effect.layer][effect.do](now);
        return;
      case 'place':
        this.layers[effect.layer].place = effect.place;
        return;
      case 'card':
        this.page.show(effect.card);
        return;
      case 'await-drawn':
        // The next frame draws the change; when the one after it begins, that frame was drawn.
        this.page.next(() => this.page.next(() => this.take({ type: 'drawn', slot: effect.slot })));
        return;
      default:
        assertNever(effect);
    }
  }

  /** Requests the next look for when the state machine wants it, if it does. */
  #rest(): void {
    this.#endRest();
    const ms = nextFrameDueAt(this.#state) - this.page.now();
    if (ms <= 0) this.changed();
    else if (ms < NOT_DUE) this.#endRest = this.page.later(ms, () => this.changed());
  }
}
