import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { cacheFolder, startedAsRoot } from './places.ts';
import { run } from './programs.ts';
import { CommandError, printStatus } from './say.ts';

/** The user that runs Chromium when we are root. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly home: string;
}

const NAME = 'endcap-dev';
const HOME = '/var/lib/endcap-dev';

/**
 * The ordinary user for a launcher that root started; creates it if it is missing. Null if we are an ordinary user
 * already, or if root cannot become one.
 */
export async function ordinaryUser(): Promise<User | null> {
  if (!startedAsRoot) return null;
  const user = findUser() ?? (await withLock(join(cacheFolder(), 'user'), makeUser));
  if (user === null) return null;
  // Its parent folder is root's, so nobody else can put a link in its place.
  await run('install', ['-d', '-m', '755', '-o', `${user.uid}`, '-g', `${user.gid}`, user.home]);
  makeOwnFolder(user, runtimeFolder(user), 0o700);
  if (succeedsAs(user, ['/bin/true'])) return user;
  printStatus(`this system does not let root become ${user.name}`);
  return null;
}

async function makeUser(): Promise<User | null> {
  if (findUser() !== null) return findUser();
  const options = ['--system', '--user-group', '--home-dir', HOME, '--create-home'];
  const { code, stderr } = await run('useradd', [...options, '--shell', '/usr/sbin/nologin', NAME]);
  if (code === 0) printStatus(`made the system user ${NAME}, so that Chromium need not run as root`);
  else printStatus(`could not make the user ${NAME}: ${stderr.trim()}`);
  return findUser();
}

function findUser(): User | null {
  const found = new RegExp(`^${NAME}:[^:]*:(\\d+):(\\d+):[^:]*:([^:]*):`, 'm').exec(
    readFileSync('/etc/passwd', 'utf8'),
  );
  return found && { name: NAME, uid: Number(found[1]), gid: Number(found[2]), home: found[3] ?? HOME };
}

/** The user's XDG_RUNTIME_DIR. */
const runtimeFolder = (user: User) => join(user.home, 'runtime');

/** Runs a program of the system as `user`, with no more rights than that user has; null: as our own user. */
function runAs(
  user: User | null,
  [program = '', ...args]: readonly string[],
  input: string | Uint8Array = '',
) {
  // The user may have no access to our own folder.
  const identity = user && { uid: user.uid, gid: user.gid, cwd: '/' };
  return spawnSync(program, args, { ...identity, input, encoding: 'utf8' });
}

/** Whether a program of the system succeeds as `user`; null: as this process's own user. */
export const succeedsAs = (user: User | null, command: readonly string[]) =>
  runAs(user, command).status === 0;

/**
 * Makes or corrects a folder of the user's, in the user's name: a link in its place leads only where the user may go.
 */
export function makeOwnFolder(user: User, path: string, mode: number): void {
  asUser(user, ['install', '-d', '-m', mode.toString(8), '--', path]);
}

/** Does as `runAs`. Throws a `CommandError` if the program fails. */
function asUser(user: User, command: readonly string[], input?: Uint8Array): void {
  const { status, stderr, error } = runAs(user, command, input);
  if (status === 0) return;
  const reason = error?.message ?? stderr.trim();
  throw new CommandError(`endcap: ${command.join(' ')} failed as user ${user.uid}: ${reason}`);
}

/**
 * Whether the user has these permissions for a path. Asks the kernel in that user's name, because modes alone say
 * nothing about parent folders, access lists or file systems.
 * @param permissions as `test` names them
 */
export function hasPermission(user: User, permissions: 'r' | 'x' | 'rwx', path: string): boolean {
  return [...permissions].every((each) => succeedsAs(user, ['/usr/bin/test', `-${each}`, path]));
}

/** Throws a `CommandError` unless the user may read the file. */
export function demandReadable(user: User, file: string): void {
  if (!existsSync(file) || hasPermission(user, 'r', file)) return;
  throw new CommandError(
    `endcap: ${user.name}, who runs Endcap for root, may not read ${file}. Put it where that user may read it, such as ${user.home}`,
  );
}

/** Throws a `CommandError` unless the user can keep data in the folder; creates the folder if it is missing. */
export function demandDataFolder(user: User, folder: string): void {
  succeedsAs(user, ['mkdir', '-p', '-m', '700', '--', folder]);
  if (hasPermission(user, 'rwx', folder)) return;
  throw new CommandError(
    `endcap: ${user.name}, who runs Endcap for root, cannot use the data folder ${folder}. Name one that it can use, such as ${join(user.home, 'data')}`,
  );
}

/**
 * Copies root's X cookie for the user, who may not read root's file. Returns the variables that point programs to the
 * copy.
 * @param authority root's file
 */
export function giveCookie(
  user: User,
  authority = process.env.XAUTHORITY ?? join(homedir(), '.Xauthority'),
): NodeJS.ProcessEnv {
  if (!existsSync(authority)) return {};
  const copy = join(runtimeFolder(user), 'Xauthority');
  asUser(user, ['sh', '-c', 'umask 077 && cat > "$1"', 'sh', copy], readFileSync(authority));
  return { XAUTHORITY: copy };
}

/** Variables of root's session that mean nothing to another user, or give away too much. */
const ROOTS_OWN =
  /^(npm_|XDG_|DBUS_|SUDO_|SSH_|GPG_|WAYLAND_|MAIL$|OLDPWD$|PWD$|TMPDIR$|INIT_CWD$|SESSION_MANAGER$|XAUTHORITY$|LS_COLORS$)/i;

/** The environment for programs that run as `user`: ours without the variables of root's session. */
export function environmentOf(user: User): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ROOTS_OWN.test(name))),
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: '/bin/sh',
    XDG_RUNTIME_DIR: runtimeFolder(user),
    // This user has no session bus. Without this value, libraries would start one and leave it behind.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    NO_AT_BRIDGE: '1',
  };
}
