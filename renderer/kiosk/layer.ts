import { assertNever } from '../../shared/assert-never';
import type { NativeCardPart } from '../../shared/native';
import type { StageCreative } from '../../shared/stage';
import { Backdrop } from './backdrop';
import { CardHost } from './card-host';
import { keepFitted, type Size } from './fitted-banner';
import type { GuestPaint, GuestPaints } from './guest-paints';
import type { KeptPictures } from './kept-pictures';
import { type Run, VideoRun } from './video-run';

/** How long a creative may take to load, decode and have its first frame ready, ms. */
const PREPARE_DEADLINE_MS = 10_000;
/** A shorter video is a mistake, and would use up its caps in seconds, ms. */
const SHORTEST_VIDEO_MS = 200;

/** A banner that has painted nothing gives way so long before its slot: another ad is prepared in that time, ms. */
const GIVE_WAY_MS = 600;
/** A banner has so long to paint something, however near its slot is, ms. */
const SHORTEST_PAINT_MS = 1_900;

/** When the slot that a creative is prepared for begins, as far as that is known. */
export interface NextSlot {
  /** ms; null: as soon as it is prepared. */
  remainingMs(): number | null;
  /** Resolves once it begins in so many ms, or fewer. */
  isIn(ms: number): Promise<void>;
}

const AT_ONCE: NextSlot = { remainingMs: () => null, isIn: () => Promise.resolve() };

/**
 * `front`: what shoppers see. `next`: above it but for one pixel clipped away and
 * all but transparent, because a video that is wholly covered presents nothing and
 * comes up black when it is raised. `rising`: the same without the clip, so that it is
 * drawn by the moment in which it is raised. `behind`: covered, on its way out.
 */
export type Place = 'front' | 'next' | 'rising' | 'behind';

export type PrepareFault = { code: 'load-failed' | 'decode-failed' | 'start-timeout'; detail: string };

/**
 * One of the stage's two layers: an image and a video element that are reused
 * for every creative. The layer that waits is never taken out of the document, so
 * that what it prepared is decoded and composited when it is raised.
 */
export class Layer {
  readonly element = document.createElement('div');
  readonly #backdrop = new Backdrop();
  readonly #image = document.createElement('img');
  readonly #video = document.createElement('video');
  readonly #card: CardHost;
  #banner: { readonly element: HTMLElement; readonly paint: GuestPaint } | null = null;
  /** Ends watching the frame of a banner. */
  #unwatch = (): void => {};
  #page: { readonly element: HTMLElement; readonly paint: GuestPaint } | null = null;
  #creative: StageCreative | null = null;
  #run: VideoRun | null = null;
  /** Guards against a late answer about an earlier creative. */
  #generation = 0;

  /** `onTap`: a tap landed on the native card that is shown. */
  constructor(
    private readonly onTap: (part: NativeCardPart) => void,
    private readonly paints: GuestPaints,
    private readonly pictures: KeptPictures,
  ) {
    this.#card = new CardHost(pictures);
    this.element.className = 'layer';
    this.#image.alt = '';
    // Decoded ahead by `decode`; where that was lost again, the swap waits for it instead of showing nothing.
    this.#image.decoding = 'sync';
    this.#image.hidden = true;
    this.#video.playsInline = true;
    this.#video.disablePictureInPicture = true;
    this.#video.preload = 'auto';
    this.#video.hidden = true;
    this.element.append(this.#backdrop.element, this.#image, this.#video, this.#card.element);
  }

  /** Loads and decodes. Answers the length in ms, or why it cannot be shown; null when it was released meanwhile. */
  async prepare(
    creative: StageCreative,
    nextSlot: NextSlot = AT_ONCE,
  ): Promise<{ durationMs: number } | PrepareFault | null> {
    this.release();
    const generation = this.#generation;
    this.#creative = creative;
    const outcome = await this.#load(creative, generation, nextSlot);
    return generation === this.#generation ? outcome : null;
  }

  #load(
    creative: StageCreative,
    generation: number,
    nextSlot: NextSlot,
  ): Promise<{ durationMs: number } | PrepareFault> {
    switch (creative.kind) {
      case 'image':
        return this.#prepareImage(creative);
      case 'video':
        return this.#prepareVideo(creative);
      case 'page':
        return this.#preparePage(creative);
      case 'card':
        return this.#prepareCard(creative, generation, nextSlot);
      default:
        return assertNever(creative);
    }
  }

  async #prepareCard(
    creative: Extract<StageCreative, { kind: 'card' }>,
    generation: number,
    nextSlot: NextSlot,
  ): Promise<{ durationMs: number } | PrepareFault> {
    const { content, language, video, banner, volume, durationMs } = creative;
    const isCurrent = () => generation === this.#generation;
    let frame: HTMLElement | null;
    try {
      frame = await withDeadline(this.#card.show(content, language, this.onTap, isCurrent));
    } catch (fault) {
      // Nothing of it is drawn: raised, it would be an empty stage.
      return faultOf(fault);
    }
    if (!isCurrent()) return { code: 'load-failed', detail: 'superseded' };
    if (frame && video !== null) {
      frame.append(this.#video);
      return this.#prepareVideo({ url: video, volume });
    }
    if (frame && banner && content.picture?.kind === 'html') {
      // Its own pixels count whoever loads it: not long before it is seen.
      await nextSlot.isIn(banner.leadMs);
      if (!isCurrent()) return { code: 'load-failed', detail: 'superseded' };
      try {
        await this.#prepareBanner(frame, content.picture, banner, nextSlot, isCurrent);
      } catch (fault) {
        return faultOf(fault);
      }
    }
    if (durationMs === null)
      return { code: 'load-failed', detail: 'a card without a video needs a duration' };
    return { durationMs };
  }

  /** Waits until main has seen it paint something, as far as its slot allows. */
  async #prepareBanner(
    frame: HTMLElement,
    stated: Size,
    { url, partition, leadMs, isSized }: NonNullable<Extract<StageCreative, { kind: 'card' }>['banner']>,
    nextSlot: NextSlot,
    isCurrent: () => boolean,
  ): Promise<void> {
    const element = guestElement('card-banner', { url, partition });
    const paint = this.paints.of(url);
    this.#banner = { element, paint };
    frame.append(element);
    this.#unwatch = keepFitted(element, stated, frame);
    const left = nextSlot.remainingMs();
    const deadlineMs = left === null ? leadMs : Math.max(SHORTEST_PAINT_MS, left - GIVE_WAY_MS);
    const size = await withDeadline(paint.painted, deadlineMs, 'the banner painted nothing');
    if (isSized || size === null || !isCurrent()) return;
    this.#unwatch();
    this.#unwatch = keepFitted(element, size, frame);
  }

  /** Waits until main has seen it draw: the page itself is not believed. */
  async #preparePage(
    creative: Extract<StageCreative, { kind: 'page' }>,
  ): Promise<{ durationMs: number } | PrepareFault> {
    const page = { element: guestElement('page', creative), paint: this.paints.of(creative.url) };
    this.#page = page;
    page.element.inert = true;
    this.element.append(page.element);
    try {
      await withDeadline(page.paint.painted);
    } catch (fault) {
      return faultOf(fault);
    }
    return { durationMs: creative.durationMs };
  }

  async #prepareImage(
    creative: Extract<StageCreative, { kind: 'image' }>,
  ): Promise<{ durationMs: number } | PrepareFault> {
    this.#image.hidden = false;
    this.#image.src = creative.url;
    try {
      await withDeadline(this.#image.decode());
    } catch (fault) {
      if (fault instanceof DeadlinePassed) return { code: 'start-timeout', detail: fault.message };
      return { code: 'decode-failed', detail: `the image could not be decoded: ${words(fault)}` };
    }
    if (creative.durationMs === null) return { code: 'load-failed', detail: 'an image needs a duration' };
    this.pictures.keep(creative.url);
    const { naturalWidth: width, naturalHeight: height } = this.#image;
    this.#layOut(this.#image, { width, height });
    return { durationMs: creative.durationMs };
  }

  async #prepareVideo(
    creative: Pick<Extract<StageCreative, { kind: 'video' }>, 'url' | 'volume'>,
  ): Promise<{ durationMs: number } | PrepareFault> {
    const video = this.#video;
    video.hidden = false;
    video.muted = creative.volume === 0;
    video.volume = creative.volume;
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
          video.src = creative.url;
        }),
      );
    } catch (fault) {
      if (fault instanceof DeadlinePassed) return { code: 'start-timeout', detail: fault.message };
      // Its file is there, verified; what the element cannot load, it cannot decode.
      const undecodable = video.error !== null && video.error.code !== MediaError.MEDIA_ERR_NETWORK;
      return { code: undecodable ? 'decode-failed' : 'load-failed', detail: words(fault) };
    } finally {
      listeners.abort();
    }
    if (!Number.isFinite(video.duration) || video.duration <= 0)
      return { code: 'load-failed', detail: `the video states no length (${video.duration})` };
    if (video.duration * 1000 < SHORTEST_VIDEO_MS)
      return { code: 'load-failed', detail: `the video lasts only ${Math.round(video.duration * 1000)} ms` };
    if (video.parentElement === this.element)
      this.#layOut(video, { width: video.videoWidth, height: video.videoHeight });
    return { durationMs: video.duration * 1000 };
  }

  /** A creative in nearly the screen's shape fills it; any other is shown whole, over its own blurred picture. */
  #layOut(source: HTMLImageElement | HTMLVideoElement, size: { width: number; height: number }): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    this.element.dataset.fit = this.#backdrop.prepare(source, size, { width, height });
  }

  /** Lets a prepared video run; `now` is ms on the page's monotonic clock. Null for what does not move. */
  start(now: number): Run | null {
    if (!this.isMoving) return null;
    this.#run ??= new VideoRun(this.#video, now);
    return this.#run;
  }

  /** It was raised at `now`, ms on the page's monotonic clock: what is seen counts from here, and an animated picture begins. */
  shown(now: number): void {
    this.#run?.shown(now);
    // The same address again starts its animation over, without loading it again.
    if (this.#creative?.kind === 'image') this.#image.src = this.#creative.url;
  }

  /** The video's run once it was started. */
  get run(): Run | null {
    return this.#run;
  }

  /** What it shows is gone, and no last frame of it is left: the process behind a page died. */
  get isLost(): boolean {
    return this.#page?.paint.isBroken() === true;
  }

  /** Whether it may come to that: what it shows is drawn by another process. */
  get canBeLost(): boolean {
    return this.#page !== null;
  }

  /** The banner in its card has broken: of the ad, something is not to be seen any more. */
  get isTorn(): boolean {
    return this.#banner?.paint.isBroken() === true;
  }

  /** Changes whenever the layer is given to another creative or released. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether a video runs in it, alone or in a card's frame. */
  get isMoving(): boolean {
    return (
      this.#creative?.kind === 'video' || (this.#creative?.kind === 'card' && this.#creative.video !== null)
    );
  }

  /** Whether drawing it may take the machine some frames. A video is drawn frame by frame anyway. */
  get drawsAhead(): boolean {
    return this.#creative !== null && this.#creative.kind !== 'video';
  }

  /** Stops moving but keeps the last frame on the screen. */
  freeze(): void {
    this.#video.pause();
  }

  set place(place: Place) {
    if (this.element.dataset.place !== place) this.element.dataset.place = place;
  }

  /** Lets go of the creative: decoder, buffers and bitmap. */
  release(): void {
    this.#generation += 1;
    this.#creative = null;
    this.#run?.close();
    this.#run = null;
    if (this.#video.hasAttribute('src')) {
      this.#video.pause();
      this.#video.removeAttribute('src');
      this.#video.load();
    }
    this.#video.hidden = true;
    if (this.#video.parentElement !== this.element) this.element.append(this.#video);
    this.#unwatch();
    this.#unwatch = () => {};
    this.#banner?.paint.forget();
    this.#banner?.element.remove();
    this.#banner = null;
    this.#page?.paint.forget();
    this.#page?.element.remove();
    this.#page = null;
    this.#card.clear();
    this.#backdrop.clear();
    delete this.element.dataset.fit;
    this.#image.removeAttribute('src');
    this.#image.hidden = true;
  }
}

function guestElement(
  className: string,
  { url, partition }: { url: string; partition: string },
): HTMLElement {
  const guest = document.createElement('webview');
  guest.className = className;
  guest.setAttribute('partition', partition);
  guest.setAttribute('src', url);
  return guest;
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

const faultOf = (fault: unknown): PrepareFault => ({
  code: fault instanceof DeadlinePassed ? 'start-timeout' : 'decode-failed',
  detail: words(fault),
});

const words = (fault: unknown) => (fault instanceof Error ? fault.message : String(fault));
