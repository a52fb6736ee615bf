import { join } from 'node:path';
import { countPlay, noPlays } from '../decisions/flight-counters';
import { bookName } from '../records/book-names';
import { createBooks } from '../records/books';
import { openBooks } from '../records/open-books';
import { snapshotFiles } from '../records/snapshot';
import type { Core } from './core';

export type OpenedBooks = Awaited<ReturnType<typeof openTheBooks>>;

/** Opens the books of this service, project and player (rule 26), from the records window or from the snapshot. */
export async function openTheBooks({ settings, windows, dataDirectory, clock, events, ...core }: Core) {
  const { newId, pause, log } = core;
  const { records, recordsWindow } = windows;
  const files = snapshotFiles(join(dataDirectory, 'books.json'), pause);
  const { name: environment, problem } = await bookName(settings, {
    file: join(dataDirectory, 'book-names.json'),
    ...{ files, records, log },
  });
  const books = createBooks({
    ...{ records, files, environment, clock, log, newId, pause },
    countPlay: (counters, flightId, at) => countPlay(counters ?? noPlays(flightId), at),
  });
  events.on('recordsBack', () => {
    books.reopen().catch((error: unknown) => log.error('the books could not be reopened', { error }));
  });
  const stored = await openBooks(books, recordsWindow, log);
  log.info('the books are open', {
    environment,
    plays: stored.playCount,
    unsettled: stored.unsettled,
    ads: stored.playlist?.ads.length ?? 0,
  });
  if (stored.lastPlayAt !== null) clock.booksOpened(stored.lastPlayAt);
  return {
    books,
    environment,
    /** The content of the books when they were opened. */
    stored,
    /** Why the books have another name than this identity should have; null: they have not. */
    problem,
  };
}
