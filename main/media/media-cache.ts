import { messageOf } from '../describe-error';
import {
  type CacheBase,
  createBackgroundWork,
  createProblemList,
  type MediaCacheOptions,
} from './cache-base';
import { cacheConditions } from './cache-conditions';
import { type CacheFetching, createCacheFetching } from './cache-fetching';
import { realDisk } from './disk';
import { createDiskErrors, type DiskErrors } from './disk-errors';
import { type CacheCondition, diskCode, type MediaProblem } from './media-problem';
import { createPlayableFiles, type PlayableFiles } from './playable-files';
import { cachePaths, readCacheFolder, type StoredMedia } from './stored-media';
import { setAsideMs } from './strikes';
import { type MediaUser, type Need, needsOf, type WantedMedia } from './want-list';

export type { CacheCondition, MediaProblem } from './media-problem';
export type { MediaUser, WantedMedia } from './want-list';

/** A completely downloaded file on disk. `sha256`: in hex; `bytes`: its length. */
export type CachedMedia = Pick<StoredMedia, 'key' | 'url' | 'type' | 'bytes' | 'sha256' | 'storedAt'>;

export type MediaCache = ReturnType<typeof createMediaCache>;

/** How often folder and disk are checked, ms. */
const ROUND_MS = 60_000;

/**
 * Creatives on disk, by URL: either complete, checked and put in place atomically, or absent (rule 13).
 * Composes stored files, strikes, downloads, room and upkeep.
 */
export function createMediaCache(options: MediaCacheOptions) {
  const { directory, quotaBytes, minFreeBytes, clock, log, schedule } = options;
  const disk = options.disk ?? realDisk;
  const closing = new AbortController();
  const wishes: Record<MediaUser, readonly WantedMedia[]> = {
    ...{ online: [], native: [], upcoming: [], playlist: [], house: [] },
  };
  let needs: ReadonlyMap<string, Need> = new Map();
  let isOpen = false;
  let freeBytes: number | null = null;
  let cancelRound: (() => void) | null = null;

  const background = createBackgroundWork(log);
  const base: CacheBase = {
    ...{ directory, disk, paths: cachePaths(directory), clock, schedule, log, background },
    problems: createProblemList(clock),
    closing: closing.signal,
  };
  const diskErrors = createDiskErrors(clock);
  const files = createPlayableFiles(base, options.quarantine, options.verifyMs ?? 1_000);
  const { stored, aside } = files;
  const lookAtDisk = async () => {
    freeBytes = await disk.freeBytes(directory).catch(() => null);
  };
  const fetching = createCacheFetching(base, options, files, diskErrors, {
    needs: () => needs,
    freeBytes: () => freeBytes,
    isOpen: () => isOpen,
    lookAtDisk,
  });
  const { attempts, room, line } = fetching;

  const isMissing = (url: string) => needs.has(url) && !stored.byUrl.has(url);

  function roundLater(): void {
    cancelRound?.();
    if (!closing.signal.aborted)
      cancelRound = schedule(ROUND_MS, () => background.start('the cache could not be checked', round()));
  }

  /** Runs every minute; opens the cache first if that failed before. */
  async function round(): Promise<void> {
    try {
      if (!isOpen) {
        await load();
        if (!isOpen) return;
      }
      await lookAtDisk();
      await tidy(base, files, fetching, needs);
    } finally {
      roundLater();
    }
  }

  async function load(): Promise<void> {
    isOpen = await takeUp(base, files, fetching, diskErrors);
    if (!isOpen) return;
    files.tellAll();
    await lookAtDisk();
    line.advance();
  }

  return {
    /**
     * Loads what earlier runs stored and removes incomplete files. Call once, before anything else. Never
     * rejects: without a usable folder the cache is empty, reports that in `conditions`, and tries again.
     */
    async open(): Promise<void> {
      await load();
      roundLater();
    },
    /** The file of a URL, if it may play now; otherwise null. */
    lookup: (url: string): CachedMedia | null => files.find(url),
    /** Time until a missing file is tried next, ms; 0: now; Infinity: when there is room for it. */
    waitMs(url: string): number {
      const need = needs.get(url);
      if (need && room.look()(need)) return Number.POSITIVE_INFINITY;
      return Math.max(aside.msFor(url), attempts.waitMs(url));
    },
    /**
     * The file of a URL, checked before it plays: length and dates each time, the checksum once per run and
     * whenever the file was touched. Resolves within `verifyMs`: a large file that was not touched since its
     * last check may play while its checksum is still being read. Null: it cannot play, and `onChange` reports
     * that.
     */
    verified: (url: string): Promise<CachedMedia | null> => files.verified(url),
    /** The file with this key in a `media:` URL, even if a newer version of its URL is stored. */
    byKey: (key: string): CachedMedia | null => stored.byKey(key),
    pathOf: (media: Pick<CachedMedia, 'key'>): string => base.paths.file(media.key),
    /** The file of each URL, whether it may play or not. */
    files: (): CachedMedia[] => [...stored.byUrl.values()],
    /**
     * All files that `who` needs, most urgent first; replaces the previous list of `who`.
     * Missing files are fetched, two at a time, in the order of need; files that are in
     * no list may be evicted.
     */
    want(who: MediaUser, media: readonly WantedMedia[]): void {
      wishes[who] = media;
      needs = needsOf(wishes);
      line.abortUnwanted();
      line.advance();
    },
    /** URLs that play now and next. The files handed out for them stay on disk, even if newer versions are stored. */
    inUse: stored.inUse,
    /** Asks the servers whether files changed, at most once an hour for each file. Call it when the network is up. */
    revalidate(): void {
      attempts.revalidate(needs.keys());
      line.advance();
    },
    /** Called with each URL that may play now (true), or that failed or may not play any more (false). */
    onChange: files.onChange,
    /**
     * The screen could not show the file that `verified` handed out last. Sets it aside: at first for 30
     * seconds, after three strikes for a day or until it changes (rule 11).
     */
    strike(url: string, detail: string): void {
      if (files.strike(url, detail)) line.advance();
    },
    /** Problems of single files that are wanted. */
    problems: (): readonly MediaProblem[] => files.problemsOf(needs),
    /** Removes all files that are not in use; wanted files are downloaded again. Resolves to what was removed. */
    async clear(): Promise<{ readonly files: number; readonly bytes: number }> {
      const cleared = await files.clear();
      line.advance();
      return cleared;
    },
    /** Problems of the cache as a whole. */
    conditions: (): readonly CacheCondition[] =>
      cacheConditions({
        diskError: diskErrors.current(),
        noRoom: [...room.lacking].flatMap(([url, why]) => (isMissing(url) ? [why] : [])),
        wanted: needs.size,
        ...{ quotaBytes, freeBytes, minFreeBytes },
      }),
    /** `freeBytes`: free space on the disk, measured within the last minute; null: not known. */
    usage: () => ({ files: stored.byUrl.size, bytes: stored.bytes(), quotaBytes, freeBytes }),
    /** Stops all downloads in a state from which they can continue. */
    async close(): Promise<void> {
      closing.abort();
      line.close();
      cancelRound?.();
      await background.finished();
    },
  };
}

/** Loads what earlier runs stored; returns whether the folder can be used. */
async function takeUp(
  { disk, directory, clock, log, problems }: CacheBase,
  { stored, aside }: PlayableFiles,
  { attempts, unfinished }: CacheFetching,
  diskErrors: DiskErrors,
): Promise<boolean> {
  try {
    const contents = await readCacheFolder(disk, directory, log);
    for (const file of contents.files) {
      stored.add(file);
      attempts.answered(file.url, file.checkedAt);
    }
    for (const part of contents.parts) unfinished.keep(part);
    aside.load(contents.strikes);
    for (const [url, strike] of contents.strikes) {
      const ms = setAsideMs(strike, clock.now());
      if (ms === 0) continue;
      aside.watch(url);
      const detail = `set aside after ${strike.count} strikes, for ${Math.ceil(ms / 60_000)} minutes or until it changes`;
      problems.note(url, 'corrupt', detail, strike.lastAt);
    }
    diskErrors.over();
    return true;
  } catch (error) {
    diskErrors.unusable(diskCode(error), messageOf(error));
    log.error('the media folder cannot be used', { folder: directory, error: messageOf(error) });
    return false;
  }
}

/** Checks that files exist, drops unneeded parts, and reads old files again while nothing is downloaded. */
async function tidy(
  { problems }: CacheBase,
  files: PlayableFiles,
  { unfinished, room, attempts, line, upkeep }: CacheFetching,
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
