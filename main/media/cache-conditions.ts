import type { NoRoom } from './make-room';
import { type CacheCondition, condition, type DiskCode } from './media-problem';

/** The state of the cache that its conditions are derived from. */
export interface CacheFacts {
  readonly diskError: { readonly code: DiskCode; readonly detail: string } | null;
  readonly noRoom: readonly NoRoom[];
  readonly wanted: number;
  /** Size of the wanted files that are stored. */
  readonly storedBytes: number;
  readonly quotaBytes: number;
  /** Null: not known. */
  readonly freeBytes: number | null;
  readonly minFreeBytes: number;
}

/** The problems of the cache as a whole. Pure. */
export function cacheConditions(facts: CacheFacts): readonly CacheCondition[] {
  const { diskError, noRoom, wanted, storedBytes, quotaBytes, freeBytes, minFreeBytes } = facts;
  const found: CacheCondition[] = [];
  if (diskError) found.push(condition(diskError.code, `Creatives cannot be stored: ${diskError.detail}`));
  const tight = (code: NoRoom['code']) => noRoom.filter((why) => why.code === code).length;
  const small = tight('cache-too-small');
  const tooSmall: string[] = [];
  if (small > 0)
    tooSmall.push(`${small} of ${wanted} wanted files have no room in the cache of ${quotaBytes} bytes.`);
  // Files that were stored under a larger quota are kept while they are wanted.
  if (storedBytes > quotaBytes)
    tooSmall.push(
      `Stored files that are wanted take ${storedBytes} bytes; the cache may hold ${quotaBytes}.`,
    );
  if (tooSmall.length > 0) found.push(condition('cache-too-small', tooSmall.join(' ')));
  const low = tight('disk-low');
  const isLow = freeBytes !== null && freeBytes < minFreeBytes;
  if (low > 0 || isLow) {
    found.push(
      condition(
        'disk-low',
        `${freeBytes ?? 'unknown'} bytes of disk are free, ${minFreeBytes} have to stay free; ${low} wanted files wait.`,
      ),
    );
  }
  return found;
}
