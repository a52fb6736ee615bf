import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { BackgroundWork } from './background-work';
import type { Disk } from './disk';
import { words } from './media-problem';
import type { CachePaths, StoredMedia } from './stored-media';

const HOUR_MS = 3_600_000;

export interface StoredFilesParts {
  readonly disk: Pick<Disk, 'remove' | 'replaceText'>;
  readonly paths: Pick<CachePaths, 'file' | 'note'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly background: BackgroundWork;
  /** The URL has no file any more. */
  readonly onDropped: (url: string) => void;
  /** These bytes are about to go. */
  readonly onErased: (key: string) => void;
}

/**
 * The files on disk: the one of each URL, and those whose URL has a newer one, for
 * as long as they play. The notes beside them say the same to the next run.
 */
export interface StoredFiles {
  /** The file of each URL. */
  readonly byUrl: ReadonlyMap<string, StoredMedia>;
  byKey(key: string): StoredMedia | null;
  /** Every file on disk. */
  all(): readonly StoredMedia[];
  bytes(): number;
  /** It is the file of its URL from now on; the one before stays on disk until it is released. */
  add(file: StoredMedia): void;
  /** Changes what is known of the file of a URL, as long as it is the one of `key`; absent: whichever it is. */
  note(url: string, changes: Partial<StoredMedia>, key?: string): Promise<void>;
  /** The URL has this file no more; the bytes go at once, or when they do not play any more. */
  drop(file: StoredMedia): Promise<void>;
  /** The bytes go, unless they play: then later. */
  release(file: StoredMedia): void;
  /** It was handed out to be played. */
  handOut(file: StoredMedia): void;
  /** Nothing of this URL plays or comes next. */
  takeBack(url: string): void;
  /** Key of the file of this URL that was handed out last. */
  handedOutLast(url: string): string | undefined;
  /** URLs of what plays now and next: what was handed out for them stays. */
  inUse(urls: Iterable<string>): void;
  isInUse(file: StoredMedia): boolean;
}

export function createStoredFiles(parts: StoredFilesParts): StoredFiles {
  const { disk, paths, clock, log, background } = parts;
  const byUrl = new Map<string, StoredMedia>();
  const onDisk = new Map<string, StoredMedia>();
  /** The versions of each URL handed out last, at most two: one plays, the other may come next. */
  const handedOut = new Map<string, readonly string[]>();
  let urlsInUse: ReadonlySet<string> = new Set();

  const isInUse = ({ url, key }: StoredMedia) =>
    urlsInUse.has(url) && (byUrl.get(url)?.key === key || handedOut.get(url)?.includes(key) === true);
  const writeNote = (file: StoredMedia) => disk.replaceText(paths.note(file.url), JSON.stringify(file));

  function add(file: StoredMedia): void {
    byUrl.set(file.url, file);
    onDisk.set(file.key, file);
  }

  async function erase(file: StoredMedia): Promise<void> {
    onDisk.delete(file.key);
    parts.onErased(file.key);
    await disk
      .remove(paths.file(file.key))
      .catch((fault: unknown) =>
        log.warn('a file could not be removed', { url: file.url, fault: words(fault) }),
      );
  }

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
    byUrl,
    byKey: (key) => onDisk.get(key) ?? null,
    all: () => [...onDisk.values()],
    bytes: () => [...onDisk.values()].reduce((sum, file) => sum + file.bytes, 0),
    add,
    async note(url, changes, key = byUrl.get(url)?.key) {
      const file = byUrl.get(url);
      if (!file || file.key !== key) return;
      const changed = { ...file, ...changes };
      add(changed);
      await writeNote(changed).catch((fault: unknown) =>
        log.debug('a note could not be written', { url, fault: words(fault) }),
      );
    },
    async drop(file) {
      if (byUrl.get(file.url)?.key === file.key) {
        byUrl.delete(file.url);
        parts.onDropped(file.url);
        await disk
          .remove(paths.note(file.url))
          .catch((fault: unknown) => log.warn('a note could not be removed', { fault: words(fault) }));
      }
      if (!isInUse(file)) await erase(file);
    },
    release,
    handOut(file) {
      const older = handedOut.get(file.url)?.at(-1);
      handedOut.set(file.url, older === undefined || older === file.key ? [file.key] : [older, file.key]);
      used(file);
    },
    takeBack: (url) => void handedOut.delete(url),
    handedOutLast: (url) => handedOut.get(url)?.at(-1),
    inUse(urls) {
      const before = urlsInUse;
      urlsInUse = new Set(urls);
      for (const url of before) if (!urlsInUse.has(url)) handedOut.delete(url);
      // Files whose URL has a newer one, or none, and that do not play any more.
      for (const file of onDisk.values()) if (byUrl.get(file.url)?.key !== file.key) release(file);
    },
    isInUse,
  };
}
