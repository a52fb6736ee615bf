import type { Mark, StageEvent } from '../../shared/stage';

/** A point of a creative that main wants to hear of. */
export interface Milestone {
  /** Played so far, ms. */
  readonly atMs: number;
  readonly reached:
    | { readonly type: 'progress'; readonly quartile: Quartile }
    | { readonly type: 'mark'; readonly mark: number };
}

type Quartile = Extract<StageEvent, { type: 'progress' }>['quartile'];
const QUARTILES: readonly Quartile[] = ['firstQuartile', 'midpoint', 'thirdQuartile'];

/**
 * Quartiles and marks of a creative of `durationMs`, in the order in which they are
 * reached. What lies beyond its end is never reached, and is left out.
 */
export function milestonesOf(durationMs: number, marks: readonly Mark[]): readonly Milestone[] {
  const quartiles = QUARTILES.map((quartile, index): Milestone => {
    return { atMs: (durationMs * (index + 1)) / 4, reached: { type: 'progress', quartile } };
  });
  const marked = marks.map((mark, index): Milestone => {
    const atMs = mark.of === 'time' ? mark.ms : mark.share * durationMs;
    return { atMs, reached: { type: 'mark', mark: index } };
  });
  return [...quartiles, ...marked].filter(({ atMs }) => atMs <= durationMs).sort((a, b) => a.atMs - b.atMs);
}
