import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startedAsRoot } from './places.mjs';
import { printWarning } from './say.mjs';

/**
 * Electron's arguments for a sandbox that works for us; says so when there is none. It is made by our own namespaces,
 * or by the set-uid helper beside the executable.
 * @param {string} dist Electron's folder
 * @returns {string[]}
 */
export function sandboxArguments(dist) {
  if (process.platform !== 'linux') return [];
  if (!startedAsRoot && (canMakeNamespaces(null) || isSetUid(helperIn(dist)))) return [];
  printWarning([
    'Chromium runs WITHOUT its sandbox. For development only.',
    ...(startedAsRoot
      ? ['It runs as root, because there is no ordinary user to run it.']
      : [
          'This system does not let you make user namespaces. To get the sandbox:',
          `sudo chown root:root '${helperIn(dist)}' && sudo chmod 4755 '${helperIn(dist)}'`,
        ]),
  ]);
  return ['--no-sandbox'];
}

/**
 * As root: makes the helper set-uid where the user cannot make namespaces.
 * @param {import('./ordinary-user.mjs').User} user
 * @param {string} dist Electron's folder, which is root's
 */
export function makeSandbox(user, dist) {
  if (canMakeNamespaces(user) || isSetUid(helperIn(dist))) return;
  try {
    chownSync(helperIn(dist), 0, 0);
    chmodSync(helperIn(dist), 0o4755);
  } catch {
    // A file system that takes no such changes.
  }
}

/** @param {string} dist */
const helperIn = (dist) => join(dist, 'chrome-sandbox');

/** @param {import('./ordinary-user.mjs').User | null} user null: ourselves */
function canMakeNamespaces(user) {
  const identity = user === null ? {} : { uid: user.uid, gid: user.gid };
  return spawnSync('unshare', ['-Ur', 'true'], { ...identity, cwd: '/' }).status === 0;
}

/** @param {string} helper */
function isSetUid(helper) {
  const stats = statSync(helper, { throwIfNoEntry: false });
  return stats?.uid === 0 && (stats.mode & 0o4755) === 0o4755;
}
