import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Books } from './books';
import { DiskError, demandAccess, openBooks, whyDiskFull } from './open-books';
import { RecordsError } from './records-client';

const storage = new RecordsError('storage', 'openBooks', 'the backing store is corrupt');
const timeout = new RecordsError('timeout', 'openBooks', 'no answer within 15000 ms');

const GIB = 1024 ** 3;
/** A disk of 32 GiB. */
const diskWith =
  (free: number, inodes = { files: 2_000_000, ffree: 1_000_000 }) =>
  async () => ({
    bavail: free / 4096,
    blocks: (32 * GIB) / 4096,
    bsize: 4096,
    ...inodes,
  });

/** Books that fail to open with these errors, one after the other, and then open. */
const failing = (...errors: RecordsError[]) => failingOn(diskWith(10 * GIB), ...errors);
const failingOn = (room: ReturnType<typeof diskWith>, ...errors: RecordsError[]) =>
  failingWith({ room, demandAccess: async () => {} }, ...errors);
function failingWith(disk: Parameters<typeof openBooks>[2], ...errors: RecordsError[]) {
  return failingBeside(null, disk, ...errors);
}
function failingBeside(
  snapshotProblem: ReturnType<Books['snapshotProblem']>,
  disk: Parameters<typeof openBooks>[2],
  ...errors: RecordsError[]
) {
  const done: string[] = [];
  const torn: boolean[] = [];
  const books = {
    snapshotProblem: () => snapshotProblem,
    open: async () => {
      done.push('open');
      const error = errors.shift();
      if (error) throw error;
      return 'the books';
    },
  } as unknown as Books;
  const window = {
    async replaceWindow(mayBeTorn: boolean) {
      done.push('replaceWindow');
      torn.push(mayBeTorn);
    },
    deleteDatabase: async () => void done.push('start over'),
  };
  return { done, torn, opened: openBooks(books, window, disk, silentLog) };
}

describe('opening the books', () => {
  it('replaces a window that does not answer, once', async () => {
    const { opened, done } = failing(timeout);
    expect(await opened).toBe('the books');
    expect(done).toEqual(['open', 'replaceWindow', 'open']);
  });

  it('has a database with an error repaired, but not one that is slow: that may still be written', async () => {
    const failed = failing(storage);
    expect(await failed.opened).toBe('the books');
    expect(failed.torn).toEqual([true]);
    const slow = failing(timeout);
    expect(await slow.opened).toBe('the books');
    expect(slow.torn).toEqual([false]);
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

  it('deletes nothing while the snapshot cannot be read either, as where the disk fails for some seconds', async () => {
    const unread = { message: 'cannot be read', advice: '' };
    const disk = { room: diskWith(10 * GIB), demandAccess: async () => {} };
    const { opened, done } = failingBeside(unread, disk, storage, storage);
    await expect(opened).rejects.toBeInstanceOf(DiskError);
    expect(done).toEqual(['open', 'replaceWindow', 'open']);
  });

  it('fails if even an empty database cannot be written', async () => {
    const { opened } = failing(storage, storage, storage);
    await expect(opened).rejects.toBe(storage);
  });

  describe.each([
    'OpenFailedError: QuotaExceededError Encountered full disk while opening backing store for indexedDB.open.',
    'AbortError: QuotaExceededError The transaction was aborted',
  ])('with "%s"', (detail) => {
    const full = new RecordsError('storage', 'openBooks', detail);

    it.each([0, 0.3 * GIB, 0.6 * GIB])('deletes nothing if %d bytes are free', async (free) => {
      const { opened, done } = failingOn(diskWith(free), full, full);
      await expect(opened).rejects.toBeInstanceOf(DiskError);
      expect(done).toEqual(['open', 'replaceWindow', 'open']);
    });

    it('starts from the snapshot if the disk has room: the database is damaged', async () => {
      const { opened, done } = failing(full, full);
      expect(await opened).toBe('the books');
      expect(done).toContain('start over');
    });
  });

  it('deletes nothing where the disk can hold no more files; some have no such limit', async () => {
    const full = failingOn(diskWith(10 * GIB, { files: 2_000_000, ffree: 0 }), storage, storage);
    await expect(full.opened).rejects.toBeInstanceOf(DiskError);
    expect(full.done).toEqual(['open', 'replaceWindow', 'open']);
    const endless = failingOn(diskWith(10 * GIB, { files: 0, ffree: 0 }), storage, storage);
    expect(await endless.opened).toBe('the books');
  });

  it.each([
    ['EACCES', false],
    ['ENOENT', true],
    ['EIO', true],
  ])('with %s from a file of the database deletes it: %s', async (code, isDeleted) => {
    const error = Object.assign(new Error(`${code}: access 'IndexedDB/1.log'`), { code });
    const disk = { room: diskWith(10 * GIB), demandAccess: () => Promise.reject(error) };
    const { opened, done } = failingWith(disk, storage, storage);
    if (isDeleted) expect(await opened).toBe('the books');
    else {
      await expect(opened).rejects.toBeInstanceOf(DiskError);
      await expect(opened).rejects.toThrow("EACCES: access 'IndexedDB/1.log'");
    }
    expect(done.includes('start over')).toBe(isDeleted);
  });

  it.skipIf(process.getuid?.() === 0)('notices a file and a folder of somebody else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'endcap-books-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'of-the-books'));
    await writeFile(join(folder, 'of-the-books', '1.log'), '');
    await demandAccess(folder);
    for (const path of ['of-the-books/1.log', 'of-the-books', '.']) {
      await chmod(join(folder, path), 0o400);
      await expect(demandAccess(folder)).rejects.toMatchObject({ code: 'EACCES' });
      await chmod(join(folder, path), 0o700);
    }
  });

  // Chromium's words where not a block is left.
  describe('with "UnknownError Internal error opening backing store for indexedDB.open."', () => {
    const unknown = new RecordsError(
      'storage',
      'openBooks',
      'UnknownError Internal error opening backing store',
    );

    it.each([0, 1024 ** 2])('deletes nothing if %d bytes are free', async (free) => {
      const { opened, done } = failingOn(diskWith(free), unknown, unknown);
      await expect(opened).rejects.toBeInstanceOf(DiskError);
      expect(done).toEqual(['open', 'replaceWindow', 'open']);
    });

    it('starts from the snapshot if a little room is left, because the disk is not the cause', async () => {
      const { opened, done } = failingOn(diskWith(0.3 * GIB), unknown, unknown);
      expect(await opened).toBe('the books');
      expect(done).toContain('start over');
    });
  });
});

describe('whether the disk is full, so that the player could not start again', () => {
  it.each([
    ['0.3 GiB of 32 are free', diskWith(0.3 * GIB), true],
    ['0.4 GiB of 32 are free', diskWith(0.4 * GIB), false],
    ['it can hold no more files', diskWith(10 * GIB, { files: 2_000_000, ffree: 0 }), true],
    ['it has no limit of files', diskWith(10 * GIB, { files: 0, ffree: 0 }), false],
    ['it cannot be asked, which a restart may cure', () => Promise.reject(new Error('EIO')), false],
  ])('where %s', async (_case, room, isFull) => {
    const why = await whyDiskFull('/data', room);
    expect(why).toEqual(
      isFull ? expect.stringMatching(/^The disk is full, so the player could not start again\. Free/) : null,
    );
  });
});
