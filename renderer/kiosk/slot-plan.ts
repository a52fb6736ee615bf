/** A slot that begins this much late may always be so much shorter, ms; and so large a share of its length. */
const SHORTENED_MS = 100;
const SHORTENED_SHARE = 0.05;
/** A plan that is further behind is dropped: a machine that slept does not catch up, ms. */
const FORGOTTEN_MS = 5_000;

/** When a slot runs, ms on the page's monotonic clock. */
export interface SlotPlan {
  /** From when its length is counted. */
  readonly startedAt: number;
  /** When the slot after it should begin, however late this one did. */
  readonly nextAt: number;
}

/**
 * Plans a slot from the planned end of the one before it, so that lateness does
 * not add up over a day. One that begins late is a little shorter; what is more
 * than a little is made up over the slots that follow. A video is played to its end
 * all the same, and leaves it to them.
 *
 * @param plannedAt when it should have begun; null where nothing led up to it
 * @param raisedAt when it did
 */
export function planSlot(plannedAt: number | null, raisedAt: number, durationMs: number): SlotPlan {
  const lateMs = plannedAt === null ? 0 : raisedAt - plannedAt;
  if (plannedAt === null || lateMs > FORGOTTEN_MS)
    return { startedAt: raisedAt, nextAt: raisedAt + durationMs };
  const shortenedMs = Math.min(lateMs, Math.max(SHORTENED_MS, SHORTENED_SHARE * durationMs));
  return { startedAt: raisedAt - shortenedMs, nextAt: plannedAt + durationMs };
}
