import { pictureRatio, pictureShape } from './native-card/card-shape';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How far a banner made for one size is enlarged to be as large as its frame lets it, whole and in the middle. Pure; px. */
export function enlargement(banner: Size, frame: Size): { scale: number; left: number; top: number } {
  const scale = Math.min(frame.width / banner.width, frame.height / banner.height);
  return {
    scale,
    left: (frame.width - banner.width * scale) / 2,
    top: (frame.height - banner.height * scale) / 2,
  };
}

/**
 * Gives a card the shape of its banner: one that states no size has one only once it has painted, and
 * would stand between two bars of ground in a frame of the usual shape.
 */
function shapeCard(frame: HTMLElement, { width, height }: Size): void {
  const picture = { kind: 'html' as const, width, height };
  // The frame fills the card's own, which has the shape.
  const cardFrame = frame.parentElement;
  cardFrame?.style.setProperty('--ratio', String(pictureRatio(picture)));
  const card = cardFrame?.closest<HTMLElement>('.native-card');
  if (card) card.dataset.shape = pictureShape(picture);
}

/**
 * Lays a guest over its frame. The page inside has exactly the size that the ad
 * states, because its markup counts in it; what a phone shows in 300 × 250 px is
 * enlarged until it can be read across an aisle. Answers how to end watching the frame.
 */
export function keepFitted(guest: HTMLElement, banner: Size, frame: HTMLElement): () => void {
  const { style } = guest;
  shapeCard(frame, banner);
  style.width = `${banner.width}px`;
  style.height = `${banner.height}px`;
  const lay = () => {
    const { scale, left, top } = enlargement(banner, {
      width: frame.clientWidth,
      height: frame.clientHeight,
    });
    style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
  };
  lay();
  const observer = new ResizeObserver(lay);
  observer.observe(frame);
  return () => observer.disconnect();
}
