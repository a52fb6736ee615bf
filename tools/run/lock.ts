import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import { printStatus } from './say.ts';

/** A lock that its owner has not renewed for this long is taken over, ms. A busy machine may take shorter pauses. */
const STALE_MS = 30_000;

/**
 * Does `work` while no other process holds the lock of the same path: a folder beside it, `PATH.lock`.
 * @param path of a file or folder, which need not exist
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const options = { realpath: false, stale: STALE_MS };
  const release = await lock(path, options).catch((error) => {
    if (error.code !== 'ELOCKED') throw error;
    printStatus('waiting for another process, which prepares the same thing');
    return lock(path, { ...options, retries: { forever: true, minTimeout: 100, maxTimeout: 1_000 } });
  });
  try {
    return await work();
  } finally {
    await release();
  }
}
