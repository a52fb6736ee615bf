import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chownTree } from './chown-tree.ts';
import { withLock } from './lock.ts';
import { readIfThere, repositoryRoot, SOURCES, startedAsRoot } from './places.ts';
import { runOrStop } from './programs.ts';

/**
 * A fingerprint of the sources below a folder: names, sizes and times of change. Leaves out tests, because they are
 * not part of `out/`.
 */
export function sourceStamp(root: string): string {
  const hash = createHash('sha256');
  const add = (path: string) => {
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    if (stats === undefined || /\.test\.\w+$/.test(path)) return;
    if (!stats.isDirectory()) hash.update(`${path}\0${stats.size}\0${stats.mtimeMs}\n`);
    else for (const name of readdirSync(join(root, path)).sort()) add(`${path}/${name}`);
  };
  for (const source of [...SOURCES, 'package-lock.json', 'tsconfig.json']) add(source);
  return hash.digest('hex');
}

/**
 * Builds `out/` if it is older than its sources; two callers at once build once. Shows the output of the build only
 * if it fails.
 */
export async function ensureBuilt(): Promise<{ built: boolean }> {
  const out = join(repositoryRoot, 'out');
  const stampFile = join(out, 'sources.stamp');
  if (readIfThere(stampFile) === sourceStamp(repositoryRoot)) return { built: false };
  return await withLock(join(repositoryRoot, 'node_modules/.endcap-build'), async () => {
    // Computed before the build, so that sources that change during the build are built again.
    const stamp = sourceStamp(repositoryRoot);
    if (readIfThere(stampFile) === stamp) return { built: false };
    mkdirSync(out, { recursive: true });
    rmSync(stampFile, { force: true });
    const builder = ['node_modules/electron-vite/bin/electron-vite.js', 'build'];
    await runOrStop('the build failed', process.execPath, builder, { label: 'Building' });
    writeFileSync(stampFile, stamp);
    // In another user's clone, the files that root has built must belong to that user.
    if (startedAsRoot) chownTree(out, statSync(repositoryRoot));
    return { built: true };
  });
}
