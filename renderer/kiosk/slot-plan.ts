import type { Mark, StageEvent } from '../../shared/stage';

/** A late slot may be shortened by this much, ms, or by this share of its length if that is more. */
const SHORTENED_MS = 100;
const SHORTENED_SHARE = 0.05;
/** A plan that is further behind is dropped: a machine that slept does not catch up, ms. */
const FORGOTTEN_MS = 5_000;

/** When a slot runs, ms on the page's monotonic clock. */
export interface SlotPlan {
  /** From when its length is counted: as a rule the planned end of the slot before. */
  readonly startedAt: number;
  /** When the next slot should begin; it does not depend on how late this one began. */
  readonly nextAt: number;
}

/**
 * Plans a slot from the planned end of the one before it, so that lateness does not add up over a day. A late slot is
 * shortened a little, and later slots make up for the rest. A video is played to its end anyway, so later slots make
 * up for all of it.
 *
 * @param plannedAt when it should have begun; null: no slot led up to it
 * @param raisedAt when it began
 */
export function planSlot(plannedAt: number | null, raisedAt: number, durationMs: number): SlotPlan {
  const lateMs = plannedAt === null ? 0 : raisedAt - plannedAt;
  if (plannedAt === null || lateMs > FORGOTTEN_MS)
    return { startedAt: raisedAt, nextAt: raisedAt + durationMs };
  const shortenedMs = Math.min(lateMs, Math.max(SHORTENED_MS, SHORTENED_SHARE * durationMs));
  return { startedAt: raisedAt - shortenedMs, nextAt: plannedAt + durationMs };
}

/** A point of a creative that is reported to main. */
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
 * reached. Marks after its end are left out.
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

const MIN_RUN_UP_MS = 34;
const MAX_RUN_UP_MS = 250;
/** Before any video was started: a guess, ms. */
const FIRST_RUN_UP_MS = 80;
/** Number of latest video starts of which the slowest counts: ads come again in rounds, and slow ones stay slow. */
const REMEMBERED = 8;

/** Remembers that a video moved `ms` after it was started. */
export const learnStart = (starts: readonly number[], ms: number) => [...starts, ms].slice(-REMEMBERED);

/** How long before its slot the next video is started so that it moves when the slot begins, ms: 34 to 250. */
export function runUpMs(starts: readonly number[]): number {
  const slowest = starts.length === 0 ? FIRST_RUN_UP_MS : Math.max(MIN_RUN_UP_MS, ...starts);
  return Math.min(MAX_RUN_UP_MS, slowest);
}
