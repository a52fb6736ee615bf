/**
 * At most `burst` at once and `perSecond` in the long run. Answers whether one more may be taken now.
 *
 * @param monotonic ms
 */
export function tokenBucket(burst: number, perSecond: number, monotonic: () => number): () => boolean {
  let tokens = burst;
  let lookedAt = monotonic();
  return () => {
    const now = monotonic();
    tokens = Math.min(burst, tokens + ((now - lookedAt) / 1_000) * perSecond);
    lookedAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
