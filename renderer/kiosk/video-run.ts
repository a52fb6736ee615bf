import type { StageReport } from '../../shared/stage';

/** A position that stands still this long has stalled, ms. */
const STALL_MS = 3_000;
/** So has a video whose position moves on but which presents no frame; some hold one for seconds, ms. */
const FROZEN_MS = 15_000;
/** A position that stands still no longer than this is not noticed by who looks on, ms. */
const UNNOTICED_MS = 250;
/** A video that moves as it should lags behind the page's clock by no more than this between two looks, ms. */
const JITTER_MS = 2;

/**
 * One run of a video, from the call of `play` on, and the truth about it: what
 * was presented is counted by the compositor's own frames, not by the clock.
 * A frame callback makes the page draw, so only one frame is asked for at each look; it tells the count of all.
 */
export class VideoRun {
  readonly #listeners = new AbortController();
  /** Null: no frame is asked for. */
  #frameRequest: number | null = null;
  #presentedFrames = 0;
  #lastFrameAt: number;
  #positionMs = 0;
  #observedAt: number;
  #lastAdvanceAt: number;
  #broken = false;
  #waits = 0;
  /** When it was raised: what it stood still before that was seen by nobody. */
  #raisedAt = Number.POSITIVE_INFINITY;
  /** Of the standstill under way, what was seen of it, ms. */
  #stillMs = 0;
  #stoodStillMs = 0;
  #standstills = 0;
  /** Counts at the moment it was raised: frames before that were seen by nobody. */
  #before: { presented: number; dropped: number } | null = null;

  /**
   * `startedAt` and every `now` are ms on the page's monotonic clock.
   *
   * @param onChange it has ended, or broken
   */
  constructor(
    private readonly video: HTMLVideoElement,
    readonly startedAt: number,
    private readonly onChange: () => void,
  ) {
    this.#lastFrameAt = startedAt;
    this.#observedAt = startedAt;
    this.#lastAdvanceAt = startedAt;
    const { signal } = this.#listeners;
    video.addEventListener('error', () => this.#break(), { signal });
    video.addEventListener('ended', () => this.onChange(), { signal });
    video.addEventListener('waiting', () => this.#wait(), { signal });
    // Four times a second, and without a frame of the page.
    video.addEventListener('timeupdate', () => this.observe(performance.now()), { signal });
    this.#askForFrame();
    // Aborted by its release: not a fault of the file.
    video.play().catch((fault: unknown) => {
      if (!(fault instanceof DOMException && fault.name === 'AbortError')) this.#break();
    });
  }

  #break(): void {
    this.#broken = true;
    this.onChange();
  }

  #wait(): void {
    // At its very end a video waits for nothing.
    if (this.#before !== null && !this.video.ended) this.#waits += 1;
  }

  #askForFrame(): void {
    this.#frameRequest ??= this.video.requestVideoFrameCallback((now, { presentedFrames }) => {
      this.#frameRequest = null;
      this.#presentedFrames = presentedFrames;
      this.#lastFrameAt = now;
    });
  }

  /** Takes note of where the video is; to be called before anything is asked about it. */
  observe(now: number): void {
    const position = this.video.currentTime * 1000;
    const movedMs = Math.max(0, position - this.#positionMs);
    const seenMs = now - Math.max(this.#observedAt, this.#raisedAt);
    if (position !== this.#positionMs) this.#lastAdvanceAt = now;
    this.#positionMs = position;
    this.#observedAt = now;
    this.#askForFrame();
    if (this.video.ended || seenMs < 0) return;
    const stillMs = seenMs - movedMs;
    if (stillMs > JITTER_MS) this.#stillMs += stillMs;
    if (stillMs <= JITTER_MS || movedMs > UNNOTICED_MS) this.#moveOn(now);
  }

  /** The standstill under way is over. */
  #moveOn(now: number): void {
    const stillMs = this.#noticedStillMs(now);
    if (stillMs > 0) this.#standstills += 1;
    this.#stoodStillMs += stillMs;
    this.#stillMs = 0;
  }

  /** Of the standstill under way, what was seen of it until `now`, ms; 0: it moves, as far as anybody notices. */
  #noticedStillMs(now: number): number {
    if (this.video.ended) return 0;
    const stillMs = this.#stillMs + Math.max(0, now - Math.max(this.#observedAt, this.#raisedAt));
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

  /** After this time it has stalled, unless it moves on before; ms on the page's monotonic clock. */
  get stallsAfter(): number {
    if (this.video.ended) return Number.POSITIVE_INFINITY;
    return Math.min(this.#lastAdvanceAt + STALL_MS, this.#lastFrameAt + FROZEN_MS);
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
    if (this.#frameRequest !== null) this.video.cancelVideoFrameCallback(this.#frameRequest);
  }
}
