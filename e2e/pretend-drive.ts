import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Pieces of an export that are written although writes are held: enough for some progress. */
const FREE_PIECES = 10;

export type PretendDrive = ReturnType<typeof pretendDrive>;

/**
 * A USB drive as the kiosk's main process sees it: a folder, and entries in the kernel's tables. Tests cannot
 * mount, so only the tables are faked.
 */
export function pretendDrive(folder: string) {
  const mountPoint = join(folder, 'STICK');
  const inPocket = join(folder, 'pulled-out');
  const table = join(folder, 'mountinfo');
  const required = join(folder, 'pretend-drive.cjs');
  const held = join(folder, 'writes-are-held');
  const line = `36 25 8:17 / ${mountPoint} rw,nosuid - vfat /dev/sdb1 rw\n`;
  mkdirSync(mountPoint, { recursive: true });
  writeFileSync(table, line);
  writeFileSync(
    required,
    `const files = require('node:fs/promises');
const { existsSync } = require('node:fs');
const { open, readFile, realpath } = files;
files.open = async (path, ...rest) => {
  const file = await open(path, ...rest);
  if (!/endcap-plays_.*\\.part$/.test(String(path))) return file;
  const write = file.writeFile.bind(file);
  let pieces = 0;
  file.writeFile = async (...content) => {
    pieces += 1;
    while (pieces > ${FREE_PIECES} && existsSync(${JSON.stringify(held)}))
      await new Promise((look) => setTimeout(look, 20));
    return write(...content);
  };
  return file;
};
files.readFile = (path, ...rest) =>
  readFile(path === '/proc/self/mountinfo' ? ${JSON.stringify(table)} : path, ...rest);
files.realpath = (path, ...rest) =>
  path === '/sys/dev/block/8:17'
    ? Promise.resolve('/sys/devices/pci0000:00/usb1/1-1/block/sdb/sdb1')
    : realpath(path, ...rest);
`,
  );
  return {
    /** For `startKiosk`. */
    required,
    /** While it is plugged in. */
    mountPoint,
    /** Removes it without notice to the kiosk, as people do. */
    pullOut(): void {
      renameSync(mountPoint, inPocket);
      writeFileSync(table, '');
    },
    plugIn(): void {
      rmSync(mountPoint, { recursive: true, force: true });
      renameSync(inPocket, mountPoint);
      writeFileSync(table, line);
    },
    /** Exports of the kiosk, to any target, wait after their first pieces until `letGo`. */
    holdWrites: () => writeFileSync(held, ''),
    letGo: () => rmSync(held, { force: true }),
    files: () => readdirSync(mountPoint).sort(),
  };
}
