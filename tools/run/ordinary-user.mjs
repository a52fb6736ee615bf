import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder, startedAsRoot } from './places.mjs';
import { findProgram, run } from './programs.mjs';
import { asUser, isLink, makeFolder } from './safe-folders.mjs';
import { SetUpStop, say } from './say.mjs';

/**
 * Whom Chromium runs as when we are root.
 * @typedef {{ name: string, uid: number, gid: number, home: string }} User
 */

const NAME = 'endcap-dev';
const HOME = '/var/lib/endcap-dev';

/**
 * The ordinary user for a launcher that root started, made when it is missing.
 * Null when we are an ordinary user ourselves, and when there is no way to become one.
 * @returns {Promise<User | null>}
 */
export async function ordinaryUser() {
  if (!startedAsRoot) return null;
  const user = findUser(NAME) ?? (await withLock(join(cacheFolder(), 'user.lock'), makeUser));
  if (user === null) return null;
  // Its parent is root's, unlike what is below it.
  makeFolder(user.home, { mode: 0o755, owner: user });
  makeOwnFolder(user, runtimeFolder(user), 0o700);
  if (spawnSync('/bin/true', [], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0) return user;
  say(`this system does not let root become ${user.name}`);
  return null;
}

/** @returns {Promise<User | null>} */
async function makeUser() {
  const there = findUser(NAME);
  if (there !== null) return there;
  const useradd = findProgram('useradd');
  if (useradd !== null) {
    const options = ['--system', '--user-group', '--home-dir', HOME, '--create-home'];
    const { code, stderr } = await run(useradd, [...options, '--shell', '/usr/sbin/nologin', NAME]);
    if (code === 0) say(`made the system user ${NAME}, so that Chromium need not run as root`);
    else say(`could not make the user ${NAME}: ${stderr.trim()}`);
  }
  const made = findUser(NAME) ?? findUser('nobody');
  return made === null ? null : { ...made, home: HOME };
}

/**
 * @param {string} name
 * @returns {User | null}
 */
function findUser(name) {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [found, , uid, gid, , home] = line.split(':');
    if (found === name && home !== undefined) return { name, uid: Number(uid), gid: Number(gid), home };
  }
  return null;
}

/**
 * The user's XDG_RUNTIME_DIR.
 * @param {User} user
 */
function runtimeFolder(user) {
  return join(user.home, 'runtime');
}

/**
 * A folder of the user's, made or corrected by the user. Throws a `SetUpStop` where there is a link.
 * @param {User} user
 * @param {string} path
 * @param {number} mode
 */
export function makeOwnFolder(user, path, mode) {
  if (isLink(path)) {
    throw new SetUpStop(
      `endcap: expected a folder at ${path}, found a link. Look who made it, and remove it`,
    );
  }
  asUser(user, ['mkdir', '-p', '--', path]);
  asUser(user, ['chmod', mode.toString(8), '--', path]);
}

/**
 * A folder that only the user may enter, for as long as we run. What a launcher left
 * behind when it was killed is removed here: it may hold a secret.
 * @param {User} user
 * @param {string} kind
 * @returns {string}
 */
export function makePrivateFolder(user, kind) {
  const parent = runtimeFolder(user);
  const left = readdirSync(parent).filter((name) => {
    const pid = /^endcap-[a-z]+-(\d+)-/.exec(name)?.[1];
    return pid !== undefined && !existsSync(`/proc/${pid}`);
  });
  if (left.length > 0) asUser(user, ['rm', '-rf', '--', ...left.map((name) => join(parent, name))]);
  return asUser(user, ['mktemp', '-d', '--', join(parent, `endcap-${kind}-${process.pid}-XXXXXX`)]).trim();
}

/**
 * Removes what `makePrivateFolder` made.
 * @param {User} user
 * @param {string} folder
 */
export function removePrivateFolder(user, folder) {
  asUser(user, ['rm', '-rf', '--', folder]);
}

/**
 * A file that only the user may read, in a folder of the user's.
 * @param {User} user
 * @param {string} file
 * @param {Uint8Array | string} content
 */
export function writePrivateFile(user, file, content) {
  asUser(user, ['sh', '-c', 'umask 077; set -C; cat > "$1"', 'sh', file], content);
}

/**
 * What a user may do with a path, asked of the kernel in that user's name: modes
 * alone say nothing about parent folders, access lists or file systems.
 * @param {User | null} user null: ourselves
 * @param {'-r' | '-w' | '-x' | '-e'} permission as `test` names it
 * @param {string} path
 * @returns {boolean}
 */
export function may(user, permission, path) {
  const identity = user === null ? {} : { uid: user.uid, gid: user.gid };
  return spawnSync('/usr/bin/test', [permission, path], { ...identity, cwd: '/' }).status === 0;
}

/** Variables that belong to root's session and mean nothing, or too much, to another user. */
const ROOTS_OWN =
  /^(npm_|XDG_|DBUS_|SUDO_|SSH_|GPG_|WAYLAND_|MAIL$|OLDPWD$|PWD$|INIT_CWD$|SESSION_MANAGER$|XAUTHORITY$|LS_COLORS$)/i;

/**
 * The environment for programs that run as `user`.
 * @param {User} user
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOf(user, environment) {
  const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !ROOTS_OWN.test(name)));
  if (kept.TMPDIR !== undefined) delete kept.TMPDIR;
  return {
    ...kept,
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: '/bin/sh',
    XDG_RUNTIME_DIR: runtimeFolder(user),
    // No bus belongs to this user; without this the libraries would start one and leave it behind.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    NO_AT_BRIDGE: '1',
  };
}
