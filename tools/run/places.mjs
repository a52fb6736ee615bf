import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json, without a slash at its end. */
export const clone = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/** Started as root on a system that has users as Linux has them. */
export const startedAsRoot = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * The folder a person called us from; `npm` itself moves to the clone.
 * @returns {string}
 */
export function calledFrom() {
  return process.env.INIT_CWD ?? process.cwd();
}

/**
 * Where what is downloaded or prepared once is kept, outside the clone so that
 * every clone shares it. As root it is readable to ordinary users.
 * @returns {string}
 */
export function cacheFolder() {
  if (startedAsRoot) {
    const shared = '/var/cache/endcap-dev';
    mkdirSync(shared, { recursive: true });
    chmodSync(shared, 0o755);
    return shared;
  }
  const own = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'endcap');
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    accessSync(own, constants.W_OK);
    return own;
  } catch {
    const spare = join(tmpdir(), `endcap-${process.getuid?.() ?? 'cache'}`);
    mkdirSync(spare, { recursive: true, mode: 0o700 });
    return spare;
  }
}
