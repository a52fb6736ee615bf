import { ensureElectron } from './electron-runtime.mjs';
import { runtimeFor } from './readable-copies.mjs';
import { SetUpStop } from './say.mjs';
import { ensureSystemPackages } from './system-packages.mjs';
import { setUpWorkbench } from './workbench.mjs';

/**
 * A workbench with the program built in it and an Electron that its user can run.
 * Rejects with `SetUpStop` when the build fails.
 * @param {import('./system-packages.mjs').Needs['programs']} programs of the system that what follows needs
 */
export async function setUpBuiltWorkbench(programs) {
  const found = await ensureElectron();
  await ensureSystemPackages({ executable: found.executable, programs });
  const bench = await setUpWorkbench();
  const runtime = await runtimeFor(bench.user, found);
  if ((await buildProgram(bench)) !== 0) throw new SetUpStop('endcap: the build failed');
  return { ...bench, runtime };
}

/**
 * Builds the program in a workbench; resolves with the exit code.
 * @param {Pick<import('./workbench.mjs').Workbench, 'node'>} bench
 */
export function buildProgram({ node }) {
  return node(['node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'warn']);
}
