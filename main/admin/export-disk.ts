import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { syncFolder } from '../disk/whole-file';

/** The part of a file that an export writes through; injected, so that tests can pull the drive out. */
export interface ExportFile {
  write(content: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface ExportDisk {
  /** Opens a file for writing from `position` on; what lies behind it is cut off. */
  open(path: string, position: number): Promise<ExportFile>;
  /** SHA-256 over the first `bytes` of a file; null when it is shorter or not there. */
  hash(path: string, bytes: number): Promise<Hash | null>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

/** Real files. A name that is a link is not followed: nothing on a drive leads the kiosk elsewhere. */
export const exportDisk: ExportDisk = {
  async open(path, position) {
    const fresh = position === 0;
    if (fresh) await rm(path, { force: true });
    const flags = fresh
      ? constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
      : constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(path, flags, 0o600);
    let at = position;
    try {
      await handle.truncate(position);
    } catch (fault) {
      await handle.close().catch(() => undefined);
      throw fault;
    }
    return {
      async write(content) {
        let written = 0;
        while (written < content.byteLength) {
          const { bytesWritten } = await handle.write(content, written, content.byteLength - written, at);
          written += bytesWritten;
          at += bytesWritten;
        }
      },
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  async hash(path, bytes) {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => null);
    if (!handle) return null;
    try {
      return await hashOf(handle, bytes);
    } finally {
      await handle.close().catch(() => undefined);
    }
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  syncFolder,
};

async function hashOf(handle: FileHandle, bytes: number): Promise<Hash | null> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(1024 * 1024);
  let at = 0;
  while (at < bytes) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.byteLength, bytes - at), at);
    if (bytesRead === 0) return null;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash;
}
