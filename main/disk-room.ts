/** As `statfs` returns it: blocks free for this user, and in all; the bytes of one. */
export type DiskRoom = Readonly<Record<'bavail' | 'blocks' | 'bsize', number>>;

export const freeBytesOf = ({ bavail, bsize }: Pick<DiskRoom, 'bavail' | 'bsize'>): number => bavail * bsize;

/**
 * Bytes that have to stay free on the disk of the data folder, because otherwise no play can be stored. Chromium calls a
 * disk full when less than 1 % or 1 GiB of it is free, whichever is less, but some damaged databases, too; so it is twice
 * as much.
 */
export const roomForBooks = ({ blocks, bsize }: Pick<DiskRoom, 'blocks' | 'bsize'>): number =>
  2 * Math.min(blocks * bsize * 0.01, 1024 ** 3);

/** Bytes that creatives and exports leave free. @param minFreeBytes the setting */
export const bytesToKeepFree = (disk: Pick<DiskRoom, 'blocks' | 'bsize'>, minFreeBytes: number): number =>
  Math.max(minFreeBytes, roomForBooks(disk));
