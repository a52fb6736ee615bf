import { assertNever } from '../../shared/assert-never';
import type { StageEvent } from '../../shared/stage';
import {
  advanceNext,
  onReserved,
  onSent,
  prepareNext,
  reconsider,
  retryLater,
  settleUnseen,
  unlessEnded,
} from './next-slot';
import {
  after,
  type LoopEffect,
  type LoopEvent,
  type LoopStageEvent,
  type LoopState,
  type LoopStep,
  type LoopWorld,
  type Next,
  NONE,
  type ShownSlot,
  stepTo,
  type ToldToShow,
} from './slot-loop-state';

/**
 * The slot loop: prepare, judge again, reserve, show, settle (rules 8, 11, 12 and 14). Returns the next state and the
 * effects of an event. It knows nothing of Electron, disks or the network.
 */
export function stepSlotLoop<C>(state: LoopState<C>, event: LoopEvent, world: LoopWorld<C>): LoopStep<C> {
  switch (event.type) {
    case 'stage':
      return onStageEvent(state, event.event, world);
    case 'changed':
      return advanceNext(reconsider(state, world), world);
    case 'sent':
      return onSent(state, event.slot, world);
    case 'reserved':
      return onReserved(state, event, world);
    case 'hold':
      return onHold(state, event.reason);
    case 'resume':
      return advanceNext(stepTo({ ...state, held: null }), world);
    case 'take-down':
      return onTakeDown(state, event.atOnce, world);
    case 'stage-lost':
      return onStageLost(state, world);
    default:
      return assertNever(event);
  }
}

function onHold<C>(state: LoopState<C>, reason: string): LoopStep<C> {
  if (state.held !== null) return stepTo({ ...state, held: reason });
  const { next } = state;
  const stopped = <Told extends ToldToShow>(told: Told): Told => ({
    ...told,
    stoppedBy: told.stoppedBy ?? reason,
  });
  const showing = unlessEnded(state.showing);
  const held = { ...state, held: reason, showing: showing && stopped(showing) };
  if (next.phase === 'preparing' || next.phase === 'ready')
    return stepTo({ ...held, next: NONE }, { do: 'discard', slot: next.slot }, { do: 'stop' });
  // The pending answer, of the reservation or of the stage, settles what is reserved.
  return stepTo({ ...held, next: next.phase === 'committed' ? stopped(next) : next }, { do: 'stop' });
}

function onTakeDown<C>(before: LoopState<C>, atOnce: boolean, world: LoopWorld<C>): LoopStep<C> {
  const { next, showing } = before;
  const isNextBlocked = next.phase !== 'none' && world.isBlocked(next.choice);
  const state: LoopState<C> =
    next.phase === 'reserving' && isNextBlocked
      ? { ...before, next: { ...next, abandoned: 'blocked' } }
      : before;
  // It may reach the screen at this moment: only the stage can stop it, together with the creative before it.
  const isOnItsWay = next.phase === 'committed' && isNextBlocked;
  const isEnded = atOnce && showing !== null && showing.state !== 'ended' && world.isBlocked(showing.choice);
  if (state.held !== null || !(isOnItsWay || isEnded)) return advanceNext(reconsider(state, world), world);
  const stopped = onHold(state, 'blocked');
  // One of the two may not be blocked: it is stopped together with the other, but not because of a block.
  const isShownBlocked = showing !== null && world.isBlocked(showing.choice);
  const takenDown: LoopState<C> = {
    ...stopped.state,
    held: null,
    showing: isShownBlocked ? stopped.state.showing : unlessEnded(showing),
    next: next.phase === 'committed' && !isNextBlocked ? next : stopped.state.next,
  };
  return advanceNext({ state: takenDown, effects: stopped.effects }, world);
}

function onStageLost<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const effects: LoopEffect<C>[] = [];
  const { showing, next } = state;
  if (showing && showing.state !== 'ended') {
    // Nobody knows what was on the screen after that.
    const seenUntil = Math.min(world.monotonic - world.silentMs, showing.endsAt);
    effects.push({
      do: 'settle',
      slot: showing.slot,
      outcome: 'interrupted',
      endReason: 'stage-lost',
      shownAt: showing.shownAt,
      report: {
        viewedMs: Math.max(0, seenUntil - showing.raisedAt),
        presentedFrames: null,
        droppedFrames: null,
        stalls: null,
      },
    });
  }
  // Whether its first frame was shown is unknown without the window, so it counts.
  if (next.phase === 'committed') effects.push(settleUnseen(next.slot, 'unknown', 'stage-lost'));
  const kept = next.phase === 'reserving' ? { ...next, abandoned: 'stage-lost' as const } : NONE;
  return stepTo({ ...state, stage: 'away', showing: null, next: kept }, ...effects);
}

function onStageEvent<C>(state: LoopState<C>, event: LoopStageEvent, world: LoopWorld<C>): LoopStep<C> {
  switch (event.type) {
    case 'ready': {
      // A page that loaded again has lost its state.
      const lost = state.stage === 'ready' ? onStageLost(state, world) : stepTo(state);
      const up: LoopState<C> = { ...lost.state, stage: 'ready' };
      return after(lost.effects, up.next.phase === 'none' ? prepareNext(up, world, true) : stepTo(up));
    }
    case 'prepared': {
      const { next } = state;
      if (next.phase === 'none' || next.slot !== event.slot) return stepTo(state);
      if (next.phase === 'reserving' || next.phase === 'committed')
        return stepTo({ ...state, next: { ...next, durationMs: event.durationMs } });
      const { slot, choice } = next;
      const ready: Next<C> = { phase: 'ready', slot, choice, durationMs: event.durationMs };
      return advanceNext(stepTo({ ...state, next: ready }), world);
    }
    case 'presented': {
      const { next } = state;
      if (next.phase !== 'committed' || next.slot !== event.slot) return stepTo(state);
      const { slot, choice, stoppedBy } = next;
      // A presented creative was prepared, so its length is known.
      const durationMs = next.durationMs ?? 0;
      const raisedAt = world.monotonic;
      const showing: ShownSlot<C> = {
        slot,
        choice,
        stoppedBy,
        shownAt: world.now,
        raisedAt,
        endsAt: raisedAt + durationMs,
        state: 'running',
      };
      return stepTo({ ...state, showing, next: NONE }, { do: 'shown', slot, durationMs }, { do: 'choose' });
    }
    case 'progress':
      return ifShowing(state, { do: 'happened', slot: event.slot, event: event.quartile });
    case 'mark':
      return ifShowing(state, { do: 'happened', slot: event.slot, event: { mark: event.mark } });
    case 'viewed':
      if (state.held !== null) return stepTo(state);
      return ifShowing(state, { do: 'happened', slot: event.slot, event: 'viewed' });
    case 'tap':
      if (state.held !== null) return stepTo(state);
      return ifShowing(state, { do: 'tapped', slot: event.slot, part: event.part });
    case 'ending': {
      const { showing } = state;
      if (showing?.slot !== event.slot || showing.state !== 'running') return stepTo(state);
      const endsAt = world.monotonic + event.remainingMs;
      const ending: ShownSlot<C> = { ...showing, state: 'ending', endsAt };
      return advanceNext(stepTo({ ...state, showing: ending }), world);
    }
    case 'ended':
      return onEnded(state, event, world);
    case 'failed':
      return onFailed(state, event, world);
    default:
      return assertNever(event);
  }
}

/** The effect, if its slot is the one on the screen. */
const ifShowing = <C>(state: LoopState<C>, effect: LoopEffect<C> & { readonly slot: number }): LoopStep<C> =>
  state.showing?.slot === effect.slot ? stepTo(state, effect) : stepTo(state);

function onEnded<C>(
  state: LoopState<C>,
  { slot, reason, report }: Extract<StageEvent, { type: 'ended' }>,
  world: LoopWorld<C>,
): LoopStep<C> {
  const { showing } = state;
  if (showing?.slot !== slot || showing.state === 'ended') return stepTo(state);
  const outcome = reason === 'ended' ? 'completed' : reason === 'stopped' ? 'interrupted' : 'failed';
  const effects: LoopEffect<C>[] = [];
  if (outcome === 'failed' && isErrorOfAd(reason)) {
    const detail = `playback broke off after ${Math.round(report.viewedMs)} ms`;
    effects.push({ do: 'failed', slot, choice: showing.choice, code: reason, detail });
  }
  effects.push({
    do: 'settle',
    slot,
    outcome,
    endReason: reason === 'stopped' ? (showing.stoppedBy ?? reason) : reason,
    shownAt: showing.shownAt,
    report,
  });
  const over = reason === 'stopped' ? null : ({ ...showing, state: 'ended' } as const);
  const ended: LoopState<C> = { ...state, showing: over };
  if (reason === 'no-sound' && state.next.phase === 'none') return after(effects, retryLater(ended, world));
  return stepTo(ended, ...effects, { do: 'choose' });
}

/** Whether an error is the ad's own: not when the stage dropped it, it is only late, or the kiosk's sound broke. */
export const isErrorOfAd = (code: string): boolean =>
  !['stopped', 'not-prepared', 'late', 'no-sound'].includes(code);

function onFailed<C>(
  state: LoopState<C>,
  { slot, code, detail }: Extract<StageEvent, { type: 'failed' }>,
  world: LoopWorld<C>,
): LoopStep<C> {
  const { next } = state;
  if (next.phase === 'none' || next.slot !== slot || next.phase === 'reserving') return stepTo(state);
  const effects: LoopEffect<C>[] = [];
  if (isErrorOfAd(code)) effects.push({ do: 'failed', slot, choice: next.choice, code, detail });
  if (next.phase === 'committed') effects.push(settleUnseen(slot, 'given-back', next.stoppedBy ?? code));
  if (code === 'no-sound') return after(effects, retryLater({ ...state, next: NONE }, world));
  return stepTo({ ...state, next: NONE }, ...effects, { do: 'choose' });
}
