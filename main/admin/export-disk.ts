import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { syncFolder } from '../whole-file';

/** The file operations that an export needs; injected, so that tests can simulate a drive that is pulled out. */
export interface ExportFile {
  write(content: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface ExportDisk {
  /** Creates a file; an existing one of the same name is removed first. */
  create(path: string): Promise<ExportFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  /** The names in a folder. */
  list(path: string): Promise<readonly string[]>;
}

/** Real files. Links are not followed, so that nothing on a drive can lead the kiosk elsewhere. */
export const exportDisk: ExportDisk = {
  async create(path) {
    await rm(path, { force: true });
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    return {
      // `writeFile` repeats short writes.
      write: (content) => handle.writeFile(content),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  syncFolder,
  list: (path) => readdir(path),
};
