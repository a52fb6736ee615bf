import { basename, join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../../shared/clock';
import { messageOf } from '../describe-error';
import type { CacheBase } from './cache-base';
import type { RoomMaker } from './make-room';
import { diskCode } from './media-problem';
import type { PlayableFiles } from './playable-files';
import { readCacheFolder } from './stored-media';
import { isNeeded, type Need } from './want-list';

/** How often folder and disk are checked, ms. */
const ROUND_MS = 60_000;

/**
 * For how long parts of an earlier run stay though no playlist wants them yet, ms: a playlist that had not taken over is
 * not stored, and the answer that wants them again may come late in a shop whose line does.
 */
const EARLIER_PARTS_STAY_MS = 6 * HOUR_MS;

export interface CacheRoundsParts {
  readonly files: PlayableFiles;
  readonly room: RoomMaker;
  readonly needs: () => ReadonlyMap<string, Need>;
  readonly lookAtDisk: () => Promise<void>;
  readonly isIdle: () => boolean;
  readonly advance: () => void;
}

/** Opens the cache, and checks folder and disk every minute. */
export function createCacheRounds(base: CacheBase, parts: CacheRoundsParts) {
  const { directory, disk, paths, problems, attempts, unfinished, diskErrors } = base;
  const { clock, schedule, background, closing, log } = base;
  const { files, room, needs, lookAtDisk, advance } = parts;
  const { stored, aside, checks } = files;
  let isReading = false;
  let isOpen = false;
  let earlier = { urls: new Set<string>(), stayUntil: 0 };
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
      earlier = { urls: new Set(unfinished.urls()), stayUntil: clock.monotonic() + EARLIER_PARTS_STAY_MS };
    } catch (error) {
      diskErrors.failed(diskCode(error), messageOf(error));
      // Each round tries to open it again.
      diskErrors.tryAgain();
      log.error('the media folder cannot be used', { folder: directory, error: messageOf(error) });
      return;
    }
    files.tellChanges();
    isOpen = true;
    diskErrors.over();
    await lookAtDisk();
    advance();
  }

  /** Checks that files exist, drops unneeded parts, keeps quota and floor, and reads files again. */
  async function tidy(): Promise<void> {
    await lookForFiles();
    files.tellChanges();
    const mayStay = clock.monotonic() < earlier.stayUntil && !room.isTight();
    for (const url of unfinished.urls()) {
      // Asked each time, because a part may be needed again meanwhile.
      if (!needs().has(url) && !(mayStay && earlier.urls.has(url))) await unfinished.drop(url);
    }
    const needed = needs();
    for (const url of problems.keys()) if (!needed.has(url)) problems.delete(url);
    for (const memory of [room, aside]) memory.keepOnly(needed);
    attempts.keepOnly({ has: (url) => needed.has(url) || stored.byUrl.has(url) });
    checks.keepOnly(stored.onDisk);
    await tryDisk();
    await room.keepBounds();
    advance();
    if (!isReading) background.start('a stored creative could not be read again', readFilesAgain());
  }

  /** After a disk error the file that would have been the next try may be gone. Then a write of our own is. */
  async function tryDisk(): Promise<void> {
    const error = diskErrors.current();
    const isFileLeft = [...problems].some(
      ([url, { code }]) =>
        code === error?.code && !stored.byUrl.has(url) && isNeeded(needs().get(url), clock.now()),
    );
    if (error === null || diskErrors.pauseMs() > 0 || isFileLeft) return;
    const path = join(directory, 'try.tmp');
    try {
      await disk.replaceText(path, 'try');
      await disk.remove(path);
      diskErrors.over();
    } catch (failure) {
      diskErrors.failed(diskCode(failure), messageOf(failure));
    }
  }

  /** Creates the folder again if it vanished, and drops the notes of missing files. */
  async function lookForFiles(): Promise<void> {
    await disk.makeFolder(directory);
    const names = new Set(await disk.list(directory));
    // A copy, because a file that arrives meanwhile is not among the names.
    for (const file of [...stored.onDisk.values()]) {
      if (names.has(basename(paths.file(file.key)))) continue;
      const detail = 'its file vanished from the cache folder';
      problems.set(file.url, { url: file.url, code: 'lost', detail });
      log.warn('a stored creative vanished', { url: file.url });
      await stored.drop(file);
    }
  }

  /**
   * Checks the files that are needed and could not be read; then, while nothing is downloaded, every needed file once a
   * day. Slowly. While one of the former cannot be read no other one is checked, because the error may be one of the whole
   * machine (EMFILE).
   */
  async function readFilesAgain(): Promise<void> {
    isReading = true;
    try {
      const unreadable = [...stored.byUrl.values()].filter(
        ({ url, key }) => needs().has(url) && checks.readError(key) !== null,
      );
      for (const file of unreadable) {
        if (checks.isReadDue(file.key) && (await checks.check(file, checks.slowly)) !== 'unreadable')
          continue;
        // Its place on the disk may be bad for good: the same bytes, fetched again, get another one.
        attempts.revalidate([file.url]);
        advance();
      }
      if (unreadable.some(({ key }) => checks.readError(key) !== null)) return;
      while (!closing.aborted && parts.isIdle()) {
        const now = clock.now();
        const due = [...stored.byUrl.values()].find(
          ({ url, key, verifiedAt }) =>
            needs().has(url) && !checks.isUnchecked(key) && (now - verifiedAt >= DAY_MS || verifiedAt > now),
        );
        if (!due || (await checks.check(due, checks.slowly)) === 'unreadable') return;
      }
    } finally {
      isReading = false;
    }
  }

  return {
    lookForFiles,
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
