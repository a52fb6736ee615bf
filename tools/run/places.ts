import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder that holds package.json, without a slash at its end. */
export const repositoryRoot = join(import.meta.dirname, '../..');

/** The sources of the program, in the clone. */
export const SOURCES = ['main', 'renderer', 'preload', 'shared', 'electron.vite.config.ts', 'package.json'];

/** Whether root started this process, on a system with Linux users. */
export const startedAsRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** The folder from which a person called us; `npm` itself changes to the clone. */
export function callerFolder(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

/**
 * The folder for downloads and other things that are prepared once. It is outside the clone, so that all clones share
 * it. As root, it is readable to ordinary users.
 */
export function cacheFolder(): string {
  const folder = startedAsRoot
    ? '/var/cache/endcap-dev'
    : join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'endcap');
  mkdirSync(folder, { recursive: true, mode: startedAsRoot ? 0o755 : 0o700 });
  return folder;
}

/** The content of a file; null when it cannot be read. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
