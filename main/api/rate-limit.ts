/** A token bucket: `level` requests may still come at `at` (monotonic ms). */
export interface Bucket {
  readonly level: number;
  readonly at: number;
}

/** So many requests a second in the long run, and so many at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export function fullBucket(rate: Rate, now: number): Bucket {
  return { level: rate.burst, at: now };
}

/**
 * Takes one request out of the bucket. `waitMs` is 0 when it may go on, else
 * the time until the next one may; a refused request takes nothing.
 */
export function takeOne(
  bucket: Bucket,
  rate: Rate,
  now: number,
): { readonly bucket: Bucket; readonly waitMs: number } {
  const refilled = (Math.max(0, now - bucket.at) / 1000) * rate.perSecond;
  const level = Math.min(rate.burst, bucket.level + refilled);
  if (level >= 1) return { bucket: { level: level - 1, at: now }, waitMs: 0 };
  return { bucket: { level, at: now }, waitMs: ((1 - level) / rate.perSecond) * 1000 };
}
