import type { Announcement } from '../../shared/stage';

/** A text of at least this many UTF-16 code units is aligned to the start instead of centred. */
const LONG = 160;

/** Shows the severity by shape and not only by colour: a circle with i, a triangle, an octagon. */
const MARKS = {
  information: { shape: <circle cx="50" cy="50" r="44" />, stroke: 'M50 44v30M50 28v2' },
  warning: { shape: <path d="M50 8 96 90H4Z" />, stroke: 'M50 38v26M50 77v1' },
  emergency: { shape: <path d="M32 6h36l26 26v36L68 94H32L6 68V32Z" />, stroke: 'M50 26v30M50 72v2' },
};

/** The fleet operator's announcement to everybody in front of the screen, readable from two metres. */
export function AnnouncementCard({ text, severity, language }: Announcement) {
  return (
    <div
      className="card announcement"
      role="alert"
      lang={language}
      dir="auto"
      data-severity={severity}
      data-long={text.length >= LONG}
    >
      <svg className="announcement-mark" viewBox="0 0 100 100" aria-hidden="true">
        <g className="announcement-shape">{MARKS[severity].shape}</g>
        <path className="announcement-stroke" d={MARKS[severity].stroke} />
      </svg>
      <p key={text} ref={fitLargest} className="announcement-text">
        {text}
      </p>
    </div>
  );
}

/** Font sizes from the largest to the smallest, in vmin. */
const SIZES = [12, 10.8, 9.6, 8.6, 7.6, 6.8, 6, 5.4, 4.8, 4.3, 3.8, 3.3, 2.8, 2.4, 2, 1.6];
/** Below this size, in vmin, a long word is broken rather than the text made smaller. */
const LEAST_UNBROKEN = 4.3;

/**
 * Sets `text`, which must be the last element in its box, in the largest size that fits inside the box's padding, before
 * the next frame and again when the box changes. Returns a function that ends this.
 */
function fitLargest(text: HTMLElement | null): (() => void) | undefined {
  const box = text?.parentElement;
  if (!text || !box) return;
  const fits = (size: number, overflowWrap: 'normal' | 'anywhere') => {
    Object.assign(text.style, { fontSize: `${size}vmin`, overflowWrap });
    const end = box.clientHeight - Number.parseFloat(getComputedStyle(box).paddingBottom);
    return text.scrollWidth <= text.clientWidth && text.offsetTop + text.offsetHeight <= end;
  };
  const setLargest = () =>
    SIZES.some((size) => size >= LEAST_UNBROKEN && fits(size, 'normal')) ||
    SIZES.some((size) => fits(size, 'anywhere'));
  // Reports the first size as well.
  const resized = new ResizeObserver(setLargest);
  resized.observe(box);
  // The text changes its width once the font has loaded.
  void document.fonts.ready.then(setLargest);
  return () => resized.disconnect();
}
