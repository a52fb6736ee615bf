import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../shared/log';
import { wholeLength } from './leveldb-log';

/**
 * Cuts torn ends off the database's logs, so that Chromium does not lose the database over them (rule 25). Call it
 * before anything opens IndexedDB. Files that cannot be read or cut are left as they are, and logged. Never rejects.
 *
 * @param directory the data folder's `IndexedDB`; may be missing
 */
export async function cutTornLogs(directory: string, log: Log): Promise<void> {
  for (const database of await names(directory, /\.leveldb$/)) {
    for (const name of await names(join(directory, database), /^\d+\.log$|^MANIFEST-\d+$/)) {
      const file = join(directory, database, name);
      try {
        const cut = await cutTornEnd(file);
        if (cut > 0) log.warn('the torn end of a database log was cut off', { file: name, bytes: cut });
      } catch (error) {
        log.error('a database log could not be checked', { file: name, error });
      }
    }
  }
}

/** Returns the number of bytes that were cut off. */
async function cutTornEnd(file: string): Promise<number> {
  const handle = await open(file, 'r+');
  try {
    const bytes = await handle.readFile();
    const whole = wholeLength(bytes);
    if (whole === bytes.length) return 0;
    await handle.truncate(whole);
    await handle.sync();
    return bytes.length - whole;
  } finally {
    await handle.close();
  }
}

const names = async (directory: string, pattern: RegExp): Promise<string[]> =>
  (await readdir(directory).catch(() => [])).filter((name) => pattern.test(name));
