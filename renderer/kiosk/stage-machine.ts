import { assertNever } from '../../shared/assert-never';
import type { StageCreative } from '../../shared/stage';
import {
  coverWithBrand,
  DRAW_AHEAD_MS,
  endPlaying,
  hasBrokenOff,
  latestRunUpMs,
  observePlaying,
  raise,
  raisedIsDrawn,
  remainingOf,
  showBrand,
} from './stage-front';
import { adoptLate, dropLate, givesWayAt, giveWay, lateLoaded } from './stage-late';
import {
  bannerOf,
  EACH_FRAME,
  type Front,
  isDead,
  isMoving,
  type LoadError,
  type Loaded,
  type Loading,
  NOT_DUE,
  type Ready,
  type StageEffect,
  type StageInput,
  type StageLook,
  type StageState,
} from './stage-state';
import { Turn } from './stage-turn';

/** A committed video that does not move this long after it was started is given up, ms. */
const START_DEADLINE_MS = 2_000;

/**
 * The stage's transition function. One layer is in front; the next creative is loaded into the back layer, and raised
 * when the one in front ends. If nothing is ready then, the last frame stays (rule 11). Effects must be carried out at
 * once and in order.
 */
export function stepStage(
  state: StageState,
  input: StageInput,
  look: StageLook,
): { readonly state: StageState; readonly effects: readonly StageEffect[] } {
  const turn = new Turn(state, look);
  take(turn, input);
  return turn;
}

function take(turn: Turn, input: StageInput): void {
  const { front, coming } = turn.state;
  switch (input.type) {
    case 'prepare':
      prepare(turn, input.slot, input.creative);
      return;
    case 'discard':
      if (coming.is !== 'none' && coming.slot === input.slot) dropComing(turn);
      return;
    case 'show':
      commit(turn, input.slot);
      return;
    case 'brand':
      failCommittedSlot(turn);
      turn.set({ follows: 'brand' });
      return;
    case 'stop':
      stop(turn);
      return;
    case 'light-up':
      // No creative came in time.
      if (front.is !== 'dark') return;
      coverWithBrand(turn);
      // A committed slot fails: its first frame would come too long after its reservation. What is loaded of it stays.
      failCommittedSlot(turn);
      return;
    case 'loaded':
      if (coming.is === 'loading' && coming.loadedFor === input.loadedFor)
        loaded(turn, coming, input.outcome);
      else lateLoaded(turn, input.loadedFor, input.outcome);
      return;
    case 'frame':
      if (front.is === 'playing') observePlaying(turn, front);
      else if (front.is === 'over' && isDead(turn.frontLook)) showBrand(turn);
      updateGuests(turn);
      proceed(turn);
      return;
    case 'drawn':
      if (front.is === 'playing' && front.slot === input.slot) raisedIsDrawn(turn, front);
      releaseCovered(turn, input.slot);
      return;
    case 'tap':
      // Also on its last frame, which stays until something follows: a shopper sees no difference (rule 18).
      if (front.is === 'playing' || front.is === 'over')
        turn.emit({ type: 'tap', slot: front.slot, part: input.part });
      return;
    default:
      assertNever(input);
  }
}

function prepare(turn: Turn, slot: number, creative: StageCreative): void {
  const { coming } = turn.state;
  if (coming.is === 'loading' && isSame(coming.creative, creative)) {
    failCommittedSlot(turn);
    turn.set({ coming: { ...coming, slot } });
    return;
  }
  dropComing(turn);
  if (adoptLate(turn, slot, creative)) return;
  const inMs = nextSlotInMs(turn.state.front, turn.now);
  const guest = creative.kind === 'page' ? creative : bannerOf(creative);
  const leadMs = guest?.leadMs ?? Number.POSITIVE_INFINITY;
  if (inMs !== null && inMs > leadMs) turn.set({ coming: { is: 'early', slot, creative, leadMs } });
  else load(turn, slot, creative);
}

function load(turn: Turn, slot: number, creative: StageCreative): void {
  const { backLayer: layer, front } = turn.state;
  const banner = bannerOf(creative);
  const until = banner && givesWayAt(banner.leadMs, nextSlotInMs(front, turn.now), turn.now);
  turn.set({ coming: { is: 'loading', slot, loadedFor: slot, creative, givesWayAt: until } });
  turn.do({ do: 'load', layer, slot, creative });
}

/** At each look: loads a page or banner in time, lets a late banner give way, and drops one whose process died. */
function updateGuests(turn: Turn): void {
  const { coming, front, late, lateLayer } = turn.state;
  if (late !== null && turn.look.layers[lateLayer].isBannerBroken) dropLate(turn);
  if (coming.is === 'early') {
    const inMs = nextSlotInMs(front, turn.now);
    if (inMs === null || inMs <= coming.leadMs) load(turn, coming.slot, coming.creative);
  } else if (coming.is === 'loading' && coming.givesWayAt !== null && coming.givesWayAt <= turn.now) {
    giveWay(turn, coming);
  }
}

const isSame = (a: StageCreative, b: StageCreative) => JSON.stringify(a) === JSON.stringify(b);

function loaded(turn: Turn, { slot, creative }: Loading, outcome: Loaded): void {
  if ('code' in outcome) {
    giveUp(turn, slot, outcome.code, outcome.detail);
    return;
  }
  turn.ready(slot, creative, outcome.durationMs);
  if (turn.state.follows === 'slot') proceed(turn);
}

function commit(turn: Turn, slot: number): void {
  const { front, coming, broken } = turn.state;
  const isKnown = coming.is !== 'none' && coming.slot === slot;
  if (!isKnown || (coming.is !== 'ready' && front.is !== 'dark')) {
    if (broken?.slot === slot) turn.emit(broken);
    else turn.fail(slot, 'not-prepared', 'this slot is not prepared');
    return;
  }
  turn.set({ follows: 'slot' });
  // A dark stage does not wait for the next frame, and neither does a layer that broke before it was committed.
  if (front.is === 'dark' || isDead(turn.backLook)) proceed(turn);
}

function stop(turn: Turn): void {
  dropComing(turn);
  turn.set({ follows: 'nothing' });
  const { front, frontLayer } = turn.state;
  if (front.is === 'playing') endPlaying(turn, front, 'stopped');
  else turn.do({ do: 'freeze', layer: frontLayer });
  showBrand(turn);
}

function dropComing(turn: Turn): void {
  failCommittedSlot(turn);
  releaseComing(turn);
}

/** Reports that the committed slot is not shown, so that main can void its play. */
function failCommittedSlot(turn: Turn): void {
  const { coming, follows } = turn.state;
  if (follows !== 'slot' || coming.is === 'none') return;
  turn.set({ follows: 'nothing' });
  turn.fail(coming.slot, 'stopped', 'stopped before its first frame');
}

function releaseComing(turn: Turn): void {
  turn.set({ coming: { is: 'none' } });
  turn.place(turn.state.backLayer, 'next');
  turn.release(turn.state.backLayer);
}

/** The slot that was raised, or (null) the brand card, is drawn: releases what it covers. */
function releaseCovered(turn: Turn, slot: number | null): void {
  const { front, frontLayer, coming, backLayer } = turn.state;
  // A later slot covers the back layer, and is not drawn yet.
  if ('slot' in front && front.slot !== slot) return;
  if (front.is === 'brand' && slot === null) turn.release(frontLayer);
  // Otherwise the next creative is in it already.
  if (coming.is !== 'loading' && coming.is !== 'ready') turn.release(backLayer);
}

/** Carries on with what main has committed: starts a video ahead of time, and raises the layer when it is due. */
function proceed(turn: Turn): void {
  const { front, coming, follows, backLayer } = turn.state;
  if (follows === 'brand' && front.is !== 'playing') {
    turn.set({ follows: 'nothing' });
    showBrand(turn);
    return;
  }
  if (follows !== 'slot' || coming.is !== 'ready') return;
  if (isDead(turn.backLook)) {
    giveUp(turn, coming.slot, 'decode-failed', 'its page or banner broke before its first frame');
    return;
  }
  const remainingMs = front.is === 'playing' ? remainingOf(turn, front) : 0;
  if (remainingMs <= DRAW_AHEAD_MS && coming.creative.kind !== 'video') turn.place(backLayer, 'rising');
  if (remainingMs > latestRunUpMs(turn)) return;
  const mayBeRaised = !isMoving(coming.creative) || startVideo(turn, coming);
  if (mayBeRaised && front.is !== 'playing') raise(turn, coming);
}

/** Starts the video, or gives it up. Returns whether it may be raised. */
function startVideo(turn: Turn, { slot, durationMs }: Ready): boolean {
  const { now, backLook, state } = turn;
  const { run } = backLook;
  if (run === null) {
    turn.do({ do: 'start', layer: state.backLayer });
    // The first video on a dark screen is raised before it moves: its first frame is the one that it was prepared
    // with.
    return state.front.is === 'dark';
  }
  const isBroken = run.isBroken || hasBrokenOff(run, durationMs);
  if (run.lacksSound) {
    giveUp(turn, slot, 'no-sound', 'the sound output broke before its first frame');
  } else if (isBroken) {
    giveUp(turn, slot, 'decode-failed', 'the video broke off before its first frame');
  } else if (run.startMs === null && now - run.startedAt > START_DEADLINE_MS) {
    const detail = `the video did not move within ${START_DEADLINE_MS / 1000} s`;
    giveUp(turn, slot, 'start-timeout', detail);
  }
  return run.startMs !== null && !isBroken;
}

/** The coming creative could not be loaded, or failed before its first frame. */
function giveUp(turn: Turn, slot: number, code: LoadError['code'], detail: string): void {
  releaseComing(turn);
  turn.breakComing(slot, code, detail);
}

/**
 * When to look again, ms on the page's monotonic clock; `NOT_DUE`: only after the next input or `Stage.changed`. Each
 * requested frame costs time, even if nothing changes in it.
 */
export const nextFrameDueAt = (state: StageState): number =>
  Math.min(frontIsDueAt(state), guestIsDueAt(state));

function frontIsDueAt({ front, follows }: StageState): number {
  if (front.is === 'playing') return front.dueAt;
  return follows === 'nothing' ? NOT_DUE : EACH_FRAME;
}

function guestIsDueAt({ front, coming }: StageState): number {
  if (coming.is === 'loading') return coming.givesWayAt ?? NOT_DUE;
  if (coming.is !== 'early') return NOT_DUE;
  return front.is === 'playing' ? front.startedAt + front.durationMs - coming.leadMs : EACH_FRAME;
}

/** ms until the next slot begins; null: as soon as it is prepared, because none is playing. */
function nextSlotInMs(front: Front, now: number): number | null {
  return front.is === 'playing' ? Math.max(0, front.startedAt + front.durationMs - now) : null;
}
