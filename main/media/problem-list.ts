import type { Clock } from '../../shared/clock';
import type { MediaProblem, MediaProblemCode } from './media-problem';

/** What is wrong with single files, one problem for each URL: the latest. */
export interface ProblemList {
  /** `at`: ms since the epoch; now, unless told otherwise. */
  note(url: string, code: MediaProblemCode, detail: string, at?: number): void;
  solved(url: string): void;
  /** Forgets those of files that nobody wants any more. */
  keepOnly(wanted: { has(url: string): boolean }): void;
  all(): readonly MediaProblem[];
}

export function createProblemList(clock: Pick<Clock, 'now'>): ProblemList {
  const problems = new Map<string, MediaProblem>();
  return {
    note: (url, code, detail, at = clock.now()) => void problems.set(url, { url, code, detail, at }),
    solved: (url) => void problems.delete(url),
    keepOnly(wanted) {
      for (const url of [...problems.keys()]) if (!wanted.has(url)) problems.delete(url);
    },
    all: () => [...problems.values()],
  };
}
