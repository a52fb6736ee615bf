import type { Play } from '../../shared/play';
import type { PlayCursor } from '../../shared/play-report';
import type { RecordsInput } from '../../shared/records';
import type { RecordsDatabase } from './database';

type Plays = Pick<RecordsDatabase, 'plays'>;

/** Plays with `from` ≤ time < `to` of an environment (null: of all), in the order of their time. */
export function playsBetween({ plays }: Plays, environment: string | null, from: number, to: number) {
  return environment === null
    ? plays.where('at').between(from, to)
    : plays.where('[environment+at]').between([environment, from], [environment, to]);
}

/** The plays of a period after a cursor, at most `limit`; `next` null: these are the last ones. */
export async function pageOfPlays(
  database: Plays,
  { environment, from, to, after, order, limit }: RecordsInput<'provePlays'>,
): Promise<{ rows: Play[]; next: PlayCursor | null }> {
  const newestFirst = order === 'newest-first';
  // The cursor's own time is read again, because several plays can have it.
  const start = after && !newestFirst ? Math.max(from, after.at) : from;
  const end = after && newestFirst ? Math.min(to, after.at + 1) : to;
  const found = playsBetween(database, environment, start, end);
  const rows = await (newestFirst ? found.reverse() : found)
    .filter((play) => after === null || (newestFirst ? isLater(after, play) : isLater(play, after)))
    .limit(limit)
    .toArray();
  const last = rows.at(-1);
  return { rows, next: last && rows.length === limit ? { at: last.at, id: last.id } : null };
}

const isLater = (a: PlayCursor, b: PlayCursor) => a.at > b.at || (a.at === b.at && a.id > b.id);
