import { HOUR_MS } from '../../shared/clock';
import { messageOf } from '../describe-error';
import type { CacheBase } from './cache-base';
import type { StoredMedia } from './stored-media';

export type StoredFiles = ReturnType<typeof createStoredFiles>;

/**
 * The files on disk: the current version of each URL, and older versions while they play. A note beside each
 * file describes it for the next run.
 * @param onDropped called with each URL that has no file any more
 */
export function createStoredFiles(base: CacheBase, onDropped: (url: string) => void) {
  const { disk, paths, clock, log, background } = base;
  /** The current file of each URL. */
  const byUrl = new Map<string, StoredMedia>();
  const onDisk = new Map<string, StoredMedia>();
  /** Key of the version of each URL that was handed out last. */
  const handedOut = new Map<string, string>();
  let urlsInUse: ReadonlySet<string> = new Set();
  /** SHA-256 of the files that play. */
  let playing: ReadonlySet<string> = new Set();

  const isInUse = ({ url, key, sha256 }: StoredMedia) =>
    playing.has(sha256) ||
    (urlsInUse.has(url) && (byUrl.get(url)?.key === key || handedOut.get(url) === key));
  const writeNote = (file: StoredMedia) => disk.replaceText(paths.note(file.url), JSON.stringify(file));

  /** Makes this the current file of its URL; the previous one stays on disk until it is released. */
  function add(file: StoredMedia): void {
    byUrl.set(file.url, file);
    onDisk.set(file.key, file);
  }

  async function erase(file: StoredMedia): Promise<void> {
    onDisk.delete(file.key);
    await disk
      .remove(paths.file(file.key))
      .catch((error: unknown) =>
        log.warn('a file could not be removed', { url: file.url, error: messageOf(error) }),
      );
  }

  /** Removes the file from the disk, or later if it plays now or next. */
  function release(file: StoredMedia): void {
    if (!isInUse(file)) background.start('an old file could not be removed', erase(file));
  }

  function used(file: StoredMedia): void {
    const now = clock.now();
    const current = byUrl.get(file.url);
    if (current?.key !== file.key) return;
    const isWorthWriting = Math.abs(now - current.usedAt) >= HOUR_MS;
    const touched = { ...current, usedAt: now };
    add(touched);
    if (isWorthWriting) background.start('a note could not be written', writeNote(touched));
  }

  return {
    byUrl: byUrl as ReadonlyMap<string, StoredMedia>,
    /** All files on disk by key, older versions included. */
    onDisk: onDisk as ReadonlyMap<string, StoredMedia>,
    bytes: (): number => [...onDisk.values()].reduce((sum, file) => sum + file.bytes, 0),
    add,
    /** Updates the note of a URL's current file. @param key update only if this is its key; absent: any */
    async note(url: string, changes: Partial<StoredMedia>, key = byUrl.get(url)?.key): Promise<void> {
      const file = byUrl.get(url);
      if (!file || file.key !== key) return;
      const changed = { ...file, ...changes };
      add(changed);
      await writeNote(changed).catch((error: unknown) =>
        log.debug('a note could not be written', { url, error: messageOf(error) }),
      );
    },
    /** Removes this file from its URL. The file on disk is removed at once, or when it no longer plays. */
    async drop(file: StoredMedia): Promise<void> {
      if (byUrl.get(file.url)?.key === file.key) {
        byUrl.delete(file.url);
        onDropped(file.url);
        await disk
          .remove(paths.note(file.url))
          .catch((error: unknown) => log.warn('a note could not be removed', { error: messageOf(error) }));
      }
      if (!isInUse(file)) await erase(file);
    },
    release,
    /** Records that the file is about to play. */
    handOut(file: StoredMedia): void {
      handedOut.set(file.url, file.key);
      used(file);
    },
    /**
     * URLs that play now and next, and the SHA-256 of the files that play: these stay, and of each URL the current
     * version and the one handed out last.
     */
    inUse(urls: Iterable<string>, nowPlaying: Iterable<string>): void {
      const before = urlsInUse;
      urlsInUse = new Set(urls);
      playing = new Set(nowPlaying);
      for (const url of before) if (!urlsInUse.has(url)) handedOut.delete(url);
      // Remove older versions that no longer play.
      for (const file of onDisk.values()) if (byUrl.get(file.url)?.key !== file.key) release(file);
    },
    isInUse,
  };
}
