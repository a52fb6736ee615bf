import {
  type ProofPosition,
  type SetAsideSegment,
  type StoredSegment,
  UNREADABLE,
} from '../../shared/proof-sequence';
import { doublingMs } from '../egress/back-off';
import { afterFailuresMs, untilOwnMoment } from './ship-times';

/** The result of one try to send a segment. */
export interface SendOutcome {
  /** HTTP status, or `UNREADABLE`; null: no answer. */
  readonly status: number | null;
  /** ms, from `Retry-After`; null: the answer had none. */
  readonly retryAfterMs: number | null;
}

/** Remembered between two tries; may be lost with the process. */
export interface ShippingMemory {
  /** Tries in a row that delivered nothing. */
  readonly failures: number;
  /** The segment that was refused last, and how often it was. */
  readonly refused: { readonly digest: string; readonly times: number } | null;
  /** Segments set aside are not tried again before this monotonic time, ms. */
  readonly againAt: number;
}

export const NOTHING_TRIED: ShippingMemory = {
  failures: 0,
  refused: null,
  againAt: Number.NEGATIVE_INFINITY,
};

/** Time, chance and settings of a decision. */
export interface ShippingMoment {
  /** ms since the epoch. */
  readonly now: number;
  readonly monotonic: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly everyMs: number;
  /** The kiosk's offset within each period, ms (`ship-times.ts`). */
  readonly ownMoment: number;
}

export interface NextSegment {
  readonly segment: StoredSegment;
  /** It was set aside before. */
  readonly isAgain: boolean;
  /** More may wait after it. */
  readonly hasMore: boolean;
}

/**
 * `refused`, by the receiver or because it cannot be read: is tried again unchanged; `failed`: no answer, or one that is
 * not about the segment.
 */
export type SegmentResult = 'delivered' | 'set-aside' | 'refused' | 'failed';

/** What follows from a try. A segment that is delivered or set aside is settled in the books. */
export interface Verdict {
  readonly memory: ShippingMemory;
  readonly result: SegmentResult;
  /** Wait before the next segment, ms. */
  readonly waitMs: number;
}

/**
 * Statuses that are about the segment itself: sent unchanged, it would always be refused (rule 28). Bytes that cannot
 * be read may be readable a moment later.
 */
const REFUSALS: ReadonlySet<number> = new Set([UNREADABLE, 400, 413, 422]);
const REFUSALS_UNTIL_SET_ASIDE = 3;
/**
 * A receiver that refused this many would refuse any segment, so others wait. Each manifest lists all set aside. Those
 * that cannot be read do not wait: nothing makes their bytes readable, and they would hold back all later proof.
 */
const MAX_SET_ASIDE = 50;
const DAY_MS = 86_400_000;
/** Segments set aside wait this long after a failed try of one, ms, so that they do not delay new segments. */
const AGAIN_AFTER_FAILURE_MS = 3_600_000;
/** Pause between two of several waiting segments, ms: at most two a second, even after weeks offline. */
export const BETWEEN_SEGMENTS_MS = 500;
const BOOKS_BACK_OFF = { minMs: 1_000, maxMs: 60_000 };

/**
 * A segment that waits to be sent, else a due one that was set aside; null: one is made of new plays. A waiting
 * segment that is refused, but may not be set aside because too many are, may wait for weeks: then the due ones go
 * first.
 */
export function nextStored(
  { againAt, refused }: ShippingMemory,
  { pending, setAside }: Pick<ProofPosition, 'pending' | 'setAside'>,
  { now, monotonic }: Pick<ShippingMoment, 'now' | 'monotonic'>,
): NextSegment | null {
  const isStuck = refused?.digest === pending?.digest && isRefusedForGood(refused?.times ?? 0);
  const again = monotonic >= againAt && setAside.find((segment) => isDue(segment, now));
  if (again && (!pending || isStuck)) return { segment: again, isAgain: true, hasMore: true };
  // After a restart or an outage it is not known how many plays wait after this segment.
  return pending && { segment: pending, isAgain: false, hasMore: true };
}

const isRefusedForGood = (times: number) => times >= REFUSALS_UNTIL_SET_ASIDE;

/** A day after the last try; at once if that is in the future, because the clock was set back. */
const isDue = ({ triedAt }: SetAsideSegment, now: number) => now - triedAt >= DAY_MS || triedAt > now;

/**
 * Judges the answer to a segment (rule 28).
 *
 * @param setAside number of segments that are set aside
 */
export function afterTry(
  memory: ShippingMemory,
  { segment, isAgain, hasMore }: NextSegment,
  { status, retryAfterMs }: SendOutcome,
  setAside: number,
  at: ShippingMoment,
): Verdict {
  const soonest = hasMore ? BETWEEN_SEGMENTS_MS : untilOwnMoment(at);
  if (status !== null && status >= 200 && status <= 299) {
    return { memory: { ...memory, failures: 0 }, result: 'delivered', waitMs: soonest };
  }
  const isRefused = status !== null && REFUSALS.has(status);
  if (isRefused && isAgain) return { memory, result: 'set-aside', waitMs: soonest };
  const { digest } = segment;
  const times = 1 + (memory.refused?.digest === digest ? memory.refused.times : 0);
  const hasRoom = setAside < MAX_SET_ASIDE || status === UNREADABLE;
  if (isRefused && isRefusedForGood(times) && hasRoom) {
    return { memory: { ...memory, failures: 0 }, result: 'set-aside', waitMs: soonest };
  }
  const failures = memory.failures + 1;
  const waitMs = afterFailuresMs(failures, at.everyMs, retryAfterMs, at.random);
  if (isRefused) {
    return { memory: { ...memory, failures, refused: { digest, times } }, result: 'refused', waitMs };
  }
  const againAt = isAgain ? at.monotonic + AGAIN_AFTER_FAILURE_MS : memory.againAt;
  return { memory: { ...memory, failures, againAt }, result: 'failed', waitMs };
}

/** Wait after `errors` (≥ 1) errors of the books in a row, ms. */
export const afterBooksErrorsMs = (errors: number): number => doublingMs(errors, BOOKS_BACK_OFF);
