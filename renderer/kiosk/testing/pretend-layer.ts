import type { StageCreative } from '../../../shared/stage';
import type { StageLayer } from '../stage';
import type { LoadError, Place } from '../stage-state';

/** A video that moves with the clock once it was started, unless told otherwise. */
export class PretendRun implements NonNullable<StageLayer['run']> {
  hasStarted = false;
  positionMs = 0;
  hasEnded = false;
  isBroken = false;
  stuckSince: number | null = null;
  readonly counts = () => ({ presentedFrames: 100, droppedFrames: 2, stalls: 0 });
  constructor(
    readonly startedAt: number,
    private readonly takesMs: number,
    private readonly lengthMs: number,
  ) {}
  observe(now: number): void {
    if (this.stuckSince !== null) return;
    const position = now - this.startedAt - this.takesMs;
    if (position > 0) this.hasStarted = true;
    this.positionMs = Math.min(this.lengthMs, Math.max(0, position));
    this.hasEnded = position >= this.lengthMs;
  }
  hasStalled = (now: number) => this.stillFor(now) > 3_000;
  stillFor(now: number): number {
    const since = this.stuckSince ?? (this.hasStarted ? now : this.startedAt);
    return now - since;
  }
  stoodStillMs = (now: number) => this.stillFor(now);
}

/** A layer without a document. What it is given is ready at once, unless told otherwise. */
export class PretendLayer implements StageLayer {
  place: Place = 'behind';
  run: PretendRun | null = null;
  generation = 0;
  isLost = false;
  isTorn = false;
  creative: StageCreative | null = null;
  isFrozen = false;
  wasShown = 0;
  outcome: { durationMs: number } | LoadError = { durationMs: 0 };
  startTakesMs = 20;
  until: Promise<void> = Promise.resolve();

  async prepare(creative: StageCreative) {
    this.release();
    const { generation } = this;
    this.creative = creative;
    this.isFrozen = false;
    this.outcome = 'code' in this.outcome ? this.outcome : { durationMs: creative.durationMs ?? 2_000 };
    await this.until;
    return generation === this.generation ? this.outcome : null;
  }
  get canBeLost(): boolean {
    return this.creative?.kind === 'page';
  }
  start(now: number): void {
    this.run = new PretendRun(now, this.startTakesMs, 2_000);
  }
  shown(): void {
    this.wasShown += 1;
  }
  freeze(): void {
    this.isFrozen = true;
  }
  release(): void {
    this.generation += 1;
    this.creative = null;
    this.run = null;
    this.isLost = false;
    this.isTorn = false;
  }
}
