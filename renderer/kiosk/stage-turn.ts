import type { StageCreative, StageEvent } from '../../shared/stage';
import type { LayerIndex, LayerLook, Place, StageEffect, StageLook, StageState } from './stage-state';

/** One transition of the stage's state machine under way: the state and the effects so far. */
export class Turn {
  readonly effects: StageEffect[] = [];

  constructor(
    public state: StageState,
    private readonly look: StageLook,
  ) {}

  get now(): number {
    return this.look.now;
  }
  get isSeen(): boolean {
    return this.look.isSeen;
  }
  get frontLook(): LayerLook {
    return this.look.layers[this.state.frontLayer];
  }
  get backLook(): LayerLook {
    return this.look.layers[this.state.backLayer];
  }
  get lateLook(): LayerLook {
    return this.look.layers[this.state.lateLayer];
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

  place(layer: LayerIndex, place: Place): void {
    this.do({ do: 'place', layer, place });
  }

  hold(layer: LayerIndex, load: number): void {
    const [first, second, third] = this.state.holds.map((held, index) => (index === layer ? load : held));
    this.set({ holds: [first ?? 0, second ?? 0, third ?? 0] });
  }

  release(layer: LayerIndex): void {
    if (this.state.holds[layer] === 0) return;
    this.hold(layer, 0);
    this.do({ do: 'release', layer });
  }

  /** The coming creative is loaded, and waits for its slot. */
  ready(slot: number, creative: StageCreative, durationMs: number): void {
    this.set({ coming: { is: 'ready', slot, creative, durationMs } });
    this.emit({ type: 'prepared', slot, durationMs });
  }

  /** The layer is covered from now on, by `slot` or (null) by the brand card. */
  leave(layer: LayerIndex, slot: number | null): void {
    this.do({ do: 'await-drawn', leaving: { layer, load: this.state.holds[layer], slot } });
  }
}
