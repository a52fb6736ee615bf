import { basename } from 'node:path';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { BackgroundWork } from './background-work';
import { pacedAt } from './checksum';
import type { Disk } from './disk';
import type { FileChecks } from './file-checks';
import type { ProblemList } from './problem-list';
import type { StoredFiles } from './stored-files';
import type { CachePaths } from './stored-media';
import type { UnfinishedDownloads } from './unfinished-downloads';

const DAY_MS = 86_400_000;
/** Reading the whole cache again, a file at a time, takes this share of the disk, bytes a second. */
const REREAD_BYTES_PER_SECOND = 8_000_000;

export interface UpkeepParts {
  readonly directory: string;
  readonly disk: Pick<Disk, 'makeFolder' | 'list'>;
  readonly paths: Pick<CachePaths, 'file'>;
  readonly stored: StoredFiles;
  readonly unfinished: UnfinishedDownloads;
  readonly checks: Pick<FileChecks, 'check'>;
  readonly problems: ProblemList;
  /** Whether nothing is downloaded. */
  readonly isIdle: () => boolean;
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly background: BackgroundWork;
  readonly log: Log;
}

/** Keeps what the cache believes and what lies on the disk the same. */
export interface Upkeep {
  /** Makes the folder again if it vanished, and gives up what is not in it any more. */
  lookForFiles(): Promise<void>;
  /** Every file once a day, gently, while nothing is downloaded; harmless while it is at it. */
  readOldFilesAgain(): void;
}

export function createUpkeep(parts: UpkeepParts): Upkeep {
  const { directory, disk, paths, stored, problems, clock, log } = parts;
  const pace = pacedAt(REREAD_BYTES_PER_SECOND, clock.monotonic, parts.schedule);
  let reading = false;

  async function readOldest(): Promise<void> {
    reading = true;
    try {
      while (!parts.closing.aborted && parts.isIdle()) {
        const now = clock.now();
        const due = [...stored.byUrl.values()]
          .filter(({ verifiedAt }) => now - verifiedAt >= DAY_MS || verifiedAt > now)
          .sort((a, b) => a.verifiedAt - b.verifiedAt)[0];
        if (!due) return;
        await parts.checks.check(due, pace);
      }
    } finally {
      reading = false;
    }
  }

  return {
    async lookForFiles() {
      await disk.makeFolder(directory);
      const names = new Set(await disk.list(directory));
      for (const file of stored.all()) {
        if (names.has(basename(paths.file(file.key)))) continue;
        problems.note(file.url, 'lost', 'its file vanished from the cache folder');
        log.warn('a stored creative vanished', { url: file.url });
        await stored.drop(file);
      }
      parts.unfinished.keepOnly(names);
    },
    readOldFilesAgain() {
      if (!reading) parts.background.start('a stored creative could not be read again', readOldest());
    },
  };
}
