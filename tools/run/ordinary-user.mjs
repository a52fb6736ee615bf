import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';
import { CommandError, printStatus } from './say.mjs';

/**
 * Whom Chromium runs as when we are root.
 * @typedef {Identity & { name: string, home: string }} User
 *
 * @typedef {{ uid: number, gid: number }} Identity
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
  const user = findUser() ?? (await withLock(join(cacheFolder(), 'user'), makeUser));
  if (user === null) return null;
  // Its parent is root's, so that nobody else can put a link in its place.
  await run('install', ['-d', '-m', '755', '-o', `${user.uid}`, '-g', `${user.gid}`, user.home]);
  makeOwnFolder(user, runtimeFolder(user), 0o700);
  if (spawnSync('/bin/true', [], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0) return user;
  printStatus(`this system does not let root become ${user.name}`);
  return null;
}

/** @returns {Promise<User | null>} */
async function makeUser() {
  if (findUser() !== null) return findUser();
  const options = ['--system', '--user-group', '--home-dir', HOME, '--create-home'];
  const { code, stderr } = await run('useradd', [...options, '--shell', '/usr/sbin/nologin', NAME]);
  if (code === 0) printStatus(`made the system user ${NAME}, so that Chromium need not run as root`);
  else printStatus(`could not make the user ${NAME}: ${stderr.trim()}`);
  return findUser();
}

/** @returns {User | null} */
function findUser() {
  const found = new RegExp(`^${NAME}:[^:]*:(\\d+):(\\d+):[^:]*:([^:]*):`, 'm').exec(
    readFileSync('/etc/passwd', 'utf8'),
  );
  return found && { name: NAME, uid: Number(found[1]), gid: Number(found[2]), home: found[3] ?? HOME };
}

/**
 * The user's XDG_RUNTIME_DIR.
 * @param {User} user
 */
function runtimeFolder(user) {
  return join(user.home, 'runtime');
}

/**
 * A folder of the user's, made or corrected in that user's name: a link in its place leads only where the user may go.
 * @param {Identity} user
 * @param {string} path
 * @param {number} mode
 */
export function makeOwnFolder(user, path, mode) {
  asUser(user, ['mkdir', '-p', '--', path]);
  asUser(user, ['chmod', mode.toString(8), '--', path]);
}

/**
 * Runs a program of the system as `user`, who may do no more with it than otherwise.
 * Throws a `CommandError` where it fails.
 * @param {Identity} user
 * @param {string[]} command
 * @param {Uint8Array | string} [input]
 */
function asUser({ uid, gid }, [program = '', ...args], input = '') {
  const isOurs = uid === process.getuid?.();
  const options = { ...(isOurs ? {} : { uid, gid }), input, cwd: '/' };
  const { status, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (status === 0) return;
  const command = [program, ...args].join(' ');
  throw new CommandError(`endcap: ${command} failed as user ${uid}: ${error?.message ?? stderr.trim()}`);
}

/**
 * What a user may do with a path, asked of the kernel in that user's name: modes
 * alone say nothing about parent folders, access lists or file systems.
 * @param {User} user
 * @param {'-r' | '-w' | '-x'} permission as `test` names it
 * @param {string} path
 * @returns {boolean}
 */
export function hasPermission({ uid, gid }, permission, path) {
  return spawnSync('/usr/bin/test', [permission, path], { uid, gid, cwd: '/' }).status === 0;
}

/**
 * Throws a `CommandError` unless the user may read the file.
 * @param {User} user
 * @param {string} file
 */
export function demandReadable(user, file) {
  if (!existsSync(file) || hasPermission(user, '-r', file)) return;
  throw new CommandError(
    `endcap: ${user.name}, who runs Endcap for root, may not read ${file}. Put it where that user may read it, such as ${user.home}`,
  );
}

/**
 * Throws a `CommandError` unless the user can keep data in the folder, which the user makes where it is missing.
 * @param {User} user
 * @param {string} folder
 */
export function demandDataFolder(user, folder) {
  spawnSync('mkdir', ['-p', '-m', '700', '--', folder], { uid: user.uid, gid: user.gid, cwd: '/' });
  if (
    hasPermission(user, '-w', folder) &&
    hasPermission(user, '-x', folder) &&
    hasPermission(user, '-r', folder)
  )
    return;
  throw new CommandError(
    `endcap: ${user.name}, who runs Endcap for root, cannot use the data folder ${folder}. Name one that it can use, such as ${join(user.home, 'data')}`,
  );
}

/**
 * A copy of root's X cookie for the user, who may not read root's.
 * @param {User} user
 * @param {string} authority
 * @returns {NodeJS.ProcessEnv}
 */
export function giveCookie(user, authority) {
  if (!existsSync(authority)) return {};
  const copy = join(runtimeFolder(user), 'Xauthority');
  asUser(user, ['sh', '-c', 'umask 077 && cat > "$1"', 'sh', copy], readFileSync(authority));
  return { XAUTHORITY: copy };
}

/** Variables that belong to root's session and mean nothing, or too much, to another user. */
const ROOTS_OWN =
  /^(npm_|XDG_|DBUS_|SUDO_|SSH_|GPG_|WAYLAND_|MAIL$|OLDPWD$|PWD$|TMPDIR$|INIT_CWD$|SESSION_MANAGER$|XAUTHORITY$|LS_COLORS$)/i;

/**
 * The environment for programs that run as `user`: ours, without what belongs to root's session.
 * @param {User} user
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOf(user) {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ROOTS_OWN.test(name))),
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
