import { messageOf } from '../describe-error';
import type { Attempts } from './attempts';
import type { CacheBase } from './cache-base';
import type { DiskErrors } from './disk-errors';
import type { RoomMaker } from './make-room';
import { diskCode } from './media-problem';
import type { PlayableFiles } from './playable-files';
import { readCacheFolder } from './stored-media';
import type { UnfinishedDownloads } from './unfinished-downloads';
import type { Upkeep } from './upkeep';
import type { Need } from './want-list';

/** How often folder and disk are checked, ms. */
const ROUND_MS = 60_000;

interface RoundParts {
  readonly files: PlayableFiles;
  readonly unfinished: UnfinishedDownloads;
  readonly attempts: Attempts;
  readonly room: RoomMaker;
  readonly upkeep: Upkeep;
  readonly diskErrors: DiskErrors;
  readonly needs: () => ReadonlyMap<string, Need>;
  readonly lookAtDisk: () => Promise<void>;
  /** Lets the downloads go on. */
  readonly advance: () => void;
}

/** Opens the cache, and checks folder and disk every minute. */
export function createCacheRounds(base: CacheBase, parts: RoundParts) {
  const { directory, disk, schedule, background, closing, log } = base;
  const { files, unfinished, attempts, room, upkeep, diskErrors, needs, lookAtDisk, advance } = parts;
  const { stored, aside } = files;
  let isOpen = false;
  let cancel: (() => void) | null = null;

  function roundLater(): void {
    cancel?.();
    if (!closing.aborted)
      cancel = schedule(ROUND_MS, () => background.start('the cache could not be checked', round()));
  }

  /** Runs every minute; opens the cache first if that failed before. */
  async function round(): Promise<void> {
    try {
      if (!isOpen) {
        await load();
        if (!isOpen) return;
      }
      await lookAtDisk();
      await tidy();
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
    } catch (error) {
      diskErrors.unusable(diskCode(error), messageOf(error));
      log.error('the media folder cannot be used', { folder: directory, error: messageOf(error) });
      return;
    }
    isOpen = true;
    diskErrors.over();
    files.tellChanges();
    await lookAtDisk();
    advance();
  }

  /** Checks that files exist, drops unneeded parts, and reads old files again while nothing is downloaded. */
  async function tidy(): Promise<void> {
    await upkeep.lookForFiles();
    // Asked each time, because a part may be needed again meanwhile.
    for (const url of unfinished.urls()) if (!needs().has(url)) await unfinished.drop(url);
    const needed = needs();
    for (const memory of [base.problems, room, aside]) memory.keepOnly(needed);
    attempts.keepOnly({ has: (url) => needed.has(url) || stored.byUrl.has(url) });
    files.checks.keepOnly(stored.onDisk);
    files.tellChanges();
    advance();
    upkeep.readOldFilesAgain();
  }

  return {
    /** Whether the folder could be used so far. */
    isOpen: () => isOpen,
    /** Loads what is stored, then checks it every minute. Never rejects: an unusable folder is tried again. */
    async open(): Promise<void> {
      await load();
      roundLater();
    },
    end: () => cancel?.(),
  };
}
