import { spawnSync } from 'node:child_process';
import { ensureBuilt } from './build.mjs';
import { ensureElectron } from './electron.mjs';
import { startedAsRoot } from './places.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

/**
 * What a command needs.
 * @typedef {object} Needs
 * @property {string[]} [programs] of the system
 * @property {boolean} [electron]
 * @property {boolean} [built] the program in `out/`
 */

/**
 * Sets up what a command needs. Programs that we start find Electron by ELECTRON_OVERRIDE_DIST_PATH.
 * @param {Needs} needs
 */
export async function prepare({ programs = [], electron = false, built = false }) {
  const runtime = electron ? await ensureElectron() : null;
  await ensureSystemPackages({ executable: runtime?.executable ?? null, programs });
  if (runtime !== null) process.env.ELECTRON_OVERRIDE_DIST_PATH = runtime.dist;
  // An ordinary user's Xvfb could not give this folder its proper owner and mode.
  if (startedAsRoot && programs.includes('Xvfb')) makeSharedFolder('/tmp/.X11-unix');
  if (built) await ensureBuilt();
}

/**
 * A folder in which everybody may make files, in one where everybody may do so already, such as /tmp. What is there
 * stays as it is: it may be a link that somebody put there.
 * @param {string} path
 */
export function makeSharedFolder(path) {
  spawnSync('mkdir', ['-m', '1777', '--', path]);
}
