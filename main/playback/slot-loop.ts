import { assertNever } from '../../shared/assert-never';
import type { NativeCardPart } from '../../shared/native';
import type { PlayOutcome } from '../../shared/play';
import { DARK_START_MS, type StageEvent, type StageReport } from '../../shared/stage';
import type { SlotEvent } from './slot-ad';

/**
 * The slot loop: prepare, re-check, reserve, show, settle (rules 8, 11, 12 and
 * 14), as one function from (state, event) to the next state and what to do.
 * It knows nothing of Electron, disks or the network.
 *
 * `C` is an ad chosen for a slot (`SlotAd`), whatever its source.
 */

/** Signals that change later than this before a slot no longer change its creative, ms (rule 11). */
export const LOAD_DEADLINE_MS = 1_000;
/** Pause before the next try after an error of this kiosk: a reservation that could not be stored, no sound, ms. */
const RETRY_MS = 1_000;

interface Candidate<C> {
  readonly slot: number;
  readonly choice: C;
}

/** What the stage was told to show. */
interface ToldToShow {
  /**
   * Why the stage was told to stop it; null: it was not. Stored, because the reason may be over before the stage
   * answers.
   */
  readonly stoppedBy: string | null;
}

export type Next<C> =
  | { readonly phase: 'none' }
  /** `lightsUp`: the first slot of a stage that has just started and is dark until its first frame. */
  | ({ readonly phase: 'preparing'; readonly lightsUp: boolean } & Candidate<C>)
  /** Loaded and decoded behind the current one. */
  | ({ readonly phase: 'ready'; readonly durationMs: number } & Candidate<C>)
  /** Passed its re-check; the reservation is being stored. `durationMs` is null until it is prepared too. */
  | ({
      readonly phase: 'reserving';
      readonly durationMs: number | null;
      readonly at: number;
      /** Why the play becomes void once it is stored; null: it does not. */
      readonly abandoned: 'stage-lost' | 'blocked' | null;
    } & Candidate<C>)
  /** Durably reserved; the stage raises it when the current one ends. */
  | ({ readonly phase: 'committed'; readonly durationMs: number | null; readonly at: number } & ToldToShow &
      Candidate<C>);

export interface ShownSlot<C> extends ToldToShow, Candidate<C> {
  /** First presented frame and planned end, ms since the epoch. */
  readonly shownAt: number;
  readonly endsAt: number;
  /** Remaining time when its end was planned, ms. */
  readonly leftMs: number;
  readonly state: 'running' | 'ending' | 'ended';
}

export interface LoopState<C> {
  readonly stage: 'away' | 'ready';
  /** Why no ad may be reserved (rule 14), or null. */
  readonly held: string | null;
  readonly lastSlot: number;
  readonly showing: ShownSlot<C> | null;
  readonly next: Next<C>;
  /** No ad is prepared before this time, ms since the epoch; 0: at once. */
  readonly notBefore: number;
}

/** The stage events that concern the loop. */
export type LoopStageEvent = Exclude<StageEvent, { type: 'heartbeat' | 'left' }>;

export type LoopEvent =
  | { readonly type: 'stage'; readonly event: LoopStageEvent }
  /** Playlist, media, signals or time may have changed what is eligible. */
  | { readonly type: 'changed' }
  /** The stage was told to prepare this slot. */
  | { readonly type: 'sent'; readonly slot: number }
  | { readonly type: 'reserved'; readonly slot: number; readonly stored: boolean }
  | { readonly type: 'hold'; readonly reason: string }
  | { readonly type: 'resume' }
  /** The blocks changed (rule 30): the next ad is chosen again and, if `atOnce`, a blocked ad on the screen ends. */
  | { readonly type: 'take-down'; readonly atOnce: boolean }
  /** The kiosk window died or hangs; the play that it showed is over. */
  | { readonly type: 'stage-lost' };

export type LoopEffect<C> =
  | ({ readonly do: 'prepare' } & Candidate<C>)
  | { readonly do: 'discard'; readonly slot: number }
  /** `durationMs`: null while not known; the `shown` effect has it. */
  | ({ readonly do: 'reserve'; readonly at: number; readonly durationMs: number | null } & Candidate<C>)
  | { readonly do: 'show'; readonly slot: number }
  | { readonly do: 'brand' }
  | { readonly do: 'stop' }
  /** First frame presented: impression and start are due (rule 15). */
  | { readonly do: 'shown'; readonly slot: number; readonly durationMs: number }
  | { readonly do: 'happened'; readonly slot: number; readonly event: SlotEvent }
  | { readonly do: 'tapped'; readonly slot: number; readonly part: NativeCardPart }
  | {
      readonly do: 'settle';
      readonly slot: number;
      readonly outcome: Exclude<PlayOutcome, 'reserved'>;
      readonly endReason: string;
      readonly shownAt: number | null;
      readonly report: StageReport | null;
    }
  /** The ad could not be shown: its error URLs are due, and a strike against its file. */
  | ({ readonly do: 'failed'; readonly code: string; readonly detail: string } & Candidate<C>);

export interface LoopWorld<C> {
  /** Decided time, ms since the epoch (rule 10). */
  readonly now: number;
  /** Time since the stage last reported that it draws, ms. */
  readonly silentMs: number;
  /** The best eligible ad for a slot at `at`, or null. Reserves nothing, and may be called again; see `SlotAds`. */
  choose(at: number): C | null;
  /** Whether a choice may still play at `at` (rules 5 to 7). */
  mayPlay(choice: C, at: number): boolean;
  /** Whether a choice whose play is reserved, and so counts in its caps, still fits at `at` (rules 5 and 6). */
  stillFits(choice: C, at: number): boolean;
  /** Whether a choice may not be shown, whatever else holds (rule 30). */
  isBlocked(choice: C): boolean;
  same(a: C, b: C): boolean;
  /** Whether one that is prepared serves the other: the same file, shown for as long, with the same marks. */
  sameCreative(a: C, b: C): boolean;
}

export interface LoopStep<C> {
  readonly state: LoopState<C>;
  readonly effects: ReadonlyArray<LoopEffect<C>>;
}

const NONE = { phase: 'none' } as const;

export function initialLoopState<C>(): LoopState<C> {
  return { stage: 'away', held: null, lastSlot: 0, showing: null, next: NONE, notBefore: 0 };
}

/** Returns the next state and the effects of an event. */
export function stepSlotLoop<C>(state: LoopState<C>, event: LoopEvent, world: LoopWorld<C>): LoopStep<C> {
  switch (event.type) {
    case 'stage':
      return onStageEvent(state, event.event, world);
    case 'changed':
      return settleOn(reconsider(state, world), world);
    case 'sent':
      return onSent(state, event.slot, world);
    case 'reserved':
      return onReserved(state, event, world);
    case 'hold':
      return onHold(state, event.reason);
    case 'resume':
      return settleOn(only({ ...state, held: null }), world);
    case 'take-down':
      return onTakeDown(state, event.atOnce, world);
    case 'stage-lost':
      return onStageLost(state, world);
    default:
      return assertNever(event);
  }
}

const only = <C>(state: LoopState<C>, ...effects: LoopEffect<C>[]): LoopStep<C> => ({ state, effects });

/** A step, with earlier effects before its own. */
const after = <C>(effects: ReadonlyArray<LoopEffect<C>>, step: LoopStep<C>): LoopStep<C> => ({
  state: step.state,
  effects: [...effects, ...step.effects],
});

/** Completes a step: prepares the next slot, or commits the prepared one when it is due. */
function settleOn<C>(step: LoopStep<C>, world: LoopWorld<C>): LoopStep<C> {
  const { state, effects } = step;
  return after(effects, state.next.phase === 'none' ? prepareNext(state, world) : commitIfDue(state, world));
}

/**
 * When the next slot starts: the planned end of what is showing, but never in the past. The clock may have been set
 * back since it was planned, so never later than the planned remaining time from now.
 */
function nextSlotAt<C>({ showing }: LoopState<C>, now: number): number {
  if (showing === null || showing.state === 'ended') return now;
  return Math.max(now, Math.min(showing.endsAt, now + showing.leftMs));
}

function prepareNext<C>(state: LoopState<C>, world: LoopWorld<C>, lightsUp = false): LoopStep<C> {
  if (state.stage === 'away' || state.held !== null) return only(state);
  const pauseLeft = state.notBefore - world.now;
  // More than a whole pause is left only when the clock was set back; then the pause is over.
  if (pauseLeft > 0 && pauseLeft <= RETRY_MS) return only(state);
  const choice = world.choose(nextSlotAt(state, world.now));
  if (choice !== null) return prepare(state, choice, lightsUp);
  // Nothing is eligible: the brand card follows what is showing (rule 12).
  const { showing } = state;
  if (showing === null || showing.state === 'running') return only(state);
  return only({ ...state, showing: unlessEnded(showing) }, { do: 'brand' });
}

/** What is still on the screen when the stage was told to show the brand card: it replaces an ended ad at once. */
const unlessEnded = <C>(showing: ShownSlot<C> | null) => (showing?.state === 'ended' ? null : showing);

function prepare<C>(state: LoopState<C>, choice: C, lightsUp = false): LoopStep<C> {
  const slot = state.lastSlot + 1;
  return only(
    { ...state, lastSlot: slot, next: { phase: 'preparing', slot, choice, lightsUp } },
    { do: 'prepare', slot, choice },
  );
}

/**
 * Chooses again when something changed before the load deadline and another ad is now the best one (rule 11). For a slot
 * that is overdue only if its ad may no longer play: with every new choice the loading would begin again.
 */
function reconsider<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'preparing' && next.phase !== 'ready') return only(state);
  const at = nextSlotAt(state, world.now);
  const isOverdue = state.showing === null || state.showing.state === 'ended';
  const inTime = isOverdue ? !world.mayPlay(next.choice, at) : at - world.now > LOAD_DEADLINE_MS;
  const choice = inTime ? world.choose(at) : null;
  if (!inTime || (choice !== null && world.same(choice, next.choice))) return only(state);
  if (choice !== null && world.sameCreative(choice, next.choice))
    return only({ ...state, next: { ...next, choice } });
  const discard: LoopEffect<C> = { do: 'discard', slot: next.slot };
  if (choice === null) return only({ ...state, next: NONE }, discard);
  return after([discard], prepare({ ...state, next: NONE }, choice));
}

/** Reserves a ready creative once its slot is near: at the ending notice, or now when nothing runs. */
function commitIfDue<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'ready' || state.showing?.state === 'running') return only(state);
  const at = nextSlotAt(state, world.now);
  const choice = world.mayPlay(next.choice, at) ? next.choice : inItsPlace(next.choice, at, world);
  if (choice === null)
    return after([{ do: 'discard', slot: next.slot }], prepareNext({ ...state, next: NONE }, world));
  return reserve(state, { slot: next.slot, choice }, at, next.durationMs);
}

/**
 * Reserves the first slot of a dark stage while it is still being prepared, so that its first frame does not wait for
 * the books as well. Only if the ad may play throughout that time; the stage gives it up when it takes longer.
 */
function onSent<C>(state: LoopState<C>, slot: number, world: LoopWorld<C>): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'preparing' || next.slot !== slot || !next.lightsUp) return only(state);
  const latest = world.now + DARK_START_MS;
  const mayPlay = world.mayPlay(next.choice, world.now) && world.mayPlay(next.choice, latest);
  // Otherwise it is checked again once it is prepared.
  if (!mayPlay) return only(state);
  return reserve(state, { slot, choice: next.choice }, world.now, null);
}

function reserve<C>(
  state: LoopState<C>,
  { slot, choice }: Candidate<C>,
  at: number,
  durationMs: number | null,
): LoopStep<C> {
  return only(
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

function onReserved<C>(
  state: LoopState<C>,
  { slot, stored }: { slot: number; stored: boolean },
  world: LoopWorld<C>,
): LoopStep<C> {
  const { next } = state;
  if (next.phase !== 'reserving' || next.slot !== slot) return only(state);
  if (!stored) {
    // A play that is not in the books is not shown (rule 8).
    return after([{ do: 'discard', slot }], pause({ ...state, next: NONE }, world));
  }
  const { choice, durationMs, at } = next;
  // Storing it may take long, and then its slot is checked again (rule 11).
  const isLate = world.now - at > LOAD_DEADLINE_MS && !world.stillFits(choice, world.now);
  if (next.abandoned || state.held !== null || isLate) {
    const why = state.held ?? next.abandoned ?? 'late';
    const given = only(
      { ...state, next: NONE },
      { do: 'discard', slot } as const,
      settleUnseen<C>(slot, 'given-back', why),
    );
    // A new window may already wait for something to prepare.
    return settleOn(given, world);
  }
  const committed: Next<C> = { phase: 'committed', slot, choice, durationMs, at, stoppedBy: null };
  return only({ ...state, next: committed }, { do: 'show', slot });
}

/** Tries nothing for a moment: an error of this kiosk would only come again at once. */
function pause<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const showing = unlessEnded(state.showing);
  const paused = { ...state, showing, notBefore: world.now + RETRY_MS };
  return showing === null ? only(paused, { do: 'brand' }) : only(paused);
}

/** Settles a play of which no frame was reported. */
const settleUnseen = <C>(
  slot: number,
  outcome: 'given-back' | 'unknown',
  endReason: string,
): LoopEffect<C> => ({ do: 'settle', slot, outcome, endReason, shownAt: null, report: null });

function onHold<C>(state: LoopState<C>, reason: string): LoopStep<C> {
  if (state.held !== null) return only({ ...state, held: reason });
  const { next } = state;
  const stopped = <Told extends ToldToShow>(told: Told): Told => ({
    ...told,
    stoppedBy: told.stoppedBy ?? reason,
  });
  const showing = unlessEnded(state.showing);
  const held = { ...state, held: reason, showing: showing && stopped(showing) };
  if (next.phase === 'preparing' || next.phase === 'ready')
    return only({ ...held, next: NONE }, { do: 'discard', slot: next.slot }, { do: 'stop' });
  // The pending answer, of the reservation or of the stage, settles what is reserved.
  return only({ ...held, next: next.phase === 'committed' ? stopped(next) : next }, { do: 'stop' });
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
  if (state.held !== null || !(isOnItsWay || isEnded)) return settleOn(reconsider(state, world), world);
  const stopped = onHold(state, 'blocked');
  // One of the two may not be blocked: it is stopped together with the other, but not because of a block.
  const isShownBlocked = showing !== null && world.isBlocked(showing.choice);
  const takenDown: LoopState<C> = {
    ...stopped.state,
    held: null,
    showing: isShownBlocked ? stopped.state.showing : unlessEnded(showing),
    next: next.phase === 'committed' && !isNextBlocked ? next : stopped.state.next,
  };
  return settleOn({ state: takenDown, effects: stopped.effects }, world);
}

function onStageLost<C>(state: LoopState<C>, world: LoopWorld<C>): LoopStep<C> {
  const effects: LoopEffect<C>[] = [];
  const { showing, next } = state;
  if (showing && showing.state !== 'ended') {
    // Nobody knows what was on the screen after that.
    const seenUntil = Math.min(world.now - world.silentMs, showing.endsAt);
    effects.push({
      do: 'settle',
      slot: showing.slot,
      outcome: 'interrupted',
      endReason: 'stage-lost',
      shownAt: showing.shownAt,
      report: {
        viewedMs: Math.max(0, seenUntil - showing.shownAt),
        presentedFrames: null,
        droppedFrames: null,
        stalls: null,
      },
    });
  }
  // Whether its first frame was shown is unknown without the window, so it counts.
  if (next.phase === 'committed') effects.push(settleUnseen(next.slot, 'unknown', 'stage-lost'));
  const kept = next.phase === 'reserving' ? { ...next, abandoned: 'stage-lost' as const } : NONE;
  return only({ ...state, stage: 'away', showing: null, next: kept }, ...effects);
}

function onStageEvent<C>(state: LoopState<C>, event: LoopStageEvent, world: LoopWorld<C>): LoopStep<C> {
  switch (event.type) {
    case 'ready': {
      // A page that loaded again has lost its state.
      const lost = state.stage === 'ready' ? onStageLost(state, world) : only(state);
      const up: LoopState<C> = { ...lost.state, stage: 'ready' };
      return after(lost.effects, up.next.phase === 'none' ? prepareNext(up, world, true) : only(up));
    }
    case 'prepared': {
      const { next } = state;
      if (next.phase === 'none' || next.slot !== event.slot) return only(state);
      if (next.phase === 'reserving' || next.phase === 'committed')
        return only({ ...state, next: { ...next, durationMs: event.durationMs } });
      const { slot, choice } = next;
      const ready: Next<C> = { phase: 'ready', slot, choice, durationMs: event.durationMs };
      return commitIfDue({ ...state, next: ready }, world);
    }
    case 'presented': {
      const { next } = state;
      if (next.phase !== 'committed' || next.slot !== event.slot) return only(state);
      const { slot, choice, stoppedBy } = next;
      // A presented creative was prepared, so its length is known.
      const durationMs = next.durationMs ?? 0;
      const shownAt = world.now;
      const showing: ShownSlot<C> = {
        slot,
        choice,
        stoppedBy,
        shownAt,
        state: 'running',
        endsAt: shownAt + durationMs,
        leftMs: durationMs,
      };
      return settleOn(only({ ...state, showing, next: NONE }, { do: 'shown', slot, durationMs }), world);
    }
    case 'progress':
      return ifShowing(state, { do: 'happened', slot: event.slot, event: event.quartile });
    case 'mark':
      return ifShowing(state, { do: 'happened', slot: event.slot, event: { mark: event.mark } });
    case 'viewed':
      if (state.held !== null) return only(state);
      return ifShowing(state, { do: 'happened', slot: event.slot, event: 'viewed' });
    case 'tap':
      if (state.held !== null) return only(state);
      return ifShowing(state, { do: 'tapped', slot: event.slot, part: event.part });
    case 'ending': {
      const { showing } = state;
      if (showing?.slot !== event.slot || showing.state !== 'running') return only(state);
      // Plays are stamped with whole milliseconds.
      const endsAt = Math.round(world.now + event.remainingMs);
      const ending: ShownSlot<C> = { ...showing, state: 'ending', endsAt, leftMs: endsAt - world.now };
      return settleOn(only({ ...state, showing: ending }), world);
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
  state.showing?.slot === effect.slot ? only(state, effect) : only(state);

function onEnded<C>(
  state: LoopState<C>,
  { slot, reason, report }: Extract<StageEvent, { type: 'ended' }>,
  world: LoopWorld<C>,
): LoopStep<C> {
  const { showing } = state;
  if (showing?.slot !== slot || showing.state === 'ended') return only(state);
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
  const { next } = state;
  if (reason === 'no-sound' && next.phase === 'none') return after(effects, pause(ended, world));
  const isPrepared = outcome === 'failed' && isErrorOfAd(reason) && next.phase === 'ready';
  if (!isPrepared || !world.sameCreative(next.choice, showing.choice))
    return settleOn(only(ended, ...effects), world);
  // The strike is an effect of this step, so a check now would still find that the prepared file may play (rule 11).
  effects.push({ do: 'discard', slot: next.slot });
  return after(effects, prepareNext({ ...ended, next: NONE }, world));
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
  if (next.phase === 'none' || next.slot !== slot || next.phase === 'reserving') return only(state);
  const effects: LoopEffect<C>[] = [];
  if (isErrorOfAd(code)) effects.push({ do: 'failed', slot, choice: next.choice, code, detail });
  if (next.phase === 'committed') effects.push(settleUnseen(slot, 'given-back', next.stoppedBy ?? code));
  if (code === 'no-sound') return after(effects, pause({ ...state, next: NONE }, world));
  return settleOn(only({ ...state, next: NONE }, ...effects), world);
}
