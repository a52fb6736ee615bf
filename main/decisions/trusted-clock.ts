/*
 * The one clock for decisions (rule 10), as a reducer: it reads no time itself.
 *
 * The clock is an anchor (a time that was right at a moment of the monotonic clock) plus the monotonic time since.
 * Until the service has sent its time, the clock follows the system's clock, but never behind the last stored play. The
 * service's first answer then shows how long the machine was off; from there on only answers move the clock. Deviations
 * of up to two minutes are corrected gradually, so that a minute stays a minute. A larger one is a jump, accepted only
 * when a second answer, a minute later, agrees.
 *
 * Trust does not outlive the process: only the system's clock could carry it over, and that may have been set in
 * between.
 */

/** Deviations up to this are corrected gradually; ms. */
export const TOLERANCE_MS = 120_000;
/** Two answers agree about a jump when they differ by no more than this, less the time between them; ms. */
export const AGREEMENT_MS = 5_000;
/** How long after a deviating answer the service is asked again; ms. */
export const ASK_AGAIN_MS = 60_000;
/**
 * Least time between two answers that confirm a jump; ms. Timers and network delays may shorten the minute a little.
 */
const APART_MS = ASK_AGAIN_MS - 1_000;
/**
 * The `Date` of an answer is truncated to seconds and arrives late: a clock this far ahead of it does not deviate; ms.
 */
const ANSWER_BLUR_MS = 2_000;
/** How fast a deviation is corrected: ms per ms that passes. */
const SLEW = 1 / 1_000;

/** Both clocks at one moment. `system`: ms since the epoch; `monotonic`: ms from an arbitrary start. */
export interface ClockSample {
  readonly system: number;
  readonly monotonic: number;
}

/** A time, ms since the epoch, at a moment of the monotonic clock. */
interface Anchor {
  readonly time: number;
  readonly monotonic: number;
}

export interface ClockState {
  readonly isTrusted: boolean;
  readonly anchor: Anchor;
  /** What the clock still has to gain (or lose) from the anchor on, ms. */
  readonly deviation: number;
  /** The newest stored play; null while there is none. Used until the clock is trusted. */
  readonly lastPlay: Anchor | null;
  /**
   * Plays stamped later move with a jump: the clock's time when it was last known to be right. A jump back does not
   * lower it, because plays from before that jump are right and stamped later than the new time.
   */
  readonly rightUntil: number;
  /** The clock before the last jump forward, with its `rightUntil`, in case that jump proves wrong; null otherwise. */
  readonly earlier: (Anchor & { readonly rightUntil: number }) | null;
  /** The first of the deviating answers; null while answers agree with the clock. */
  readonly deviating: Anchor | null;
  /** When the latest answer arrived, on the monotonic clock, ms. */
  readonly lastAnswer: number;
  readonly sample: ClockSample;
}

/** Something that concerns the clock, with both clocks at that moment. */
export type ClockEvent = {
  readonly sample: ClockSample;
} & (
  | { readonly kind: 'play-stored'; readonly at: number }
  /** Arrives every few seconds. */
  | { readonly kind: 'sampled' }
  /** A validated answer: its time (ms since the epoch) and the monotonic clock when its head arrived. */
  | { readonly kind: 'answered'; readonly serverTime: number; readonly monotonicAtReceipt: number }
  /** The books are open; `lastPlayAt`: the time of the newest stored play. */
  | { readonly kind: 'books-opened'; readonly lastPlayAt: number }
  /** The machine woke up: the monotonic clock may have stood still while the system's went on. */
  | { readonly kind: 'resumed' }
);

/** The clock was set, or is trusted from now on. Times: ms since the epoch. */
export interface ClockChange {
  /** What the clock showed just before, and what it shows now. */
  readonly before: number;
  readonly now: number;
  /** Plays stamped later than this move by `now - before`; null: none does. */
  readonly movesPlaysAfter: number | null;
  /**
   * True: a jump, which must not free a cap. False: the first trusted time of a run, a step of the system's clock
   * before it, or a wake-up.
   */
  readonly isJump: boolean;
  /** Whether the service has sent its time in this run: without it no calendar period ends (rule 10). */
  readonly isTrusted: boolean;
}

export interface ClockStep {
  readonly state: ClockState;
  readonly change: ClockChange | null;
  /** An answer deviates: ask the service again in `ASK_AGAIN_MS`. */
  readonly askAgain: boolean;
}

/** Earlier than any play. */
const NEVER = Number.MIN_SAFE_INTEGER;

/** The clock at start, before the books are open. */
export function startClock(sample: ClockSample): ClockState {
  return {
    isTrusted: false,
    anchor: { time: sample.system, monotonic: sample.monotonic },
    deviation: 0,
    lastPlay: null,
    rightUntil: NEVER,
    earlier: null,
    deviating: null,
    lastAnswer: Number.NEGATIVE_INFINITY,
    sample,
  };
}

/** The time for decisions at `sample`; whole ms since the epoch, UTC. Only a `ClockChange` can set it back. */
export function readClock(state: ClockState, sample: ClockSample): number {
  return Math.floor(exactly(state, sample));
}

export function advanceClock(state: ClockState, event: ClockEvent): ClockStep {
  const { sample } = event;
  switch (event.kind) {
    case 'sampled':
      return state.isTrusted ? unchanged({ ...state, sample }) : followSystem(state, sample);
    case 'books-opened': {
      const { lastPlayAt } = event;
      // Later than the plays of earlier runs, so that those of this run can be distinguished from them.
      const lastPlay = { time: lastPlayAt + 1, monotonic: sample.monotonic };
      return followSystem({ ...state, lastPlay, rightUntil: lastPlayAt }, sample);
    }
    case 'play-stored': {
      const { lastPlay } = state;
      const isNewest = lastPlay === null || carriedOn(lastPlay, sample) < event.at;
      const newest = { time: event.at, monotonic: sample.monotonic };
      return unchanged({ ...state, sample, lastPlay: isNewest ? newest : lastPlay });
    }
    case 'resumed':
      return resume(state, sample);
    case 'answered':
      return answered(state, { time: event.serverTime, monotonic: event.monotonicAtReceipt }, sample);
  }
}

/**
 * Applies a change at `sample`, later than it was found, because its effects had to be prepared first. The clock went
 * on as `state` until now; it is set by the same amount.
 */
export function carryOutChange(
  state: ClockState,
  found: { readonly state: ClockState; readonly change: ClockChange },
  sample: ClockSample,
): { readonly state: ClockState; readonly change: ClockChange } {
  const { movesPlaysAfter } = found.change;
  const before = readClock(state, sample);
  const now = before + (found.change.now - found.change.before);
  // Plays stamped meanwhile move with the others, so they are right.
  const isRight = found.state.isTrusted && movesPlaysAfter !== null;
  const rightUntil = isRight ? Math.max(now, found.state.rightUntil) : found.state.rightUntil;
  const anchor = { time: now, monotonic: sample.monotonic };
  return { state: { ...found.state, anchor, rightUntil }, change: { ...found.change, before, now } };
}

/** Without trusted time: follows the system's clock forward and back, but never behind the last play. */
function followSystem(state: ClockState, sample: ClockSample): ClockStep {
  const floor = state.lastPlay === null ? NEVER : carriedOn(state.lastPlay, sample);
  const aim = Math.max(sample.system, floor);
  if (Math.abs(aim - exactly(state, sample)) <= TOLERANCE_MS) return unchanged(slewTo(aim, state, sample));
  return set(state, aim, sample, false);
}

function answered(state: ClockState, answer: Anchor, sample: ClockSample): ClockStep {
  // Answers may be handed in out of order; the latest to arrive counts.
  if (answer.monotonic < state.lastAnswer) return unchanged({ ...state, sample });
  const heard = { ...state, lastAnswer: answer.monotonic, sample };
  const told = carriedOn(answer, sample);
  // Where both agree, the system's clock is used, because it is more precise.
  const aim = Math.abs(sample.system - told) <= TOLERANCE_MS ? sample.system : told;
  const now = exactly(state, sample);
  if (Math.abs((state.isTrusted ? told : aim) - now) <= TOLERANCE_MS) {
    const rightUntil = Math.max(Math.floor(now), state.isTrusted ? state.rightUntil : NEVER);
    const right = { ...heard, isTrusted: true, deviating: null, rightUntil };
    const isBlur = aim === told && now >= told && now - told <= ANSWER_BLUR_MS;
    const next = slewTo(isBlur ? now : aim, right, sample);
    if (state.isTrusted) return unchanged(next);
    const shown = readClock(next, sample);
    const change = { before: shown, now: shown, movesPlaysAfter: null, isJump: false, isTrusted: true };
    return { state: next, change, askAgain: false };
  }
  if (!state.isTrusted) return set({ ...heard, isTrusted: true }, aim, sample, false);
  const { deviating } = state;
  if (deviating === null || Math.abs(carriedOn(deviating, sample) - told) > AGREEMENT_MS)
    return { state: { ...heard, deviating: answer }, change: null, askAgain: true };
  if (answer.monotonic - deviating.monotonic < APART_MS) return unchanged(heard);
  return set(heard, aim, sample, true);
}

/** Across a sleep the system's clock measures the interval, for the monotonic one may have stood still. */
function resume(state: ClockState, sample: ClockSample): ClockStep {
  const slept = sample.system - state.sample.system - (sample.monotonic - state.sample.monotonic);
  if (slept <= 0) return unchanged({ ...state, sample });
  const before = exactly(state, sample);
  const { lastPlay, earlier } = state;
  // The new anchor contains what is corrected already.
  const corrected = before - carriedOn(state.anchor, sample);
  const next: ClockState = {
    ...state,
    sample,
    anchor: { time: before + slept, monotonic: sample.monotonic },
    deviation: state.deviation - corrected,
    lastPlay: lastPlay && { ...lastPlay, time: lastPlay.time + slept },
    earlier: earlier && { ...earlier, time: earlier.time + slept },
    // Its time was carried on by a monotonic clock that stood still.
    deviating: null,
  };
  const change = {
    before: Math.floor(before),
    now: readClock(next, sample),
    movesPlaysAfter: null,
    isJump: false,
    isTrusted: state.isTrusted,
  };
  return { state: next, change, askAgain: false };
}

/** Sets the clock to another time; plays stamped since it was last right move with it. */
function set(state: ClockState, to: number, sample: ClockSample, isJump: boolean): ClockStep {
  const before = readClock(state, sample);
  const now = Math.floor(to);
  const { earlier } = state;
  const returns = isJump && earlier !== null && Math.abs(carriedOn(earlier, sample) - now) <= TOLERANCE_MS;
  const wrongAfter = returns ? earlier.rightUntil : state.rightUntil;
  // Except at a jump, a play stamped later than now was stamped by a wrong clock, in this run or an earlier one.
  const movesPlaysAfter = isJump ? wrongAfter : Math.min(wrongAfter, now);
  const next: ClockState = {
    ...state,
    sample,
    anchor: { time: now, monotonic: sample.monotonic },
    deviation: 0,
    deviating: null,
    rightUntil: isJump ? Math.max(now, wrongAfter) : state.isTrusted ? now : movesPlaysAfter,
    earlier:
      isJump && now > before
        ? { time: before, monotonic: sample.monotonic, rightUntil: state.rightUntil }
        : null,
  };
  const change = { before, now, movesPlaysAfter, isJump, isTrusted: state.isTrusted };
  return { state: next, change, askAgain: false };
}

function slewTo(aim: number, state: ClockState, sample: ClockSample): ClockState {
  const time = exactly(state, sample);
  return { ...state, sample, anchor: { time, monotonic: sample.monotonic }, deviation: aim - time };
}

function unchanged(state: ClockState): ClockStep {
  return { state, change: null, askAgain: false };
}

function exactly({ anchor, deviation }: ClockState, sample: ClockSample): number {
  const most = (sample.monotonic - anchor.monotonic) * SLEW;
  return carriedOn(anchor, sample) + Math.min(most, Math.max(-most, deviation));
}

function carriedOn(anchor: Anchor, sample: ClockSample): number {
  return anchor.time + (sample.monotonic - anchor.monotonic);
}
