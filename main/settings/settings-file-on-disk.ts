import type { Stats } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import process from 'node:process';
import { nullIfMissing } from '../describe-error';
import type { FoundFile } from './locate-settings';

/** Largest file that is read; settings and secrets are small. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a settings or secret file; null if there is none. `others` means everybody, or the file's group if this
 * process is not in it (rule 23). On Windows the mode is not checked.
 */
export async function readFileOnDisk(file: string): Promise<FoundFile | null> {
  const read = await readBounded(file, MAX_BYTES);
  if (read === null) return null;
  const found = { text: read.bytes.toString('utf8'), readableBy: readers(read.stat) };
  return read.stat.uid === process.geteuid?.() ? found : { ...found, toClose: toGroup(file, read.stat) };
}

/**
 * Reads a file of at most `most` bytes; null if there is none. Content and mode come from one open file, so they
 * cannot belong to two different files. Rejects with the reason if it cannot be read.
 */
export async function readBounded(
  file: string,
  most: number,
): Promise<{ readonly bytes: Buffer; readonly stat: Stats } | null> {
  const handle = await open(file, 'r').catch(nullIfMissing);
  if (handle === null) {
    const link = await lstat(file).catch(nullIfMissing);
    // It is there all the same: its drive may not be mounted yet.
    if (link?.isSymbolicLink()) throw new Error('it is a link to a file that is not there');
    return null;
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error('not a file');
    if (stat.size > most) throw new Error(`larger than ${most} bytes`);
    return { bytes: await handle.readFile(), stat };
  } finally {
    await handle.close();
  }
}

function readers({ mode, gid }: Stats): FoundFile['readableBy'] {
  if (process.platform === 'win32') return 'kiosk';
  const everybody = (mode & 0o004) !== 0;
  const foreignGroup = (mode & 0o040) !== 0 && !ownGroups().has(gid);
  return everybody || foreignGroup ? 'others' : 'kiosk';
}

const ownGroups = () => new Set([...(process.getgroups?.() ?? []), process.getegid?.() ?? -1]);

/** After `chmod 600` alone, only its owner could read it, and the kiosk would not start again. */
function toGroup(file: string, { gid }: Stats): string {
  const chgrp = ownGroups().has(gid) ? '' : `sudo chgrp ${process.getegid?.()} '${file}' && `;
  return `${chgrp}sudo chmod 640 '${file}'`;
}
