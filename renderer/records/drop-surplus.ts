import { beaconBytes } from '../../shared/beacon';
import { beginningWith, type RecordsDatabase } from './database';
import type { BeaconRow } from './rows';

/** Most plays that are compared; all others hold fewer bytes. */
const MAX_HOLDERS = 64;
/** Rows of one play read at once: a URL may have 32 KB. */
const ROWS_AT_ONCE = 8;

/**
 * The waiting beacons to drop while there are too many, one at a time: always the one that expires last of the play
 * that holds most bytes. So an ad that fires many beacons at unreachable hosts loses its own, not those of others, and
 * a play keeps its impression, which it made first and is paid for, longest. Beacons without a play count as one play.
 *
 * @param surplus by how many beacons and bytes there are too many; ≤ 0: there are not
 * @param isFree whether a beacon may be dropped: it waits and is not being sent
 * @param limit most rows returned. Fewer may be returned although there are still too many: ask again until none is.
 */
export async function beaconsToDrop(
  { beacons, playBeacons }: Pick<RecordsDatabase, 'beacons' | 'playBeacons'>,
  surplus: { readonly beacons: number; readonly bytes: number },
  isFree: (row: BeaconRow) => boolean,
  limit: number,
): Promise<BeaconRow[]> {
  const largest = await playBeacons
    .orderBy('pendingBytes')
    .reverse()
    .limit(MAX_HOLDERS + 1)
    .toArray();
  const unseenBytes = largest[MAX_HOLDERS]?.pendingBytes ?? 0;
  const holders = largest.slice(0, MAX_HOLDERS).map(({ playId, pendingBytes = 0 }) => ({
    playId,
    bytes: pendingBytes,
    /** Droppable rows that were read, the last to expire first, and how many were dropped before them. */
    rows: [] as BeaconRow[],
    dropped: 0,
  }));
  const dropped: BeaconRow[] = [];
  let { beacons: tooMany, bytes: tooManyBytes } = surplus;
  while (dropped.length < limit && (tooMany > 0 || tooManyBytes > 0)) {
    const [holder] = holders;
    if (!holder || (dropped.length > 0 && holder.bytes < unseenBytes)) break;
    if (holder.rows.length === 0) {
      holder.rows = await beginningWith(beacons, '[holder+expiresAt]', holder.playId)
        .reverse()
        .filter(isFree)
        .offset(holder.dropped)
        .limit(ROWS_AT_ONCE)
        .toArray();
    }
    const row = holder.rows.shift();
    if (!row) {
      holders.shift();
      continue;
    }
    dropped.push(row);
    holder.dropped += 1;
    const bytes = beaconBytes(row.url);
    tooMany -= 1;
    tooManyBytes -= bytes;
    holder.bytes -= bytes;
    holders.sort((a, b) => b.bytes - a.bytes || (a.playId < b.playId ? 1 : -1));
  }
  return dropped;
}
