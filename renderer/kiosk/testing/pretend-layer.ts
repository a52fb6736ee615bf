import type { StageCreative } from '../../../shared/stage';
import type { StageLayer } from '../stage';
import type { LoadError, Place } from '../stage-state';

/** A video that moves with the clock once it was started, unless told otherwise. */
export class PretendRun implements NonNullable<StageLayer['run']> {
  startMs: number | null = null;
  positionMs = 0;
  hasEnded = false;
  #isBroken = false;
  lacksSound = false;
  #observedAt = 0;
  stuckSince: number | null = null;
  readonly counts = { presentedFrames: 100, droppedFrames: 2, stalls: 0 };
  constructor(
    readonly startedAt: number,
    private readonly takesMs: number,
    private readonly lengthMs: number,
    private readonly onChange: () => void,
  ) {}
  get isBroken(): boolean {
    return this.#isBroken;
  }
  set isBroken(isSo: boolean) {
    this.#isBroken = isSo;
    this.onChange();
  }
  /** Ends before its length. */
  end(now: number): void {
    this.stuckSince = now;
    this.hasEnded = true;
    this.onChange();
  }
  observe(now: number): void {
    this.#observedAt = now;
    // It stands where it stopped, even if it was not observed at that moment.
    const position = (this.stuckSince ?? now) - this.startedAt - this.takesMs;
    if (position > 0) this.startMs ??= now - this.startedAt;
    this.positionMs = Math.min(this.lengthMs, Math.max(0, position));
    this.hasEnded ||= position >= this.lengthMs;
  }
  get #stillSince(): number {
    return this.stuckSince ?? (this.startMs !== null ? this.#observedAt : this.startedAt);
  }
  get stallsAfter(): number {
    return this.#stillSince + 3_000;
  }
  get stillMs(): number {
    return this.#observedAt - this.#stillSince;
  }
  get stoodStillMs(): number {
    return this.stillMs;
  }
}

/** A layer without a document. A creative is ready at once, unless the test sets `until`. */
export class PretendLayer implements StageLayer {
  place: Place = 'behind';
  run: PretendRun | null = null;
  generation = 0;
  onChange = (): void => {};
  #isLost = false;
  #isBannerBroken = false;
  creative: StageCreative | null = null;
  isFrozen = false;
  wasShown = 0;
  outcome: { durationMs: number } | LoadError = { durationMs: 0 };
  startTakesMs = 20;
  /** Length of its videos, ms. */
  lengthMs = 2_000;
  until: Promise<void> = Promise.resolve();

  async prepare(creative: StageCreative) {
    this.release();
    this.creative = creative;
    this.isFrozen = false;
    this.outcome =
      'code' in this.outcome ? this.outcome : { durationMs: creative.durationMs ?? this.lengthMs };
    await this.until;
    return this.outcome;
  }
  get canBeLost(): boolean {
    return this.creative?.kind === 'page';
  }
  get isLost(): boolean {
    return this.#isLost;
  }
  set isLost(isSo: boolean) {
    this.#isLost = isSo;
    this.onChange();
  }
  get isBannerBroken(): boolean {
    return this.#isBannerBroken;
  }
  set isBannerBroken(isSo: boolean) {
    this.#isBannerBroken = isSo;
    this.onChange();
  }
  start(now: number): void {
    this.run = new PretendRun(now, this.startTakesMs, this.lengthMs, () => this.onChange());
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
    this.#isLost = false;
    this.#isBannerBroken = false;
  }
}
