import { learnRunUp, milestonesOf, planSlot, type RunUp, runUpMs } from './slot-plan';
import { EACH_FRAME, type Playing, type Ready } from './stage-state';
import type { Turn } from './stage-turn';

/** Continuous view that counts, ms: rule 16, and pictures and pages in rule 15. */
const VIEW_MS = 1_000;
/** The same for videos, ms (rule 15). */
const VIDEO_VIEW_MS = 2_000;

type EndReason = 'ended' | 'stopped' | 'stalled' | 'error' | 'no-sound';

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
export function voidRaised(turn: Turn, { slot }: Playing): void {
  showBrand(turn);
  turn.fail(slot, 'decode-failed', 'its process ended before its first frame');
}

/** How far the slot in front was played, ms. */
export const playedMs = ({ now, frontLook }: Turn, { startedAt }: Playing): number =>
  frontLook.run?.positionMs ?? now - startedAt;

export function reportMilestones(turn: Turn, playing: Playing, upToMs: number): Playing {
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
    runUp: latestRunUp(turn),
  });
  if (turn.state.follows === 'nothing') turn.do({ do: 'freeze', layer: turn.state.frontLayer });
  if (frontLook.isLost) coverWithBrand(turn);
}

/**
 * A creative that is not a video is drawn completely, but invisibly, this long before its slot, ms:
 * a machine without a graphics card needs three frames for text and shadows.
 */
export const DRAW_AHEAD_MS = 150;

/** How much earlier than its slot the next video is started, ms: as long as the latest ones took to move. */
export const latestRunUpMs = (turn: Turn): number => runUpMs(latestRunUp(turn));

function latestRunUp({ state: { front, runUp }, frontLook: { run } }: Turn): RunUp {
  const startMs = front.is === 'playing' ? (run?.startMs ?? null) : null;
  return startMs === null ? runUp : learnRunUp(runUp, startMs);
}

/** Shows the brand card over a layer without a picture, because the screen must never be black (rule 12). */
export function coverWithBrand(turn: Turn): void {
  turn.set({ front: { is: 'brand' } });
  turn.do({ do: 'card', card: 'brand' });
}
