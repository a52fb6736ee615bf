/** Font sizes from the largest to the smallest, in vmin. */
const SIZES = [12, 10.8, 9.6, 8.6, 7.6, 6.8, 6, 5.4, 4.8, 4.3, 3.8, 3.3, 2.8, 2.4, 2, 1.6];
/** Below this size, in vmin, a long word is broken rather than the text made smaller. */
const LEAST_UNBROKEN = 4.3;

/**
 * Sets `text`, which must be the last element in `box`, in the largest size that fits inside the box's padding, before
 * the next frame and again when the box changes. Returns a function that ends this.
 */
export function fitLargest(box: HTMLElement, text: HTMLElement): () => void {
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
