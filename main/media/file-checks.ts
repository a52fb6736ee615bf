import { beforeDeadline, startDeadline } from '../deadline';
import { reasonOf } from '../describe-error';
import { doublingMs } from '../egress/back-off';
import type { CacheBase } from './cache-base';
import { hashFile, type Pace, pacedAt } from './checksum';
import { isUntouched } from './disk';
import type { StoredMedia } from './stored-media';

interface FileChecksListener {
  /** The file on disk is missing, or differs from the download. */
  readonly onGone: (file: StoredMedia, code: 'corrupt' | 'lost', detail: string) => Promise<void>;
  readonly onIntact: (file: StoredMedia, stamp: NonNullable<StoredMedia['stamp']>) => Promise<void>;
  /** `isUnchecked` changed for a file. */
  readonly onChange: () => void;
}

/** Waits before a file that cannot be read is read again: a large one with a bad sector must not keep the disk busy. */
const READ_AGAIN = { minMs: 60_000, maxMs: 600_000 };

/** Reads of a file that failed, in a row. `againAt`: when it is read again, on the monotonic clock, ms. */
interface ReadErrors {
  readonly error: string;
  readonly times: number;
  readonly againAt: number;
}

/** What a check found; `closing`: nothing, because the cache is closing. */
export type CheckResult = 'intact' | 'lost' | 'corrupt' | 'unreadable' | 'closing';

/** Longest wait of `isGoodToPlay` for a checksum, ms. */
const VERIFY_MS = 1_000;
/** Rate at which files are read again that nobody waits for, bytes a second: they must not delay what plays. */
const REREAD_BYTES_PER_SECOND = 8_000_000;

/** Checks that stored files are still what was downloaded (rule 13). */
export function createFileChecks(
  { disk, paths, clock, schedule, log, background, closing }: CacheBase,
  listener: FileChecksListener,
) {
  /** Keys whose checksum was right in this run, with the file's stamp at that time. */
  const intact = new Map<string, StoredMedia['stamp']>();
  const checks = new Map<string, Promise<CheckResult>>();
  /** Keys of files that do not play before they were read; null: it takes too long. */
  const unchecked = new Map<string, ReadErrors | null>();
  const slowly = pacedAt(REREAD_BYTES_PER_SECOND, clock.monotonic, schedule);

  /** Reads a file again and compares its checksum. Concurrent calls for one file share one reading. */
  function check(file: StoredMedia, pace: Pace): Promise<CheckResult> {
    const running = checks.get(file.key);
    if (running) return running;
    const checking = readAgain(file, pace).finally(() => checks.delete(file.key));
    checks.set(file.key, checking);
    return checking;
  }

  async function readAgain(file: StoredMedia, pace: Pace): Promise<CheckResult> {
    const path = paths.file(file.key);
    const before = intact.get(file.key);
    /** Whether the same bytes were downloaded meanwhile. Then what was read is of the old file. */
    const isReplaced = () => intact.has(file.key) && intact.get(file.key) !== before;
    try {
      const stamp = await disk.stamp(path);
      if (stamp === null) {
        await listener.onGone(file, 'lost', 'its file vanished from the cache folder');
        return 'lost';
      }
      const hash = stamp.bytes === file.bytes ? await hashFile(disk, path, file.bytes, pace, closing) : null;
      if (isReplaced()) return canRead(file);
      if (hash?.digest('hex') !== file.sha256) {
        await listener.onGone(file, 'corrupt', 'the file on disk is not what was downloaded');
        return 'corrupt';
      }
      intact.set(file.key, stamp);
      const result = canRead(file);
      await listener.onIntact(file, stamp);
      return result;
    } catch (error) {
      if (closing.aborted) return 'closing';
      return isReplaced() ? canRead(file) : cannotRead(file, reasonOf(error));
    }
  }

  function canRead({ key }: StoredMedia): CheckResult {
    if (unchecked.delete(key)) listener.onChange();
    return 'intact';
  }

  /** Not gone: its bytes may be good, and without network they could not be fetched again. */
  function cannotRead({ key, url }: StoredMedia, error: string): CheckResult {
    const { times: before = 0 } = unchecked.get(key) ?? {};
    if (before === 0) log.warn('a stored creative cannot be read now; it is kept', { url, error });
    const times = before + 1;
    unchecked.set(key, { error, times, againAt: clock.monotonic() + doublingMs(times, READ_AGAIN) });
    listener.onChange();
    return 'unreadable';
  }

  return {
    check,
    /** The pace of a check that nobody waits for. All these share one rate. */
    slowly,
    /**
     * Whether the file may play now. Immediate if it was checked in this run and not touched since; otherwise
     * after a checksum, within a second.
     */
    async isGoodToPlay(file: StoredMedia): Promise<boolean> {
      const stamp = await disk.stamp(paths.file(file.key)).catch(() => null);
      if (isUntouched(stamp, intact.get(file.key))) return true;
      const begun = clock.monotonic();
      // The rest of a long film is read while it plays.
      const checking = check(file, async (bytes) => {
        if (clock.monotonic() - begun >= VERIFY_MS) await slowly(bytes);
      });
      background.start('a checksum could not be read', checking);
      // Null: it takes too long.
      const outcome = await beforeDeadline(startDeadline(VERIFY_MS, schedule), () => checking).catch(
        () => null,
      );
      if (outcome !== null) return outcome === 'intact';
      // Read in time, only its note is still being written; or not touched since the note.
      if ([intact.get(file.key), file.stamp].some((known) => isUntouched(stamp, known))) return true;
      unchecked.set(file.key, null);
      listener.onChange();
      return false;
    },
    /** Whether the file could not be read, or not in time although it was touched since its last check. */
    isUnchecked: (key: string): boolean => unchecked.has(key),
    /** The error of the last try to read the file; null: there was none. */
    readError: (key: string): string | null => unchecked.get(key)?.error ?? null,
    /** Whether a file that could not be read is to be read again. */
    isReadDue: (key: string): boolean =>
      clock.monotonic() >= (unchecked.get(key)?.againAt ?? Number.POSITIVE_INFINITY),
    /** Records that the file was just downloaded and hashed. */
    knownIntact(file: StoredMedia): void {
      intact.set(file.key, file.stamp);
      unchecked.delete(file.key);
    },
    /** Forgets files that are not on the disk any more, by key. */
    keepOnly(keys: { has(key: string): boolean }): void {
      for (const memory of [intact, unchecked])
        for (const key of memory.keys()) if (!keys.has(key)) memory.delete(key);
    },
  };
}
