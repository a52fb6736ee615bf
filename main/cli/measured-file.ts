import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isMissing, reasonOf } from '../describe-error';
import { UsageError } from './command-result';

/** A file's bytes; null where there is none. Throws `UsageError` if it cannot be read, or is above `most` bytes. */
export async function readSmallFile(path: string, most: number): Promise<Uint8Array | null> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, 'r');
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error('it is no file');
    if (stat.size > most) throw new Error(`it is larger than ${most} bytes`);
    return await handle.readFile();
  } catch (error) {
    if (isMissing(error)) return null;
    throw unreadable(path, error);
  } finally {
    await handle?.close();
  }
}

/** The same, but a missing file is a `UsageError` too. */
export async function readNamedFile(path: string, most: number): Promise<Uint8Array> {
  const bytes = await readSmallFile(path, most);
  if (bytes === null) throw missing(path);
  return bytes;
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
