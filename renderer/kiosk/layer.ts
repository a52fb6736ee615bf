import { assertNever } from '../../shared/assert-never';
import { BANNER_PAINT_DEADLINE_MS, type GuestCommand, type StageCreative } from '../../shared/stage';
import { clearCanvas, drawBackdrop } from './backdrop';
import type { decodedCard } from './native-card/decoded-card';
import type { LoadError, Loaded, Place } from './stage-state';
import type { drawStill } from './still-picture';
import { lacksSound, VideoRun } from './video-run';
import { type LayerContent, NOTHING, type Size } from './view';

/** How long a creative may take to load, decode and have its first frame ready, ms. */
const PREPARE_DEADLINE_MS = 10_000;
/** A shorter video is rejected as a mistake, ms: it would use up its frequency caps in seconds. */
const SHORTEST_VIDEO_MS = 200;
/**
 * A video may begin this late on its own time line, ms. Its quartiles are reached so much too early, and its last frame
 * stays so much longer. How long it lasts from there, Chromium knows only at its end.
 */
const MAX_BEGIN_MS = 2_000;
const NOT_DECODED = 'expected a picture in a codec that this kiosk decodes';

/** The elements of a layer. */
export interface LayerElements {
  readonly layer: HTMLElement;
  /** Another one for each creative. */
  readonly backdrop: () => HTMLCanvasElement | null;
  /** What shows the picture, alone or in the frame of a card; null: React drew no image element for it. */
  readonly image: () => HTMLImageElement | null;
  /** The video, alone or in the frame of a card; null: there is none. */
  readonly video: () => HTMLVideoElement | null;
}

/** What main has seen of a page in a guest. */
type GuestReport = Extract<GuestCommand, { type: 'painted' | 'broken' }>;
type DrawStill = typeof drawStill;
type DecodedCard = typeof decodedCard;
type Drawn<Kind> = Extract<LayerContent, { kind: Kind }>;
type Of<Kind> = Extract<StageCreative, { kind: Kind }>;

/**
 * The frame-exact part of one layer of the stage: decoding, the first frame, the run of a video, its place.
 * React draws the elements, at once, so that what they prepare in the document is decoded and composited when the layer
 * is raised. A video's source and the layer's place are set here, because each step waits for the element, and the swap
 * of two layers must happen within one frame.
 */
export class Layer {
  /** Called when its video ended or failed, or its guest broke. */
  onChange = (): void => {};
  /** Its page, or the banner in its card. Each has an address of its own. `heard`: takes main's report about it. */
  #guest: { readonly url: string; readonly heard: (report: GuestReport) => void } | null = null;
  #isGuestBroken = false;
  /** The creative of the latest `prepare`; null: it was released. */
  #creative: StageCreative | null = null;
  /** Of its video, 0 (silent) to 1; null: the sound output broke while it was loaded, so it stays muted. */
  #volume: number | null = 0;
  /** The run of its video; null: none was started. */
  run: VideoRun | null = null;

  /** `draw`: React draws the layer's content before it returns; it throws if that fails. */
  constructor(
    private readonly elements: LayerElements,
    private readonly draw: (content: LayerContent) => void,
    private readonly keepPicture: (url: string) => unknown,
    private readonly drawStill: DrawStill,
    private readonly decodedCard: DecodedCard,
  ) {}

  /** Loads and decodes. Resolves with the length in ms, or with the error. */
  prepare(creative: StageCreative): Promise<Loaded> {
    return this.#load(creative).then((durationMs) => ({ durationMs }), errorOf);
  }

  /** Throws if the layer was released after it began to load this creative. */
  #assertHolds(creative: StageCreative): void {
    if (this.#creative !== creative) throw new Error('superseded');
  }

  /** Resolves with the length in ms. */
  async #load(creative: StageCreative): Promise<number> {
    try {
      this.release();
    } finally {
      // Otherwise an error of `release` would be reported of no creative.
      this.#creative = creative;
    }
    if ('volume' in creative) this.#volume = creative.volume;
    switch (creative.kind) {
      case 'image':
        await this.#loadImage(creative);
        return statedLength(creative);
      case 'video':
        this.draw({ kind: 'video', fit: null });
        return this.#loadVideo(creative, creative.url);
      case 'page':
        this.draw({ kind: 'page', url: creative.url, partition: creative.partition });
        // The page itself is not trusted: main reports when it has painted.
        await withDeadline(this.#painted(creative.url));
        return creative.durationMs;
      case 'card':
        return this.#loadCard(creative);
      default:
        return assertNever(creative);
    }
  }

  async #loadCard(creative: Of<'card'>): Promise<number> {
    const { content: given, language, video, banner } = creative;
    const drawCard = (drawn: Pick<Drawn<'card'>, 'content' | 'framed' | 'pixels'>) => {
      this.#assertHolds(creative);
      for (const url of picturesOf(drawn)) this.keepPicture(url);
      this.draw({ kind: 'card', language, ...drawn });
    };
    const { picture } = given;
    if (picture?.kind === 'image') {
      const others = await withDeadline(this.decodedCard({ ...given, picture: null }));
      const drawn = this.drawStill(picture.url, (pixels) => {
        const { width, height } = pixels;
        const content = { ...others, picture: { ...picture, width, height } };
        drawCard({ content, framed: null, pixels });
      });
      if (await withDeadline(drawn)) return statedLength(creative);
    }
    const content = await withDeadline(this.decodedCard(given));
    // The record of the play names this picture, so main has to prepare the card without it.
    if (picture !== null && content.picture === null) throw new Error('its picture cannot be seen');
    drawCard({ content, framed: video === null ? null : 'video', pixels: null });
    if (video !== null) return this.#loadVideo(creative, video);
    if (banner && content.picture?.kind === 'html') {
      const { url, partition } = banner;
      const { width, height } = content.picture;
      drawCard({ content, framed: { url, partition, size: { width, height } }, pixels: null });
      await withDeadline(this.#painted(url), BANNER_PAINT_DEADLINE_MS, 'the banner painted nothing');
    }
    return statedLength(creative);
  }

  /** Resolves when the guest has painted; rejects if it broke before. */
  #painted(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const heard = (report: GuestReport) => {
        if (report.type === 'painted') return resolve();
        this.#isGuestBroken = true;
        reject(new Error(report.detail));
        this.onChange();
      };
      this.#guest = { url, heard };
    });
  }

  /** Takes main's report about a guest of any layer. */
  handleReport(report: GuestReport): void {
    if (this.#guest?.url === report.url) this.#guest.heard(report);
  }

  async #loadImage(creative: Of<'image'>): Promise<void> {
    if (await withDeadline(this.#drawStill(creative))) return;
    this.#assertHolds(creative);
    const { url } = creative;
    this.draw({ kind: 'image', url, pixels: null, fit: null });
    const image = thereIs(this.elements.image());
    await withDeadline(image.decode());
    this.keepPicture(url);
    this.#layOutImage(creative, image);
  }

  /** Resolves with false if it needs an image element. */
  #drawStill(creative: Of<'image'>): Promise<boolean> {
    return this.drawStill(creative.url, (pixels) => this.#layOut(creative, pixels, pixels));
  }

  /** The layer has another size: what is laid out for the one before would be cropped or blurred until its slot ends. */
  resized(): void {
    const creative = this.#creative;
    const video = this.elements.video();
    if (creative?.kind === 'video' && video !== null) this.#layOutVideo(creative, video);
    if (creative?.kind !== 'image') return;
    this.#drawStill(creative)
      .then((isDrawn) => isDrawn || this.#layOutImage(creative, thereIs(this.elements.image())))
      .catch(() => {
        // It was released meanwhile; otherwise it stays as it was drawn.
      });
  }

  /** A volume that was chosen after main prepared the creative, 0 (silent) to 1. */
  set volume(volume: number) {
    if (this.#volume === null) return;
    this.#volume = volume;
    this.#setSound(this.elements.video());
  }

  #setSound(video: HTMLVideoElement | null): void {
    if (video === null) return;
    video.volume = this.#volume ?? 0;
    video.muted = video.volume === 0;
  }

  async #loadVideo(creative: Of<'video' | 'card'>, url: string): Promise<number> {
    const video = thereIs(this.elements.video());
    this.#setSound(video);
    const listeners = new AbortController();
    const { signal } = listeners;
    const failed = new Promise<never>((_, reject) => {
      video.addEventListener('error', () => reject(mediaError(video)), { signal });
      // Of a codec that is not decoded, Chromium plays the sound alone and reports no error.
      const metadata = () => {
        if (video.videoWidth === 0)
          reject(new LoadFailed('decode-failed', `${NOT_DECODED}, got sound alone`));
      };
      video.addEventListener('loadedmetadata', metadata, { signal });
    });
    const playable = new Promise((resolve) => video.addEventListener('canplay', resolve, { signal }));
    const presented = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
    video.src = url;
    const ready = Promise.race([failed, Promise.all([presented, playable])]);
    try {
      await withDeadline(ready).finally(() => listeners.abort());
    } catch (error) {
      if (!(error instanceof LoadFailed) || error.code !== 'no-sound' || this.#volume === null) throw error;
      this.#assertHolds(creative);
      // A muted video does without the sound output, which is broken.
      this.#volume = null;
      return this.#loadVideo(creative, url);
    }
    const durationMs = video.duration * 1000;
    if (!Number.isFinite(durationMs) || durationMs <= 0)
      throw new LoadFailed('load-failed', `the video states no length (${video.duration})`);
    if (durationMs < SHORTEST_VIDEO_MS)
      throw new LoadFailed('load-failed', `the video lasts only ${Math.round(durationMs)} ms`);
    if (video.currentTime * 1000 > MAX_BEGIN_MS)
      throw new LoadFailed(
        'load-failed',
        `the video's time begins at ${video.currentTime.toFixed(1)} s; expected 0 s`,
      );
    // In whole seconds: a film of ten minutes lasts some frames longer.
    const lasts = Math.floor(durationMs / 1_000);
    const most = (creative.longestMs ?? Number.POSITIVE_INFINITY) / 1_000;
    if (lasts > most)
      throw new LoadFailed('load-failed', `the video lasts ${lasts} s; an ad may last ${most} s`);
    // A frame may reach the display after the video is raised: until then, a white ground would flash.
    if (mayBeTransparent(video)) video.dataset.transparent = '';
    if (creative.kind === 'video') this.#layOutVideo(creative, video);
    return durationMs;
  }

  #layOutVideo(creative: Of<'video'>, video: HTMLVideoElement): void {
    const size = { width: video.videoWidth, height: video.videoHeight };
    this.#layOut(creative, video, size, 'transparent' in video.dataset ? 'white' : null);
  }

  #layOutImage(creative: Of<'image'>, image: HTMLImageElement): void {
    this.#layOut(creative, image, { width: image.naturalWidth, height: image.naturalHeight });
  }

  /** A creative in nearly the screen's shape fills it; any other is shown whole, over its own blurred picture. */
  #layOut(
    creative: Of<'image' | 'video'>,
    source: ImageBitmap | HTMLImageElement | HTMLVideoElement,
    size: Size,
    ground: 'white' | null = 'white',
  ): void {
    this.#assertHolds(creative);
    const { layer, backdrop } = this.elements;
    const screen = { width: layer.clientWidth, height: layer.clientHeight };
    const fit = drawBackdrop(thereIs(backdrop()), source, size, screen, ground);
    const { kind, url } = creative;
    const pixels = source instanceof ImageBitmap ? source : null;
    this.draw(kind === 'video' ? { kind, fit } : { kind, url, pixels, fit });
  }

  /** Lets a prepared video run; `now` is ms on the page's monotonic clock. */
  start(now: number): void {
    this.run ??= new VideoRun(thereIs(this.elements.video()), now, () => this.onChange());
  }

  /** To be called when the layer is raised. Begins counting, and restarts an animation. `now`: ms, monotonic. */
  shown(now: number): void {
    this.run?.shown(now);
    // Setting the same address again restarts the animation without loading the picture again.
    const image = this.elements.image();
    const url = mainPictureOf(this.#creative);
    if (url !== null && image !== null) image.src = url;
  }

  /** The process of its page died, so not even a last frame is left. */
  get isLost(): boolean {
    return this.#creative?.kind === 'page' && this.#isGuestBroken;
  }

  /** The banner in its card broke, so only the rest of the card can be seen. */
  get isBannerBroken(): boolean {
    return this.#creative?.kind === 'card' && this.#isGuestBroken;
  }

  /** Stops moving but keeps the last frame on the screen. */
  freeze(): void {
    this.elements.video()?.pause();
  }

  set place(place: Place) {
    const { dataset } = this.elements.layer;
    if (dataset.place !== place) dataset.place = place;
  }

  /** Frees what the creative holds: decoder, buffers and bitmaps. */
  release(): void {
    this.#creative = null;
    this.run?.close();
    this.run = null;
    const video = this.elements.video();
    if (video !== null) {
      video.pause();
      video.removeAttribute('src');
      video.load();
    }
    this.#guest = null;
    this.#isGuestBroken = false;
    const backdrop = this.elements.backdrop();
    if (backdrop !== null) clearCanvas(backdrop);
    this.draw(NOTHING);
  }
}

/** Any other error while a creative is loaded means that it cannot be decoded. */
class LoadFailed extends Error {
  constructor(
    readonly code: LoadError['code'],
    detail: string,
  ) {
    super(detail);
  }
}

function thereIs<Element>(element: Element | null): Element {
  if (element === null) throw new Error('a layer lacks an element');
  return element;
}

const errorOf = (error: unknown): LoadError => ({
  code: error instanceof LoadFailed ? error.code : 'decode-failed',
  detail: words(error),
});
const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The file was verified: an error of neither the sound output nor reading means that it cannot be decoded. */
function mediaError(video: HTMLVideoElement): LoadFailed {
  const { error } = video;
  const isUnread = error?.code === MediaError.MEDIA_ERR_NETWORK;
  const code = lacksSound(video) ? 'no-sound' : isUnread ? 'load-failed' : 'decode-failed';
  return new LoadFailed(code, error?.message || (isUnread ? 'it cannot be read' : NOT_DECODED));
}

/** Whether its frames have an opacity; true if that is not known. */
function mayBeTransparent(video: HTMLVideoElement): boolean {
  try {
    const frame = new VideoFrame(video);
    const { format } = frame;
    frame.close();
    // Null: a frame of the graphics hardware, which decodes opaque videos alone.
    return format?.endsWith('A') ?? false;
  } catch {
    return true;
  }
}

function statedLength({ durationMs }: StageCreative): number {
  if (durationMs !== null) return durationMs;
  throw new LoadFailed('load-failed', 'the ad states no duration, and only a video has one of its own');
}

/** The picture of a creative that may be animated: alone, or in the frame of a card. */
function mainPictureOf(creative: StageCreative | null): string | null {
  if (creative?.kind === 'image') return creative.url;
  const picture = creative?.kind === 'card' ? creative.content.picture : null;
  return picture?.kind === 'image' ? picture.url : null;
}

/** URLs of the card's pictures that image elements show. */
function picturesOf({ content, pixels }: Pick<Drawn<'card'>, 'content' | 'pixels'>): readonly string[] {
  const { picture, icon, contentInfo } = content;
  const main = pixels === null && picture?.kind === 'image' ? picture.url : null;
  return [main, icon, contentInfo?.icon ?? null].filter((url) => url !== null);
}

function withDeadline<T>(work: Promise<T>, ms = PREPARE_DEADLINE_MS, what = 'no first frame'): Promise<T> {
  const passed = new LoadFailed('start-timeout', `${what} within ${ms / 1000} s`);
  const deadline = new Promise<never>((_, reject) => setTimeout(reject, ms, passed));
  return Promise.race([work, deadline]);
}
