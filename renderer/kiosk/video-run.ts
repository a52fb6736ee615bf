import type { StageReport } from '../../shared/stage';

/** A position that stands still this long has stalled, ms. A frame may last longer, as in a slideshow with sound. */
const STALL_MS = 3_000;
/** Viewers do not notice a standstill up to this length, ms. */
const UNNOTICED_MS = 250;
/** From this long before its end on, frames are counted at each look, ms: the last count is part of the proof of play. */
const COUNTED_CLOSELY_MS = 500;
/** A moving video lags behind the page's clock by at most this between two looks, ms. */
const JITTER_MS = 2;

/** Whether a video failed because the kiosk's sound output broke: its server died, or a device was unplugged. */
export const lacksSound = ({ error }: Pick<HTMLVideoElement, 'error'>): boolean =>
  error?.message.startsWith('AUDIO_RENDERER_ERROR') ?? false;

/**
 * One run of a video, from the call of `play` on. It counts the frames that the compositor presented instead of
 * trusting the clock. A frame callback makes the page draw, so only one is requested at a time, which reports the
 * total: four times a second, and at each look before it is raised and near its end.
 */
export class VideoRun {
  readonly #listeners = new AbortController();
  /** Null: no frame callback is requested. */
  #frameRequest: number | null = null;
  #presentedFrames = 0;
  #observedAt: number;
  #lastAdvanceAt: number;
  #waits = 0;
  /** Time and counts when it was raised: nobody saw the frames and standstills before that. */
  #raised: { at: number; presented: number; dropped: number } | null = null;
  /** The visible part of the current standstill, ms. */
  #seenStillMs = 0;
  #endedStillsMs = 0;
  #endedStills = 0;
  isBroken = false;
  positionMs = 0;
  /** From the call of `play` until it moved, ms; null: its position has not advanced, so it does not move yet. */
  startMs: number | null = null;

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
    this.#observedAt = startedAt;
    this.#lastAdvanceAt = startedAt;
    const { signal } = this.#listeners;
    video.addEventListener('error', () => this.#break(), { signal });
    video.addEventListener('ended', () => this.onChange(), { signal });
    video.addEventListener('waiting', () => this.#wait(), { signal });
    // Comes four times a second and does not make the page draw.
    const onTimeUpdate = () => {
      this.observe(performance.now());
      this.#askForFrame();
    };
    video.addEventListener('timeupdate', onTimeUpdate, { signal });
    this.#askForFrame();
    // `AbortError` means that it was released, not that the file is broken.
    video.play().catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === 'AbortError')) this.#break();
    });
    // It failed while it waited, prepared: no event tells it again.
    if (video.error !== null) this.#break();
  }

  #break(): void {
    this.isBroken = true;
    this.onChange();
  }

  /** It is broken because the kiosk's sound output is, not its file. */
  get lacksSound(): boolean {
    return this.isBroken && lacksSound(this.video);
  }

  #wait(): void {
    // At its end a video fires `waiting`, too, but waits for nothing.
    if (this.#raised !== null && !this.video.ended) this.#waits += 1;
  }

  #askForFrame(): void {
    this.#frameRequest ??= this.video.requestVideoFrameCallback((_now, { presentedFrames }) => {
      this.#frameRequest = null;
      this.#presentedFrames = presentedFrames;
    });
  }

  /** Records the position of the video. All that it tells is as of the last observation. */
  observe(now: number): void {
    const position = this.video.currentTime * 1000;
    const movedMs = Math.max(0, position - this.positionMs);
    const seenMs = now - Math.max(this.#observedAt, this.#raised?.at ?? Number.POSITIVE_INFINITY);
    if (position !== this.positionMs) this.#lastAdvanceAt = now;
    if (position > 0 || this.video.ended) this.startMs ??= now - this.startedAt;
    this.positionMs = position;
    this.#observedAt = now;
    const isNearEnd = this.video.duration * 1000 - position <= COUNTED_CLOSELY_MS;
    if (this.#raised === null || isNearEnd) this.#askForFrame();
    if (this.video.ended || seenMs < 0) return;
    const stillMs = seenMs - movedMs;
    if (stillMs > JITTER_MS) this.#seenStillMs += stillMs;
    if (stillMs <= JITTER_MS || movedMs > UNNOTICED_MS) this.#endStandstill();
  }

  #endStandstill(): void {
    if (this.#noticedStillMs > 0) this.#endedStills += 1;
    this.#endedStillsMs += this.#noticedStillMs;
    this.#seenStillMs = 0;
  }

  /** The visible part of the current standstill, ms; 0: there is none, or nobody notices it. */
  get #noticedStillMs(): number {
    return !this.video.ended && this.#seenStillMs > UNNOTICED_MS ? this.#seenStillMs : 0;
  }

  /** To be called when it is raised: from now on its frames count as seen. */
  shown(now: number): void {
    const { droppedVideoFrames } = this.video.getVideoPlaybackQuality();
    this.#raised = { at: now, presented: this.#presentedFrames, dropped: droppedVideoFrames };
  }

  get hasEnded(): boolean {
    return this.video.ended;
  }

  /** It counts as stalled after this time unless it moves on before; ms on the page's monotonic clock. */
  get stallsAfter(): number {
    if (this.video.ended) return Number.POSITIVE_INFINITY;
    return this.#lastAdvanceAt + STALL_MS;
  }

  /** Time since its position last advanced, ms. */
  get stillMs(): number {
    return this.#observedAt - this.#lastAdvanceAt;
  }

  /** Total of the noticeable standstills since it was raised, ms. */
  get stoodStillMs(): number {
    return this.#endedStillsMs + this.#noticedStillMs;
  }

  get counts(): Pick<StageReport, 'presentedFrames' | 'droppedFrames' | 'stalls'> {
    const { presented, dropped } = this.#raised ?? { presented: 0, dropped: 0 };
    const { droppedVideoFrames } = this.video.getVideoPlaybackQuality();
    return {
      // Includes the frame that was visible when it was raised, even if none followed.
      presentedFrames: Math.max(this.#raised ? 1 : 0, this.#presentedFrames - Math.max(0, presented - 1)),
      droppedFrames: Math.max(0, droppedVideoFrames - dropped),
      stalls: Math.max(this.#waits, this.#endedStills + (this.#noticedStillMs > 0 ? 1 : 0)),
    };
  }

  /** Stops listening. The layer releases the element. */
  close(): void {
    this.#listeners.abort();
    if (this.#frameRequest !== null) this.video.cancelVideoFrameCallback(this.#frameRequest);
  }
}
