import { PlayBeacons } from '../../../shared/beacon';
import type { RecordsDatabase } from '../database';

/** Results of the beacons of these plays; a play without any is left out. */
export async function resultsOf(
  { playBeacons }: RecordsDatabase,
  playIds: readonly string[],
): Promise<PlayBeacons[]> {
  const rows = await playBeacons.bulkGet([...playIds]);
  return rows.flatMap((row) => (row ? [PlayBeacons.parse(row)] : []));
}
