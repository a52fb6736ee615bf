import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { z } from 'zod';
import { plain } from '../../shared/plain';
import { nullIfMissing } from '../describe-error';
import { freeBytesOf } from '../disk-room';
import { oneByOne } from '../turns';
import { writeWholeFile } from '../whole-file';

/** Identifies one state of a file. */
export const FileStamp = z.object({
  bytes: plain.number,
  /** ms since the epoch, with fractions */
  modifiedMs: plain.number,
  inode: plain.number,
  /** When bytes, dates or owner last changed (ctime), ms as in `modifiedMs`; absent in notes of older versions. */
  changedMs: plain.number.optional(),
});
export type FileStamp = z.infer<typeof FileStamp>;

/**
 * Whether a file surely holds the same bytes as at an earlier stamp. The modification time proves nothing,
 * because whoever writes the file can set it back; ctime cannot be set.
 */
export const isUntouched = (a: FileStamp | null | undefined, b: FileStamp | null | undefined) =>
  sameStamp(a, b) && a?.changedMs !== undefined && a.changedMs === b?.changedMs;

/** Whether a file looks unchanged since an earlier stamp. Enough to skip work, not enough to trust its bytes. */
export const sameStamp = (a: FileStamp | null | undefined, b: FileStamp | null | undefined) =>
  !!a && !!b && a.bytes === b.bytes && a.modifiedMs === b.modifiedMs && a.inode === b.inode;

/** Bytes with random access: a file, or a buffer in a test. */
export interface ByteSource {
  /** Length in bytes. */
  readonly length: number;
  /** The bytes at [at, at + length); fewer at the end of the source. */
  read(at: number, length: number): Promise<Uint8Array>;
}

/** The part of a file system that the cache needs; rejects with the system's own errors. */
export type Disk = typeof realDisk;
export type GrowingFile = Awaited<ReturnType<Disk['openToAppend']>>;

/** Small enough that hashing one piece takes 0.2 ms. */
const PIECE_BYTES = 256 * 1024;

/** The first `bytes` bytes of a file, piece by piece; fewer if the file is shorter. */
export async function* piecesOf(
  disk: Pick<Disk, 'openToRead'>,
  path: string,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  const file = await disk.openToRead(path);
  try {
    for (let at = 0; at < bytes; ) {
      const piece = await file.read(at, Math.min(PIECE_BYTES, bytes - at));
      if (piece.length === 0) return;
      at += piece.length;
      yield piece;
    }
  } finally {
    await file.close();
  }
}

/** A note may change again before the disk has synced, and writes of one path must not overlap. */
const inOrder = oneByOne();

export const realDisk = {
  async makeFolder(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  list: (path: string): Promise<readonly string[]> => readdir(path),
  /** Null when there is no such file, or when it is a folder, a pipe or a device. */
  async stamp(path: string): Promise<FileStamp | null> {
    const found = await stat(path).catch(nullIfMissing);
    if (!found?.isFile()) return null;
    return { bytes: found.size, modifiedMs: found.mtimeMs, inode: found.ino, changedMs: found.ctimeMs };
  },
  /** The folder's device, and when a name in it was last added or removed, ms as in a stamp. */
  async folder(path: string): Promise<{ readonly device: number; readonly modifiedMs: number }> {
    const { dev, mtimeMs } = await stat(path);
    return { device: dev, modifiedMs: mtimeMs };
  },
  readText: (path: string): Promise<string> => readFile(path, 'utf8'),
  /** Replaces the file atomically: a crash leaves the old or the new text. Calls run in order. */
  replaceText: (path: string, text: string): Promise<void> =>
    inOrder(() => writeWholeFile(path, text, 0o600)),
  /** Truncates the file to its first `keepBytes` bytes (0: a new file) and appends there. */
  async openToAppend(path: string, keepBytes: number) {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
    try {
      await file.truncate(keepBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
    return {
      write: (bytes: Uint8Array): Promise<void> => file.appendFile(bytes),
      /** Resolves when the written bytes would survive a loss of power. */
      sync: (): Promise<void> => file.sync(),
      close: (): Promise<void> => file.close(),
    };
  },
  async openToRead(path: string): Promise<ByteSource & { close(): Promise<void> }> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      return {
        length: size,
        async read(at, length) {
          const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - at)));
          const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
          return buffer.subarray(0, bytesRead);
        },
        close: () => file.close(),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  rename: (from: string, to: string): Promise<void> => rename(from, to),
  /** Resolves even when the file does not exist. */
  remove: (path: string): Promise<void> => rm(path, { force: true }),
  /** Bytes that this user may still write to the disk that holds `path`. */
  freeBytes: async (path: string): Promise<number> => freeBytesOf(await statfs(path)),
};
