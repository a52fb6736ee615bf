import { type Attempts, createAttempts } from './attempts';
import type { BackgroundWork } from './background-work';
import { createCacheRoom } from './cache-room';
import type { Disk } from './disk';
import type { DiskTrouble } from './disk-trouble';
import { createDownloadLine, type DownloadLine } from './download-line';
import { DOWNLOADS_AT_ONCE } from './download-places';
import { createFetchMedia } from './fetch-media';
import { createRoomMaker, type RoomMaker } from './make-room';
import type { MediaCacheOptions } from './media-cache';
import type { DiskCode } from './media-problem';
import type { PlayableFiles } from './playable-files';
import type { ProblemList } from './problem-list';
import type { CachePaths } from './stored-media';
import { createUnfinishedDownloads, type UnfinishedDownloads } from './unfinished-downloads';
import { createUpkeep } from './upkeep';
import type { Need } from './want-list';

const HOUR_MS = 3_600_000;

interface CacheFetchingParts {
  readonly options: MediaCacheOptions;
  readonly disk: Disk;
  readonly paths: CachePaths;
  readonly files: PlayableFiles;
  readonly problems: ProblemList;
  readonly trouble: DiskTrouble;
  readonly background: BackgroundWork;
  readonly needs: () => ReadonlyMap<string, Need>;
  readonly freeBytes: () => number | null;
  readonly lookAtDisk: () => Promise<void>;
  readonly isOpen: () => boolean;
  readonly closing: AbortSignal;
}

/** What is fetched next, who makes room for it, and what is looked after once a minute. */
export interface CacheFetching {
  readonly attempts: Attempts;
  readonly unfinished: UnfinishedDownloads;
  readonly room: RoomMaker;
  readonly line: DownloadLine;
  readonly upkeep: ReturnType<typeof createUpkeep>;
}

export function createCacheFetching(parts: CacheFetchingParts): CacheFetching {
  const { options, disk, paths, files, problems, trouble, background, closing } = parts;
  const { clock, schedule, log } = options;
  const { stored, aside, checks } = files;
  const attempts = createAttempts({ clock, retryMs: options.retryMs ?? 2_000, random: options.random });
  const unfinished = createUnfinishedDownloads(disk, paths);
  const room = createRoomMaker({
    room: createCacheRoom({
      quotaBytes: options.quotaBytes,
      minFreeBytes: options.minFreeBytes,
      clock,
      files: stored.byUrl,
      storedBytes: stored.bytes,
      partBytes: unfinished.bytes,
      downloads: () => line.underWay(),
      needs: parts.needs,
      freeBytes: parts.freeBytes,
      isInUse: stored.isInUse,
      isSetAside: (url) => aside.msFor(url) > HOUR_MS,
    }),
    stored,
    unfinished,
    needs: parts.needs,
    lookAtDisk: parts.lookAtDisk,
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
    onStored: (url) => files.tell(url, files.find(url) !== null),
    onMissing: (url) => files.tell(url, false),
    closing,
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
    needs: parts.needs,
    isBegun: unfinished.has,
    isOpen: () => parts.isOpen() && !closing.aborted,
    run: fetching.run,
    onWake: files.tellThoseBack,
    clock,
    schedule,
    background,
  });
  const upkeep = createUpkeep({
    directory: options.directory,
    disk,
    paths,
    stored,
    unfinished,
    checks,
    problems,
    isIdle: line.isIdle,
    closing,
    clock,
    schedule,
    background,
    log,
  });

  async function diskFailed(url: string, code: DiskCode, detail: string): Promise<void> {
    const count = trouble.failed(code, detail);
    fetching.report(url, code, detail);
    if (code !== 'folder-gone') return;
    await upkeep.lookForFiles();
    // The folder is there again: as many as found it gone at the same time go on at once.
    if (count <= DOWNLOADS_AT_ONCE) trouble.tryAgain();
  }

  files.onGone(line.advance);
  return { attempts, unfinished, room, line, upkeep };
}
