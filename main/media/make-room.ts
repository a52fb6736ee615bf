import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { oneByOne } from '../turns';
import type { CacheBase } from './cache-base';
import { evictableBytes, filesToEvict, newFileKind } from './room';
import type { StoredFiles } from './stored-files';
import type { UnfinishedDownloads } from './unfinished-downloads';
import { isNeeded, type Need } from './want-list';

/** A download that asks for room, and the bytes that it has reserved and written. */
export interface RoomSeeker {
  readonly need: Need;
  reservedBytes: number;
  readonly writtenBytes: number;
}

/** A file that found no room: its size, and whether the quota or the disk is short. */
export interface NoRoom {
  readonly bytes: number;
  readonly code: 'cache-too-small' | 'disk-low';
}

export interface RoomMakerParts {
  readonly quotaBytes: number;
  readonly minFreeBytes: number;
  readonly stored: Pick<StoredFiles, 'byUrl' | 'bytes' | 'isInUse' | 'drop'>;
  readonly unfinished: Pick<UnfinishedDownloads, 'urls' | 'bytes' | 'drop'>;
  readonly downloads: () => Iterable<RoomSeeker>;
  readonly needs: () => ReadonlyMap<string, Need>;
  readonly isSetAside: (url: string) => boolean;
  /** Free space on the disk as `lookAtDisk` measured it last, bytes; null: not known. */
  readonly freeBytes: () => number | null;
  readonly lookAtDisk: () => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly problems: CacheBase['problems'];
}

/**
 * Most files that no list has, as many as those of the largest playlist, which may come back: main looks at all files at
 * once when one needs room, and a start reads all their notes. Ads whose pictures have another URL each time would leave
 * tens of thousands within the quota.
 */
const MAX_UNWANTED = 10_000;

export type RoomMaker = ReturnType<typeof createRoomMaker>;

/**
 * Makes room in quota and disk, for downloads and where another program or a smaller quota took it: drops unneeded
 * parts (the rounds do where nothing is downloaded), evicts files (rule 13), and remembers which files found no room.
 */
export function createRoomMaker(parts: RoomMakerParts) {
  const { stored, unfinished, needs, clock, log } = parts;
  /** Files that found no room, by URL. */
  const lacking = new Map<string, NoRoom>();
  const inOrder = oneByOne();

  /** Bytes missing if the file is `bytes` long; 0 or less: it fits. @param download null: it has not begun */
  function shortage(bytes: number, download: RoomSeeker | null, need: Need) {
    let reserved = 0;
    let unwritten = 0;
    for (const other of parts.downloads()) {
      if (other === download) continue;
      reserved += other.reservedBytes;
      unwritten += Math.max(0, other.reservedBytes - other.writtenBytes);
    }
    // The file that is replaced is removed at the same time, so it is not counted.
    const replaced = stored.byUrl.get(need.url)?.bytes ?? 0;
    const freeBytes = parts.freeBytes();
    const floor = freeBytes === null ? Number.POSITIVE_INFINITY : freeBytes - parts.minFreeBytes;
    const quota = stored.bytes() - replaced + unfinished.bytes() + reserved + bytes - parts.quotaBytes;
    const disk = unwritten + Math.max(0, bytes - (download?.writtenBytes ?? 0)) - floor;
    return { quota, disk, bytes: Math.max(quota, disk) };
  }

  const evictionQuestion = (newFile: Need) => ({
    newFile,
    occupants: [...stored.byUrl.values()].map((file) => ({
      ...file,
      inUse: stored.isInUse(file) || file.url === newFile.url,
      setAside: parts.isSetAside(file.url),
    })),
    needs: needs(),
    now: clock.now(),
  });

  async function makeRoom(seeker: RoomSeeker, bytes: number): Promise<boolean> {
    const { need } = seeker;
    await parts.lookAtDisk();
    let short = shortage(bytes, seeker, need);
    for (const url of unfinished.urls()) {
      if (short.bytes <= 0) break;
      if (isNeeded(needs().get(url), clock.now())) continue;
      await unfinished.drop(url);
      await parts.lookAtDisk();
      short = shortage(bytes, seeker, need);
    }
    const code = short.quota > 0 ? 'cache-too-small' : 'disk-low';
    const evicted = short.bytes <= 0 ? [] : filesToEvict({ shortBy: short.bytes, ...evictionQuestion(need) });
    if (evicted === null) {
      lacking.set(need.url, { bytes, code });
      return false;
    }
    for (const file of evicted) {
      const { url, bytes: freed } = file;
      if (needs().has(url)) {
        // Remember its size, so that it is not requested again only to find that it does not fit.
        lacking.set(url, { bytes: freed, code });
        const detail = `its ${freed} bytes made room for another file`;
        parts.problems.set(url, { url, code: 'no-room', detail });
      }
      await stored.drop(file);
      log.info('creative evicted', { url, bytes: freed, for: need.url });
    }
    lacking.delete(need.url);
    seeker.reservedBytes = bytes;
    return true;
  }

  const bytesOverQuota = () => stored.bytes() + unfinished.bytes() - parts.quotaBytes;
  const bytesBelowFloor = () => parts.minFreeBytes - (parts.freeBytes() ?? parts.minFreeBytes);

  async function keepBounds(): Promise<void> {
    // Without a playlist, the next answer may want any of the files.
    if (![...needs().values()].some(({ inPlaylist }) => inPlaylist)) return;
    await parts.lookAtDisk();
    const overQuota = bytesOverQuota();
    let excess = Math.max(overQuota, bytesBelowFloor());
    if (excess <= 0 && stored.byUrl.size <= MAX_UNWANTED) return;
    const unwanted = [...stored.byUrl.values()]
      .filter(({ url }) => !needs().has(url))
      .sort((a, b) => a.usedAt - b.usedAt);
    for (const [index, file] of unwanted.entries()) {
      if (excess <= 0 && unwanted.length - index <= MAX_UNWANTED) break;
      const { url, bytes } = file;
      // Asked each time, because it may be needed again meanwhile.
      if (needs().has(url) || stored.isInUse(file)) continue;
      await stored.drop(file);
      if (excess > 0) {
        const bound = overQuota > 0 ? 'media.quotaBytes' : 'media.minFreeBytes';
        log.info('creative evicted', { url, bytes, for: bound });
      }
      excess -= bytes;
    }
    await parts.lookAtDisk();
  }

  return {
    /**
     * Drops files that are in no list and not in use, least recently used first, until quota, floor and number are kept.
     * Does nothing while no playlist is known. Never rejects.
     */
    keepBounds: () => inOrder(keepBounds),
    /** Whether a file found no room, or a bound is exceeded. */
    isTight: () => lacking.size > 0 || bytesOverQuota() > 0 || bytesBelowFloor() > 0,
    /** Reserves `bytes` bytes in all; false: no room. Calls run one at a time, so that no two take the same room. */
    reserve: (seeker: RoomSeeker, bytes: number) => inOrder(() => makeRoom(seeker, bytes)),
    /** Records that a download found no room for `bytes` bytes. Returns the reason. */
    foundNone(url: string, bytes: number): NoRoom['code'] {
      const code = lacking.get(url)?.code ?? 'cache-too-small';
      lacking.set(url, { bytes, code });
      return code;
    },
    /** The file is stored now: forgets that it found no room. */
    settle: (url: string): void => void lacking.delete(url),
    /** Size of a file that found no room earlier; 0: not known. */
    knownBytes: (url: string): number => lacking.get(url)?.bytes ?? 0,
    /**
     * Returns a function that answers whether a file found no room before and would find none now. The function
     * reads the stored files once, not once per question.
     */
    look(): (need: Need) => boolean {
      const spare = new Map<ReturnType<typeof newFileKind>, number>();
      return (need) => {
        const tight = lacking.get(need.url);
        if (tight === undefined) return false;
        const kind = newFileKind(need);
        const spareBytes =
          spare.get(kind) ?? evictableBytes(evictionQuestion(need)) - shortage(0, null, need).bytes;
        spare.set(kind, spareBytes);
        return tight.bytes > spareBytes;
      };
    },
    keepOnly(wanted: { has(url: string): boolean }): void {
      for (const url of lacking.keys()) if (!wanted.has(url)) lacking.delete(url);
    },
    lacking: lacking as ReadonlyMap<string, NoRoom>,
  };
}
