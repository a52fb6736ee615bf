/** So many at once, and so many a second in the long run. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * A token bucket, to be called with the monotonic time, ms, for each that wants through.
 *
 * @returns 0: it may go on; else the ms until the next one may. A refused one takes nothing.
 */
export function tokenBucket({ burst, perSecond }: Rate): (now: number) => number {
  let left = burst;
  let last = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now > last) left = Math.min(burst, left + ((now - last) / 1_000) * perSecond);
    last = Math.max(last, now);
    if (left < 1) return ((1 - left) / perSecond) * 1_000;
    left -= 1;
    return 0;
  };
}
