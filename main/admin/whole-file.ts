import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file in one step: whoever reads it, and whatever ends the process or
 * the power, finds the old content or the new one, whole and on the disk.
 */
export async function writeWholeFile(path: string, content: string, mode: number): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (fault) {
    await file.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw fault;
  }
  await syncFolder(dirname(path));
}

/** Makes a rename durable; where folders cannot be synchronised (Windows, some drives) nothing is lost by trying. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close().catch(() => undefined);
}
