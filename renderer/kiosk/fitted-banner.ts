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
 * Lays a guest over its frame. The page inside has exactly the size that the ad
 * states, because its markup counts in it; what a phone shows in 300 × 250 px is
 * enlarged until it can be read across an aisle. Answers how to end watching the frame.
 */
export function keepFitted(guest: HTMLElement, banner: Size, frame: HTMLElement): () => void {
  const { style } = guest;
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
