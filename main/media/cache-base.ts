import type { Log } from '../../shared/log';
import type { Basics } from '../basics';
import { messageOf } from '../describe-error';
import type { Fetch } from '../egress/http-client';
import type { Reading } from '../reading/reading';
import { createAttempts } from './attempts';
import { type Disk, realDisk } from './disk';
import { createDiskErrors } from './disk-errors';
import type { MediaProblem } from './media-problem';
import type { Quarantine } from './quarantine-store';
import { cachePaths } from './stored-media';
import { createUnfinishedDownloads } from './unfinished-downloads';

export interface MediaCacheOptions extends Pick<Basics, 'clock' | 'schedule' | 'random' | 'log'> {
  readonly directory: string;
  readonly quotaBytes: number;
  /** Bytes of the disk that the cache leaves free. */
  readonly minFreeBytes: number;
  readonly fetch: Fetch;
  /** Creatives in quarantine are not played. */
  readonly quarantine: Pick<Quarantine, 'msFor' | 'all' | 'onChange'>;
  readonly reading: Pick<Reading, 'read'>;
  /** Called when a server sent a creative or confirmed it, and when it did not: then with what is wrong. */
  readonly onAnswer?: (url: string, problem: MediaProblem | null) => void;
  readonly disk?: Disk;
  /** Bound for the files of ads. */
  readonly maxFileBytes?: number;
  /** Length of the window in which a transfer must receive at least 16 KiB, ms. */
  readonly idleMs?: number;
  /** Limit for all downloads together. */
  readonly bytesPerSecond?: number;
}

export type CacheBase = ReturnType<typeof createCacheBase>;

/**
 * What all parts of the media cache share.
 * @param closing aborted when the cache is closed
 */
export function createCacheBase(options: MediaCacheOptions, closing: AbortSignal) {
  const { directory, disk = realDisk, clock, schedule, random, log } = options;
  const paths = cachePaths(directory);
  return {
    directory,
    disk,
    paths,
    clock,
    schedule,
    log,
    background: createBackgroundWork(log),
    /** The latest problem of each URL. */
    problems: new Map<string, MediaProblem>(),
    attempts: createAttempts({ clock, random }),
    unfinished: createUnfinishedDownloads(disk, paths),
    diskErrors: createDiskErrors(clock),
    closing,
  };
}

export type BackgroundWork = ReturnType<typeof createBackgroundWork>;

/** Tasks whose caller does not await them. */
export function createBackgroundWork(log: Log) {
  const work = new Set<Promise<unknown>>();
  return {
    /** Tracks a running task; if it rejects, logs the error with the message `what`. */
    start(what: string, task: Promise<unknown>): void {
      const kept = task
        .catch((error: unknown) => log.warn(what, { error: messageOf(error) }))
        .finally(() => work.delete(kept));
      work.add(kept);
    },
    async finished(): Promise<void> {
      while (work.size > 0) await Promise.all(work);
    },
  };
}
