import { basename } from 'node:path';
import type { CacheBase } from './cache-base';
import { pacedAt } from './checksum';
import type { PlayableFiles } from './playable-files';
import type { UnfinishedDownloads } from './unfinished-downloads';

const DAY_MS = 86_400_000;
/** Rate at which stored files are read again, bytes a second. */
const REREAD_BYTES_PER_SECOND = 8_000_000;

export type Upkeep = ReturnType<typeof createUpkeep>;

/**
 * Keeps the cache's notes in line with the files on the disk.
 * @param isIdle whether nothing is downloaded
 */
export function createUpkeep(
  { directory, disk, paths, problems, clock, schedule, background, log, closing }: CacheBase,
  { stored, checks }: Pick<PlayableFiles, 'stored' | 'checks'>,
  unfinished: UnfinishedDownloads,
  isIdle: () => boolean,
) {
  const pace = pacedAt(REREAD_BYTES_PER_SECOND, clock.monotonic, schedule);
  let reading = false;

  async function readOldest(): Promise<void> {
    reading = true;
    try {
      while (!closing.aborted && isIdle()) {
        const now = clock.now();
        const due = [...stored.byUrl.values()]
          .filter(({ verifiedAt }) => now - verifiedAt >= DAY_MS || verifiedAt > now)
          .sort((a, b) => a.verifiedAt - b.verifiedAt)[0];
        if (!due) return;
        await checks.check(due, pace);
      }
    } finally {
      reading = false;
    }
  }

  return {
    /** Creates the folder again if it vanished, and drops the notes of missing files. */
    async lookForFiles(): Promise<void> {
      await disk.makeFolder(directory);
      const names = new Set(await disk.list(directory));
      // A copy, because a file that arrives meanwhile is not among the names.
      for (const file of [...stored.onDisk.values()]) {
        if (names.has(basename(paths.file(file.key)))) continue;
        problems.note(file.url, 'lost', 'its file vanished from the cache folder');
        log.warn('a stored creative vanished', { url: file.url });
        await stored.drop(file);
      }
      unfinished.keepOnly(names);
    },
    /** Checks every file once a day, slowly, while nothing is downloaded. May be called at any time. */
    readOldFilesAgain(): void {
      if (!reading) background.start('a stored creative could not be read again', readOldest());
    },
  };
}
