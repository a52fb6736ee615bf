import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { makeOwnFolder, may } from './ordinary-user.mjs';
import { giveTree } from './ownership.mjs';
import { clone } from './places.mjs';
import { say } from './say.mjs';

/**
 * @typedef {import('./ordinary-user.mjs').User} User
 *
 * How the user gets at a data folder: `as it is`, or `mounted` at a path the user
 * can reach. Null: there is no way.
 * @typedef {{ at: string, mountFrom: string | null }} Reach
 */

/**
 * Makes the data folder usable for the user: made when missing, handed over when it
 * is root's, and mounted elsewhere when a folder above bars the way.
 * @param {User} user
 * @param {string} folder absolute path
 * @returns {Reach | null}
 */
export function openDataFolder(user, folder) {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) giveTree(made, user);
  if (isUsable(user, folder)) return { at: folder, mountFrom: null };
  const real = realpathSync(folder);
  if (belongsToSystem(real)) return null;
  if (made === undefined && statSync(real).uid === 0) {
    const given = giveTree(real, user, { only: 0 });
    if (given > 0)
      say(`handed ${folder} over to ${user.name}, who runs Chromium (chown of ${given} files and folders)`);
  }
  if (isUsable(user, folder)) return { at: folder, mountFrom: null };
  if (statSync(real).uid !== user.uid) return null;
  const name = createHash('sha256').update(real).digest('hex').slice(0, 12);
  const at = join(user.home, 'folders', name);
  makeOwnFolder(user, join(user.home, 'folders'), 0o755);
  makeOwnFolder(user, at, 0o700);
  const trial = mounted({ user, from: real, at }, ['/usr/bin/test', '-w', at]);
  const [command, ...args] = trial;
  if (spawnSync(command, args, { cwd: '/' }).status !== 0) return null;
  say(`a folder above ${folder} is closed to ${user.name}, who sees it as ${at}`);
  return { at, mountFrom: real };
}

/**
 * The command as the user, with the folder mounted for this one process tree.
 * @param {{ user: User, from: string, at: string }} mount
 * @param {string[]} command
 * @returns {[command: string, ...args: string[]]}
 */
export function mounted({ user, from, at }, command) {
  const identity = ['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups'];
  return [
    'unshare',
    ...['--mount', '--propagation', 'private', '--', 'sh', '-c'],
    'mount --bind "$1" "$2" && shift 2 && exec "$@"',
    ...['sh', from, at, 'setpriv', ...identity, '--pdeathsig', 'TERM', '--', ...command],
  ];
}

/**
 * @param {User} user
 * @param {string} folder
 */
function isUsable(user, folder) {
  return may(user, '-w', folder) && may(user, '-x', folder) && may(user, '-r', folder);
}

/** Folders whose owner must not change, whatever a command line says. */
const OF_THE_SYSTEM =
  /^\/(?:[^/]*|(?:bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr)\/.*|(?:home|var|media|mnt)\/[^/]+|var\/(?:lib|log|cache|spool)\/[^/]+)$/;

/**
 * @param {string} folder a real path
 * @param {string} [ours] the clone, which is no data folder either, nor what holds it
 * @returns {boolean}
 */
export function belongsToSystem(folder, ours = clone) {
  if (OF_THE_SYSTEM.test(folder)) return true;
  const inside = relative(folder, ours);
  return inside !== '..' && !inside.startsWith('../');
}
