import { type Disk, realDisk } from '../disk';

type Operation = keyof Disk | 'write' | 'sync';

/** The real disk, except that operations fail with the error code (ENOSPC, EROFS, …) that `fault` returns. */
export function failingDisk(fault: (operation: Operation, path: string) => string | null): Disk {
  const allow = (operation: Operation, path: string): void => {
    const code = fault(operation, path);
    if (code !== null) throw Object.assign(new Error(`${code}: ${operation} of ${path}`), { code });
  };
  const operations = Object.entries(realDisk).map(([name, run]) => [
    name,
    async (...given: string[]) => {
      // A renamed file fails at its new path.
      allow(name as keyof Disk, given.at(name === 'rename' ? 1 : 0) ?? '');
      return (run as (...given: string[]) => unknown)(...given);
    },
  ]);
  const disk: Disk = Object.fromEntries(operations);
  return {
    ...disk,
    async openToAppend(path, keepBytes) {
      const file = await disk.openToAppend(path, keepBytes);
      return {
        ...file,
        async write(bytes) {
          allow('write', path);
          return file.write(bytes);
        },
        async sync() {
          allow('sync', path);
          return file.sync();
        },
      };
    },
  };
}
