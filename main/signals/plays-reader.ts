import type { Books } from '../records/books';
import type { PlaysReader } from './signals-server';

/** Answers `GET /v1/plays` from the books: plays of this environment in order of their time. */
export function playsReader(books: Books, environment: string): PlaysReader {
  return async ({ from, to, limit }) => {
    // One more than asked for tells whether there are more; `to` is exclusive there and inclusive in the books.
    const plays = await books.run('listPlays', {
      environment,
      from: from ?? 0,
      to: to === null ? Number.MAX_SAFE_INTEGER : to - 1,
      limit: Math.min(10_000, limit + 1),
    });
    return { plays: plays.slice(0, limit), more: plays.length > limit };
  };
}
