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

/** A command of package.json. */
export interface Command {
  /** Resolves with the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
  /**
   * What must be set up before it runs. Root sets that up, and an ordinary user runs the command; without `needs` the
   * caller runs it.
   */
  readonly needs?: (args: readonly string[]) => Needs | undefined;
  /** Files and folders that it writes, to be copied back into the clone. */
  readonly brings?: (args: readonly string[]) => readonly string[];
}

/** The needs of a kiosk on an Xvfb, and of further programs. */
export const kioskAnd = (...programs: string[]): Needs => {
  return { programs: ['Xvfb', ...programs], electron: true, built: true };
};

/** Sets up what a command needs. Programs that we start find Electron through ELECTRON_OVERRIDE_DIST_PATH. */
export async function prepare({ programs = [], electron, built }: Needs): Promise<void> {
  const runtime = electron ? await ensureElectron() : null;
  await ensureSystemPackages(programs, runtime?.executable);
  if (runtime !== null) process.env.ELECTRON_OVERRIDE_DIST_PATH = runtime.dist;
  // The Xvfb of an ordinary user could not give this folder its proper owner and mode.
  if (startedAsRoot && programs.includes('Xvfb')) makeSharedFolder('/tmp/.X11-unix');
  if (built) await ensureBuilt();
}

/**
 * Creates a folder in which everybody may create files, inside one where everybody may do so already, such as /tmp.
 * Leaves an existing entry as it is, because it may be a link that somebody put there.
 */
export function makeSharedFolder(path: string): void {
  spawnSync('mkdir', ['-m', '1777', '--', path]);
}
