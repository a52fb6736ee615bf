import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { SetUpStop } from './say.mjs';

// What root does where another user may put a link at any moment: it is that user who does it, or root holds on to
// the very folder that it has looked at.

/** @typedef {{ uid: number, gid: number }} Identity */

/** Opens a folder and nothing else: no link, however it got there. */
const FOLDER_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Opens a folder for `work` with its file descriptor; throws a `SetUpStop` for anything that is no folder, and for a
 * link to one.
 * @template T
 * @param {string} path
 * @param {(fd: number) => T} work
 * @returns {T}
 */
function withFolder(path, work) {
  let fd;
  try {
    fd = openSync(path, FOLDER_ONLY);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'ELOOP' && code !== 'ENOTDIR') throw error;
    throw new SetUpStop(
      `endcap: expected a folder at ${path}, found a link or a file. Look who made it, and remove it`,
    );
  }
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * A folder in a parent that only we may change, made when missing, with this owner and mode.
 * @param {string} path
 * @param {{ mode: number, owner?: Identity }} options
 */
export function makeFolder(path, { mode, owner }) {
  makeIfMissing(path);
  withFolder(path, (fd) => {
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
    fchmodSync(fd, mode);
  });
}

/**
 * A folder of ours with this mode in a parent where everybody may make one, such as /tmp. One of somebody else's is
 * left as it is.
 * @param {string} path
 * @param {number} mode
 */
export function makeSharedFolder(path, mode) {
  makeIfMissing(path);
  withFolder(path, (fd) => {
    if (fstatSync(fd).uid === process.getuid?.()) fchmodSync(fd, mode);
  });
}

/** @param {string} path */
function makeIfMissing(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
}

/**
 * Runs a program of the system as `user`, who may do no more with it than otherwise; answers what it prints.
 * Throws a `SetUpStop` where it fails.
 * @param {Identity} user
 * @param {string[]} command
 * @param {Uint8Array | string} [input]
 * @returns {string}
 */
export function asUser({ uid, gid }, [program = '', ...args], input = '') {
  const isOurs = uid === process.getuid?.();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...(isOurs ? {} : { uid, gid }),
    input,
    cwd: '/',
    encoding: 'utf8',
  });
  if (status === 0) return stdout;
  throw new SetUpStop(
    `endcap: ${[program, ...args].join(' ')} failed as user ${uid}: ${error?.message ?? stderr.trim()}`,
  );
}

/**
 * Whether `path` is a link, dangling ones included.
 * @param {string} path
 */
export function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/**
 * Gives a folder and all below it to somebody; links are changed themselves, never
 * followed, and other file systems below are left alone, and so are files that have another
 * name elsewhere. What is in a folder is given before the folder, and every folder is held
 * while it is gone through: whoever owns a part of the tree may put a link in its place.
 * @param {string} path
 * @param {{ uid: number, gid: number }} owner
 * @returns {number} how many files and folders changed hands
 */
export function giveTree(path, owner) {
  const device = lstatSync(path).dev;
  let given = 0;
  /** @param {string} each */
  const give = (each) => {
    const stats = lstatSync(each, { throwIfNoEntry: false });
    if (stats === undefined || stats.dev !== device) return;
    if (stats.isDirectory()) {
      withFolder(each, (fd) => {
        const held = process.platform === 'linux' ? `/proc/self/fd/${fd}` : each;
        for (const name of readdirSync(held)) give(`${held}/${name}`);
      });
    }
    const isTheirs = stats.uid === owner.uid && stats.gid === owner.gid;
    if (isTheirs || (stats.isFile() && stats.nlink > 1)) return;
    try {
      lchownSync(each, owner.uid, owner.gid);
      given += 1;
    } catch (error) {
      // Its owner has removed it.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    }
  };
  give(path);
  return given;
}
