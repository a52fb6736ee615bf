import type { StageEvent } from '../../shared/stage';
import { learnStart, milestonesOf, planSlot, runUpMs } from './slot-plan';
import { EACH_FRAME, isDead, NOT_DUE, type Playing, type Ready, type RunLook } from './stage-state';
import type { Turn } from './stage-turn';

/** Continuous view that counts, ms: rule 16, and pictures and pages in rule 15. */
const VIEW_MS = 1_000;
/** The same for videos, ms (rule 15). */
const VIDEO_VIEW_MS = 2_000;

/** How long before a slot's end the event `ending` asks main to commit the next one, ms. */
const ENDING_LEAD_MS = 500;
/** A timer may be late by this much, with the first frame after it, ms. */
const LATE_LOOK_MS = 220;
/** Half a frame at 60 frames/s, ms: a swap up to this much early lands on the nearest frame. */
const HALF_FRAME_MS = 8.3;
/** A video may be cut off this long before its end when its slot ends, ms: nobody notices. */
const CUT_OFF_MS = 150;
/** A video that ended this far before its stated end is incomplete, ms. */
const BROKEN_OFF_MS = 500;

/** How often a slot is observed until its view is counted, ms. */
const VIEW_LOOK_MS = 100;
/** A look that is late by this much, or a video that stands still this long, breaks a continuous view, ms. */
const UNSEEN_MS = 250;

/**
 * A creative that is not a video is drawn completely, but invisibly, this long before its slot, ms:
 * a machine without a graphics card needs three frames for text and shadows.
 */
export const DRAW_AHEAD_MS = 150;

type EndReason = Extract<StageEvent, { type: 'ended' }>['reason'];

/** Puts the ready creative in front. */
export function raise(turn: Turn, { slot, creative, durationMs }: Ready): void {
  const { front: before, frontLayer: leaving, backLayer: rising } = turn.state;
  const { now } = turn;
  reportLeft(turn);
  turn.place(rising, 'front');
  turn.place(leaving, 'behind');
  turn.do({ do: 'card', card: 'none' });
  turn.do({ do: 'shown', layer: rising });
  const front: Playing = {
    is: 'playing',
    slot,
    durationMs,
    dueAt: EACH_FRAME,
    milestones: milestonesOf(durationMs, creative.marks),
    ...planSlot(before.is === 'over' ? before.nextAt : null, now, durationMs),
    raisedAt: now,
    presentedReported: false,
    endingReported: false,
    viewedReported: false,
    visible: null,
    viewAfterMs: creative.kind === 'video' ? VIDEO_VIEW_MS : VIEW_MS,
  };
  turn.set({ front, coming: { is: 'none' }, follows: 'nothing', frontLayer: rising, backLayer: leaving });
  turn.do({ do: 'await-drawn', slot });
}

export function showBrand(turn: Turn): void {
  reportLeft(turn);
  coverWithBrand(turn);
  turn.do({ do: 'await-drawn', slot: null });
}

/** Reports that the creative in front, which has run to its end, is covered now. */
function reportLeft(turn: Turn): void {
  const { front } = turn.state;
  if (front.is !== 'over' || front.nextAt === null) return;
  turn.emit({ type: 'left', slot: front.slot, overrunMs: Math.max(0, turn.now - front.plannedEnd) });
}

/** The frame in which it was raised is drawn: it is on the display, unless its process died before (rule 8). */
export function raisedIsDrawn(turn: Turn, playing: Playing): void {
  if (turn.frontLook.isLost) voidRaised(turn, playing);
  else reportPresented(turn, playing);
}

function reportPresented(turn: Turn, playing: Playing): void {
  if (playing.presentedReported) return;
  turn.set({ front: { ...playing, presentedReported: true } });
  turn.emit({ type: 'presented', slot: playing.slot });
}

/** It was raised, and its process died before a frame of it was drawn: nothing of it was seen (rule 8). */
function voidRaised(turn: Turn, { slot }: Playing): void {
  showBrand(turn);
  turn.fail(slot, 'decode-failed', 'its process ended before its first frame');
}

/** Observes the slot in front: reports quartiles, marks, view and `ending`, and ends it when it is over or fails. */
export function observePlaying(turn: Turn, before: Playing): void {
  const { now, frontLook } = turn;
  const { run } = frontLook;
  if (frontLook.isLost && !before.presentedReported) {
    voidRaised(turn, before);
    return;
  }
  const observed = watch(turn, before);
  // Main knows a slot only from its event `presented` on: what is reached before waits for it.
  const told = before.presentedReported ? reportReached(turn, observed) : observed;
  const after = { ...told, dueAt: dueAt(turn, told) };
  turn.set({ front: after });

  const remainingMs = remainingOf(turn, after);
  if (run?.lacksSound) endPlaying(turn, after, 'no-sound');
  else if (run?.isBroken || isDead(frontLook)) endPlaying(turn, after, 'error');
  else if (run !== null && now > run.stallsAfter) endPlaying(turn, after, 'stalled');
  else if (run !== null && hasBrokenOff(run, after.durationMs)) endPlaying(turn, after, 'error');
  else if (remainingMs <= HALF_FRAME_MS) endPlaying(turn, after, 'ended');
}

/** Whether the video ended far before its stated length: it is cut off, or it has only one frame and no sound. */
export const hasBrokenOff = (run: RunLook, durationMs: number): boolean =>
  run.hasEnded && durationMs - run.positionMs > BROKEN_OFF_MS;

function reportReached(turn: Turn, playing: Playing): Playing {
  const reported = reportMilestones(turn, playing, playedMs(turn, playing));
  const remainingMs = remainingOf(turn, playing);
  if (playing.endingReported || remainingMs > ENDING_LEAD_MS) return reported;
  turn.emit({ type: 'ending', slot: playing.slot, remainingMs });
  return { ...reported, endingReported: true };
}

/**
 * Remaining time of the slot in front if its video moves on, ms. A video that stood still is played to its end, unless
 * it stands still while the next one runs already, unseen but heard: what it lacks then is less than half a second.
 */
export function remainingOf({ now, frontLook: { run }, backLook }: Turn, playing: Playing): number {
  const nextRuns = typeof backLook.run?.startMs === 'number';
  const isOver = run === null || run.hasEnded || (nextRuns && run.stillMs > UNSEEN_MS);
  const lackingMs = isOver ? 0 : playing.durationMs - run.positionMs - CUT_OFF_MS;
  return Math.max(0, lackingMs, playing.startedAt + playing.durationMs - now);
}

/**
 * When to look next: at the next milestone, `ending` or view. Before the next creative is drawn or started, and before
 * a video would count as stalled, that is at every frame: what must happen at its exact frame does not wait for a late
 * timer.
 */
function dueAt(turn: Turn, playing: Playing): number {
  const { now, frontLook } = turn;
  const isStarting = frontLook.run?.startMs === null;
  if (isStarting) return EACH_FRAME;
  const milestone = playing.milestones[0];
  const milestoneInMs = milestone ? milestone.atMs - playedMs(turn, playing) : NOT_DUE;
  const endsAt = playing.startedAt + playing.durationMs;
  const overAt = Math.min(endsAt, frontLook.run?.stallsAfter ?? NOT_DUE);
  const leadMs = playing.endingReported
    ? Math.max(DRAW_AHEAD_MS, latestRunUpMs(turn)) + LATE_LOOK_MS
    : ENDING_LEAD_MS;
  return Math.min(now + milestoneInMs, overAt - leadMs, viewDueAt(turn, playing));
}

function viewDueAt(turn: Turn, { viewedReported, presentedReported, visible, viewAfterMs }: Playing): number {
  if (viewedReported) return NOT_DUE;
  if (visible !== null) return Math.min(turn.now + VIEW_LOOK_MS, visible.since + viewAfterMs);
  // `Stage.changed` is called when it is uncovered.
  return presentedReported && !turn.look.isSeen ? NOT_DUE : EACH_FRAME;
}

/** Measures the continuous view of rules 15 and 16. An interruption starts it again. */
function watch(turn: Turn, playing: Playing): Playing {
  if (playing.viewedReported || !playing.presentedReported) return playing;
  const { now, frontLook } = turn;
  const { isBannerBroken, run } = frontLook;
  const before = playing.visible;
  const isUnseen =
    isBannerBroken ||
    !turn.look.isSeen ||
    (before !== null && now > before.until) ||
    (run !== null && run.stillMs > UNSEEN_MS);
  const since = before?.since ?? now;
  const visible = isUnseen ? null : { since, until: now + VIEW_LOOK_MS + UNSEEN_MS };
  const viewedReported = visible !== null && now - visible.since >= playing.viewAfterMs;
  if (viewedReported) turn.emit({ type: 'viewed', slot: playing.slot });
  return { ...playing, visible, viewedReported };
}

/** How far the slot in front was played, ms. */
const playedMs = ({ now, frontLook }: Turn, { startedAt }: Playing): number =>
  frontLook.run?.positionMs ?? now - startedAt;

function reportMilestones(turn: Turn, playing: Playing, upToMs: number): Playing {
  for (const { atMs, reached } of playing.milestones)
    if (atMs <= upToMs) turn.emit({ ...reached, slot: playing.slot });
  return { ...playing, milestones: playing.milestones.filter(({ atMs }) => atMs > upToMs) };
}

export function endPlaying(turn: Turn, playing: Playing, reason: EndReason): void {
  const { now, frontLook } = turn;
  const { slot, durationMs, startedAt, raisedAt, nextAt } = playing;
  // It was raised, so a frame of it may have been seen: `presented` must come before `ended`.
  reportPresented(turn, playing);
  // Also what was reached since the last look.
  reportMilestones(turn, playing, reason === 'ended' ? durationMs : playedMs(turn, playing));
  const counts = frontLook.run?.counts ?? { presentedFrames: null, droppedFrames: null, stalls: null };
  // A video that stands still does not show the ad, so that time does not count as viewed.
  const viewedMs = Math.max(0, now - raisedAt - (frontLook.run?.stoodStillMs ?? 0));
  turn.emit({ type: 'ended', slot, reason, report: { viewedMs, ...counts } });
  turn.set({
    front: {
      is: 'over',
      slot,
      plannedEnd: startedAt + durationMs,
      nextAt: reason === 'ended' ? nextAt : null,
    },
    starts: latestStarts(turn),
  });
  if (turn.state.follows === 'nothing') turn.do({ do: 'freeze', layer: turn.state.frontLayer });
  if (isDead(frontLook)) coverWithBrand(turn);
}

/** How much earlier than its slot the next video is started, ms. */
export const latestRunUpMs = (turn: Turn): number => runUpMs(latestStarts(turn));

function latestStarts({ state: { front, starts }, frontLook: { run } }: Turn): readonly number[] {
  const startMs = front.is === 'playing' ? (run?.startMs ?? null) : null;
  return startMs === null ? starts : learnStart(starts, startMs);
}

/** Shows the brand card over a layer that has nothing to show, or a hole: never black, never an error (rule 12). */
export function coverWithBrand(turn: Turn): void {
  turn.set({ front: { is: 'brand' } });
  turn.do({ do: 'card', card: 'brand' });
}
