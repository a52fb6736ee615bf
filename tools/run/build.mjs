import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chownTree } from './chown-tree.mjs';
import { SOURCES } from './last-commit.mjs';
import { withLock } from './lock.mjs';
import { readIfThere, repositoryRoot, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';
import { CommandError } from './say.mjs';

/**
 * A fingerprint of the sources: names, sizes and times of change. Tests are left
 * out, since they do not end up in `out/`.
 * @param {string} root
 * @returns {string}
 */
export function sourceStamp(root) {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    if (stats === undefined || /\.test\.\w+$/.test(path)) return;
    if (!stats.isDirectory()) hash.update(`${path}\0${stats.size}\0${stats.mtimeMs}\n`);
    else for (const name of readdirSync(join(root, path)).sort()) add(`${path}/${name}`);
  };
  for (const source of [...SOURCES, 'package-lock.json', 'tsconfig.json']) add(source);
  return hash.digest('hex');
}

/**
 * Builds `out/` when it is older than its sources; two callers at once build once.
 * What the build prints goes to standard error, and only when it fails.
 * @returns {Promise<{ built: boolean }>}
 */
export async function ensureBuilt() {
  const out = join(repositoryRoot, 'out');
  const stampFile = join(out, 'sources.stamp');
  if (readIfThere(stampFile) === sourceStamp(repositoryRoot)) return { built: false };
  return await withLock(join(repositoryRoot, 'node_modules/.endcap-build'), async () => {
    // Taken before the build: what is changed meanwhile must be built again.
    const stamp = sourceStamp(repositoryRoot);
    if (readIfThere(stampFile) === stamp) return { built: false };
    mkdirSync(out, { recursive: true });
    rmSync(stampFile, { force: true });
    const { code, stdout, stderr } = await run(
      process.execPath,
      [join(repositoryRoot, 'node_modules/electron-vite/bin/electron-vite.js'), 'build'],
      { cwd: repositoryRoot, label: 'Building' },
    );
    if (code !== 0) {
      process.stderr.write(stdout + stderr);
      throw new CommandError('endcap: the build failed');
    }
    writeFileSync(stampFile, stamp);
    // What root has built in somebody else's clone belongs to them.
    if (startedAsRoot) chownTree(out, statSync(repositoryRoot));
    return { built: true };
  });
}
