/** Allows `burst` at once, and `perSecond` in the long run. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * A token bucket. Call the returned function with the monotonic time, ms, once for each request.
 *
 * @returns 0: the request may pass; otherwise the ms until one may. A rejected request takes no token.
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
