import { assertNever } from '../../shared/assert-never';
import { BANNER_PAINT_DEADLINE_MS, type StageCreative } from '../../shared/stage';
import { clearCanvas, drawBackdrop } from './backdrop';
import type { GuestPaint, GuestPaints } from './guest-paints';
import type { KeptPictures } from './kept-pictures';
import { decodedCard } from './native-card/decoded-card';
import type { LoadError, Loaded, Place } from './stage-state';
import { disableCanvasDrawing, drawAsSeen, type drawStill, seenSize } from './still-picture';
import { VideoRun } from './video-run';
import { type Banner, type Fit, type LayerContent, NOTHING, type Size } from './view';

/** How long a creative may take to load, decode and have its first frame ready, ms. */
const PREPARE_DEADLINE_MS = 10_000;
/** A shorter video is rejected as a mistake, ms: it would use up its frequency caps in seconds. */
const SHORTEST_VIDEO_MS = 200;

/** The elements of a layer. They exist from the page's first frame on, except the card's video. */
export interface LayerElements {
  readonly layer: HTMLElement;
  readonly backdrop: HTMLCanvasElement;
  /** Shows pictures that do not move. */
  readonly still: HTMLCanvasElement;
  readonly image: HTMLImageElement;
  readonly video: HTMLVideoElement;
  /** The video in the frame of a card; null: there is none. */
  readonly cardVideo: () => HTMLVideoElement | null;
}

type DrawStill = typeof drawStill;
type Card = Extract<StageCreative, { kind: 'card' }>;
const SUPERSEDED: LoadError = { code: 'load-failed', detail: 'superseded' };

/**
 * The frame-exact part of one layer of the stage: decoding, the first frame, the run of a video, its place.
 * React draws the elements. Their sources and the layer's place are set here, because each step waits for an
 * element, and the swap of two layers must happen within one frame. The image and the video element are reused for
 * every creative and never leave the document, so that what they prepared is decoded and composited when the layer
 * is raised.
 */
export class Layer {
  /** Called when its video ended or failed, or its guest broke. */
  onChange = (): void => {};
  /** What main has seen of its page, or of the banner in its card. */
  #paint: GuestPaint | null = null;
  #creative: StageCreative | null = null;
  #run: VideoRun | null = null;
  /** The fit of the picture in the `still` canvas; null: the canvas is empty. */
  #stillFit: Fit | null = null;
  /** Detects late results of an earlier creative. */
  #generation = 0;

  /** `draw`: React draws the layer's content before it returns; it throws if that fails. */
  constructor(
    private readonly elements: LayerElements,
    private readonly draw: (content: LayerContent) => void,
    private readonly paints: GuestPaints,
    private readonly pictures: KeptPictures,
    private readonly drawStill: DrawStill,
  ) {
    elements.still.addEventListener('contextlost', () => this.#replaceStill());
  }

  /** Loads and decodes. Resolves with the length in ms, or with the error; null: the layer was released meanwhile. */
  async prepare(creative: StageCreative): Promise<Loaded | null> {
    // `release` begins the next generation.
    const generation = this.#generation + 1;
    const outcome = await this.#load(creative, () => generation === this.#generation);
    return generation === this.#generation ? outcome : null;
  }

  async #load(creative: StageCreative, isCurrent: () => boolean): Promise<Loaded> {
    try {
      this.release();
      this.#creative = creative;
      switch (creative.kind) {
        case 'image':
          return await this.#loadImage(creative, isCurrent);
        case 'video':
          this.draw({ kind: 'video', fit: null });
          return await this.#loadVideo(this.elements.video, creative);
        case 'page':
          this.draw({ kind: 'page', url: creative.url, partition: creative.partition });
          // The page itself is not trusted: main reports when it has painted.
          await withDeadline(this.#awaitPaint(creative.url));
          return { durationMs: creative.durationMs };
        case 'card':
          return await this.#loadCard(creative, isCurrent);
        default:
          return assertNever(creative);
      }
    } catch (error) {
      return {
        code: error instanceof DeadlinePassed ? 'start-timeout' : 'decode-failed',
        detail: words(error),
      };
    }
  }

  async #loadCard(creative: Card, isCurrent: () => boolean): Promise<Loaded> {
    const { language, video, volume, durationMs, banner } = creative;
    const drawCard = (
      content: Card['content'],
      framed: 'video' | Banner | null,
      pixels: ImageBitmap | null,
    ) => {
      for (const url of picturesOf(content, pixels === null)) this.pictures.keep(url);
      this.draw({ kind: 'card', content, language, framed, pixels });
    };
    const { picture } = creative.content;
    if (picture?.kind === 'image') {
      const others = await withDeadline(decodedCard({ ...creative.content, picture: null }));
      const drawn = this.drawStill(picture.url, (pixels) => {
        if (isCurrent()) drawCard({ ...others, picture }, null, pixels);
      });
      if (await withDeadline(drawn)) return lasting(durationMs);
    }
    const content = await withDeadline(decodedCard(creative.content));
    if (!isCurrent()) return SUPERSEDED;
    drawCard(content, video === null ? null : 'video', null);
    const element = this.elements.cardVideo();
    if (video !== null && element !== null) return this.#loadVideo(element, { url: video, volume });
    if (banner && content.picture?.kind === 'html') {
      const { url, partition, isSized } = banner;
      const { width, height } = content.picture;
      drawCard(content, { url, partition, size: { width, height } }, null);
      const painted = this.#awaitPaint(url);
      const size = await withDeadline(painted, BANNER_PAINT_DEADLINE_MS, 'the banner painted nothing');
      // If the ad states no size, the card takes the banner's shape; otherwise it would be letterboxed.
      const picture = { ...content.picture, ...size };
      if (!isSized && size !== null && isCurrent())
        drawCard({ ...content, picture }, { url, partition, size }, null);
    }
    return lasting(durationMs);
  }

  #awaitPaint(url: string): GuestPaint['painted'] {
    this.#paint = this.paints.watch(url, () => this.onChange());
    return this.#paint.painted;
  }

  async #loadImage(
    { url, durationMs }: Extract<StageCreative, { kind: 'image' }>,
    isCurrent: () => boolean,
  ): Promise<Loaded> {
    const drawn = this.drawStill(url, (pixels) => {
      if (isCurrent()) this.#layOut('still', pixels, pixels);
    });
    if (!(await withDeadline(drawn)) && isCurrent()) {
      const error = await this.#decodeImage(url);
      if (error !== null) return error;
    }
    return lasting(durationMs);
  }

  /** The canvas lost its content: the image element shows the picture from now on. */
  #replaceStill(): void {
    disableCanvasDrawing();
    if (this.#stillFit === null || this.#creative?.kind !== 'image') return;
    this.elements.image.src = this.#creative.url;
    this.pictures.keep(this.#creative.url);
    this.draw({ kind: 'image', fit: this.#stillFit });
    this.#stillFit = null;
  }

  /** Loads the picture into the image element. Resolves with the error if it cannot be decoded. */
  async #decodeImage(url: string): Promise<LoadError | null> {
    const { image } = this.elements;
    this.draw({ kind: 'image', fit: null });
    image.src = url;
    try {
      await withDeadline(image.decode());
    } catch (error) {
      if (error instanceof DeadlinePassed) throw error;
      return { code: 'decode-failed', detail: `the image could not be decoded: ${words(error)}` };
    }
    this.pictures.keep(url);
    this.#layOut('image', image, { width: image.naturalWidth, height: image.naturalHeight });
    return null;
  }

  async #loadVideo(
    video: HTMLVideoElement,
    { url, volume }: { readonly url: string; readonly volume: number },
  ): Promise<Loaded> {
    video.muted = volume === 0;
    video.volume = volume;
    const listeners = new AbortController();
    try {
      await withDeadline(
        new Promise<void>((resolve, reject) => {
          const options = { once: true, signal: listeners.signal };
          let framePresented = false;
          const check = () => {
            if (framePresented && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA) resolve();
          };
          video.addEventListener(
            'error',
            () => reject(new Error(video.error?.message || 'media error')),
            options,
          );
          video.addEventListener('canplay', check, options);
          video.requestVideoFrameCallback(() => {
            framePresented = true;
            check();
          });
          video.src = url;
        }),
      );
    } catch (error) {
      if (error instanceof DeadlinePassed) throw error;
      // The file is on disk and verified, so any error but a network error means that it cannot be decoded.
      const undecodable = video.error !== null && video.error.code !== MediaError.MEDIA_ERR_NETWORK;
      return { code: undecodable ? 'decode-failed' : 'load-failed', detail: words(error) };
    } finally {
      listeners.abort();
    }
    const durationMs = video.duration * 1000;
    if (!Number.isFinite(durationMs) || durationMs <= 0)
      return { code: 'load-failed', detail: `the video states no length (${video.duration})` };
    if (durationMs < SHORTEST_VIDEO_MS)
      return { code: 'load-failed', detail: `the video lasts only ${Math.round(durationMs)} ms` };
    if (video === this.elements.video)
      this.#layOut('video', video, { width: video.videoWidth, height: video.videoHeight });
    return { durationMs };
  }

  /** A creative in nearly the screen's shape fills it; any other is shown whole, over its own blurred picture. */
  #layOut(
    kind: 'still' | 'image' | 'video',
    source: ImageBitmap | HTMLImageElement | HTMLVideoElement,
    size: Size,
  ): void {
    const { layer, backdrop, still } = this.elements;
    const screen = { width: layer.clientWidth, height: layer.clientHeight };
    const fit = drawBackdrop(backdrop, source, size, screen);
    if (source instanceof ImageBitmap) {
      drawAsSeen(still, source, seenSize(layer), fit);
      this.#stillFit = fit;
    }
    this.draw({ kind, fit });
  }

  /** Lets a prepared video run; `now` is ms on the page's monotonic clock. */
  start(now: number): void {
    this.#run ??= new VideoRun(this.#video, now, () => this.onChange());
  }

  get #video(): HTMLVideoElement {
    return this.elements.cardVideo() ?? this.elements.video;
  }

  /** To be called when the layer is raised. Begins counting, and restarts an animation. `now`: ms, monotonic. */
  shown(now: number): void {
    this.#run?.shown(now);
    // Setting the same address again restarts the animation without loading the picture again.
    const { image } = this.elements;
    if (this.#creative?.kind === 'image' && image.hasAttribute('src')) image.src = this.#creative.url;
  }

  /** The run of its video; null: none was started. */
  get run(): VideoRun | null {
    return this.#run;
  }

  /** The process of its page died, so not even a last frame is left. */
  get isLost(): boolean {
    return this.#creative?.kind === 'page' && this.#paint?.isBroken() === true;
  }

  /** The banner in its card broke: a part of the ad can no longer be seen. */
  get isBannerBroken(): boolean {
    return this.#creative?.kind === 'card' && this.#paint?.isBroken() === true;
  }

  /** Stops moving but keeps the last frame on the screen. */
  freeze(): void {
    this.#video.pause();
  }

  set place(place: Place) {
    const { dataset } = this.elements.layer;
    if (dataset.place !== place) dataset.place = place;
  }

  /** Frees what the creative holds: decoder, buffers and bitmaps. */
  release(): void {
    this.#generation += 1;
    this.#creative = null;
    this.#run?.close();
    this.#run = null;
    const video = this.#video;
    if (video.hasAttribute('src')) {
      video.pause();
      video.removeAttribute('src');
      video.load();
    }
    this.#paint?.forget();
    this.#paint = null;
    this.elements.image.removeAttribute('src');
    clearCanvas(this.elements.still);
    this.#stillFit = null;
    clearCanvas(this.elements.backdrop);
    this.draw(NOTHING);
  }
}

const lasting = (durationMs: number | null): Loaded =>
  durationMs === null
    ? { code: 'load-failed', detail: 'the ad states no duration, and only a video has one of its own' }
    : { durationMs };

/** URLs of the card's pictures that image elements show. */
function picturesOf(
  { picture, icon, contentInfo }: Card['content'],
  isInElement: boolean,
): readonly string[] {
  const main = isInElement && picture?.kind === 'image' ? picture.url : null;
  return [main, icon, contentInfo?.icon ?? null].filter((url) => url !== null);
}

class DeadlinePassed extends Error {
  constructor(what: string, ms: number) {
    super(`${what} within ${ms / 1000} s`);
  }
}

function withDeadline<T>(work: Promise<T>, ms = PREPARE_DEADLINE_MS, what = 'no first frame'): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed(what, ms)), ms);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));
