import { assertNever } from '../../shared/assert-never';
import type { ProofPosition, SetAsideSegment, StoredSegment } from '../../shared/proof-sequence';
import { afterFailuresMs, untilOwnMoment } from './ship-times';

/** The result of one try to send a segment. `status` null: no answer. */
export interface SendOutcome {
  readonly status: number | null;
  /** ms, from `Retry-After`; null: the answer had none. */
  readonly retryAfterMs: number | null;
}

/** Remembered between two tries; may be lost with the process. */
interface Memory {
  /** Tries in a row that delivered nothing. */
  readonly failures: number;
  /** The segment that the receiver refused last, and how often it did. */
  readonly refused: { readonly digest: string; readonly times: number } | null;
  readonly booksErrors: number;
  /** Plays are left for another segment. */
  readonly hasMore: boolean;
  /** Segments set aside are not tried again before this monotonic time, ms. */
  readonly againAt: number;
}

/** The state machine does one thing at a time, so there is at most one request at a time. */
export type Shipping =
  | { readonly name: 'resting'; readonly memory: Memory }
  | { readonly name: 'looking'; readonly memory: Memory }
  | { readonly name: 'building'; readonly memory: Memory; readonly position: ProofPosition }
  | Sending
  | { readonly name: 'settling'; readonly memory: Memory; readonly isAgain: boolean };

interface Sending {
  readonly name: 'sending';
  readonly memory: Memory;
  readonly segment: StoredSegment;
  /** It was set aside before. */
  readonly isAgain: boolean;
  /** Number of segments that are set aside. */
  readonly setAside: number;
}

export type ShippingEvent =
  | { readonly kind: 'woken' }
  | { readonly kind: 'position'; readonly position: ProofPosition }
  | { readonly kind: 'stored'; readonly segment: StoredSegment; readonly hasMore: boolean }
  | { readonly kind: 'nothing-to-send' }
  | ({ readonly kind: 'tried' } & SendOutcome)
  | { readonly kind: 'settled' }
  /** The books rejected a command, or did not answer: it may or may not have been carried out. */
  | { readonly kind: 'books-error' };

export type ShippingEffect =
  | { readonly do: 'rest'; readonly ms: number }
  | { readonly do: 'look' }
  | { readonly do: 'build'; readonly position: ProofPosition }
  | { readonly do: 'send'; readonly segment: StoredSegment }
  | {
      readonly do: 'settle';
      readonly segment: StoredSegment;
      readonly how: 'delivered' | 'set-aside';
      readonly status: number;
    }
  | { readonly do: 'count'; readonly result: SegmentResult };

/** `refused`: will be sent again unchanged; `failed`: no answer, or one that is not about the segment. */
export type SegmentResult = 'delivered' | 'set-aside' | 'refused' | 'failed';

export interface ShippingStep {
  readonly state: Shipping;
  readonly effects: readonly ShippingEffect[];
}

/** Time, chance and settings of a step. */
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

/** Statuses that are about the segment itself: sent unchanged, it would always be refused (rule 28). */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);
const REFUSALS_UNTIL_SET_ASIDE = 3;
/** A receiver that refused so many would refuse any segment, so others wait. Each manifest lists all set aside. */
const MOST_SET_ASIDE = 50;
const DAY_MS = 86_400_000;
/** Segments set aside wait so long after a failed try of one, ms, so that they do not delay new segments. */
const AGAIN_AFTER_FAILURE_MS = 3_600_000;
/** Pause between two of several waiting segments, ms: at most two a second, even after weeks offline. */
export const BETWEEN_SEGMENTS_MS = 500;
const BOOKS_BACK_OFF = { minMs: 1_000, maxMs: 60_000 };

const NOTHING_TRIED: Memory = {
  ...{ failures: 0, refused: null, booksErrors: 0, hasMore: false },
  againAt: Number.NEGATIVE_INFINITY,
};

/** A kiosk that has just started waits for its moment. */
export const beginShipping = (at: ShippingMoment): ShippingStep => untilMoment(NOTHING_TRIED, at);

/** Rule 28, as a pure function. An event that does not fit the state is late, and changes nothing. */
export function stepShipping(state: Shipping, event: ShippingEvent, at: ShippingMoment): ShippingStep {
  const { memory } = state;
  if (event.kind === 'books-error' && state.name !== 'resting') return afterBooksError(memory);
  switch (state.name) {
    case 'resting':
      if (event.kind !== 'woken') break;
      return { state: { name: 'looking', memory }, effects: [{ do: 'look' }] };
    case 'looking':
      if (event.kind === 'position') return afterLook({ ...memory, booksErrors: 0 }, event.position, at);
      break;
    case 'building':
      if (event.kind === 'nothing-to-send') return untilMoment({ ...memory, hasMore: false }, at);
      if (event.kind !== 'stored') break;
      return sending({ ...memory, hasMore: event.hasMore }, event.segment, state.position, false);
    case 'sending':
      if (event.kind === 'tried') return afterTry(state, event, at);
      break;
    case 'settling':
      if (event.kind !== 'settled') break;
      return state.isAgain || memory.hasMore ? rest(memory, BETWEEN_SEGMENTS_MS) : untilMoment(memory, at);
    default:
      assertNever(state);
  }
  return { state, effects: [] };
}

/** Sends a stored segment first, then one set aside if it is due; otherwise makes a segment of new plays. */
function afterLook(memory: Memory, position: ProofPosition, at: ShippingMoment): ShippingStep {
  // After a restart or an outage it is not known how many plays wait after this segment.
  if (position.pending) return sending({ ...memory, hasMore: true }, position.pending, position, false);
  const again = at.monotonic >= memory.againAt && position.setAside.find((segment) => isDue(segment, at.now));
  if (again) return sending(memory, again, position, true);
  return { state: { name: 'building', memory, position }, effects: [{ do: 'build', position }] };
}

/** A day after the last try; at once if that is in the future, because the clock was set back. */
const isDue = ({ triedAt }: SetAsideSegment, now: number) => now - triedAt >= DAY_MS || triedAt > now;

function afterTry(state: Sending, { status, retryAfterMs }: SendOutcome, at: ShippingMoment): ShippingStep {
  const { memory, segment, isAgain } = state;
  if (status !== null && status >= 200 && status <= 299) {
    return settling({ ...memory, failures: 0 }, segment, isAgain, 'delivered', status);
  }
  const failures = memory.failures + 1;
  const wait = afterFailuresMs(failures, at.everyMs, retryAfterMs, at.random);
  const isRefused = status !== null && REFUSALS.has(status);
  const counted = { do: 'count', result: isRefused ? 'refused' : 'failed' } as const;
  if (!isRefused) {
    const againAt = isAgain ? at.monotonic + AGAIN_AFTER_FAILURE_MS : memory.againAt;
    return withEffect(counted, rest({ ...memory, failures, againAt }, wait));
  }
  if (isAgain) return settling(memory, segment, true, 'set-aside', status);
  const { digest } = segment;
  const times = memory.refused?.digest === digest ? memory.refused.times + 1 : 1;
  if (times >= REFUSALS_UNTIL_SET_ASIDE && state.setAside < MOST_SET_ASIDE) {
    return settling({ ...memory, failures: 0 }, segment, false, 'set-aside', status);
  }
  return withEffect(counted, rest({ ...memory, failures, refused: { digest, times } }, wait));
}

function afterBooksError(memory: Memory): ShippingStep {
  const { minMs, maxMs } = BOOKS_BACK_OFF;
  const wait = Math.min(maxMs, minMs * 2 ** Math.min(memory.booksErrors, 30));
  return rest({ ...memory, booksErrors: memory.booksErrors + 1 }, wait);
}

const rest = (memory: Memory, ms: number): ShippingStep => ({
  state: { name: 'resting', memory },
  effects: [{ do: 'rest', ms }],
});

const untilMoment = (memory: Memory, at: ShippingMoment): ShippingStep =>
  rest(memory, untilOwnMoment(at.now, at.everyMs, at.ownMoment));

const sending = (
  memory: Memory,
  segment: StoredSegment,
  position: ProofPosition,
  isAgain: boolean,
): ShippingStep => ({
  state: { name: 'sending', memory, segment, isAgain, setAside: position.setAside.length },
  effects: [{ do: 'send', segment }],
});

const settling = (
  memory: Memory,
  segment: StoredSegment,
  isAgain: boolean,
  how: 'delivered' | 'set-aside',
  status: number,
): ShippingStep => ({
  state: { name: 'settling', memory, isAgain },
  effects: [
    { do: 'count', result: how },
    { do: 'settle', segment, how, status },
  ],
});

const withEffect = (effect: ShippingEffect, { state, effects }: ShippingStep): ShippingStep => ({
  state,
  effects: [effect, ...effects],
});
