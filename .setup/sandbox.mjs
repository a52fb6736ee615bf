import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startedAsRoot } from './places.mjs';
import { sayLoudly } from './say.mjs';

/**
 * How Chromium's sandbox comes about: by the user's own namespaces, by the set-uid
 * helper beside the executable, or not at all.
 * @typedef {'namespace' | 'suid' | 'none'} Sandbox
 */

/**
 * Finds a sandbox that works for whoever runs Electron, and as root makes one.
 * @param {{ user: import('./ordinary-user.mjs').User | null, dist: string }} who `user` null: ourselves
 * @returns {Sandbox}
 */
export function findSandbox({ user, dist }) {
  if (process.platform !== 'linux') return 'namespace';
  if (startedAsRoot && user === null) return 'none';
  const identity = user === null ? {} : { uid: user.uid, gid: user.gid };
  if (spawnSync('unshare', ['-Ur', 'true'], { ...identity, cwd: '/' }).status === 0) return 'namespace';
  const helper = join(dist, 'chrome-sandbox');
  if (isSetUid(helper)) return 'suid';
  if (!startedAsRoot) return 'none';
  try {
    chownSync(helper, 0, 0);
    chmodSync(helper, 0o4755);
  } catch {
    return 'none';
  }
  return isSetUid(helper) ? 'suid' : 'none';
}

/** @param {string} helper */
function isSetUid(helper) {
  try {
    const { uid, mode } = statSync(helper);
    return uid === 0 && (mode & 0o4755) === 0o4755;
  } catch {
    return false;
  }
}

/**
 * Electron's arguments for a sandbox; says so when there is none.
 * @param {Sandbox} sandbox
 * @param {{ dist: string, why?: string }} about `why`: the reason when it is known better
 * @returns {string[]}
 */
export function sandboxArguments(sandbox, { dist, why }) {
  if (sandbox !== 'none') return [];
  const helper = join(dist, 'chrome-sandbox');
  sayLoudly([
    'Chromium runs WITHOUT its sandbox. For development only.',
    ...(why !== undefined
      ? [why]
      : startedAsRoot
        ? ['This system lets no ordinary user make namespaces and honours no set-uid program.']
        : [
            'This system does not let you make user namespaces. To get the sandbox:',
            `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
          ]),
  ]);
  return ['--no-sandbox'];
}
