import { access, constants, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../shared/log';
import type { StoredBooks } from '../../shared/records';
import { errorCode, messageOf } from '../describe-error';
import { type DiskRoom, freeBytesOf, fullBelow } from '../disk-room';
import type { Books } from './books';
import { RecordsError } from './records-client';

/** The database may be whole, but the disk is full or cannot be read, or a file is another user's; nothing was deleted. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
}
const FREE_IT = 'Free disk space on this kiosk, or delete files if there are too many (df -i).';
const FULL = `The disk is full, so the books cannot be opened. ${FREE_IT}`;

const OF_ANOTHER =
  "The books cannot be opened, because a file of their database belongs to another user. Give the whole data folder to the kiosk's user (chown -R).";

const UNREAD =
  'The books cannot be opened, and their snapshot cannot be read. Check the disk of this kiosk, and who may read books.json and books.json.journal in its data folder. If they are lost, move both away: caps then count from zero.';

/** Rejects with EACCES where this user may not read and write a folder, or something in it. */
export async function demandAccess(folder: string): Promise<void> {
  const may = constants.R_OK | constants.W_OK;
  await access(folder, may | constants.X_OK);
  for (const name of await readdir(folder, { recursive: true })) await access(join(folder, name), may);
}

/** As `statfs` returns it: also how many files fit, and how many more. */
type DiskWithFiles = DiskRoom & Readonly<Record<'files' | 'ffree', number>>;

/**
 * Opens the books in whatever state their database is (rule 25): a window that does not answer is replaced once; a
 * database that still cannot be read is given up, and the books start over from the last snapshot. Rejects when the
 * database is only slow, because the next start may succeed, and when even an empty database cannot be written; with
 * `DiskError` when there is no room, when files of the database are another user's, or while the snapshot cannot be read.
 *
 * @param disk the disk that holds the database. `demandAccess`: see the function of this name
 */
export async function openBooks(
  books: Books,
  window: { replaceWindow(mayBeTorn: boolean): Promise<void>; deleteDatabase(): Promise<void> },
  disk: { room(): Promise<DiskWithFiles>; demandAccess(): Promise<void> },
  log: Log,
): Promise<StoredBooks> {
  try {
    return await books.open();
  } catch (error) {
    log.error('the books did not open; the records window is replaced', { error });
    // After a timeout it may still be written, and must not be repaired.
    await window.replaceWindow(error instanceof RecordsError && error.code === 'storage');
  }
  try {
    return await books.open();
  } catch (error) {
    if (!(error instanceof RecordsError) || error.code !== 'storage') throw error;
    if (!hasRoom(await disk.room(), error)) throw new DiskError(FULL, { cause: error });
    await disk.demandAccess().catch((cause: unknown) => {
      if (errorCode(cause) === 'EACCES') throw new DiskError(`${OF_ANOTHER} ${messageOf(cause)}`, { cause });
    });
    // A disk that fails for some seconds: without the snapshot, caps would count from zero.
    if (books.snapshotProblem()) throw new DiskError(UNREAD, { cause: error });
    log.error('the database of the books cannot be read; it starts over from the last snapshot', { error });
  }
  await window.deleteDatabase();
  return books.open();
}

/** Opening a database writes less than this, bytes. */
const OPENING_BYTES = 16 * 1024 ** 2;
/** It makes fewer new files than this. */
const OPENING_FILES = 16;

/**
 * Whether the disk cannot be the cause, because only then the plays may be deleted. Chromium calls some damaged databases
 * a full disk, too, so twice as much has to be free. Where nothing is left, it gives no cause.
 */
function hasRoom(disk: DiskWithFiles, { message }: RecordsError): boolean {
  if (!takesFiles(disk)) return false;
  const isCalledFull = message.includes('QuotaExceededError');
  return freeBytesOf(disk) > (isCalledFull ? 2 * fullBelow(disk) : OPENING_BYTES);
}

/** Some file systems have no such limit, and say 0 for both. */
const takesFiles = ({ files, ffree }: DiskWithFiles) => files === 0 || ffree >= OPENING_FILES;

/**
 * Why the player could not start again, because `openBooks` would find the disk full; null: it could, or the disk does not
 * tell. Not every disk on which the books fail is full: others a restart may cure.
 */
export async function whyDiskFull(
  folder: string,
  roomOf: (folder: string) => Promise<DiskWithFiles> = statfs,
): Promise<string | null> {
  const room = await roomOf(folder).catch(() => null);
  if (room === null || (takesFiles(room) && freeBytesOf(room) >= fullBelow(room))) return null;
  return `The disk is full, so the player could not start again. ${FREE_IT}`;
}
