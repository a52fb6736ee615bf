import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { messageOf } from '../describe-error';
import type { Schedule } from '../service/schedule';
import type { Disk } from './disk';
import type { MediaProblem, MediaProblemCode } from './media-problem';
import type { CachePaths } from './stored-media';

/** What all parts of the media cache share. */
export interface CacheBase {
  readonly directory: string;
  readonly disk: Disk;
  readonly paths: CachePaths;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: Log;
  readonly background: BackgroundWork;
  readonly problems: ProblemList;
  /** Aborted when the cache is closed. */
  readonly closing: AbortSignal;
}

/** Tasks whose caller does not await them. */
export interface BackgroundWork {
  /** Tracks a running task; if it rejects, logs the error with the message `what`. */
  start(what: string, task: Promise<unknown>): void;
  /** Resolves when no task is running. */
  finished(): Promise<void>;
}

export function createBackgroundWork(log: Log): BackgroundWork {
  const work = new Set<Promise<unknown>>();
  return {
    start(what, task) {
      const kept = task
        .catch((error: unknown) => log.warn(what, { error: messageOf(error) }))
        .finally(() => work.delete(kept));
      work.add(kept);
    },
    async finished() {
      while (work.size > 0) await Promise.all(work);
    },
  };
}

/** The latest problem of each URL. */
export interface ProblemList {
  /** `at`: ms since the epoch; absent: now. */
  note(url: string, code: MediaProblemCode, detail: string, at?: number): void;
  solved(url: string): void;
  /** Forgets problems of files that are not wanted. */
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
