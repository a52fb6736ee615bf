import { describe, expect, it } from 'vitest';
import { type DriveFiles, mountedDrives } from './mounted-drives';

const TABLE = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '23 22 0:5 / /dev rw,nosuid - devtmpfs devtmpfs rw',
  '30 22 8:17 / /media/kiosk/OPERATOR\\040STICK rw,nosuid,nodev - vfat /dev/sdb1 rw',
  '31 22 8:33 / /media/kiosk/LOCKED ro,nosuid - vfat /dev/sdc1 ro',
  '32 22 11:0 / /media/cdrom ro - iso9660 /dev/sr0 ro',
  '33 22 179:1 / /media/kiosk/CARD rw shared:5 master:3 - exfat /dev/mmcblk1p1 rw',
  '34 22 8:17 /folder /srv/bound rw - vfat /dev/sdb1 rw',
  '35 22 254:0 / /data rw - ext4 /dev/mapper/data rw',
  '36 22 8:49 / /mnt/covered rw - vfat /dev/sdd1 rw',
  '37 36 0:44 / /mnt/covered rw - tmpfs tmpfs rw',
  'nonsense',
  '',
].join('\n');

const DEVICES: Record<string, string> = {
  '/sys/dev/block/8:1': '/sys/devices/pci0/ata1/block/sda/sda1',
  '/sys/dev/block/8:17': '/sys/devices/pci0/usb1/1-2/host6/block/sdb/sdb1',
  '/sys/dev/block/8:33': '/sys/devices/pci0/usb1/1-3/host7/block/sdc/sdc1',
  '/sys/dev/block/8:49': '/sys/devices/pci0/usb1/1-4/host8/block/sdd/sdd1',
  '/sys/dev/block/179:1': '/sys/devices/platform/mmc/block/mmcblk1/mmcblk1p1',
};
const FILES: Record<string, string> = {
  '/proc/self/mountinfo': TABLE,
  '/sys/devices/pci0/ata1/block/sda/removable': '0\n',
  '/sys/devices/platform/mmc/block/mmcblk1/removable': '1\n',
};
const from = (table: Record<string, string>) => async (path: string) => {
  const found = table[path];
  if (found === undefined) throw new Error(`no ${path}`);
  return found;
};
const machine: DriveFiles = { read: from(FILES), realpath: from(DEVICES), freeBytes: async () => 1_000 };

describe('removable drives', () => {
  it('are writable mounts on USB or on devices that the kernel calls removable', async () => {
    expect(await mountedDrives(machine)).toEqual([
      { mountPoint: '/media/kiosk/OPERATOR STICK', label: 'OPERATOR STICK', freeBytes: 1_000 },
      { mountPoint: '/media/kiosk/CARD', label: 'CARD', freeBytes: 1_000 },
    ]);
  });

  it('do not include the disk that the system runs from, even on USB', async () => {
    const table = [
      '22 1 8:50 / / rw - ext4 /dev/sdd2 rw',
      '23 22 8:49 / /boot/efi rw - vfat /dev/sdd1 rw',
      '24 22 8:51 / /var/spare rw - ext4 /dev/sdd3 rw',
      '30 22 8:17 / /media/kiosk/STICK rw - vfat /dev/sdb1 rw',
    ].join('\n');
    const disk = '/sys/devices/pci0/usb1/1-4/host8/block/sdd';
    const devices = {
      ...DEVICES,
      '/sys/dev/block/8:50': `${disk}/sdd2`,
      '/sys/dev/block/8:51': `${disk}/sdd3`,
    };
    const files = {
      ...machine,
      read: from({ ...FILES, '/proc/self/mountinfo': table }),
      realpath: from(devices),
    };
    expect((await mountedDrives(files)).map(({ label }) => label)).toEqual(['STICK']);
  });

  it('are listed even if their free space is unknown', async () => {
    const files = { ...machine, freeBytes: () => Promise.reject(new Error('EIO')) };
    expect((await mountedDrives(files)).map((drive) => drive.freeBytes)).toEqual([null, null]);
  });

  it('are an empty list if the system has no mount table', async () => {
    expect(await mountedDrives({ ...machine, read: from({}) })).toEqual([]);
  });

  it('are sixteen at most', async () => {
    const many = Array.from(
      { length: 5_000 },
      (_, index) => `1 1 8:17 / /media/${index} rw - vfat /dev/sdb1 rw`,
    );
    const read = from({ ...FILES, '/proc/self/mountinfo': many.join('\n') });
    expect(await mountedDrives({ ...machine, read })).toHaveLength(16);
  });
});
