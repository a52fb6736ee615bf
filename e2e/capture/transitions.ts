import type { FrameLabel } from './classify-frame';

/** A classified picture of the display. */
export interface LabelledFrame {
  /** When it was taken, ms on any one clock that does not jump meanwhile. */
  readonly at: number;
  readonly label: FrameLabel;
}

export interface Slot {
  readonly name: string;
  /** When its first picture and the first of its successor were taken, ms. */
  readonly from: number;
  readonly to: number;
  /** Longest time between two pictures at its beginning or end, ms: the uncertainty of its length. */
  readonly unseenMs: number;
}

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly at: number;
  /** Number of pictures that showed neither the old nor the new creative, by what they showed. */
  readonly bad: Readonly<Record<string, number>>;
}

export interface TransitionReport {
  readonly slots: readonly Slot[];
  readonly transitions: readonly Transition[];
  readonly badFrames: number;
  readonly transitionsHit: number;
  readonly frames: number;
  /** Longest time between two pictures, ms. A visual error shorter than this may have been missed. */
  readonly longestGapMs: number;
}

/**
 * Finds the slots and the transitions between them in captured frames. Omits everything before the first
 * whole slot and after the last one.
 *
 * @param shortestSlotMs a creative seen for less than half of this was not a slot but a stale or stray
 *   picture
 */
export function readTransitions(
  frames: readonly LabelledFrame[],
  { shortestSlotMs }: { readonly shortestSlotMs: number },
): TransitionReport {
  const runs = runsOf(frames);
  const isSlot = (run: Run) => run.creative !== null && run.to - run.from >= shortestSlotMs / 2;
  const slots: Array<Slot & { from: number; to: number; unseenMs: number }> = [];
  const transitions: Array<Transition & { bad: Record<string, number> }> = [];
  let bad: Record<string, number> = {};
  for (const run of runs) {
    const last = slots.at(-1);
    if (!isSlot(run)) {
      const what = run.creative === null ? run.what : 'stale';
      if (last) bad[what] = (bad[what] ?? 0) + run.frames;
      continue;
    }
    const name = run.creative ?? '';
    if (last?.name === name) {
      // The slot was interrupted: it goes on, and the pictures in between count against it.
      if (Object.keys(bad).length > 0) transitions.push({ from: name, to: name, at: run.from, bad });
      last.to = run.to;
    } else {
      if (last) {
        last.to = run.from;
        last.unseenMs = Math.max(last.unseenMs, run.unseenMs);
        transitions.push({ from: last.name, to: name, at: run.from, bad });
      }
      slots.push({ name, from: run.from, to: run.to, unseenMs: run.unseenMs });
    }
    bad = {};
  }
  let longestGapMs = 0;
  frames.forEach((frame, index) => {
    const before = frames[index - 1];
    if (before) longestGapMs = Math.max(longestGapMs, frame.at - before.at);
  });
  const count = (transition: Transition) => Object.values(transition.bad).reduce((sum, n) => sum + n, 0);
  return {
    // The first slot began before the capture, and the last had not ended.
    slots: slots.slice(1, -1),
    transitions,
    badFrames: transitions.reduce((sum, transition) => sum + count(transition), 0),
    transitionsHit: transitions.filter((transition) => count(transition) > 0).length,
    frames: frames.length,
    longestGapMs,
  };
}

interface Run {
  readonly creative: string | null;
  readonly what: string;
  readonly from: number;
  /** Time between the picture before the run and its first one, ms. */
  readonly unseenMs: number;
  /** Time of the first picture after the run, or of the run's own last one. */
  to: number;
  frames: number;
}

function runsOf(frames: readonly LabelledFrame[]): Run[] {
  const runs: Run[] = [];
  let before: number | null = null;
  for (const { at, label } of frames) {
    const unseenMs: number = before === null ? 0 : at - before;
    before = at;
    const creative = label.kind === 'creative' ? label.name : null;
    const what = label.kind === 'foreign' ? `foreign ${label.colour.join(',')}` : label.kind;
    const last = runs.at(-1);
    if (last) last.to = at;
    if (last && last.creative === creative && last.what === what) last.frames += 1;
    else runs.push({ creative, what, from: at, unseenMs, to: at, frames: 1 });
  }
  return runs;
}

/** How much longer than nominal each slot was, in display frames, rounded; negative when shorter. */
export function overrunsInFrames(
  slots: readonly Slot[],
  nominalMs: (name: string) => number,
  framesPerSecond: number,
): number[] {
  return slots.map(({ name, from, to }) =>
    Math.round(((to - from - nominalMs(name)) * framesPerSecond) / 1000),
  );
}
