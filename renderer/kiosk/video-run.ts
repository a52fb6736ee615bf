import type { StageReport } from '../../shared/stage';

/** A position that stands still this long has stalled, ms. */
const STALL_MS = 3_000;
/** So has one that presents no frame for this long while its position moves on, ms. Some hold a frame for seconds. */
const FROZEN_MS = 15_000;
/** Viewers do not notice a standstill up to this length, ms. */
const UNNOTICED_MS = 250;
/** A moving video lags behind the page's clock by at most this between two looks, ms. */
const JITTER_MS = 2;

/**
 * One run of a video, from the call of `play` on. It counts the frames that the compositor presented instead of
 * trusting the clock. A frame callback makes the page draw, so each look requests only one, which reports the total.
 */
export class VideoRun {
  readonly #listeners = new AbortController();
  /** Null: no frame callback is requested. */
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
  /** The visible part of the current standstill, ms. */
  #stillMs = 0;
  #stoodStillMs = 0;
  #standstills = 0;
  /** Counts when it was raised: nobody saw the frames before that. */
  #before: { presented: number; dropped: number } | null = null;

  /**
   * `startedAt` and every `now` are ms on the page's monotonic clock.
   *
   * @param onChange called when it has ended or failed
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
    // Comes four times a second and does not make the page draw.
    video.addEventListener('timeupdate', () => this.observe(performance.now()), { signal });
    this.#askForFrame();
    // `AbortError` means that it was released, not that the file is broken.
    video.play().catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === 'AbortError')) this.#break();
    });
  }

  #break(): void {
    this.#broken = true;
    this.onChange();
  }

  #wait(): void {
    // At its end a video fires `waiting`, too, but waits for nothing.
    if (this.#before !== null && !this.video.ended) this.#waits += 1;
  }

  #askForFrame(): void {
    this.#frameRequest ??= this.video.requestVideoFrameCallback((now, { presentedFrames }) => {
      this.#frameRequest = null;
      this.#presentedFrames = presentedFrames;
      this.#lastFrameAt = now;
    });
  }

  /** Records the position of the video. To be called before any other method or property is used. */
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

  /** Counts the current standstill, which is over. */
  #moveOn(now: number): void {
    const stillMs = this.#noticedStillMs(now);
    if (stillMs > 0) this.#standstills += 1;
    this.#stoodStillMs += stillMs;
    this.#stillMs = 0;
  }

  /** The visible part of the current standstill until `now`, ms; 0: there is none, or nobody notices it. */
  #noticedStillMs(now: number): number {
    if (this.video.ended) return 0;
    const stillMs = this.#stillMs + Math.max(0, now - Math.max(this.#observedAt, this.#raisedAt));
    return stillMs > UNNOTICED_MS ? stillMs : 0;
  }

  /** Its position has advanced, so it moves on the screen. */
  get hasStarted(): boolean {
    return this.#positionMs > 0 || this.video.ended;
  }

  /** To be called when it is raised: from now on its frames count as seen. */
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

  /** It counts as stalled after this time unless it moves on before; ms on the page's monotonic clock. */
  get stallsAfter(): number {
    if (this.video.ended) return Number.POSITIVE_INFINITY;
    return Math.min(this.#lastAdvanceAt + STALL_MS, this.#lastFrameAt + FROZEN_MS);
  }

  /** Time since its position last advanced, ms. */
  stillFor(now: number): number {
    return now - this.#lastAdvanceAt;
  }

  /** Total of the noticeable standstills since it was raised, ms. */
  stoodStillMs(now: number): number {
    return this.#stoodStillMs + this.#noticedStillMs(now);
  }

  /** Counts up to the last observation, including a standstill that is not over at `now`. */
  counts(now: number): Pick<StageReport, 'presentedFrames' | 'droppedFrames' | 'stalls'> {
    const { presented, dropped } = this.#before ?? { presented: 0, dropped: 0 };
    const { droppedVideoFrames } = this.video.getVideoPlaybackQuality();
    return {
      // Includes the frame that was visible when it was raised, even if none followed.
      presentedFrames: Math.max(this.#before ? 1 : 0, this.#presentedFrames - Math.max(0, presented - 1)),
      droppedFrames: Math.max(0, droppedVideoFrames - dropped),
      stalls: Math.max(this.#waits, this.#standstills + (this.#noticedStillMs(now) > 0 ? 1 : 0)),
    };
  }

  /** Stops listening. The layer releases the element. */
  close(): void {
    this.#listeners.abort();
    if (this.#frameRequest !== null) this.video.cancelVideoFrameCallback(this.#frameRequest);
  }
}
