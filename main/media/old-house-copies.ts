import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, realDisk } from './disk';

const LIST = 'copies.json';
const COPY = /^(?:[0-9a-f]{32}\.(?:bin|tmp)|copying\.tmp)$/;

/**
 * Removes the copies of house creatives that earlier versions kept in a folder of
 * their own. Only what they made: an operator may keep the pictures themselves there.
 */
export async function removeOldHouseCopies(
  folder: string,
  disk: Pick<Disk, 'list' | 'remove'> = realDisk,
): Promise<void> {
  const names = await disk.list(folder).catch((): readonly string[] => []);
  if (!names.includes(LIST)) return;
  for (const name of names) if (COPY.test(name)) await disk.remove(join(folder, name));
  // Last: what is broken off is gone on with at the next start.
  await disk.remove(join(folder, LIST));
  // Where something else lies there it stays.
  await rmdir(folder).catch(() => undefined);
}
