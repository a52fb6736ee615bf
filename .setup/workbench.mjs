import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { environmentOf, makeOwnFolder, ordinaryUser } from './ordinary-user.mjs';
import { giveTree } from './ownership.mjs';
import { cacheFolder, clone, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';
import { nodeFor } from './readable-copies.mjs';
import { makeFolder } from './safe-folders.mjs';
import { SetUpStop, say, sayLoudly } from './say.mjs';

/**
 * Where tests and benchmarks run: the clone itself, or, when root started them, a
 * copy that belongs to an ordinary user.
 * @typedef {object} Workbench
 * @property {string} root
 * @property {import('./ordinary-user.mjs').User | null} user null: ourselves
 * @property {(args: string[], env?: NodeJS.ProcessEnv) => Promise<number | null>} node
 *   runs a script of node_modules or our own there, its output shown; resolves with the exit code
 * @property {(path: string) => string} folder makes a folder there, made by and for its user; answers where it is
 * @property {(path: string) => void} bringBack copies a file or folder into the clone
 */

/** @returns {Promise<Workbench>} */
export async function setUpWorkbench() {
  if (!existsSync(join(clone, 'node_modules', 'electron', 'package.json'))) {
    throw new SetUpStop('endcap: the dependencies are not installed. Run: npm ci');
  }
  const user = await ordinaryUser();
  if (user === null && startedAsRoot) {
    sayLoudly(['No ordinary user to run as: everything runs as root, Chromium without its sandbox.']);
  }
  const root = user === null ? clone : await copyClone(user);
  if (user !== null) say(`running as the ordinary user ${user.name} in ${root}, a copy of the clone`);
  const program = await nodeFor(user);
  const environment = user === null ? process.env : environmentOf(user, process.env);
  return {
    root,
    user,
    node: async (args, env = {}) => {
      const { code } = await run(program, args, {
        cwd: root,
        env: {
          ...environment,
          PATH: `${dirname(program)}${delimiter}${environment.PATH ?? ''}`,
          ...env,
        },
        output: 'inherit',
        ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
      });
      return code;
    },
    folder: (path) => {
      const folder = join(root, path);
      if (user === null) mkdirSync(folder, { recursive: true });
      else makeOwnFolder(user, folder, 0o755);
      return folder;
    },
    bringBack: (path) => {
      if (root === clone || !existsSync(join(root, path))) return;
      rmSync(join(clone, path), { recursive: true, force: true });
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      cpSync(join(root, path), join(clone, path), { recursive: true });
      giveTree(join(clone, path), statSync(clone));
    },
  };
}

/**
 * A copy of what git would commit, and of the dependencies, for the user: the clone may lie
 * where an ordinary user can neither read nor write. It is root's until it is complete, in
 * a folder of root's: nobody else can put a link there meanwhile.
 * @param {import('./ordinary-user.mjs').User} user
 */
async function copyClone(user) {
  const name = createHash('sha256').update(clone).digest('hex').slice(0, 12);
  // Two runs from one clone at a time must not take each other's ground away.
  const root = join(cacheFolder(), 'work', `${name}-${process.pid}`);
  makeFolder(dirname(root), { mode: 0o755 });
  await removeOldCopies(dirname(root), name);
  mkdirSync(root);
  for (const path of await filesOfClone()) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(clone, path), join(root, path), { verbatimSymlinks: true });
  }
  await copyDependencies(root);
  giveTree(root, user);
  return root;
}

/**
 * Copies of the same clone whose run is over.
 * @param {string} folder
 * @param {string} name
 */
async function removeOldCopies(folder, name) {
  for (const copy of readdirSync(folder)) {
    if (copy !== name && !copy.startsWith(`${name}-`)) continue;
    const pid = Number(copy.slice(name.length + 1));
    if (pid !== process.pid && pid > 0 && existsSync(`/proc/${pid}`)) continue;
    await run('rm', ['-rf', join(folder, copy)], { label: 'Removing the last copy' });
  }
}

/** @returns {Promise<string[]>} tracked files and new ones that are not ignored */
async function filesOfClone() {
  // Root may look at a clone of somebody else's, which git would refuse by itself.
  const listed = await run('git', [
    ...['-c', `safe.directory=${clone}`, '-C', clone],
    ...['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
  ]);
  const paths = listed.code === 0 ? listed.stdout.split('\0') : walk('');
  return paths.filter(
    (path) => path !== '' && lstatSync(join(clone, path), { throwIfNoEntry: false })?.isDirectory() === false,
  );
}

const NOT_SOURCES = new Set(['node_modules', 'out', 'dist', 'test-results', '.git']);

/**
 * Without git, as in an unpacked archive.
 * @param {string} folder
 * @returns {string[]}
 */
function walk(folder) {
  return readdirSync(join(clone, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return folder === '' && NOT_SOURCES.has(entry.name) ? [] : walk(path);
  });
}

/**
 * Hard links where the file system allows and everybody may read the files, else a
 * copy. Linked files stay root's, so that the user can read but not change them.
 * @param {string} root
 */
async function copyDependencies(root) {
  const from = join(clone, 'node_modules');
  const to = join(root, 'node_modules');
  const closed = await run('find', [from, '-type', 'f', '!', '-perm', '-004', '-print', '-quit']);
  if (closed.stdout === '' && (await run('cp', ['-al', from, to])).code === 0) {
    await run('find', [to, '-type', 'd', '-exec', 'chmod', 'u+rwx', '{}', '+']);
    return;
  }
  rmSync(to, { recursive: true, force: true });
  const copied = await run('cp', ['-a', '--reflink=auto', from, to], { label: 'Copying the dependencies' });
  if (copied.code !== 0) throw new Error(`could not copy node_modules: ${copied.stderr.trim()}`);
}
