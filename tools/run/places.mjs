import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json, without a slash at its end. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Started as root on a system that has users as Linux has them. */
export const startedAsRoot = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * The folder a person called us from; `npm` itself moves to the clone.
 * @returns {string}
 */
export function callerFolder() {
  return process.env.INIT_CWD ?? process.cwd();
}

/**
 * Where what is downloaded or prepared once is kept, outside the clone so that
 * every clone shares it. As root it is readable to ordinary users.
 * @returns {string}
 */
export function cacheFolder() {
  const folder = startedAsRoot
    ? '/var/cache/endcap-dev'
    : join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'endcap');
  mkdirSync(folder, { recursive: true, mode: startedAsRoot ? 0o755 : 0o700 });
  return folder;
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
