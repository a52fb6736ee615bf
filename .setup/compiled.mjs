import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from './build.mjs';
import { withLock } from './lock.mjs';
import { environmentOf } from './ordinary-user.mjs';
import { giveTree } from './ownership.mjs';
import { clone, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';

/** Which sources and which Electron the compiled code is of. */
const STAMP = 'out/compiled.stamp';

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
  const stampFile = join(clone, STAMP);
  const stamp = () => `${readIfThere(join(clone, 'out/sources.stamp'))} ${runtime.origin} ${runtime.version}`;
  if (readIfThere(stampFile) === stamp()) return null;
  try {
    return await withLock(join(clone, 'node_modules', '.endcap-build.lock'), async () => {
      if (readIfThere(stampFile) === stamp()) return null;
      rmSync(stampFile, { force: true });
      const fault = await compile(clone, runtime);
      if (fault !== null) return fault;
      writeFileSync(stampFile, stamp());
      if (startedAsRoot) giveTree(join(clone, 'out'), statSync(clone));
      return null;
    });
  } catch (error) {
    // In a clone that only others may write.
    return String(error);
  }
}

/**
 * Removes what is compiled: what is packaged next is for other systems.
 * @returns {null}
 */
export function forgetCompiled() {
  rmSync(join(clone, STAMP), { force: true });
  for (const name of readdirSync(join(clone, 'out/main'), { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.compiled')) rmSync(join(clone, 'out/main', name));
  }
  return null;
}

/**
 * @param {string} root where the built `out/` is
 * @param {Runtime} runtime
 * @param {import('./ordinary-user.mjs').User | null} [user] null: ourselves
 * @returns {Promise<string | null>} why it failed, or null
 */
export async function compile(root, { executable }, user = null) {
  const program = join(root, 'out/main');
  const { code, stderr } = await run(executable, [...HEADLESS, join(program, 'compile.js'), program], {
    cwd: root,
    timeoutMs: COMPILE_MS,
    label: 'Compiling',
    ...(user === null ? {} : { uid: user.uid, gid: user.gid, env: environmentOf(user, process.env) }),
  });
  return code === 0 ? null : `Electron could not compile the program: ${stderr.trim() || `code ${code}`}`;
}
