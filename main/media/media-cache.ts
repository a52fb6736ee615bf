import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Reading } from '../reading/reading';
import { createBackgroundWork } from './background-work';
import { cacheConditions } from './cache-conditions';
import { type CacheFetching, createCacheFetching } from './cache-fetching';
import { type Disk, realDisk } from './disk';
import { createDiskTrouble } from './disk-trouble';
import { noQuarantine, type Quarantine } from './kept-quarantine';
import { loadCache } from './load-cache';
import type { CacheCondition, MediaProblem } from './media-problem';
import { createPlayableFiles, type PlayableFiles } from './playable-files';
import { createProblemList, type ProblemList } from './problem-list';
import { cachePaths, type StoredMedia } from './stored-media';
import { type Need, needsOf, type WantedMedia, type Wisher } from './want-list';

export type { CacheCondition, MediaProblem } from './media-problem';
export type { WantedMedia, Wisher } from './want-list';

/** A file on disk that was downloaded whole; `sha256` in hex, `bytes` its length. */
export type CachedMedia = Pick<StoredMedia, 'key' | 'url' | 'type' | 'bytes' | 'sha256' | 'storedAt'>;

export interface CacheUsage {
  readonly files: number;
  readonly bytes: number;
  readonly quotaBytes: number;
  /** Of the disk, as seen within the last minute; null: not known. */
  readonly freeBytes: number | null;
}

export interface MediaCache {
  /**
   * Finds what earlier runs stored; removes what is not whole. Call once, before
   * anything else. Never rejects: without a usable folder the cache is empty, says
   * so in `conditions`, and tries again.
   */
  open(): Promise<void>;
  /** The file of a URL that may play, or null while there is none. */
  lookup(url: string): CachedMedia | null;
  /** In how many ms a file that is wanted and not there is tried next; 0: now. Infinity: once there is room for it. */
  waitMs(url: string): number;
  /**
   * The file of a URL, looked at again before it plays: its length and dates each
   * time, its checksum once a run, and whenever the file was touched. Answers
   * within `verifyMs`: a file too large to be read in that time, untouched since
   * its checksum was right, is answered, and read on. Null: it cannot play; its
   * URL is told to be gone.
   */
  verified(url: string): Promise<CachedMedia | null>;
  /** By the key in a `media:` address, also when its successor is there already. */
  byKey(key: string): CachedMedia | null;
  pathOf(media: Pick<CachedMedia, 'key'>): string;
  /** The file of each URL, whether it may play or not. */
  files(): CachedMedia[];
  /**
   * All that `who` needs, most urgent first; it replaces what they wanted before.
   * What is missing is fetched, two files at a time, in the order of need; what
   * nobody wants may be evicted.
   */
  want(who: Wisher, media: readonly WantedMedia[]): void;
  /** The URLs of what plays now and next: the files handed out for them stay, even when newer ones are there. */
  inUse(urls: Iterable<string>): void;
  /** A good moment to ask whether files changed on the server (the network is up); each at most once an hour. */
  revalidate(): void;
  /** Called with each URL that became playable (true), or failed or stopped being so (false). */
  onChange(listener: (url: string, ready: boolean) => void): void;
  /**
   * The screen could not show the file that `verified` handed out last. It is set
   * aside: shortly at first, after three strikes until it changes or a day has
   * passed (rule 11).
   */
  strike(url: string, detail: string): void;
  /** What is wrong with single files that somebody wants. */
  problems(): readonly MediaProblem[];
  /** Removes every file but those in use; what is wanted is fetched again. Answers what was removed. */
  clear(): Promise<{ readonly files: number; readonly bytes: number }>;
  /** What is wrong with the cache as a whole. */
  conditions(): readonly CacheCondition[];
  usage(): CacheUsage;
  /** Stops downloading, so that it can be continued; what is whole stays. */
  close(): Promise<void>;
}

export interface MediaCacheOptions {
  readonly directory: string;
  readonly quotaBytes: number;
  /** Bytes of the disk that stay free. */
  readonly minFreeBytes: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  readonly log: Log;
  readonly schedule: (ms: number, run: () => void) => () => void;
  /** Numbers in [0, 1), so that a thousand kiosks do not come back together. */
  readonly random: () => number;
  /** Creatives that did harm are not played. */
  readonly quarantine?: Pick<Quarantine, 'msFor' | 'all' | 'onChange'>;
  readonly reading: Pick<Reading, 'read'>;
  readonly disk?: Disk;
  readonly maxFileBytes?: number;
  /** How long a server may send next to nothing, ms. */
  readonly idleMs?: number;
  /** First pause after a failed download, ms; doubles up to an hour. */
  readonly retryMs?: number;
  /** Longest wait of `verified` for a checksum, ms. */
  readonly verifyMs?: number;
  /** All downloads together. */
  readonly bytesPerSecond?: number;
}

/** How often the disk is looked at, ms. */
const ROUND_MS = 60_000;

/**
 * Creatives on disk, by URL: complete, checked and atomically in place, or not there
 * (rule 13). Puts the parts together: what is stored, what is set aside, what is
 * fetched next, who makes room, and what is looked after once a minute.
 */
export function createMediaCache(options: MediaCacheOptions): MediaCache {
  const { directory, quotaBytes, minFreeBytes, clock, log, schedule } = options;
  const disk = options.disk ?? realDisk;
  const paths = cachePaths(directory);
  const closing = new AbortController();
  const wishes = nothingWanted();
  let needs: ReadonlyMap<string, Need> = new Map();
  let isOpen = false;
  let freeBytes: number | null = null;
  let cancelRound: (() => void) | null = null;

  const background = createBackgroundWork(log);
  const problems = createProblemList(clock);
  const trouble = createDiskTrouble(clock);
  const files = createPlayableFiles({
    ...{ disk, paths, clock, schedule, log, background, problems },
    quarantine: options.quarantine ?? noQuarantine,
    closing: closing.signal,
    verifyMs: options.verifyMs ?? 1_000,
  });
  const { stored, aside } = files;
  const lookAtDisk = async () => {
    freeBytes = await disk.freeBytes(directory).catch(() => null);
  };
  const fetching = createCacheFetching({
    ...{ options, disk, paths, files, problems, trouble, background, lookAtDisk },
    needs: () => needs,
    freeBytes: () => freeBytes,
    isOpen: () => isOpen,
    closing: closing.signal,
  });
  const { attempts, room, line } = fetching;

  const isMissing = (url: string) => needs.has(url) && !stored.byUrl.has(url);

  function roundLater(): void {
    cancelRound?.();
    if (!closing.signal.aborted)
      cancelRound = schedule(ROUND_MS, () => background.start('a look at the cache failed', round()));
  }

  /** Looks whether folder and files are there, clears what nobody continues, and reads old files again in idle time. */
  async function round(): Promise<void> {
    try {
      if (!isOpen) {
        await load();
        if (!isOpen) return;
      }
      await lookAtDisk();
      await tidy(files, fetching, problems, needs);
    } finally {
      roundLater();
    }
  }

  async function load(): Promise<void> {
    isOpen = await loadCache({ disk, directory, clock, log }, files, fetching, problems, trouble);
    if (!isOpen) return;
    files.tellAll();
    await lookAtDisk();
    line.advance();
  }

  return {
    async open() {
      await load();
      roundLater();
    },
    lookup: files.find,
    waitMs(url) {
      const need = needs.get(url);
      if (need && room.look()(need)) return Number.POSITIVE_INFINITY;
      return Math.max(aside.msFor(url), attempts.waitMs(url));
    },
    verified: files.verified,
    byKey: stored.byKey,
    pathOf: (media) => paths.file(media.key),
    files: () => [...stored.byUrl.values()],
    want(who, media) {
      wishes[who] = media;
      needs = needsOf(wishes);
      line.abortUnwanted();
      line.advance();
    },
    inUse: stored.inUse,
    revalidate() {
      attempts.revalidate(needs.keys());
      line.advance();
    },
    onChange: files.onChange,
    strike(url, detail) {
      if (files.strike(url, detail)) line.advance();
    },
    problems: () => files.problemsOf(needs),
    async clear() {
      const cleared = await files.clear();
      line.advance();
      return cleared;
    },
    conditions: () =>
      cacheConditions({
        diskTrouble: trouble.current(),
        noRoom: [...room.lacking].flatMap(([url, why]) => (isMissing(url) ? [why] : [])),
        wanted: needs.size,
        ...{ quotaBytes, freeBytes, minFreeBytes },
      }),
    usage: () => ({ files: stored.byUrl.size, bytes: stored.bytes(), quotaBytes, freeBytes }),
    async close() {
      closing.abort();
      line.close();
      cancelRound?.();
      await background.finished();
    },
  };
}

const nothingWanted = (): Record<Wisher, readonly WantedMedia[]> => ({
  online: [],
  native: [],
  upcoming: [],
  playlist: [],
  house: [],
});

/** Looks whether files are there, clears what nobody continues, and reads old files again in idle time. */
async function tidy(
  files: PlayableFiles,
  { unfinished, room, attempts, line, upkeep }: CacheFetching,
  problems: ProblemList,
  needs: ReadonlyMap<string, Need>,
): Promise<void> {
  await upkeep.lookForFiles();
  for (const url of unfinished.urls()) if (!needs.has(url)) await unfinished.drop(url);
  for (const memory of [problems, room, files.aside]) memory.keepOnly(needs);
  attempts.keepOnly({ has: (url) => needs.has(url) || files.stored.byUrl.has(url) });
  files.tellThoseBack();
  files.lookAtQuarantine();
  line.advance();
  upkeep.readOldFilesAgain();
}
