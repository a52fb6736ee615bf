/** Longer side of the picture that is enlarged to the whole screen, px: no detail is wanted. */
const LONG_SIDE = 96;
/** In pixels of that small picture; it is drawn larger by twice as much, so that its edges stay opaque. */
const BLUR = 4;
/** A creative whose shape is this close to the screen's fills it: a hair of it is cut off instead of barred. */
const NEARLY = 1.03;

/**
 * What is behind a creative that does not fill the screen: its own picture, blurred
 * and dimmed. Drawn once, small, and enlarged by the compositor: it costs no frame.
 */
export class Backdrop {
  readonly element = document.createElement('canvas');
  readonly #context = this.element.getContext('2d', { alpha: false, willReadFrequently: true });

  constructor() {
    this.element.className = 'backdrop';
    this.element.hidden = true;
  }

  /**
   * Draws it where `source` leaves bars on a `screen`; sizes in px.
   * @returns how the creative should lie on the screen
   */
  prepare(
    source: CanvasImageSource,
    size: { readonly width: number; readonly height: number },
    screen: { readonly width: number; readonly height: number },
  ): 'fill' | 'letterbox' {
    const wider = (size.width * screen.height) / (size.height * screen.width);
    if (!Number.isFinite(wider) || wider === 0 || Math.max(wider, 1 / wider) <= NEARLY) return 'fill';
    const scale = LONG_SIDE / Math.max(screen.width, screen.height);
    const width = Math.max(1, Math.round(screen.width * scale));
    const height = Math.max(1, Math.round(screen.height * scale));
    this.element.width = width;
    this.element.height = height;
    const cover = Math.max((width + 4 * BLUR) / size.width, (height + 4 * BLUR) / size.height);
    const drawn = { width: size.width * cover, height: size.height * cover };
    if (this.#context) {
      this.#context.filter = `blur(${BLUR}px) brightness(0.6) saturate(1.15)`;
      this.#context.imageSmoothingQuality = 'medium';
      this.#context.drawImage(
        source,
        (width - drawn.width) / 2,
        (height - drawn.height) / 2,
        drawn.width,
        drawn.height,
      );
    }
    this.element.hidden = false;
    return 'letterbox';
  }

  clear(): void {
    this.element.hidden = true;
    // Gives its memory back.
    this.element.width = 0;
    this.element.height = 0;
  }
}
