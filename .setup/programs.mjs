import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withProgress } from './say.mjs';

/**
 * @typedef {{ code: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string }} Ended
 *
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {string} [label] told to the person when it takes over two seconds
 * @property {number} [timeoutMs]
 * @property {'capture' | 'stderr' | 'inherit'} [output] `stderr`: shown there, the program's standard output included
 */

/**
 * Runs a program to its end. A program that cannot be started ends with code 127.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Ended>}
 */
export function run(command, args, options = {}) {
  const { label, timeoutMs, output = 'capture', ...rest } = options;
  const work = () =>
    new Promise((/** @type {(ended: Ended) => void} */ resolve) => {
      const [program, ...itsArgs] = endingWithUs([command, ...args]);
      const child = spawn(program, itsArgs, {
        ...rest,
        stdio: [
          'ignore',
          output === 'capture' ? 'pipe' : output === 'stderr' ? 2 : 'inherit',
          output === 'capture' ? 'pipe' : 'inherit',
        ],
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: 'SIGKILL' }),
      });
      let stdout = '';
      let stderr = '';
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        stdout += text;
      });
      child.stderr?.setEncoding('utf8').on('data', (text) => {
        stderr += text;
      });
      child.once('error', (error) => resolve({ code: 127, signal: null, stdout, stderr: error.message }));
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
  return label === undefined ? work() : withProgress(label, work);
}

/**
 * The full path of a program, or null. Looks in the system's own folders too: an
 * ordinary user's PATH may lack /usr/sbin.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | null}
 */
export function findProgram(name, env = process.env) {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  for (const folder of folders) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/**
 * A command that gets a SIGTERM when we die, however that happens.
 * @param {[command: string, ...args: string[]]} command
 * @returns {[command: string, ...args: string[]]}
 */
export function endingWithUs(command) {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : null;
  return setpriv === null ? command : [setpriv, '--pdeathsig', 'TERM', '--', ...command];
}

/**
 * The command that starts npm with the user's own configuration.
 * @returns {[command: string, ...args: string[]]}
 */
export function npmCommand() {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) return [process.execPath, script];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}
