/** With more large pictures than this, Chromium's own bound for decoded images is reached anyway. */
const MAX_KEPT = 48;

/**
 * The pictures that image elements showed last, the latest at the end, each as an element outside the document, which
 * shares the picture with the one that shows it (`still-picture.ts` draws the others). So the next showing finds them
 * decoded. A picture without a reference is collected and loaded again, and Chromium leaks what it decoded each time:
 * hundreds of MB where the CPU draws. An address names its content, so none is ever out of date.
 */
let kept: readonly HTMLImageElement[] = [];

/** Keeps a picture that was shown; drops the least recently shown one if there are too many. Returns all that are kept. */
export function keepPicture(url: string): readonly HTMLImageElement[] {
  const element = new Image();
  element.src = url;
  // Held again: Chromium may have loaded it again, and the element held so far would keep another copy.
  kept = [...kept.filter(({ src }) => src !== element.src), element].slice(-MAX_KEPT);
  return kept;
}
