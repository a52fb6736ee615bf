import type { Mark, StageEvent } from '../../shared/stage';

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

/** A point of a creative that main wants to hear of. */
export interface Milestone {
  /** Played so far, ms. */
  readonly atMs: number;
  readonly reached:
    | { readonly type: 'progress'; readonly quartile: Quartile }
    | { readonly type: 'mark'; readonly mark: number };
}

type Quartile = Extract<StageEvent, { type: 'progress' }>['quartile'];
const QUARTILES: readonly Quartile[] = ['firstQuartile', 'midpoint', 'thirdQuartile'];

/**
 * Quartiles and marks of a creative of `durationMs`, in the order in which they are
 * reached. What lies beyond its end is never reached, and is left out.
 */
export function milestonesOf(durationMs: number, marks: readonly Mark[]): readonly Milestone[] {
  const quartiles = QUARTILES.map((quartile, index): Milestone => {
    return { atMs: (durationMs * (index + 1)) / 4, reached: { type: 'progress', quartile } };
  });
  const marked = marks.map((mark, index): Milestone => {
    const atMs = mark.of === 'time' ? mark.ms : mark.share * durationMs;
    return { atMs, reached: { type: 'mark', mark: index } };
  });
  return [...quartiles, ...marked].filter(({ atMs }) => atMs <= durationMs).sort((a, b) => a.atMs - b.atMs);
}

/** Of so many latest starts the slowest counts. */
const REMEMBERED = 8;
const LEAST_MS = 34;
const MOST_MS = 250;
const AT_FIRST_MS = 80;

/** How long the latest videos took from their start until they moved, ms. */
export type RunUp = readonly number[];

/** Remembers that a video moved `ms` after it was started. */
export const learnRunUp = (runUp: RunUp, ms: number): RunUp => [...runUp, ms].slice(-REMEMBERED);

/** How long before its slot a video has to be started so that it moves when the slot begins, ms: 34 to 250. */
export function runUpMs(runUp: RunUp): number {
  return runUp.length === 0 ? AT_FIRST_MS : Math.min(MOST_MS, Math.max(LEAST_MS, ...runUp));
}
