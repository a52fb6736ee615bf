import type { StageReport } from '../../shared/stage';

/** A position that stands still this long has stalled, ms. */
const STALL_MS = 3_000;
/** So has a video whose position moves on but which presents no frame; some hold one for seconds, ms. */
const FROZEN_MS = 15_000;
/** A position that stands still no longer than this is not noticed by who looks on, ms. */
const UNNOTICED_MS = 250;

/**
 * One run of a video, from the call of `play` on, and the truth about it: what
 * was presented is counted by the compositor's own frames, not by the clock.
 */
export class VideoRun {
  readonly #listeners = new AbortController();
  #frameRequest = 0;
  #presentedFrames = 0;
  #lastFrameAt: number;
  #positionMs = 0;
  #lastAdvanceAt: number;
  #broken = false;
  #waits = 0;
  /** When it was raised: what it stood still before that was seen by nobody. */
  #raisedAt = Number.POSITIVE_INFINITY;
  #stoodStillMs = 0;
  #standstills = 0;
  /** Counts at the moment it was raised: frames before that were seen by nobody. */
  #before: { presented: number; dropped: number } | null = null;

  /** `startedAt` and every `now` are ms on the page's monotonic clock. */
  constructor(
    private readonly video: HTMLVideoElement,
    readonly startedAt: number,
  ) {
    this.#lastFrameAt = startedAt;
    this.#lastAdvanceAt = startedAt;
    const { signal } = this.#listeners;
    video.addEventListener('error', () => this.#break(), { signal });
    video.addEventListener('waiting', () => this.#wait(), { signal });
    this.#awaitFrame();
    // Aborted by its release: not a fault of the file.
    video.play().catch((fault: unknown) => {
      if (!(fault instanceof DOMException && fault.name === 'AbortError')) this.#break();
    });
  }

  #break(): void {
    this.#broken = true;
  }

  #wait(): void {
    // At its very end a video waits for nothing.
    if (this.#before !== null && !this.video.ended) this.#waits += 1;
  }

  #awaitFrame(): void {
    this.#frameRequest = this.video.requestVideoFrameCallback((now, { presentedFrames }) => {
      this.#presentedFrames = presentedFrames;
      this.#lastFrameAt = now;
      this.#awaitFrame();
    });
  }

  /** Takes note of where the video is; to be called every frame. */
  observe(now: number): void {
    const position = this.video.currentTime * 1000;
    if (position === this.#positionMs) return;
    const stillMs = this.#noticedStillMs(now, Math.max(0, position - this.#positionMs));
    if (stillMs > 0) this.#standstills += 1;
    this.#stoodStillMs += stillMs;
    this.#positionMs = position;
    this.#lastAdvanceAt = now;
  }

  /**
   * Of the standstill under way, what was seen of it, ms; 0: it moves, as far as anybody notices. What it has
   * moved on since it was last observed, `movedMs`, is time in which the page drew nothing, not the video.
   */
  #noticedStillMs(now: number, movedMs = 0): number {
    if (this.video.ended) return 0;
    const stillMs = now - Math.max(this.#lastAdvanceAt, this.#raisedAt) - movedMs;
    return stillMs > UNNOTICED_MS ? stillMs : 0;
  }

  /** Its clock runs: what is on the screen from now on moves. */
  get hasStarted(): boolean {
    return this.#positionMs > 0 || this.video.ended;
  }

  /** It was raised: from now on its frames are seen. */
  shown(now: number): void {
    this.#raisedAt = now;
    const { droppedVideoFrames } = this.video.getVideoPlaybackQuality();
    this.#before = { presented: this.#presentedFrames, dropped: droppedVideoFrames };
  }

  get positionMs(): number {
    return this.#positionMs;
  }

  get hasEnded(): boolean {
    return this.video.ended;
  }

  get isBroken(): boolean {
    return this.#broken;
  }

  hasStalled(now: number): boolean {
    if (this.video.ended) return false;
    return now - this.#lastAdvanceAt > STALL_MS || now - this.#lastFrameAt > FROZEN_MS;
  }

  /** How long nothing new was seen, ms. */
  stillFor(now: number): number {
    return now - this.#lastAdvanceAt;
  }

  /** Time since it was raised in which it stood still so that it was noticed, ms. */
  stoodStillMs(now: number): number {
    return this.#stoodStillMs + this.#noticedStillMs(now);
  }

  /** As far as it was observed; a standstill it ends in counts. */
  counts(now: number): Pick<StageReport, 'presentedFrames' | 'droppedFrames' | 'stalls'> {
    const { presented, dropped } = this.#before ?? { presented: 0, dropped: 0 };
    const { droppedVideoFrames } = this.video.getVideoPlaybackQuality();
    return {
      // The frame that was up when it was raised is seen too, even if none followed.
      presentedFrames: Math.max(this.#before ? 1 : 0, this.#presentedFrames - Math.max(0, presented - 1)),
      droppedFrames: Math.max(0, droppedVideoFrames - dropped),
      stalls: Math.max(this.#waits, this.#standstills + (this.#noticedStillMs(now) > 0 ? 1 : 0)),
    };
  }

  /** Stops listening; the element is the layer's to release. */
  close(): void {
    this.#listeners.abort();
    this.video.cancelVideoFrameCallback(this.#frameRequest);
  }
}
