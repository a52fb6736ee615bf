import type { Log } from '../../shared/log';
import type { Books as StoredBooks } from '../../shared/records';
import type { Books } from './books';
import { RecordsError } from './records-client';

/**
 * Opens the books in whatever state their database is (rule 25): a window that does not answer is replaced once; a
 * database that still cannot be read is given up, and the books start over from the last snapshot. Rejects when the
 * database is only slow, because the next start may succeed, and when even an empty database cannot be written.
 */
export async function openBooks(
  books: Books,
  window: { replaceWindow(): void; deleteDatabase(): Promise<void> },
  log: Log,
): Promise<StoredBooks> {
  try {
    return await books.open();
  } catch (error) {
    log.error('the books did not open; the records window is replaced', { error });
  }
  window.replaceWindow();
  try {
    return await books.open();
  } catch (error) {
    if (!(error instanceof RecordsError) || error.code !== 'storage') throw error;
    log.error('the database of the books cannot be read; it starts over from the last snapshot', { error });
  }
  await window.deleteDatabase();
  return books.open();
}
