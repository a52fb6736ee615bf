import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
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
export function withFolder(path, work) {
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
