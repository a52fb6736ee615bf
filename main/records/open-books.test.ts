import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Books } from './books';
import { openBooks } from './open-books';
import { RecordsError } from './records-client';

const storage = new RecordsError('storage', 'openBooks', 'the backing store is corrupt');
const timeout = new RecordsError('timeout', 'openBooks', 'no answer within 15000 ms');

/** Books that fail to open with these errors, one after the other, and then open. */
function failing(...errors: RecordsError[]) {
  const done: string[] = [];
  const books = {
    open: async () => {
      done.push('open');
      const error = errors.shift();
      if (error) throw error;
      return 'the books';
    },
  } as unknown as Books;
  const window = {
    replaceWindow: () => void done.push('replaceWindow'),
    deleteDatabase: async () => void done.push('start over'),
  };
  return { done, opened: openBooks(books, window, silentLog) };
}

describe('opening the books', () => {
  it('replaces a window that does not answer, once', async () => {
    const { opened, done } = failing(timeout);
    expect(await opened).toBe('the books');
    expect(done).toEqual(['open', 'replaceWindow', 'open']);
  });

  it('starts from the snapshot if the database cannot be read', async () => {
    const { opened, done } = failing(storage, storage);
    expect(await opened).toBe('the books');
    expect(done).toEqual(['open', 'replaceWindow', 'open', 'start over', 'open']);
  });

  it('deletes nothing if a disk is slow', async () => {
    const { opened, done } = failing(timeout, timeout);
    await expect(opened).rejects.toBe(timeout);
    expect(done).not.toContain('start over');
  });

  it('fails if even an empty database cannot be written', async () => {
    const { opened } = failing(storage, storage, storage);
    await expect(opened).rejects.toBe(storage);
  });
});
