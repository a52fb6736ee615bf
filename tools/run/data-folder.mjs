import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, fstatSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { may } from './ordinary-user.mjs';
import { clone } from './places.mjs';
import { giveTree, makeFolder, withFolder } from './safe-folders.mjs';
import { SetUpStop, say } from './say.mjs';

/**
 * @typedef {import('./ordinary-user.mjs').User} User
 *
 * How the user gets at a data folder: `as it is`, or `mounted` at a path the user
 * can reach. Null: there is no way.
 * @typedef {{ at: string, mountFrom: string | null }} Reach
 */

/**
 * Makes the data folder usable for the user: made when missing, handed over when it
 * is root's, and mounted elsewhere when a folder above bars the way. Root does any of this
 * only below folders that nobody else can change, and never gives a folder above away:
 * whoever owns one can put a link in place of what is below. Throws a `SetUpStop` otherwise.
 * @param {User} user
 * @param {string} folder absolute path
 * @returns {Reach | null}
 */
export function openDataFolder(user, folder) {
  if (!isThere(folder)) makeAs(user, folder);
  if (isUsable(user, folder)) return { at: folder, mountFrom: null };
  demandRootsAlone(dirname(folder), folder);
  const isNew = !isThere(folder);
  if (belongsToSystem(folder) || (!isNew && mayBelongToSystem(folder))) return null;
  if (isNew) {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
    makeFolder(folder, { mode: 0o700, owner: user });
  } else if (withFolder(folder, (fd) => fstatSync(fd).uid) === 0) {
    const given = giveTree(folder, user, { only: 0 });
    if (given > 0)
      say(`handed ${folder} over to ${user.name}, who runs Chromium (chown of ${given} files and folders)`);
  }
  if (isUsable(user, folder)) return { at: folder, mountFrom: null };
  if (withFolder(folder, (fd) => fstatSync(fd).uid) !== user.uid) return null;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  // Root mounts there, so the way to it is root's: the user could lead it to the system's programs.
  const at = join(`${user.home}-folders`, name);
  makeFolder(dirname(at), { mode: 0o755 });
  makeFolder(at, { mode: 0o755 });
  const trial = mounted({ user, from: folder, at }, ['/usr/bin/test', '-w', at]);
  const [command, ...args] = trial;
  if (spawnSync(command, args, { cwd: '/' }).status !== 0) return null;
  say(`a folder above ${folder} is closed to ${user.name}, who sees it as ${at}`);
  return { at, mountFrom: folder };
}

/**
 * Throws a `SetUpStop` unless every folder that is there, from `/` to `parent`, is one that root alone can change.
 * In one that everybody may write to, and that is sticky as `/tmp` is, nobody can replace what is root's.
 * @param {string} parent
 * @param {string} folder what it is asked for
 */
function demandRootsAlone(parent, folder) {
  let path = '/';
  for (const name of ['', ...parent.split('/').filter((each) => each !== '')]) {
    path = join(path, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isDirectory()) throw stop(folder, `${path} is a link or a file`);
    if (stats.uid !== 0) throw stop(folder, `${path} belongs to user ${stats.uid}`);
    const isForAll = (stats.mode & 0o022) !== 0;
    if (isForAll && (stats.mode & 0o1000) === 0) throw stop(folder, `others can write to ${path}`);
  }
}

/**
 * @param {string} folder
 * @param {string} why
 */
function stop(folder, why) {
  return new SetUpStop(
    `endcap: root does not prepare the data folder ${folder}, because ${why}. ` +
      'Name a folder below folders that only root can change, or make one that the user can use',
  );
}

/** @param {string} path */
const isThere = (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * Makes the folder with the user's rights, where these are enough.
 * @param {User} user
 * @param {string} folder
 */
function makeAs({ uid, gid }, folder) {
  spawnSync('/usr/bin/mkdir', ['-p', '-m', '700', '--', folder], { uid, gid, cwd: '/' });
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

/** Below these, programs keep what is theirs alone: keys, mail, their state. */
const OF_PROGRAMS = /^\/(?:root\/\.|var\/)/;

/**
 * Whether a folder that is there may be another program's: it lies where programs keep theirs, and holds no data of
 * a kiosk.
 * @param {string} folder
 */
export function mayBelongToSystem(folder) {
  return OF_PROGRAMS.test(folder) && !existsSync(join(folder, 'IndexedDB'));
}
