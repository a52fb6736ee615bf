import { HOUR_MS } from '../../shared/clock';
import { messageOf } from '../describe-error';
import type { CacheBase } from './cache-base';
import type { StoredMedia } from './stored-media';

/** How old a time in a note may be, ms: a note is a durable write, and these times change all day (decision 94). */
const MAX_BEHIND_MS = 6 * HOUR_MS;

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
  /** The current file of each URL as its note describes it: times there may be older. */
  const noted = new Map<string, StoredMedia>();
  /** Key of the version of each URL that was handed out last. */
  const handedOut = new Map<string, string>();
  let urlsInUse: ReadonlySet<string> = new Set();
  /** SHA-256 of the files that play. */
  let playing: ReadonlySet<string> = new Set();

  const isInUse = ({ url, key, sha256 }: StoredMedia) =>
    playing.has(sha256) ||
    (urlsInUse.has(url) && (byUrl.get(url)?.key === key || handedOut.get(url) === key));

  function setCurrent(file: StoredMedia): void {
    byUrl.set(file.url, file);
    onDisk.set(file.key, file);
  }

  async function writeNote(file: StoredMedia): Promise<void> {
    noted.set(file.url, file);
    await disk.replaceText(paths.note(file.url), JSON.stringify(file));
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

  /** Sets a time of a URL's current file to now, in its note only if that is far behind. */
  function touch(url: string, which: 'usedAt' | 'checkedAt'): void {
    const file = byUrl.get(url);
    if (!file) return;
    const touched = { ...file, [which]: clock.now() };
    setCurrent(touched);
    const behindMs = touched[which] - (noted.get(url)?.[which] ?? 0);
    if (Math.abs(behindMs) >= MAX_BEHIND_MS)
      background.start('a note could not be written', writeNote(touched));
  }

  return {
    byUrl: byUrl as ReadonlyMap<string, StoredMedia>,
    /** All files on disk by key, older versions included. */
    onDisk: onDisk as ReadonlyMap<string, StoredMedia>,
    bytes: (): number => [...onDisk.values()].reduce((sum, file) => sum + file.bytes, 0),
    /** Makes this the current file of its URL, with its note; the previous one stays on disk until it is released. */
    add(file: StoredMedia): void {
      setCurrent(file);
      noted.set(file.url, file);
    },
    /** Updates the note of a URL's current file. @param key update only if this is its key; absent: any */
    async note(url: string, changes: Partial<StoredMedia>, key = byUrl.get(url)?.key): Promise<void> {
      const file = byUrl.get(url);
      if (!file || file.key !== key) return;
      const changed = { ...file, ...changes };
      setCurrent(changed);
      await writeNote(changed).catch((error: unknown) =>
        log.debug('a note could not be written', { url, error: messageOf(error) }),
      );
    },
    /** Removes this file from its URL. The file on disk is removed at once, or when it no longer plays. */
    async drop(file: StoredMedia): Promise<void> {
      if (byUrl.get(file.url)?.key === file.key) {
        byUrl.delete(file.url);
        noted.delete(file.url);
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
      if (byUrl.get(file.url)?.key === file.key) touch(file.url, 'usedAt');
    },
    /** Records that the server confirmed the current file of this URL. */
    confirmed: (url: string): void => touch(url, 'checkedAt'),
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
