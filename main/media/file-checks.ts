import { atOnce, hashFile, type Pace } from './checksum';
import { type Disk, isUntouched } from './disk';
import { words } from './media-problem';
import type { CachePaths, StoredMedia } from './stored-media';

export interface FileChecksParts {
  readonly disk: Disk;
  readonly paths: Pick<CachePaths, 'file'>;
  readonly schedule: (ms: number, run: () => void) => () => void;
  /** Longest wait of `isGoodToPlay` for a checksum, ms. */
  readonly verifyMs: number;
  readonly closing: AbortSignal;
  /** Lets a task go on, whatever becomes of it. */
  readonly inBackground: (what: string, task: Promise<unknown>) => void;
  /** It is not what was downloaded any more. */
  readonly onGone: (file: StoredMedia, code: 'corrupt' | 'lost', detail: string) => Promise<void>;
  /** Its checksum is right; `wasDoubtful`: until now it could not play. */
  readonly onIntact: (
    file: StoredMedia,
    stamp: NonNullable<StoredMedia['stamp']>,
    wasDoubtful: boolean,
  ) => Promise<void>;
  /** It was touched, and cannot be read in time: it waits. */
  readonly onDoubtful: (file: StoredMedia) => void;
}

/** Whether files are still what was downloaded (rule 13). */
export interface FileChecks {
  /** Reads a file again and compares its checksum. One reading at a time for each. */
  check(file: StoredMedia, pace: Pace): Promise<boolean>;
  /**
   * Whether it may play now: at once where it was checked in this run and not touched
   * since, else after its checksum, for which nobody waits longer than `verifyMs`.
   */
  isGoodToPlay(file: StoredMedia): Promise<boolean>;
  /** It was touched since its checksum was right, and is not read again yet. */
  isDoubtful(key: string): boolean;
  /** It was just downloaded, hashed on the way. */
  knownIntact(file: StoredMedia): void;
  forget(key: string): void;
}

export function createFileChecks(parts: FileChecksParts): FileChecks {
  const { disk, paths, closing } = parts;
  /** Keys whose checksum was right in this run, with the file as it was then. */
  const intact = new Map<string, StoredMedia['stamp']>();
  /** Checksums being read, by key. */
  const checks = new Map<string, Promise<boolean>>();
  const doubtful = new Set<string>();

  function check(file: StoredMedia, pace: Pace): Promise<boolean> {
    const running = checks.get(file.key);
    if (running) return running;
    const checking = readAgain(file, pace).finally(() => checks.delete(file.key));
    checks.set(file.key, checking);
    return checking;
  }

  async function readAgain(file: StoredMedia, pace: Pace): Promise<boolean> {
    const path = paths.file(file.key);
    try {
      const stamp = await disk.stamp(path);
      if (stamp === null) {
        await parts.onGone(file, 'lost', 'its file vanished from the cache folder');
        return false;
      }
      const hash = stamp.bytes === file.bytes ? await hashFile(disk, path, file.bytes, pace, closing) : null;
      if (hash?.digest('hex') !== file.sha256) {
        await parts.onGone(file, 'corrupt', 'the file on disk is not what was downloaded');
        return false;
      }
      intact.set(file.key, stamp);
      await parts.onIntact(file, stamp, doubtful.delete(file.key));
      return true;
    } catch (fault) {
      if (closing.aborted) return false;
      await parts.onGone(file, 'corrupt', `it cannot be read: ${words(fault)}`);
      return false;
    }
  }

  return {
    check,
    async isGoodToPlay(file) {
      const stamp = await disk.stamp(paths.file(file.key)).catch(() => null);
      if (isUntouched(stamp, intact.get(file.key))) return true;
      let cancel = () => {};
      const late = new Promise<'late'>((resolve) => {
        cancel = parts.schedule(parts.verifyMs, () => resolve('late'));
      });
      const checking = check(file, atOnce);
      parts.inBackground('a checksum could not be read', checking);
      const outcome = await Promise.race([checking, late]);
      cancel();
      if (outcome !== 'late') return outcome;
      if (isUntouched(stamp, file.stamp)) return true;
      doubtful.add(file.key);
      parts.onDoubtful(file);
      return false;
    },
    isDoubtful: (key) => doubtful.has(key),
    knownIntact: (file) => void intact.set(file.key, file.stamp),
    forget(key) {
      intact.delete(key);
      doubtful.delete(key);
    },
  };
}
