import type { Clock } from '../../shared/clock';
import { evictableBytes, filesToEvict, newFileKind } from './room';
import type { StoredFiles } from './stored-files';
import type { StoredMedia } from './stored-media';
import type { Need } from './want-list';

/** A file that found no room: its size, and whether the quota or the disk is short. */
export interface NoRoom {
  readonly bytes: number;
  readonly code: 'cache-too-small' | 'disk-low';
}

/** The bytes that a running download has reserved and written. */
export interface NewFile {
  readonly reservedBytes: number;
  readonly writtenBytes: number;
}

export interface CacheRoomParts {
  readonly quotaBytes: number;
  readonly minFreeBytes: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly stored: Pick<StoredFiles, 'byUrl' | 'bytes' | 'isInUse'>;
  /** Bytes of interrupted downloads that can be continued. */
  readonly partBytes: () => number;
  readonly downloads: () => Iterable<NewFile>;
  readonly needs: () => ReadonlyMap<string, Need>;
  /** Free space on the disk, bytes; null: not known. */
  readonly freeBytes: () => number | null;
  readonly isSetAside: (url: string) => boolean;
}

export type CacheRoom = ReturnType<typeof createCacheRoom>;

/** Whether a file fits into quota and disk, and which files to evict for it (rule 13). Changes nothing. */
export function createCacheRoom(parts: CacheRoomParts) {
  const { stored } = parts;
  const files = stored.byUrl;

  /** Bytes missing if the file is `bytes` long; 0 or less: it fits. @param download null: it has not begun */
  function shortage(bytes: number, download: NewFile | null, need: Need): { quota: number; disk: number } {
    let reserved = 0;
    let unwritten = 0;
    for (const other of parts.downloads()) {
      if (other === download) continue;
      reserved += other.reservedBytes;
      unwritten += Math.max(0, other.reservedBytes - other.writtenBytes);
    }
    // The file that is replaced is removed at the same time, so it is not counted.
    const replaced = files.get(need.url)?.bytes ?? 0;
    const freeBytes = parts.freeBytes();
    const floor = freeBytes === null ? Number.POSITIVE_INFINITY : freeBytes - parts.minFreeBytes;
    return {
      quota: stored.bytes() - replaced + parts.partBytes() + reserved + bytes - parts.quotaBytes,
      disk: unwritten + Math.max(0, bytes - (download?.writtenBytes ?? 0)) - floor,
    };
  }

  const evictionQuestion = (newFile: Need) => ({
    newFile,
    occupants: [...files.values()].map((file) => ({
      ...file,
      inUse: stored.isInUse(file) || file.url === newFile.url,
      setAside: parts.isSetAside(file.url),
    })),
    needs: parts.needs(),
    now: parts.clock.now(),
  });

  return {
    shortage,
    /** The files to evict; null: evicting all that may be evicted frees too little. */
    evictable: (
      shortBy: number,
      newFile: Need,
    ): readonly Pick<StoredMedia, 'url' | 'key' | 'bytes'>[] | null =>
      shortBy <= 0 ? [] : filesToEvict({ shortBy, ...evictionQuestion(newFile) }),
    /**
     * Returns a function that answers whether a new file of `bytes` bytes would find no room now.
     * The function reads the stored files once, not once per question.
     */
    look(): (bytes: number, need: Need) => boolean {
      let shortBefore: number | null = null;
      const spare = new Map<ReturnType<typeof newFileKind>, number>();
      return (bytes, need) => {
        if (shortBefore === null) {
          const { quota, disk } = shortage(0, null, need);
          shortBefore = Math.max(quota, disk);
        }
        const shortBy = shortBefore + bytes;
        if (shortBy <= 0) return false;
        const kind = newFileKind(need);
        const known = spare.get(kind) ?? evictableBytes(evictionQuestion(need));
        spare.set(kind, known);
        return shortBy > known;
      };
    },
  };
}
