import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { Reading } from '../reading/reading';
import { createAttempts } from './attempts';
import { createBackgroundWork } from './background-work';
import { cacheConditions } from './cache-conditions';
import { createCacheRoom } from './cache-room';
import { atOnce } from './checksum';
import { type Disk, realDisk } from './disk';
import { createDiskTrouble } from './disk-trouble';
import { createDownloadLine, DOWNLOADS_AT_ONCE, type DownloadLine } from './download-line';
import { createFetchMedia } from './fetch-media';
import { createFileChecks } from './file-checks';
import { noQuarantine, type Quarantine } from './kept-quarantine';
import { createRoomMaker } from './make-room';
import {
  type CacheCondition,
  type DiskCode,
  diskCode,
  type MediaProblem,
  quarantineWords,
  words,
} from './media-problem';
import { createProblemList } from './problem-list';
import { createSetAside } from './set-aside';
import { createStoredFiles } from './stored-files';
import { cachePaths, readCacheFolder, type StoredMedia } from './stored-media';
import { asideMs } from './strikes';
import { createUnfinishedDownloads } from './unfinished-downloads';
import { createUpkeep } from './upkeep';
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

const HOUR_MS = 3_600_000;
/** How often the disk is looked at, ms. */
const ROUND_MS = 60_000;

/**
 * Creatives on disk, by URL: complete, checked and atomically in place, or not there
 * (rule 13). Puts the parts together: what is stored, what is set aside, what is
 * fetched next, who makes room, and what is looked after once a minute.
 */
export function createMediaCache(options: MediaCacheOptions): MediaCache {
  const { directory, clock, log, schedule } = options;
  const disk = options.disk ?? realDisk;
  const quarantine = options.quarantine ?? noQuarantine;
  const paths = cachePaths(directory);
  const closing = new AbortController();
  const listeners = new Set<(url: string, ready: boolean) => void>();
  const wishes: Record<Wisher, readonly WantedMedia[]> = {
    online: [],
    native: [],
    upcoming: [],
    playlist: [],
    house: [],
  };
  let needs: ReadonlyMap<string, Need> = new Map();
  let isOpen = false;
  let freeBytes: number | null = null;
  let cancelRound: (() => void) | null = null;

  const tell = (url: string, ready: boolean) => {
    for (const listener of listeners) listener(url, ready);
  };
  const background = createBackgroundWork(log);
  const problems = createProblemList(clock);
  const trouble = createDiskTrouble(clock);
  const attempts = createAttempts({ clock, retryMs: options.retryMs ?? 2_000, random: options.random });
  const unfinished = createUnfinishedDownloads(disk, paths);
  const stored = createStoredFiles({
    disk,
    paths,
    clock,
    log,
    background,
    onDropped: (url) => tell(url, false),
    onErased: (key) => checks.forget(key),
  });
  const aside = createSetAside({
    disk,
    paths,
    clock,
    log,
    background,
    contentOf: (url) => stored.byUrl.get(url)?.sha256,
  });
  const checks = createFileChecks({
    disk,
    paths,
    schedule,
    verifyMs: options.verifyMs ?? 1_000,
    closing: closing.signal,
    inBackground: background.start,
    async onGone(file, code, detail) {
      problems.note(file.url, code, detail);
      log.warn('a stored creative cannot be used and is fetched again', { url: file.url, code, detail });
      await stored.drop(file);
      line.advance();
    },
    async onIntact(file, stamp, wasDoubtful) {
      if (wasDoubtful && stored.byUrl.get(file.url)?.key === file.key && mayPlay(file)) tell(file.url, true);
      await stored.note(file.url, { verifiedAt: clock.now(), stamp }, file.key);
    },
    onDoubtful: ({ url }) => tell(url, false),
  });
  const isQuarantined = ({ sha256 }: StoredMedia) => quarantine.msFor(sha256) > 0;
  const mayPlay = (file: StoredMedia) =>
    aside.msFor(file.url) === 0 && !checks.isDoubtful(file.key) && !isQuarantined(file);
  const playable = (url: string) => {
    const file = stored.byUrl.get(url);
    return file && mayPlay(file) ? file : null;
  };
  const lookAtDisk = async () => {
    freeBytes = await disk.freeBytes(directory).catch(() => null);
  };
  const room = createRoomMaker({
    room: createCacheRoom({
      quotaBytes: options.quotaBytes,
      minFreeBytes: options.minFreeBytes,
      clock,
      files: stored.byUrl,
      storedBytes: stored.bytes,
      partBytes: unfinished.bytes,
      downloads: () => line.underWay(),
      needs: () => needs,
      freeBytes: () => freeBytes,
      isInUse: stored.isInUse,
      isSetAside: (url) => aside.msFor(url) > HOUR_MS,
    }),
    stored,
    unfinished,
    needs: () => needs,
    lookAtDisk,
    clock,
    log,
  });
  const fetching = createFetchMedia({
    fetch: options.fetch,
    reading: options.reading,
    disk,
    paths,
    stored,
    unfinished,
    aside,
    attempts,
    room,
    checks,
    problems,
    trouble,
    onDiskFault: diskFailed,
    onStored: (url) => tell(url, playable(url) !== null),
    onMissing: (url) => tell(url, false),
    closing: closing.signal,
    maxFileBytes: options.maxFileBytes ?? 512 * 1024 * 1024,
    idleMs: options.idleMs ?? 30_000,
    bytesPerSecond: options.bytesPerSecond,
    clock,
    schedule,
    log,
  });
  const line: DownloadLine = createDownloadLine({
    stored,
    aside,
    attempts,
    trouble,
    room,
    needs: () => needs,
    isBegun: unfinished.has,
    isOpen: () => isOpen && !closing.signal.aborted,
    run: fetching.run,
    onWake: tellThoseBack,
    clock,
    schedule,
    background,
  });
  const upkeep = createUpkeep({
    directory,
    disk,
    paths,
    stored,
    unfinished,
    checks,
    problems,
    isIdle: line.isIdle,
    closing: closing.signal,
    clock,
    schedule,
    background,
    log,
  });

  /** Files whose time aside is over may play again. */
  function tellThoseBack(): void {
    for (const url of aside.back()) {
      problems.solved(url);
      if (playable(url)) tell(url, true);
    }
  }

  /** By URL, those whose users were told that they may not play. */
  const quarantined = new Set<string>();
  quarantine.onChange(lookAtQuarantine);

  function lookAtQuarantine(): void {
    if (quarantined.size === 0 && quarantine.all().length === 0) return;
    for (const file of stored.byUrl.values()) {
      const { url } = file;
      if (!isQuarantined(file)) {
        if (quarantined.delete(url) && mayPlay(file)) tell(url, true);
      } else if (!quarantined.has(url)) {
        quarantined.add(url);
        tell(url, false);
      }
    }
  }

  /** What is quarantined is still on the disk: one problem for each of its URLs. */
  function quarantineProblems(): readonly MediaProblem[] {
    const all = new Map(quarantine.all().map((one) => [one.sha256, one]));
    if (all.size === 0) return [];
    return [...stored.byUrl.values()].flatMap(({ url, sha256 }): MediaProblem[] => {
      const one = all.get(sha256);
      if (!one || !needs.has(url)) return [];
      return [{ url, code: 'harmful', detail: quarantineWords(one), at: one.since }];
    });
  }

  async function diskFailed(url: string, code: DiskCode, detail: string): Promise<void> {
    const count = trouble.failed(code, detail);
    fetching.report(url, code, detail);
    if (code !== 'folder-gone') return;
    await upkeep.lookForFiles();
    // The folder is there again: as many as found it gone at the same time go on at once.
    if (count <= DOWNLOADS_AT_ONCE) trouble.tryAgain();
  }

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
      await upkeep.lookForFiles();
      for (const url of unfinished.urls()) if (!needs.has(url)) await unfinished.drop(url);
      for (const memory of [problems, room, aside]) memory.keepOnly(needs);
      attempts.keepOnly({ has: (url) => needs.has(url) || stored.byUrl.has(url) });
      tellThoseBack();
      lookAtQuarantine();
      line.advance();
      upkeep.readOldFilesAgain();
    } finally {
      roundLater();
    }
  }

  async function load(): Promise<void> {
    try {
      const contents = await readCacheFolder(disk, directory, log);
      for (const file of contents.files) {
        stored.add(file);
        attempts.answered(file.url, file.checkedAt);
      }
      for (const part of contents.parts) unfinished.keep(part);
      aside.load(contents.strikes);
      for (const [url, strike] of contents.strikes) {
        const ms = asideMs(strike, clock.now());
        if (ms === 0) continue;
        aside.watch(url);
        const detail = `set aside after ${strike.count} strikes, for ${Math.ceil(ms / 60_000)} minutes or until it changes`;
        problems.note(url, 'corrupt', detail, strike.lastAt);
      }
      isOpen = true;
      trouble.over();
    } catch (fault) {
      trouble.unusable(diskCode(fault), words(fault));
      log.error('the media folder cannot be used', { folder: directory, fault: words(fault) });
      return;
    }
    for (const file of stored.byUrl.values()) if (mayPlay(file)) tell(file.url, true);
    lookAtQuarantine();
    await lookAtDisk();
    line.advance();
  }

  return {
    async open() {
      await load();
      roundLater();
    },
    lookup: playable,
    waitMs(url) {
      const need = needs.get(url);
      if (need && room.look()(need)) return Number.POSITIVE_INFINITY;
      return Math.max(aside.msFor(url), attempts.waitMs(url));
    },
    async verified(url) {
      const file = playable(url);
      if (!file || !(await checks.isGoodToPlay(file))) {
        stored.takeBack(url);
        return null;
      }
      stored.handOut(file);
      return file;
    },
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
    onChange: (listener) => void listeners.add(listener),
    strike(url, detail) {
      const file = stored.byUrl.get(url);
      if (!file || stored.handedOutLast(url) !== file.key) return;
      aside.strike(url, { content: file.sha256, etag: file.etag, lastModified: file.lastModified });
      aside.watch(url);
      problems.note(url, 'corrupt', detail);
      tell(url, false);
      // If the disk is to blame, a fresh copy helps.
      background.start('a struck creative could not be read', checks.check(file, atOnce));
      line.advance();
    },
    problems() {
      const harmful = quarantineProblems();
      if (harmful.length === 0) return problems.all();
      const urls = new Set(harmful.map(({ url }) => url));
      return [...harmful, ...problems.all().filter(({ url }) => !urls.has(url))];
    },
    async clear() {
      const cleared = [...stored.byUrl.values()].filter((file) => !stored.isInUse(file));
      for (const file of cleared) await stored.drop(file);
      line.advance();
      return { files: cleared.length, bytes: cleared.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    conditions: () =>
      cacheConditions({
        diskTrouble: trouble.current(),
        noRoom: [...room.lacking].flatMap(([url, why]) =>
          needs.has(url) && !stored.byUrl.has(url) ? [why] : [],
        ),
        wanted: needs.size,
        quotaBytes: options.quotaBytes,
        freeBytes,
        minFreeBytes: options.minFreeBytes,
      }),
    usage: () => ({
      files: stored.byUrl.size,
      bytes: stored.bytes(),
      quotaBytes: options.quotaBytes,
      freeBytes,
    }),
    async close() {
      closing.abort();
      line.close();
      cancelRound?.();
      await background.finished();
    },
  };
}
