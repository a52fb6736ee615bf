import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import { plain } from '../../shared/plain';
import { messageOf } from '../describe-error';
import { readJsonIfThere } from '../whole-file';
import { type Disk, FileStamp } from './disk';
import { mediaIdentity } from './media-identity';

/** What the server sent to identify this version; null: nothing. */
export const Validators = z.object({ etag: plain.textOrNull, lastModified: plain.textOrNull });
export type Validators = z.infer<typeof Validators>;

/**
 * A file on disk that was downloaded completely and checked. `sha256`: in hex; `bytes`: its length. The key
 * identifies this content: the next version of the URL has another key. Times are ms since the epoch, UTC.
 */
export const StoredMedia = z.object({
  key: z.string().regex(/^[0-9a-f]+-[0-9a-f]+$/),
  url: plain.text,
  type: plain.text,
  bytes: z.int().positive(),
  sha256: plain.text,
  storedAt: plain.number,
  ...Validators.shape,
  /** When the server last confirmed this version. */
  checkedAt: plain.number,
  /** When its checksum was last right. */
  verifiedAt: plain.number,
  /** When it was last handed out to be played; before that, when it was stored. */
  usedAt: plain.number,
  /** State of the file when its checksum was right; null: not known. */
  stamp: FileStamp.nullable(),
});
export type StoredMedia = z.infer<typeof StoredMedia>;

/** An interrupted download that can be continued. */
export const PartNote = z.object({
  url: plain.text,
  ...Validators.shape,
  /** Length of the whole file, if the server sent it. */
  total: plain.whole.nullable(),
  /** How many bytes are synced to the disk. */
  safeBytes: plain.count,
  /** SHA-256 of these bytes, in hex. */
  sha256: plain.text,
});
export type PartNote = z.infer<typeof PartNote>;

/** Paths in the cache folder. Only files with these names are ever touched. */
export function cachePaths(folder: string) {
  const name = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 24);
  return {
    keyOf: (url: string, sha256: string) => `${name(url)}-${sha256.slice(0, 16)}`,
    file: (key: string) => join(folder, `${key}.bin`),
    note: (url: string) => join(folder, `${name(url)}.json`),
    part: (url: string) => join(folder, `${name(url)}.part`),
    partNote: (url: string) => join(folder, `${name(url)}.part.json`),
  };
}
export type CachePaths = ReturnType<typeof cachePaths>;

const NOTES_AT_ONCE = 32;

/**
 * Reads what earlier runs left in the folder, and removes what is incomplete: files and parts without a note, notes
 * without a file. What cannot be read now is left for the next start. Rejects when the folder cannot be created or listed.
 */
export async function readCacheFolder(disk: Disk, folder: string, log: Log) {
  const paths = cachePaths(folder);
  await disk.makeFolder(folder);
  const names = new Set(await disk.list(folder));
  const files: StoredMedia[] = [];
  const parts: PartNote[] = [];
  const kept = new Set<string>();
  /** Names of files, up to where `beginningOf` cuts them, whose note cannot be read now. */
  const unread = new Set<string>();
  /** Whether one of these is the note of a whole file, and not of a part. */
  let isNoteUnread = false;

  async function readNote(name: string): Promise<void> {
    if (name.endsWith('.part.json')) {
      const note = await readJson(disk, join(folder, name), PartNote);
      if (!note || paths.partNote(note.url) !== join(folder, name)) return;
      parts.push(note);
      kept.add(paths.part(note.url)).add(paths.partNote(note.url));
      return;
    }
    const media = await readJson(disk, join(folder, name), StoredMedia);
    if (!media || paths.note(media.url) !== join(folder, name)) return;
    const stamp = await disk.stamp(paths.file(media.key));
    if (stamp?.bytes !== media.bytes) {
      log.warn('a stored creative is not whole and was removed', { url: media.url });
      return;
    }
    files.push(media);
    kept.add(paths.file(media.key)).add(paths.note(media.url));
  }

  const notes = [...names].filter((name) => name.endsWith('.json'));
  for (let from = 0; from < notes.length; from += NOTES_AT_ONCE) {
    const some = notes.slice(from, from + NOTES_AT_ONCE).map((name) =>
      readNote(name).catch((error: unknown) => {
        log.error('the note of a stored creative cannot be read; it is left for the next start', {
          file: name,
          error: messageOf(error),
        });
        unread.add(beginningOf(name));
        isNoteUnread ||= !name.endsWith('.part.json');
      }),
    );
    await Promise.all(some);
  }
  for (const name of names) {
    const path = join(folder, name);
    // An unread note may name any file without a note: those that `byIdentity` renamed keep the key of their old URL.
    const mayBeNamed = isNoteUnread && name.endsWith('.bin') && !names.has(`${beginningOf(name)}.json`);
    const isKept = kept.has(path) || unread.has(beginningOf(name)) || mayBeNamed;
    if (isKept || !/\.(bin|json|part|tmp)$/.test(name)) continue;
    await disk.remove(path).catch((error: unknown) => {
      log.warn('a leftover file could not be removed', { file: name, error: messageOf(error) });
    });
  }
  return { files: await byIdentity(files), parts };

  /**
   * Names each file by its identity, which earlier versions did not: of several that differ only in their signature, the
   * latest. Nothing needs the others, so they make room.
   */
  async function byIdentity(all: readonly StoredMedia[]): Promise<readonly StoredMedia[]> {
    const byUrl = new Map(all.map((file) => [file.url, file]));
    for (const file of all.toSorted((a, b) => b.storedAt - a.storedAt)) {
      const url = mediaIdentity(file.url);
      const known = byUrl.get(url);
      // With the same key: an earlier run ended before it removed the old note.
      if (url === file.url || (known !== undefined && known.key !== file.key)) continue;
      const named = known ?? { ...file, url };
      byUrl.delete(file.url);
      byUrl.set(url, named);
      try {
        if (!known) await disk.replaceText(paths.note(url), JSON.stringify(named));
        await disk.remove(paths.note(file.url));
      } catch (error) {
        log.warn('a stored creative keeps its old name on the disk', { url, error: messageOf(error) });
      }
    }
    return [...byUrl.values()];
  }
}

/** The part of a name that all files of one URL share: note, part and versions. */
const beginningOf = (name: string) => name.split(/[-.]/)[0] ?? '';

/** Null: the file is missing, truncated or of another shape. Rejects when it cannot be read. */
const readJson = <T>(disk: Disk, path: string, shape: z.ZodType<T>): Promise<T | null> =>
  readJsonIfThere(path, shape, { readText: disk.readText });

/**
 * Puts a complete, synced part in place: first renames it to its key, then writes the note that makes it
 * count. After a crash at any point, either the old or the new file is there, complete.
 */
export async function storePart(
  disk: Disk,
  paths: CachePaths,
  media: Omit<StoredMedia, 'key' | 'stamp'>,
): Promise<StoredMedia> {
  const key = paths.keyOf(media.url, media.sha256);
  await disk.rename(paths.part(media.url), paths.file(key));
  const stamp = await disk.stamp(paths.file(key));
  const stored: StoredMedia = { ...media, key, stamp };
  await disk.replaceText(paths.note(media.url), JSON.stringify(stored));
  // The file counts already; the next start removes a note that is left.
  await disk.remove(paths.partNote(media.url)).catch(() => {});
  return stored;
}
