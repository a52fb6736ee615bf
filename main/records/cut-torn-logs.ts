import { closeSync, fsyncSync, ftruncateSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../shared/log';
import { wholeLength } from './leveldb-log';

/**
 * Cuts torn ends off the database's logs, so that Chromium does not lose the database over them (rule 25). Call it
 * before anything opens IndexedDB. Files that cannot be read or cut are left as they are, and logged. Synchronous,
 * because the records window waits for it and would wait longer for asynchronous work.
 *
 * @param directory the data folder's `IndexedDB`; may be missing
 */
export function cutTornLogs(directory: string, log: Log): void {
  for (const database of names(directory, /\.leveldb$/)) {
    for (const name of names(join(directory, database), /^\d+\.log$|^MANIFEST-\d+$/)) {
      const file = join(directory, database, name);
      try {
        const cut = cutTornEnd(file);
        if (cut > 0) log.warn('the torn end of a database log was cut off', { file: name, bytes: cut });
      } catch (error) {
        log.error('a database log could not be checked', { file: name, error });
      }
    }
  }
}

/** Returns the number of bytes that were cut off. */
function cutTornEnd(file: string): number {
  const handle = openSync(file, 'r+');
  try {
    const bytes = readFileSync(handle);
    const whole = wholeLength(bytes);
    if (whole === bytes.length) return 0;
    ftruncateSync(handle, whole);
    fsyncSync(handle);
    return bytes.length - whole;
  } finally {
    closeSync(handle);
  }
}

function names(directory: string, pattern: RegExp): string[] {
  try {
    return readdirSync(directory).filter((name) => pattern.test(name));
  } catch {
    return [];
  }
}
