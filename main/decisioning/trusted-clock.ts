/*
 * One clock for decisions (rule 10), as a reducer: no time is read here.
 *
 * Trusted time is a validated answer of the service, carried on by the monotonic
 * clock. While it and the system's clock agree within two minutes the system's is
 * used, because it is the finer one; when they differ by more, trusted time wins,
 * in both directions, for as long as they differ. It is judged anew at every
 * sample, so a system clock that is set right or wrong later changes sides by itself.
 *
 * Without trusted time the clock is the system's, but never behind the last
 * stored play: from there it goes on by the monotonic clock, so that a kiosk
 * whose battery died and which starts in 1970 still sees minutes pass.
 *
 * Trust does not outlive the process. What it would have to be carried over by is
 * the system's clock, which may have been set in between; until the first answer
 * the rule for no trusted time holds.
 */

/** Disagreement up to here is left to the system's clock; ms. */
export const TOLERANCE_MS = 120_000;

/** Answers tell whole seconds, cut off, and take a moment to arrive: so far ahead of one is no disagreement with it; ms. */
const ANSWER_BLUR_MS = 2_000;

/** A play is stamped with its first frame's planned time, and reserved before it (rule 8): so far ahead is in order; ms. */
const PLANNED_AHEAD_MS = 1_000;

/** Both clocks at one moment. `system`: ms since the epoch; `monotonic`: ms from an arbitrary start. */
export interface ClockSample {
  readonly system: number;
  readonly monotonic: number;
}

/** A time that was right at a moment of the monotonic clock. */
interface Anchor {
  readonly time: number;
  readonly monotonic: number;
}

export type ClockState =
  | { readonly kind: 'untrusted'; readonly lastPlay: Anchor | null; readonly sample: ClockSample }
  | {
      readonly kind: 'trusted';
      readonly anchor: Anchor;
      /** Which clock decided at `sample`. */
      readonly governedBy: 'system' | 'trusted';
      readonly lastPlayAt: number | null;
      readonly sample: ClockSample;
    };

export type ClockEvent =
  /** Both clocks, read now and then (at least once a slot) and before every reservation. */
  | { readonly kind: 'sampled'; readonly sample: ClockSample }
  /** A validated answer: its time (ms since the epoch) and the monotonic clock when its head arrived. */
  | {
      readonly kind: 'answered';
      readonly serverTime: number;
      readonly monotonicAtReceipt: number;
      readonly sample: ClockSample;
    }
  /** A play was stored with this time. */
  | { readonly kind: 'play-stored'; readonly at: number; readonly sample: ClockSample }
  /** The machine woke up: the monotonic clock may have stood still while the system's went on. */
  | { readonly kind: 'resumed'; readonly sample: ClockSample };

export interface ClockStep {
  readonly state: ClockState;
  /** Time for decisions, whole ms since the epoch, UTC. */
  readonly now: number;
  readonly governedBy: 'system' | 'trusted' | 'last-play';
  /** When not null: move every play stamped after this time to it (rule 10), in the books and in the decider. */
  readonly restampTo: number | null;
}

/** The clock at start. `lastPlayAt`: the newest stored play, ms since the epoch, or null. */
export function startClock(lastPlayAt: number | null, sample: ClockSample): ClockState {
  const lastPlay = lastPlayAt === null ? null : { time: lastPlayAt, monotonic: sample.monotonic };
  return { kind: 'untrusted', lastPlay, sample };
}

/** The time for decisions at `sample`; whole ms since the epoch, UTC. */
export function readClock(state: ClockState, sample: ClockSample): number {
  return Math.floor(decide(state, sample).now);
}

/** Takes an event in; says what time it is and whether plays have to be restamped. */
export function advanceClock(state: ClockState, event: ClockEvent): ClockStep {
  const next = take(state, event);
  const { now, governedBy } = decide(next, event.sample);
  const moved = Math.floor(now);
  if (next.kind === 'untrusted') {
    return { state: next, now: moved, governedBy, restampTo: null };
  }
  const { lastPlayAt } = next;
  const ahead = lastPlayAt === null ? 0 : lastPlayAt - moved;
  const isJudgedAnew =
    event.kind === 'answered' || state.kind === 'untrusted' || state.governedBy !== governedBy;
  // With the system's clock in charge, plays may be ahead by as much as it may itself.
  const mustRestamp = isJudgedAnew && ahead > (governedBy === 'trusted' ? PLANNED_AHEAD_MS : TOLERANCE_MS);
  return {
    state: {
      ...next,
      governedBy: governedBy === 'trusted' ? 'trusted' : 'system',
      lastPlayAt: mustRestamp ? moved : lastPlayAt,
    },
    now: moved,
    governedBy,
    restampTo: mustRestamp ? moved : null,
  };
}

function take(state: ClockState, event: ClockEvent): ClockState {
  const { sample } = event;
  switch (event.kind) {
    case 'sampled':
      return { ...state, sample };
    case 'answered': {
      const anchor = { time: event.serverTime, monotonic: event.monotonicAtReceipt };
      if (state.kind === 'untrusted') {
        const lastPlayAt = state.lastPlay?.time ?? null;
        return { kind: 'trusted', anchor, governedBy: 'system', lastPlayAt, sample };
      }
      return { ...state, sample, anchor: agrees(state.anchor, anchor) ? state.anchor : anchor };
    }
    case 'play-stored':
      if (state.kind === 'trusted') {
        return { ...state, sample, lastPlayAt: Math.max(event.at, state.lastPlayAt ?? event.at) };
      }
      if (state.lastPlay !== null && carriedOn(state.lastPlay, sample) >= event.at)
        return { ...state, sample };
      return { ...state, sample, lastPlay: { time: event.at, monotonic: sample.monotonic } };
    case 'resumed':
      return resume(state, sample);
  }
}

/**
 * Whether the anchor may stay after an answer. Without this, time would stagger
 * by up to a second with every answer, and plays would be restamped each time.
 */
function agrees(anchor: Anchor, answer: Anchor): boolean {
  // Answers may be handed in out of order; the latest to arrive counts.
  if (answer.monotonic < anchor.monotonic) return true;
  const ahead = anchor.time + (answer.monotonic - anchor.monotonic) - answer.time;
  return ahead >= 0 && ahead <= ANSWER_BLUR_MS;
}

/** Across a sleep the system's clock measures the interval, for the monotonic one may have stood still. */
function resume(state: ClockState, sample: ClockSample): ClockState {
  const slept = sample.system - state.sample.system - (sample.monotonic - state.sample.monotonic);
  if (slept <= 0) return { ...state, sample };
  const anchorAfterSleep = (anchor: Anchor): Anchor => ({ ...anchor, time: anchor.time + slept });
  return state.kind === 'trusted'
    ? { ...state, sample, anchor: anchorAfterSleep(state.anchor) }
    : { ...state, sample, lastPlay: state.lastPlay && anchorAfterSleep(state.lastPlay) };
}

function decide(
  state: ClockState,
  sample: ClockSample,
): { readonly now: number; readonly governedBy: ClockStep['governedBy'] } {
  if (state.kind === 'untrusted') {
    const floor = state.lastPlay === null ? Number.NEGATIVE_INFINITY : carriedOn(state.lastPlay, sample);
    return floor > sample.system
      ? { now: floor, governedBy: 'last-play' }
      : { now: sample.system, governedBy: 'system' };
  }
  const trusted = carriedOn(state.anchor, sample);
  return Math.abs(sample.system - trusted) > TOLERANCE_MS
    ? { now: trusted, governedBy: 'trusted' }
    : { now: sample.system, governedBy: 'system' };
}

function carriedOn(anchor: Anchor, sample: ClockSample): number {
  return anchor.time + (sample.monotonic - anchor.monotonic);
}
