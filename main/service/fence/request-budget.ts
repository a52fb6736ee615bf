/** How much one page may ask for: so many requests at once, and so many a second from then on. */
export interface RequestBudget {
  readonly burst: number;
  readonly perSecond: number;
}

/** More than a banner or the script of a beacon needs; a loop of requests exceeds it within a second. */
export const GUEST_BUDGET: RequestBudget = { burst: 600, perSecond: 60 };
/** A shop's page, with all that it loads. */
export const LINK_BUDGET: RequestBudget = { burst: 3_000, perSecond: 200 };

/**
 * Counts requests against a budget (a token bucket).
 *
 * @returns to be called for each request with the monotonic time, ms; false once it is one too many
 */
export function requestMeter({ burst, perSecond }: RequestBudget): (now: number) => boolean {
  let left = burst;
  let last = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now > last) left = Math.min(burst, left + ((now - last) / 1_000) * perSecond);
    last = Math.max(last, now);
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
