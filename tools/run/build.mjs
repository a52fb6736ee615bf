import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { giveTree } from './ownership.mjs';
import { clone, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';
import { SetUpStop, say } from './say.mjs';

/** Who holds it may write to `out/`. */
const BUILD_LOCK = 'node_modules/.endcap-build.lock';

/** What `out/` is made from. */
const SOURCES = [
  ...['main', 'renderer', 'preload', 'shared'],
  ...['electron.vite.config.ts', 'package.json', 'package-lock.json', 'tsconfig.json'],
];

/**
 * A fingerprint of the sources: names, sizes and times of change. Tests are left
 * out, since they do not end up in `out/`.
 * @param {string} root
 * @param {string[]} [sources] files and folders below `root`
 * @returns {string}
 */
export function sourceStamp(root, sources = SOURCES) {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isDirectory()) {
      hash.update(`${path}\0${stats.size}\0${stats.mtimeMs}\n`);
      return;
    }
    const names = readdirSync(join(root, path)).sort();
    for (const name of names) if (!/\.test\.\w+$/.test(name)) add(`${path}/${name}`);
  };
  for (const source of sources) add(source);
  return hash.digest('hex');
}

/**
 * Builds `out/` when it is older than its sources; two callers at once build once.
 * What the build prints goes to standard error, and only when it fails.
 * @param {{ root?: string, quiet?: boolean }} [options] `quiet`: told only when it takes long
 * @returns {Promise<{ built: boolean }>}
 */
export async function ensureBuilt({ root = clone, quiet = false } = {}) {
  const out = join(root, 'out');
  const stampFile = join(out, 'sources.stamp');
  if (readIfThere(stampFile) === sourceStamp(root)) return { built: false };
  return await withLock(join(root, BUILD_LOCK), async () => {
    // Taken before the build: what is changed meanwhile must be built again.
    const stamp = sourceStamp(root);
    if (readIfThere(stampFile) === stamp) return { built: false };
    mkdirSync(out, { recursive: true });
    rmSync(stampFile, { force: true });
    if (!quiet) say('building');
    const { code, stdout, stderr } = await run(
      process.execPath,
      [join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build'],
      { cwd: root, label: 'Building' },
    );
    if (code !== 0) {
      process.stderr.write(stdout + stderr);
      throw new SetUpStop('endcap: the build failed');
    }
    writeFileSync(stampFile, stamp);
    // What root has built in somebody else's clone belongs to them.
    if (startedAsRoot) giveTree(out, statSync(root));
    return { built: true };
  });
}

/**
 * @param {string} path
 * @returns {string | null} null when it cannot be read
 */
export function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
