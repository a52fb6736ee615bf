import { type RefObject, useLayoutEffect } from 'react';

/** Font sizes from the largest to the smallest, in vmin. */
const SIZES = [12, 10.8, 9.6, 8.6, 7.6, 6.8, 6, 5.4, 4.8, 4.3, 3.8, 3.3, 2.8, 2.4, 2, 1.6];
/** Below this size, in vmin, a long word is broken rather than the text made smaller. */
const LEAST_UNBROKEN = 4.3;

/** Sets `text`, which must be the last element in `box`, in the largest size that fits inside the box's padding. */
export function useLargestFit(
  box: RefObject<HTMLElement | null>,
  text: RefObject<HTMLElement | null>,
  words: string,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words are of another size.
  useLayoutEffect(() => {
    const [around, set] = [box.current, text.current];
    if (around === null || set === null) return;
    const fits = (size: number, overflowWrap: 'normal' | 'anywhere') => {
      Object.assign(set.style, { fontSize: `${size}vmin`, overflowWrap });
      const end = around.clientHeight - Number.parseFloat(getComputedStyle(around).paddingBottom);
      return set.scrollWidth <= set.clientWidth && set.offsetTop + set.offsetHeight <= end;
    };
    const setLargest = () =>
      SIZES.some((size) => size >= LEAST_UNBROKEN && fits(size, 'normal')) ||
      SIZES.some((size) => fits(size, 'anywhere'));
    setLargest();
    // The text changes its width once the font has loaded.
    void document.fonts.ready.then(setLargest);
    const resized = new ResizeObserver(setLargest);
    resized.observe(around);
    return () => resized.disconnect();
  }, [box, text, words]);
}
