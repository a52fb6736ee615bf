/** Beyond so many, Chromium's own bound on what is decoded is reached by large pictures anyway. */
const MOST = 48;

/**
 * The pictures that image elements showed last (`still-picture.ts` draws the others), held
 * so that the next showing finds them decoded. A picture that nobody holds is collected and
 * loaded anew, and what was decoded of it is left behind each time: hundreds of MB where the
 * processor draws. An address names its content, so none of them is ever out of date.
 */
export class KeptPictures {
  readonly #held = new Map<string, unknown>();

  /** `hold`: what keeps a picture that is loaded already, as long as it is referred to. */
  constructor(
    private readonly hold: (url: string) => unknown,
    private readonly most = MOST,
  ) {}

  /** Addresses of what is held, the one shown longest ago first. */
  get addresses(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** It was shown; the one shown longest ago is let go for it where there are too many. */
  keep(url: string): void {
    // Held anew: Chromium may have loaded it again, and what was held before would be another copy.
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
