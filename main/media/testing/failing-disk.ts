import { type Disk, realDisk } from '../disk';

/** The real disk, except that operations fail with the error code (ENOSPC, EROFS, …) that `fault` returns. */
export function failingDisk(
  fault: (operation: keyof Disk | 'write' | 'sync', path: string) => string | null,
): Disk {
  const allow = (operation: keyof Disk | 'write' | 'sync', path: string): void => {
    const code = fault(operation, path);
    if (code !== null) throw Object.assign(new Error(`${code}: ${operation} of ${path}`), { code });
  };
  return {
    async makeFolder(path) {
      allow('makeFolder', path);
      return realDisk.makeFolder(path);
    },
    async list(path) {
      allow('list', path);
      return realDisk.list(path);
    },
    async stamp(path) {
      allow('stamp', path);
      return realDisk.stamp(path);
    },
    async folder(path) {
      allow('folder', path);
      return realDisk.folder(path);
    },
    async readText(path) {
      allow('readText', path);
      return realDisk.readText(path);
    },
    async replaceText(path, text) {
      allow('replaceText', path);
      return realDisk.replaceText(path, text);
    },
    async openToAppend(path, keepBytes) {
      allow('openToAppend', path);
      const file = await realDisk.openToAppend(path, keepBytes);
      return {
        async write(bytes) {
          allow('write', path);
          return file.write(bytes);
        },
        async sync() {
          allow('sync', path);
          return file.sync();
        },
        close: () => file.close(),
      };
    },
    async openToRead(path) {
      allow('openToRead', path);
      return realDisk.openToRead(path);
    },
    async rename(from, to) {
      allow('rename', to);
      return realDisk.rename(from, to);
    },
    async remove(path) {
      allow('remove', path);
      return realDisk.remove(path);
    },
    async freeBytes(path) {
      allow('freeBytes', path);
      return realDisk.freeBytes(path);
    },
  };
}
