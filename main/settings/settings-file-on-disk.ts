import { open } from 'node:fs/promises';
import process from 'node:process';
import { isMissing } from '../describe-error';
import type { FoundFile } from './locate-settings';

/** Largest file that is read; settings and secrets are small. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a settings or secret file; null if there is none. Text and mode come from one open file, so they
 * cannot belong to two different files. `others` means everybody, or the file's group if this process is not
 * in it (rule 23). On Windows the mode is not checked.
 */
export async function readFileOnDisk(file: string): Promise<FoundFile | null> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error('not a file');
    if (stat.size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
    return { text: await handle.readFile('utf8'), readableBy: readers(stat.mode, stat.gid) };
  } finally {
    await handle.close();
  }
}

function readers(mode: number, gid: number): FoundFile['readableBy'] {
  if (process.platform === 'win32') return 'kiosk';
  const ownGroups = new Set([...(process.getgroups?.() ?? []), process.getegid?.() ?? -1]);
  const everybody = (mode & 0o004) !== 0;
  const foreignGroup = (mode & 0o040) !== 0 && !ownGroups.has(gid);
  return everybody || foreignGroup ? 'others' : 'kiosk';
}
