import type { FrameLabel } from './classify-frame';

/** A picture of the display, judged. */
export interface LabelledFrame {
  /** When it was taken, ms on any one monotonic clock. */
  readonly at: number;
  readonly label: FrameLabel;
}

export interface Slot {
  readonly name: string;
  /** Its first and its successor's first picture, ms. */
  readonly from: number;
  readonly to: number;
  /** Longest time between two pictures at its beginning or its end, ms: its length is known no better. */
  readonly unseenMs: number;
}

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly at: number;
  /** Pictures that showed neither the old nor the new creative, by what they showed. */
  readonly bad: Readonly<Record<string, number>>;
}

export interface TransitionReport {
  readonly slots: readonly Slot[];
  readonly transitions: readonly Transition[];
  readonly badFrames: number;
  readonly transitionsHit: number;
  readonly frames: number;
  /** Longest time between two pictures, ms: a gap shorter than it could have been missed. */
  readonly longestGapMs: number;
}

/**
 * Finds the slots and the transitions between them in a captured stream. What is
 * before the first whole slot and after the last is left out.
 *
 * @param shortestSlotMs a creative seen for less than half of it was not a slot but
 * a stale or stray picture
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
      // Interrupted in its middle: the same slot goes on, and what came between counts against it.
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
    // The first began before the capture and the last had not ended.
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
  /** From the picture before it to its first, ms. */
  readonly unseenMs: number;
  /** Time of the first picture after it, or of its own last one. */
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

/** How far the last slot's end is behind (or before, when negative) the sum of all nominal lengths, ms. */
export function driftMs(slots: readonly Slot[], nominalMs: (name: string) => number): number {
  const first = slots[0];
  const last = slots.at(-1);
  if (!first || !last) throw new Error('there is no slot');
  return last.to - first.from - slots.reduce((sum, { name }) => sum + nominalMs(name), 0);
}
