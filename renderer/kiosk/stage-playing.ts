import { learnRunUp } from './run-up';
import { end, tellMilestones, voidRaised } from './stage-front';
import type { Playing, RunLook, StartedVideo } from './stage-state';
import type { Turn } from './stage-turn';

/** How long before a slot's end main is told to commit the next one, ms. */
export const ENDING_LEAD_MS = 500;
/** A swap asked for at most half a frame early lands on the nearest frame, at 60 frames/s. */
const HALF_FRAME_MS = 8.3;
/** A video may be this far from its end when its slot ends: it is cut off where nobody sees it, ms. */
const CUT_OFF_MS = 150;
/** A video that says it ended this far from its stated end was cut short, ms. */
const BROKEN_OFF_MS = 500;

/** Rule 16. */
const VIEW_THRESHOLD_MS = 1_000;
/** Frames further apart than this are no continuous view, ms. */
const FRAME_GAP_MS = 250;

/** At each look at a slot in front: quartiles and marks, the view, the ending notice, the end, a video that stalls or breaks. */
export function observePlaying(turn: Turn, before: Playing): void {
  const { now, frontLook } = turn;
  const { run, isLost } = frontLook;
  if (isLost && !before.presentedTold) {
    voidRaised(turn, before);
    return;
  }
  const observed = { ...before, video: observeStart(turn, before.video, run) };
  const playing = watch(turn, tellMilestones(turn, observed, run?.positionMs ?? now - before.startedAt));

  // A video that was held up is played to its end all the same.
  const lackingMs = run === null || run.hasEnded ? 0 : playing.durationMs - run.positionMs - CUT_OFF_MS;
  const remainingMs = Math.max(0, lackingMs, playing.startedAt + playing.durationMs - now);
  const isEnding = !playing.endingTold && remainingMs <= ENDING_LEAD_MS;
  if (isEnding) turn.tell({ type: 'ending', slot: playing.slot, remainingMs });
  const after = { ...playing, endingTold: playing.endingTold || isEnding };
  turn.set({ front: after });

  if (run?.isBroken || isLost) end(turn, after, 'error');
  else if (run?.hasStalled) end(turn, after, 'stalled');
  else if (run?.hasEnded && playing.durationMs - run.positionMs > BROKEN_OFF_MS) end(turn, after, 'error');
  else if (remainingMs <= HALF_FRAME_MS) end(turn, after, 'ended');
}

/** How long it takes until it moves is what the next video is started ahead by. */
export function observeStart<V extends StartedVideo | null>(turn: Turn, video: V, run: RunLook | null): V {
  if (video === null || video.hasMoved || !run?.hasStarted) return video;
  turn.set({ runUp: learnRunUp(turn.state.runUp, turn.now - video.startedAt) });
  return { ...video, hasMoved: true };
}

/** Counts the continuous second of rule 16; whatever interrupts it starts it again. */
function watch(turn: Turn, playing: Playing): Playing {
  if (playing.viewedTold || !playing.presentedTold) return playing;
  const { now, frontLook } = turn;
  const { isTorn, run } = frontLook;
  const before = playing.visible;
  const isUnseen =
    (isTorn && !playing.isTorn) ||
    !turn.isSeen ||
    (before !== null && now - before.lastFrameAt > FRAME_GAP_MS) ||
    (run !== null && run.stillMs > FRAME_GAP_MS);
  const visible = isUnseen ? null : { since: before?.since ?? now, lastFrameAt: now };
  const viewedTold = visible !== null && now - visible.since >= VIEW_THRESHOLD_MS;
  if (viewedTold) turn.tell({ type: 'viewed', slot: playing.slot });
  return { ...playing, isTorn, visible, viewedTold };
}
