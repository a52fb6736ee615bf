import { DARK_START_MS } from '../../shared/stage';
import {
  after,
  type Candidate,
  type LoopEffect,
  type LoopState,
  type LoopStep,
  type LoopWorld,
  type Next,
  NONE,
  type ShownSlot,
  stepTo,
} from './slot-loop-state';

// How the slot loop chooses, prepares and reserves the ad of the next slot (rules 8, 11, 12 and 14).

/** Signals that change later than this before a slot no longer change its creative, ms (rule 11). */
export const LOAD_DEADLINE_MS = 1_000;
/** Pause before the next try after an error of this kiosk: a reservation that could not be stored, no sound, ms. */
const RETRY_MS = 1_000;

/** Completes a step: prepares the next slot, or commits the prepared one when it is due. */
export function advanceNext<C>(step: LoopStep<C>, world: LoopWorld<C>): LoopStep<C> {
  const { state, effects } = step;
  return after(effects, state.next.phase === 'none' ? prepareNext(state, world) : commitIfDue(state, world));
}

/** When the next slot starts: at the planned end of what is showing, but never in the past. */
function nextSlotAt<C>({ showing }: LoopState<C>, { now, monotonic }: LoopWorld<C>): number {
  if (showing === null || showing.state === 'ended') return now;
  // Plays are stamped with whole milliseconds.
  return now + Math.max(0, Math.round(showing.endsAt - monotonic));
}

export function prepareNext<C>(state: LoopState<C>, world: LoopWorld<C>, lightsUp = false): LoopStep<C> {
  if (state.stage === 'away' || state.held !== null) return stepTo(state);
  if (world.monotonic < state.notBefore) return stepTo(state);
  const choice = world.choose(nextSlotAt(state, world));
  if (choice !== null) return prepare(state, choice, lightsUp);
  // Nothing is eligible: the brand card follows what is showing (rule 12).
  const { showing } = state;
  if (showing === null || showing.state === 'running') return stepTo(state);
  return stepTo({ ...state, showing: unlessEnded(showing) }, { do: 'brand' });
}

/** What is still on the screen when the stage was told to show the brand card: it replaces an ended ad at once. */
export const unlessEnded = <C>(showing: ShownSlot<C> | null) => (showing?.state === 'ended' ? null : showing);

function prepare<C>(state: LoopState<C>, choice: C, lightsUp = false): LoopStep<C> {
  const slot = state.lastSlot + 1;
  return stepTo(
    { ...state, lastSlot: slot, next: { phase: 'preparing', slot, choice, lightsUp } },
    { do: 'prepare', slot, choice },
  );
}

/**
 * Chooses again when something changed before the load deadline and another ad is now the best one (rule 11). For a slot
 * that is overdue only if its ad may no longer play: with every new choice the loading would begin again.
 */
export function reconsider<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'preparing' && next.phase !== 'ready') return stepTo(state);
  const at = nextSlotAt(state, world);
  const isOverdue = state.showing === null || state.showing.state === 'ended';
  const mayChange = isOverdue ? !world.mayPlay(next.choice, at) : at - world.now > LOAD_DEADLINE_MS;
  if (!mayChange) return stepTo(state);
  const choice = world.choose(at);
  if (choice !== null && world.same(choice, next.choice)) return stepTo(state);
  if (choice !== null && world.sameCreative(choice, next.choice))
    return stepTo({ ...state, next: { ...next, choice } });
  const discard: LoopEffect<C> = { do: 'discard', slot: next.slot };
  if (choice === null) return stepTo({ ...state, next: NONE }, discard);
  return after([discard], prepare({ ...state, next: NONE }, choice));
}

/** Reserves a ready creative once its slot is near: at the ending notice, or now when nothing runs. */
function commitIfDue<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'ready' || state.showing?.state === 'running') return stepTo(state);
  const at = nextSlotAt(state, world);
  const choice = world.mayPlay(next.choice, at) ? next.choice : inItsPlace(next.choice, at, world);
  if (choice === null)
    return after([{ do: 'discard', slot: next.slot }], prepareNext({ ...state, next: NONE }, world));
  return reserve(state, { slot: next.slot, choice }, at, next.durationMs);
}

/**
 * Reserves the first slot of a dark stage while it is still being prepared, so that its first frame does not wait for
 * the books as well. Only if the ad may play throughout that time; the stage gives it up when it takes longer.
 */
export function onSent<C>(state: LoopState<C>, slot: number, world: LoopWorld<C>): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'preparing' || next.slot !== slot || !next.lightsUp) return stepTo(state);
  const latest = world.now + DARK_START_MS;
  const mayPlay = world.mayPlay(next.choice, world.now) && world.mayPlay(next.choice, latest);
  // Otherwise it is checked again once it is prepared.
  if (!mayPlay) return stepTo(state);
  return reserve(state, { slot, choice: next.choice }, world.now, null);
}

function reserve<C>(
  state: LoopState<C>,
  { slot, choice }: Candidate<C>,
  at: number,
  durationMs: number | null,
): LoopStep<C> {
  return stepTo(
    { ...state, next: { phase: 'reserving', slot, choice, durationMs, at, abandoned: null } },
    { do: 'reserve', slot, choice, at, durationMs },
  );
}

/**
 * Another ad with the same creative, to play without preparing again, in place of a prepared ad that expired, got
 * capped, no longer matches or was withdrawn. There is one after a refresh that brought the same ads again, for
 * example.
 */
function inItsPlace<C>(withdrawn: C, at: number, world: LoopWorld<C>): C | null {
  const choice = world.choose(at);
  return choice !== null && world.sameCreative(choice, withdrawn) ? choice : null;
}

export function onReserved<C>(
  state: LoopState<C>,
  { slot, stored }: { slot: number; stored: boolean },
  world: LoopWorld<C>,
): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'reserving' || next.slot !== slot) return stepTo(state);
  if (!stored) {
    // A play that is not in the books is not shown (rule 8).
    return after([{ do: 'discard', slot }], retryLater({ ...state, next: NONE }, world));
  }
  const { choice, durationMs, at } = next;
  // Storing it may take long, and then its slot is checked again (rule 11).
  const isLate = world.now - at > LOAD_DEADLINE_MS && !world.stillFits(choice, world.now);
  if (next.abandoned || state.held !== null || isLate) {
    const why = state.held ?? next.abandoned ?? 'late';
    // A new window may already wait for something to prepare.
    return stepTo(
      { ...state, next: NONE },
      { do: 'discard', slot },
      settleUnseen<C>(slot, 'given-back', why),
      { do: 'choose' },
    );
  }
  const committed: Next<C> = { phase: 'committed', slot, choice, durationMs, stoppedBy: null };
  return stepTo({ ...state, next: committed }, { do: 'show', slot });
}

/** Tries nothing for a moment: an error of this kiosk would only come again at once. */
export function retryLater<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const showing = unlessEnded(state.showing);
  const paused = { ...state, showing, notBefore: world.monotonic + RETRY_MS };
  return showing === null ? stepTo(paused, { do: 'brand' }) : stepTo(paused);
}

/** Settles a play of which no frame was reported. */
export const settleUnseen = <C>(
  slot: number,
  outcome: 'given-back' | 'unknown',
  endReason: string,
): LoopEffect<C> => ({ do: 'settle', slot, outcome, endReason, shownAt: null, report: null });
