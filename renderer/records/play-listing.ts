import type { Play } from '../../shared/play';
import type { PlayCursor } from '../../shared/proof-of-play';
import type { RecordsInput } from '../../shared/records';
import type { RecordsDatabase } from './database';

type Plays = Pick<RecordsDatabase, 'plays'>;

/** Plays with `from` ≤ time < `to` (or ≤) of an environment (null: of all), in the order of their time. */
export function playsBetween(
  { plays }: Plays,
  environment: string | null,
  from: number,
  to: number,
  includesEnd = false,
) {
  return environment === null
    ? plays.where('at').between(from, to, true, includesEnd)
    : plays.where('[environment+at]').between([environment, from], [environment, to], true, includesEnd);
}

/** The plays of a period after a cursor, at most `limit`; `next` null: these are the last ones. */
export async function pageOfPlays(
  database: Plays,
  { environment, from, to, after, order, limit }: RecordsInput<'provePlays'>,
): Promise<{ rows: Play[]; next: PlayCursor | null }> {
  const newestFirst = order === 'newest-first';
  // The cursor's own time is read again, because several plays can have it.
  const start = after && !newestFirst ? Math.max(from, after.at) : from;
  const includesEnd = after !== null && newestFirst && after.at < to;
  const found = playsBetween(database, environment, start, includesEnd ? after.at : to, includesEnd);
  const rows = await (newestFirst ? found.reverse() : found)
    .filter((play) => after === null || (newestFirst ? isLater(after, play) : isLater(play, after)))
    .limit(limit)
    .toArray();
  const last = rows.at(-1);
  return { rows, next: last && rows.length === limit ? { at: last.at, id: last.id } : null };
}

const isLater = (a: PlayCursor, b: PlayCursor) => a.at > b.at || (a.at === b.at && a.id > b.id);
