import type { NoRoom } from './make-room';
import { type CacheCondition, condition, type DiskCode } from './media-problem';

/** The state of the cache that its conditions are derived from. */
export interface CacheFacts {
  readonly diskError: { readonly code: DiskCode; readonly detail: string } | null;
  readonly noRoom: readonly NoRoom[];
  readonly wanted: number;
  readonly quotaBytes: number;
  /** Null: not known. */
  readonly freeBytes: number | null;
  readonly minFreeBytes: number;
}

/** The problems of the cache as a whole. Pure. */
export function cacheConditions(facts: CacheFacts): readonly CacheCondition[] {
  const { diskError, noRoom, wanted, quotaBytes, freeBytes, minFreeBytes } = facts;
  const found: CacheCondition[] = [];
  if (diskError) found.push(condition(diskError.code, `Creatives cannot be stored: ${diskError.detail}`));
  const tight = (code: NoRoom['code']) => noRoom.filter((why) => why.code === code).length;
  const small = tight('cache-too-small');
  if (small > 0) {
    found.push(
      condition(
        'cache-too-small',
        `${small} of ${wanted} wanted files have no room in the cache of ${quotaBytes} bytes.`,
      ),
    );
  }
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
