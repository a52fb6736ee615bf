/** With more large pictures than this, Chromium's own bound for decoded images is reached anyway. */
const MAX_KEPT = 48;

/**
 * Keeps references to the pictures that image elements showed last (`still-picture.ts` draws the others), so that the
 * next showing finds them decoded. A picture without a reference is collected and loaded again, and Chromium leaks what
 * it decoded each time: hundreds of MB where the CPU draws. An address names its content, so none is ever out of date.
 */
export class KeptPictures {
  readonly #held = new Map<string, unknown>();

  /** `hold` returns an object that keeps a loaded picture in memory as long as it is referenced. */
  constructor(
    private readonly hold: (url: string) => unknown,
    private readonly most = MAX_KEPT,
  ) {}

  /** Addresses of the kept pictures, least recently shown first. */
  get addresses(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** Keeps a picture that was shown; drops the least recently shown one if there are too many. */
  keep(url: string): void {
    // Held again: Chromium may have loaded it again, and the object held so far would keep another copy.
    this.#held.delete(url);
    this.#held.set(url, this.hold(url));
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.most) return;
      this.#held.delete(oldest);
    }
  }
}

/** An element outside the document shares the picture with the one that shows it. */
export function heldByAnElement(url: string): HTMLImageElement {
  const element = new Image();
  element.src = url;
  return element;
}
