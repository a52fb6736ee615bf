import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';

/** Replaces the bytes of a file and restores its dates to the nanosecond, which `utimes` of Node cannot. */
export async function replaceInSecret(path: string, bytes: Buffer): Promise<void> {
  const dates = `${path}.dates`;
  execFileSync('touch', ['-r', path, dates]);
  await writeFile(path, bytes);
  execFileSync('touch', ['-r', dates, path]);
  await rm(dates);
}
