import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { isMissing, reasonOf } from '../describe-error';
import { readBounded } from '../settings/settings-file-on-disk';
import { UsageError } from './command-result';

/** A file's bytes and its mode; null where there is none. Throws `UsageError` if it cannot be read, or is above `most` bytes. */
export const readSmallFile = (path: string, most: number): ReturnType<typeof readBounded> =>
  readBounded(path, most).catch((error: unknown) => {
    throw unreadable(path, error);
  });

/** A file's bytes; a missing file is a `UsageError` too. */
export async function readNamedFile(path: string, most: number): Promise<Buffer> {
  const read = await readSmallFile(path, most);
  if (read === null) throw missing(path);
  return read.bytes;
}

/** SHA-256 in hex and length in bytes of a file of any size. Throws `UsageError` if it cannot be read. */
export async function measureFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw isMissing(error) ? missing(path) : unreadable(path, error);
  }
  return { sha256: hash.digest('hex'), bytes };
}

const missing = (path: string) => new UsageError(`${path}: there is no such file`);
const unreadable = (path: string, error: unknown) =>
  new UsageError(`${path}: cannot be read (${reasonOf(error)})`);
