/** As `statfs` returns it: blocks free for this user, and in all; the bytes of one. */
export type DiskRoom = Readonly<Record<'bavail' | 'blocks' | 'bsize', number>>;

export const freeBytesOf = ({ bavail, bsize }: Pick<DiskRoom, 'bavail' | 'bsize'>): number => bavail * bsize;

/**
 * Chromium calls a disk full when fewer bytes than this are free, 1 % or 1 GiB, whichever is less. Then no play can be
 * stored, so nothing is played. Creatives leave twice as much free; an export 1.5 times as much, for which creatives that
 * are not needed go.
 */
export const fullBelow = ({ blocks, bsize }: Pick<DiskRoom, 'blocks' | 'bsize'>): number =>
  Math.min(blocks * bsize * 0.01, 1024 ** 3);
