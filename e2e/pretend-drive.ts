import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PretendDrive {
  /** For `startKiosk`. */
  readonly required: string;
  /** Mount point while it is plugged in. */
  readonly mountPoint: string;
  /** Removes it without notice to the kiosk, as people do. */
  pullOut(): void;
  plugIn(): void;
  files(): string[];
}

/**
 * A USB drive as the kiosk's main process sees it: a folder, and entries in the kernel's tables. Tests cannot
 * mount, so only the tables are faked.
 */
export function pretendDrive(folder: string): PretendDrive {
  const mountPoint = join(folder, 'STICK');
  const inPocket = join(folder, 'pulled-out');
  const table = join(folder, 'mountinfo');
  const required = join(folder, 'pretend-drive.cjs');
  const line = `36 25 8:17 / ${mountPoint} rw,nosuid - vfat /dev/sdb1 rw\n`;
  mkdirSync(mountPoint, { recursive: true });
  writeFileSync(table, line);
  writeFileSync(
    required,
    `const files = require('node:fs/promises');
const { readFile, realpath } = files;
files.readFile = (path, ...rest) =>
  readFile(path === '/proc/self/mountinfo' ? ${JSON.stringify(table)} : path, ...rest);
files.realpath = (path, ...rest) =>
  path === '/sys/dev/block/8:17'
    ? Promise.resolve('/sys/devices/pci0000:00/usb1/1-1/block/sdb/sdb1')
    : realpath(path, ...rest);
`,
  );
  return {
    required,
    mountPoint,
    pullOut() {
      renameSync(mountPoint, inPocket);
      writeFileSync(table, '');
    },
    plugIn() {
      rmSync(mountPoint, { recursive: true, force: true });
      renameSync(inPocket, mountPoint);
      writeFileSync(table, line);
    },
    files: () => readdirSync(mountPoint).sort(),
  };
}
