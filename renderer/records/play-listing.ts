import type { Play } from '../../shared/play';
import type { PlayCursor, ProvenPlay } from '../../shared/proof-of-play';
import type { RecordsInput, RecordsOutput } from '../../shared/records';
import type { RecordsDatabase } from './database';
import { provenOf } from './play-totals';

/** Plays of a period in the order of their time, with their beacons. At most `limit` rows are read. */
export type PlayListing = (query: RecordsInput<'provePlays'>) => Promise<RecordsOutput<'provePlays'>>;

export function playListingOn(database: RecordsDatabase): PlayListing {
  const { plays, playBeacons } = database;

  async function withBeacons(rows: readonly Play[]): Promise<ProvenPlay[]> {
    const results = await playBeacons.bulkGet(rows.map(({ id }) => id));
    return rows.map((play, index) => ({ play, ...provenOf(results[index]) }));
  }

  return async ({ environment, from, to, after, order, flightId, limit }) => {
    const newestFirst = order === 'newest-first';
    // The cursor's own time is read again, because several plays can have it.
    const start = after && !newestFirst ? Math.max(from, after.at) : from;
    const includesEnd = after !== null && newestFirst && after.at < to;
    const end = includesEnd ? after.at : to;
    const found =
      environment === null
        ? plays.where('at').between(start, end, true, includesEnd)
        : plays
            .where('[environment+at]')
            .between([environment, start], [environment, end], true, includesEnd);
    const isBeyond = ({ at, id }: Play) => after === null || isBehind({ at, id }, after, newestFirst);
    return database.transaction('r', [plays, playBeacons], async () => {
      const rows = await (newestFirst ? found.reverse() : found).filter(isBeyond).limit(limit).toArray();
      const last = rows.at(-1);
      const wanted = flightId === null ? rows : rows.filter((play) => play.flightId === flightId);
      return {
        plays: await withBeacons(wanted),
        next: last && rows.length === limit ? { at: last.at, id: last.id } : null,
      };
    });
  };
}

function isBehind({ at, id }: PlayCursor, after: PlayCursor, newestFirst: boolean): boolean {
  if (at === after.at) return newestFirst ? id < after.id : id > after.id;
  return newestFirst ? at < after.at : at > after.at;
}
