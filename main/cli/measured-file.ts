import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { isMissing } from '../describe-error';

/** A file's bytes; null where there is none. Rejects when it is larger than `most` bytes. */
export async function readSmallFile(path: string, most: number): Promise<Uint8Array | null> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (!handle) return null;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error('it is no file');
    if (stat.size > most) throw new Error(`it is larger than ${most} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** SHA-256 in hex and length in bytes of a file of any size; null where there is none. */
export async function measureFile(path: string): Promise<{ sha256: string; bytes: number } | null> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  return { sha256: hash.digest('hex'), bytes };
}
