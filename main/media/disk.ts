import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { z } from 'zod';
import { isMissing } from '../describe-error';
import { oneByOne } from '../turns';
import { writeWholeFile } from '../whole-file';

/** Identifies one state of a file. */
export const FileStamp = z.object({
  bytes: z.number(),
  /** ms since the epoch, with fractions */
  modifiedMs: z.number(),
  inode: z.number(),
  /** When bytes, dates or owner last changed (ctime), ms as in `modifiedMs`; absent in notes of older versions. */
  changedMs: z.number().optional(),
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

/** A file that is open for appending. */
export interface GrowingFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the written bytes would survive a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Bytes with random access: a file, or a buffer in a test. */
export interface ByteSource {
  /** Length in bytes. */
  readonly length: number;
  /** The bytes at [at, at + length); fewer at the end of the source. */
  read(at: number, length: number): Promise<Uint8Array>;
}

export interface OpenFile extends ByteSource {
  close(): Promise<void>;
}

/** The part of a file system that the cache needs; rejects with the system's own errors. */
export interface Disk {
  makeFolder(path: string): Promise<void>;
  list(path: string): Promise<readonly string[]>;
  /** Null when there is no such file, or when it is a folder, a pipe or a device. */
  stamp(path: string): Promise<FileStamp | null>;
  readText(path: string): Promise<string>;
  /** Replaces the file atomically: a crash leaves the old or the new text. Calls run in order. */
  replaceText(path: string, text: string): Promise<void>;
  /** Truncates the file to its first `keepBytes` bytes (0: a new file) and appends there. */
  openToAppend(path: string, keepBytes: number): Promise<GrowingFile>;
  openToRead(path: string): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** Resolves also when the file does not exist. */
  remove(path: string): Promise<void>;
  /** Bytes that this user may still write to the disk that holds `path`. */
  freeBytes(path: string): Promise<number>;
}

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

/** Strikes can come faster than the disk syncs. */
const inOrder = oneByOne();

export const realDisk: Disk = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  list: (path) => readdir(path),
  async stamp(path) {
    try {
      const found = await stat(path);
      if (!found.isFile()) return null;
      return { bytes: found.size, modifiedMs: found.mtimeMs, inode: found.ino, changedMs: found.ctimeMs };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  readText: (path) => readFile(path, 'utf8'),
  replaceText: (path, text) => inOrder(() => writeWholeFile(path, text, 0o600)),
  async openToAppend(path, keepBytes) {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
    try {
      await file.truncate(keepBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
    return {
      write: (bytes) => file.appendFile(bytes),
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
  async openToRead(path) {
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
  rename,
  remove: (path) => rm(path, { force: true }),
  async freeBytes(path) {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
};
