import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import { oneByOne } from '../turns';
import type { CacheRoom, NewFile, NoRoom } from './cache-room';
import type { StoredFiles } from './stored-files';
import type { UnfinishedDownloads } from './unfinished-downloads';
import { isNeeded, type Need } from './want-list';

/** A download that asks for room. */
export interface RoomSeeker extends NewFile {
  readonly need: Need;
  reservedBytes: number;
}

export interface RoomMakerParts {
  readonly room: CacheRoom;
  readonly stored: StoredFiles;
  readonly unfinished: UnfinishedDownloads;
  readonly needs: () => ReadonlyMap<string, Need>;
  /** Measures how much of the disk is free. */
  readonly lookAtDisk: () => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

export type RoomMaker = ReturnType<typeof createRoomMaker>;

/**
 * Makes room for downloads: drops unneeded parts, evicts files (rule 13), and remembers which files found no
 * room.
 */
export function createRoomMaker(parts: RoomMakerParts) {
  const { room, stored, unfinished, needs, log } = parts;
  /** Files that found no room, by URL. */
  const lacking = new Map<string, NoRoom>();
  const inOrder = oneByOne();

  async function makeRoom(seeker: RoomSeeker, bytes: number): Promise<boolean> {
    const { need } = seeker;
    await parts.lookAtDisk();
    let short = room.shortage(bytes, seeker, need);
    for (const url of unfinished.urls()) {
      if (Math.max(short.quota, short.disk) <= 0) break;
      if (isNeeded(needs().get(url), parts.clock.now())) continue;
      await unfinished.drop(url);
      short = room.shortage(bytes, seeker, need);
    }
    const evicted = room.evictable(Math.max(short.quota, short.disk), need);
    if (evicted === null) {
      lacking.set(need.url, { bytes, code: short.quota > 0 ? 'cache-too-small' : 'disk-low' });
      return false;
    }
    for (const { url, key, bytes: freed } of evicted) {
      // Remember its size, so that it is not requested again only to find that it does not fit.
      if (needs().has(url)) lacking.set(url, { bytes: freed, code: 'cache-too-small' });
      const file = stored.byKey(key);
      if (file) await stored.drop(file);
      log.info('creative evicted', { url, bytes: freed, for: need.url });
    }
    lacking.delete(need.url);
    seeker.reservedBytes = bytes;
    return true;
  }

  return {
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
      const isTooTight = room.look();
      return (need) => {
        const tight = lacking.get(need.url);
        return tight !== undefined && isTooTight(tight.bytes, need);
      };
    },
    /** Forgets files that are not wanted. */
    keepOnly(wanted: { has(url: string): boolean }): void {
      for (const url of lacking.keys()) if (!wanted.has(url)) lacking.delete(url);
    },
    lacking: lacking as ReadonlyMap<string, NoRoom>,
  };
}
