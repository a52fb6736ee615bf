import { readFile, realpath, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { freeBytesOf } from '../disk-room';

/** Reads the system's files; injected, so that tests need no drive. */
export type DriveFiles = typeof driveFilesOnDisk;

export const driveFilesOnDisk = {
  /** Text of a small file; rejects when it cannot be read. */
  read: (path: string) => readFile(path, 'utf8'),
  /** The path without links; rejects when there is nothing. */
  realpath: (path: string) => realpath(path),
  freeBytes: async (path: string) => freeBytesOf(await statfs(path)),
};

const MAX_MOUNTS = 1_000;
const MAX_DRIVES = 16;

/**
 * File systems that are mounted for writing on removable drives (Linux): mounts of block devices that sit on USB or that
 * the kernel calls removable. None on other systems, and none if the system does not report them. `mountPoint`
 * identifies a drive while it is plugged in, and usually when it is plugged in again.
 */
export async function mountedDrives(files: DriveFiles) {
  const table = readMountTable(await files.read('/proc/self/mountinfo').catch(() => ''));
  const root = table.find(({ mountPoint }) => mountPoint === '/');
  // On a kiosk that boots from USB the system's own drive is no target.
  const own = root && (await deviceOf(root.device, files));
  const drives: Array<{ mountPoint: string; label: string; freeBytes: number | null }> = [];
  for (const mount of table) {
    if (drives.length >= MAX_DRIVES) break;
    if (!mount.writable || drives.some((drive) => drive.mountPoint === mount.mountPoint)) continue;
    const device = await deviceOf(mount.device, files);
    if (device === null || (own && isOneDisk(own, device)) || !(await isRemovable(device, files))) continue;
    drives.push({
      mountPoint: mount.mountPoint,
      label: basename(mount.mountPoint) || mount.mountPoint,
      freeBytes: await files.freeBytes(mount.mountPoint).catch(() => null),
    });
  }
  return drives;
}

/**
 * The mounts of block devices (`major:minor`) in a `mountinfo` table (proc(5)); later ones cover earlier ones at the same
 * place.
 */
function readMountTable(table: string) {
  const mounts = new Map<string, { device: string; mountPoint: string; writable: boolean }>();
  for (const line of table.split('\n', MAX_MOUNTS)) {
    const [, , device, root, mountPoint, options, ...rest] = line.split(' ');
    const type = rest[rest.indexOf('-') + 1];
    if (device === undefined || mountPoint === undefined || options === undefined || type === undefined) {
      continue;
    }
    const place = unescaped(mountPoint);
    mounts.delete(place);
    // Major 0 is no block device; a root other than "/" is a part of a drive that is mounted elsewhere.
    if (!/^[1-9]\d*:\d+$/.test(device) || root !== '/') continue;
    mounts.set(place, { device, mountPoint: place, writable: options.split(',').includes('rw') });
  }
  return [...mounts.values()];
}

/** Spaces, tabs, line ends and backslashes are octal in the table. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** The kernel's folder of the mounted device; that of a partition lies in the folder of its disk. Null if unknown. */
const deviceOf = (device: string, { realpath }: DriveFiles): Promise<string | null> =>
  realpath(`/sys/dev/block/${device}`).catch(() => null);

const diskOf = (path: string) => (basename(dirname(path)) === 'block' ? path : dirname(path));
const isOneDisk = (one: string, other: string) => diskOf(one) === diskOf(other);

async function isRemovable(path: string, { read }: DriveFiles): Promise<boolean> {
  if (/\/usb\d+\//.test(path)) return true;
  const removable = await read(join(diskOf(path), 'removable')).catch(() => null);
  return removable?.trim() === '1';
}
