import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writtenLog } from '../main/records/testing/written-log';

const BLOCK = 32_768;
/** Newer than the version that any current Electron writes. */
const NEWER = 100;

/**
 * Marks the databases of a kiosk that has ended as written by a newer Chromium: appends the version of the
 * data, which Chromium reads first, to the log.
 */
export function markAsNewer(dataFolder: string): void {
  const databases = join(dataFolder, 'IndexedDB');
  for (const name of readdirSync(databases).filter((entry) => entry.endsWith('.leveldb'))) {
    const logs = readdirSync(join(databases, name)).filter((entry) => /^\d+\.log$/.test(entry));
    const log = join(databases, name, logs.sort().at(-1) ?? '');
    const left = BLOCK - (readFileSync(log).length % BLOCK);
    const { bytes: entry } = writtenLog([dataVersion()]);
    appendFileSync(log, left < entry.length ? Buffer.concat([Buffer.alloc(left), entry]) : entry);
  }
}

/** A put of the data version: the key that belongs to no database, with V8's version above Blink's. */
function dataVersion(): Buffer {
  const key = Buffer.from([0, 0, 0, 0, 2]);
  const value = Buffer.from([NEWER, 0, 0, 0, NEWER]);
  const batch = Buffer.alloc(12);
  // A higher sequence number than every other put.
  batch.writeBigUInt64LE(2n ** 40n);
  batch.writeUInt32LE(1, 8);
  const PUT = 1;
  return Buffer.concat([batch, Buffer.from([PUT, key.length]), key, Buffer.from([value.length]), value]);
}
