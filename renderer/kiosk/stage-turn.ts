import type { StageCreative, StageEvent } from '../../shared/stage';
import type { LayerIndex, LayerLook, Place, StageEffect, StageLook, StageState } from './stage-state';

/** Longest `detail` that the contract allows, UTF-16 code units. */
const MAX_DETAIL_LENGTH = 500;

type Failed = Extract<StageEvent, { type: 'failed' }>;

/** One transition of the stage's state machine under way: the state and the effects so far. */
export class Turn {
  readonly effects: StageEffect[] = [];

  constructor(
    public state: StageState,
    readonly look: StageLook,
  ) {}

  get now(): number {
    return this.look.now;
  }
  get frontLook(): LayerLook {
    return this.look.layers[this.state.frontLayer];
  }
  get backLook(): LayerLook {
    return this.look.layers[this.state.backLayer];
  }

  set(change: Partial<StageState>): void {
    this.state = { ...this.state, ...change };
  }

  do(effect: StageEffect): void {
    this.effects.push(effect);
  }

  emit(event: StageEvent): void {
    this.do({ do: 'tell', event });
  }

  /** Reports that no frame of the slot is shown. */
  fail(slot: number, code: Failed['code'], detail: string): Failed {
    const failed = { type: 'failed', slot, code, detail: detail.slice(0, MAX_DETAIL_LENGTH) } as const;
    this.emit(failed);
    return failed;
  }

  /** The coming creative could not be loaded, or not in time. */
  breakComing(slot: number, code: Failed['code'], detail: string): void {
    const follows = this.state.follows === 'brand' ? 'brand' : 'nothing';
    this.set({ coming: { is: 'none' }, broken: this.fail(slot, code, detail), follows });
  }

  place(layer: LayerIndex, place: Place): void {
    this.do({ do: 'place', layer, place });
  }

  release(layer: LayerIndex): void {
    this.do({ do: 'release', layer });
  }

  /** The coming creative is loaded, and waits for its slot. */
  ready(slot: number, creative: StageCreative, durationMs: number): void {
    this.set({ coming: { is: 'ready', slot, creative, durationMs } });
    this.emit({ type: 'prepared', slot, durationMs });
  }
}
