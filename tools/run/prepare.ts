import { spawnSync } from 'node:child_process';
import { ensureBuilt } from './build.ts';
import { ensureElectron } from './electron.ts';
import { startedAsRoot } from './places.ts';
import { ensureSystemPackages } from './system-packages.ts';

/** What a command needs. */
export interface Needs {
  /** Programs of the system. */
  readonly programs?: readonly string[];
  readonly electron?: boolean;
  /** The program in `out/`. */
  readonly built?: boolean;
}

/** Sets up what a command needs. Programs that we start find Electron by ELECTRON_OVERRIDE_DIST_PATH. */
export async function prepare({ programs = [], electron, built }: Needs): Promise<void> {
  const runtime = electron ? await ensureElectron() : null;
  await ensureSystemPackages(programs, runtime?.executable);
  if (runtime !== null) process.env.ELECTRON_OVERRIDE_DIST_PATH = runtime.dist;
  // An ordinary user's Xvfb could not give this folder its proper owner and mode.
  if (startedAsRoot && programs.includes('Xvfb')) makeSharedFolder('/tmp/.X11-unix');
  if (built) await ensureBuilt();
}

/**
 * A folder in which everybody may make files, in one where everybody may do so already, such as /tmp. What is there
 * stays as it is: it may be a link that somebody put there.
 */
export function makeSharedFolder(path: string): void {
  spawnSync('mkdir', ['-m', '1777', '--', path]);
}
