import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { addAbortListener, once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { chownTree } from './chown-tree.ts';
import { codeOf, SIGNALS } from './keep-running.ts';
import { environmentOf, giveCookie, hasPermission, type User } from './ordinary-user.ts';
import { cacheFolder, callerFolder, repositoryRoot } from './places.ts';
import { run, runOrStop, withParentDeathSignal } from './programs.ts';
import { makeSandbox } from './sandbox.ts';
import { printStatus } from './say.ts';

interface UserOptions {
  /** Files and folders that are copied back into the clone afterwards. */
  readonly brings?: readonly string[];
  /** The command changes nothing in the clone, so it needs a copy only if the user may not read the clone. */
  readonly onlyReads?: boolean;
  /** Asks the command to end, as SIGTERM does. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * As root: runs one of our commands as the ordinary user, in a copy of the clone. Everything that it needs must be
 * set up. Passes signals on; the command also gets a SIGTERM when this process dies for any reason.
 * @returns its exit code, or 128 and the signal's number when a signal ended it
 */
export async function runAsUser(
  user: User,
  name: string,
  args: readonly string[],
  { brings = [], onlyReads = false, stop }: UserOptions,
): Promise<number> {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (dist) makeSandbox(user, dist);
  const isOpen = onlyReads && canRead(user, dist);
  const root = isOpen ? repositoryRoot : await copyClone(user);
  printStatus(`running as the ordinary user ${user.name}${isOpen ? '' : ` in ${root}, a copy of the clone`}`);
  const node = hasPermission(user, 'x', process.execPath) ? process.execPath : join(root, NODE);
  const index = join(root, 'tools/run/index.mjs');
  const [program, ...itsArgs] = withParentDeathSignal([node, index, name, ...args]);
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const electron = dist && { ELECTRON_OVERRIDE_DIST_PATH: dist.replace(repositoryRoot, root) };
  const child = spawn(program, itsArgs, {
    uid: user.uid,
    gid: user.gid,
    cwd: root,
    env: { ...environmentOf(user), ...giveCookie(user), PATH, INIT_CWD: callerFolder(), ...electron },
    stdio: 'inherit',
    // A process group of its own, so that a terminal's Ctrl-C reaches the command only through this process, once.
    detached: true,
  });
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, passOn);
  if (stop) addAbortListener(stop, () => child.kill());
  const [exitCode, signal] = await once(child, 'exit');
  for (const path of brings.filter((each) => existsSync(join(root, each)))) {
    const own = join(repositoryRoot, path);
    rmSync(own, { recursive: true, force: true });
    cpSync(join(root, path), own, { recursive: true });
    chownTree(own, statSync(repositoryRoot));
  }
  return exitCode ?? codeOf(signal);
}

/** Whether the user may run the programs in the clone. */
const canRead = (user: User, electron = join(repositoryRoot, 'node_modules/electron/dist')) =>
  hasPermission(user, 'x', process.execPath) &&
  hasPermission(user, 'x', join(electron, 'electron')) &&
  ['tools/run/index.mjs', 'out/main/entry.js'].every((file) =>
    hasPermission(user, 'r', join(repositoryRoot, file)),
  );

/** A copy of Node, for a user who may not execute ours. */
const NODE = 'node_modules/.endcap-node/node';
const FAILURE = 'could not copy the clone';
const NOT_COPIED = new Set(['node_modules', 'dist', 'test-results', '.git']);

/**
 * Copies the clone and its dependencies for the user, because the clone may lie where an ordinary user can neither
 * read nor write. The copy belongs to root until it is complete, in a folder of root's, so that nobody else can put a
 * link there meanwhile.
 * @returns its path
 */
async function copyClone(user: User): Promise<string> {
  const name = createHash('sha256').update(repositoryRoot).digest('hex').slice(0, 12);
  const parent = join(cacheFolder(), 'work');
  mkdirSync(parent, { recursive: true });
  chmodSync(parent, 0o755);
  const root = join(parent, `${name}-${process.pid}`);
  // Removes copies of the same clone whose run is over. Two runs at a time have separate copies.
  const over = readdirSync(parent)
    .filter((each) => each.startsWith(`${name}-`))
    .map((each) => join(parent, each))
    .filter((each) => each === root || !existsSync(`/proc/${each.slice(each.lastIndexOf('-') + 1)}`));
  // `rm` follows no link, even if somebody puts one there meanwhile.
  if (over.length > 0) await run('rm', ['-rf', '--', ...over]);
  mkdirSync(root);
  const sources = readdirSync(repositoryRoot).filter((each) => !NOT_COPIED.has(each));
  const paths = sources.map((each) => join(repositoryRoot, each));
  // Keeps the times, because a build recognises its sources by them.
  await runOrStop(FAILURE, 'cp', ['-dR', '--preserve=mode,timestamps', ...paths, root]);
  const from = join(repositoryRoot, 'node_modules');
  // Hard links if everybody may read the files: they stay root's, so that the user can read but not change them.
  const closed = await run('find', [from, ...['-type', 'f', '!', '-perm', '-004', '-print', '-quit']]);
  if (closed.stdout !== '' || (await run('cp', ['-al', from, root])).code !== 0) {
    rmSync(join(root, 'node_modules'), { recursive: true, force: true });
    await runOrStop(FAILURE, 'cp', ['-a', '--reflink=auto', from, root]);
  }
  if (!hasPermission(user, 'x', process.execPath)) cpSync(process.execPath, join(root, NODE));
  chownTree(root, user);
  return root;
}
