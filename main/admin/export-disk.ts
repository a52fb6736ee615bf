import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { syncFolder } from '../whole-file';

/** The file operations that an export needs; injected, so that tests can simulate a drive that is pulled out. */
export type ExportDisk = typeof exportDisk;

/** Real files. Links are not followed, so that nothing on a drive can lead the kiosk elsewhere. */
export const exportDisk = {
  /** Creates a file; an existing one of the same name is removed first. */
  async create(path: string) {
    await rm(path, { force: true });
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    return {
      // `writeFile` repeats short writes.
      write: (content: Uint8Array) => handle.writeFile(content),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  rename,
  remove: (path: string) => rm(path, { force: true }),
  async makeFolder(path: string) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  syncFolder,
  /** The names in a folder. */
  list: (path: string) => readdir(path),
};
