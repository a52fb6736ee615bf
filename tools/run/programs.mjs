import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import yoctoSpinner from 'yocto-spinner';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] all of it; ours when not given
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {string} [label] shown to the person while it runs, as in "Downloading Electron"
 * @property {number} [timeoutMs]
 * @property {'ignore' | 'inherit'} [input]
 * @property {'capture' | 'stderr' | 'inherit'} [output] `stderr`: shown there, the program's standard output included
 */

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} `code`: 127 when it could not be started, 1 when
 *   a signal ended it
 */
export async function run(command, args, options = {}) {
  const { label, timeoutMs = 0, input = 'ignore', output = 'capture', ...rest } = options;
  const spinner = label === undefined ? null : yoctoSpinner({ text: label }).start();
  const [program, ...itsArgs] = withParentDeathSignal([command, ...args]);
  const ended = await execa(program, itsArgs, {
    ...{ env: process.env, ...rest, extendEnv: false },
    ...{ timeout: timeoutMs, killSignal: 'SIGKILL', reject: false },
    stdin: input,
    stdout: output === 'capture' ? 'pipe' : output === 'stderr' ? process.stderr : 'inherit',
    stderr: output === 'capture' ? 'pipe' : 'inherit',
  });
  const code = ended.exitCode ?? (ended.isTerminated ? 1 : 127);
  if (code === 0) spinner?.success();
  else spinner?.error();
  const stderr = code === 127 ? (ended.originalMessage ?? '') : String(ended.stderr ?? '');
  return { code, stdout: String(ended.stdout ?? ''), stderr };
}

/**
 * The full path of a program, or null. Looks in the system's own folders too: an
 * ordinary user's PATH may lack /usr/sbin, and everybody's lacks the one of Debian's ZooKeeper.
 * @param {string} name
 * @returns {string | null}
 */
export function findProgram(name) {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/bin',
    '/sbin',
    '/bin',
    '/usr/share/zookeeper/bin',
  ];
  const isProgram = (/** @type {string} */ path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  const paths = folders.filter((folder) => folder !== '').map((folder) => join(folder, name));
  return paths.find(isProgram) ?? null;
}

/**
 * A command that gets a SIGTERM when we die, however that happens.
 * @param {[command: string, ...args: string[]]} command
 * @returns {[command: string, ...args: string[]]}
 */
export function withParentDeathSignal(command) {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : null;
  return setpriv === null ? command : [setpriv, '--pdeathsig', 'TERM', '--', ...command];
}
