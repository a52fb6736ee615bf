import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_LOCK, readIfThere } from './build.mjs';
import { withLock } from './lock.mjs';
import { environmentOf } from './ordinary-user.mjs';
import { giveTree } from './ownership.mjs';
import { clone, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';

/** Which Electron the compiled code is of; a build empties the folder. */
const STAMP = 'out/main/compiled.stamp';

/** One process without display, that exits before Electron is ready: it sees nothing but our own code. */
const HEADLESS = [
  ...['--ozone-platform=headless', '--disable-gpu', '--in-process-gpu', '--no-zygote', '--no-sandbox'],
  '--log-level=3',
];

const COMPILE_MS = 60_000;

/** @typedef {Pick<import('./electron-runtime.mjs').ElectronRuntime, 'executable' | 'version' | 'origin'>} Runtime */

/**
 * Keeps beside the built program what this Electron's V8 compiles of it, unless that was done.
 * A kiosk starts without it too, only slower.
 * @param {Runtime} runtime
 * @returns {Promise<string | null>} why it could not be done; null when it is
 */
export async function ensureCompiled(runtime) {
  const isDone = () => readIfThere(join(clone, STAMP)) === stampOf(runtime);
  if (isDone()) return null;
  try {
    return await withLock(join(clone, BUILD_LOCK), async () =>
      isDone() ? null : await compile(clone, runtime),
    );
  } catch (error) {
    // In a clone that only others may write.
    return String(error);
  }
}

/**
 * @param {string} root where the built `out/` is
 * @param {Runtime} runtime
 * @param {import('./ordinary-user.mjs').User | null} [user] null: ourselves
 * @returns {Promise<string | null>} why it failed, or null
 */
export async function compile(root, runtime, user = null) {
  const program = join(root, 'out/main');
  if (user === null) rmSync(join(root, STAMP), { force: true });
  const { code, stderr } = await run(
    runtime.executable,
    [...HEADLESS, join(program, 'compile.js'), program],
    {
      cwd: root,
      timeoutMs: COMPILE_MS,
      label: 'Compiling',
      ...(user === null ? {} : { uid: user.uid, gid: user.gid, env: environmentOf(user, process.env) }),
    },
  );
  // In a folder of the user's nothing is done by root: there may be a link.
  if (code === 0 && user === null) writeFileSync(join(root, STAMP), stampOf(runtime));
  // What root has made in somebody else's clone belongs to them.
  if (startedAsRoot && user === null) giveTree(program, statSync(root));
  return code === 0 ? null : `Electron could not compile the program: ${stderr.trim() || `code ${code}`}`;
}

/** @param {Runtime} runtime */
function stampOf({ origin, version }) {
  return `${origin} ${version}`;
}
