import { createAttempts } from './attempts';
import type { CacheBase, MediaCacheOptions } from './cache-base';
import { createCacheRoom } from './cache-room';
import type { DiskErrors } from './disk-errors';
import { createDownloadLine, type DownloadLine } from './download-line';
import { DOWNLOADS_AT_ONCE } from './download-places';
import { createFetchMedia } from './fetch-media';
import { createRoomMaker } from './make-room';
import type { DiskCode } from './media-problem';
import type { PlayableFiles } from './playable-files';
import { createUnfinishedDownloads } from './unfinished-downloads';
import { createUpkeep } from './upkeep';
import type { Need } from './want-list';

const HOUR_MS = 3_600_000;

/** The current state of the cache that downloads depend on. */
export interface CacheState {
  readonly needs: () => ReadonlyMap<string, Need>;
  /** Free space on the disk, bytes; null: not known. */
  readonly freeBytes: () => number | null;
  readonly lookAtDisk: () => Promise<void>;
  readonly isOpen: () => boolean;
}

export type CacheFetching = ReturnType<typeof createCacheFetching>;

/** The cache's downloads, the room for them, and the check that runs once a minute. */
export function createCacheFetching(
  base: CacheBase,
  options: MediaCacheOptions,
  files: PlayableFiles,
  diskErrors: DiskErrors,
  state: CacheState,
) {
  const { clock, schedule, log, background, closing } = base;
  const { needs, freeBytes } = state;
  const { stored, aside } = files;
  const attempts = createAttempts({ clock, retryMs: options.retryMs ?? 2_000, random: options.random });
  const unfinished = createUnfinishedDownloads(base);
  const room = createRoomMaker({
    room: createCacheRoom({
      quotaBytes: options.quotaBytes,
      minFreeBytes: options.minFreeBytes,
      ...{ clock, stored, needs, freeBytes },
      partBytes: unfinished.bytes,
      downloads: () => line.underWay(),
      isSetAside: (url) => aside.msFor(url) > HOUR_MS,
    }),
    ...{ stored, unfinished, needs, clock, log },
    lookAtDisk: state.lookAtDisk,
  });
  const fetching = createFetchMedia(base, {
    ...{ options, files, unfinished, attempts, room, diskErrors },
    onDiskError: diskFailed,
  });
  const line: DownloadLine = createDownloadLine({
    ...{ stored, aside, attempts, diskErrors, room, needs, clock, schedule, background },
    isBegun: unfinished.has,
    isOpen: () => state.isOpen() && !closing.aborted,
    run: fetching.run,
    onWake: files.tellThoseBack,
  });
  const upkeep = createUpkeep(base, files, unfinished, line.isIdle);

  async function diskFailed(url: string, code: DiskCode, detail: string): Promise<void> {
    const count = diskErrors.failed(code, detail);
    fetching.report(url, code, detail);
    if (code !== 'folder-gone') return;
    await upkeep.lookForFiles();
    // The folder exists again. Downloads that found it missing at the same time may all retry at once.
    if (count <= DOWNLOADS_AT_ONCE) diskErrors.tryAgain();
  }

  files.onGone(line.advance);
  return { attempts, unfinished, room, line, upkeep };
}
