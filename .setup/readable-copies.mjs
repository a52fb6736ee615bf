import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from './build.mjs';
import { withLock } from './lock.mjs';
import { may } from './ordinary-user.mjs';
import { cacheFolder, clone } from './places.mjs';
import { run } from './programs.mjs';

/** @typedef {import('./ordinary-user.mjs').User} User */

/**
 * The built app at a place that the user may read: the clone itself, or a copy.
 * @param {User | null} user null: ourselves
 * @returns {Promise<string>} a folder with package.json and out/
 */
export async function appFor(user) {
  if (
    user === null ||
    (may(user, '-r', join(clone, 'out/main/entry.js')) && may(user, '-r', join(clone, 'package.json')))
  ) {
    return clone;
  }
  const stamp = readIfThere(join(clone, 'out/sources.stamp')) ?? '';
  const name = createHash('sha256').update(clone).digest('hex').slice(0, 12);
  return await copyOnce(join(cacheFolder(), `app-${name}`), stamp, async (to) => {
    cpSync(join(clone, 'package.json'), join(to, 'package.json'));
    cpSync(join(clone, 'out'), join(to, 'out'), { recursive: true });
  });
}

/**
 * The runtime at a place that the user may execute it from.
 * @param {User | null} user null: ourselves
 * @param {import('./electron-runtime.mjs').ElectronRuntime} runtime
 * @returns {Promise<import('./electron-runtime.mjs').ElectronRuntime>}
 */
export async function runtimeFor(user, runtime) {
  if (user === null || may(user, '-x', runtime.executable)) return runtime;
  const folder = join(cacheFolder(), `electron-${runtime.version}-${runtime.origin}-copy`);
  const dist = await copyOnce(folder, `${runtime.origin} ${runtime.version}`, async (to) => {
    await run('cp', ['-a', `${runtime.dist}/.`, to], {
      label: 'Copying Electron to where others may read it',
    });
  });
  return { ...runtime, dist, executable: runtime.executable.replace(runtime.dist, dist) };
}

/**
 * The program `node` that the user may execute: our own, or a copy.
 * @param {User | null} user null: ourselves
 * @returns {Promise<string>}
 */
export async function nodeFor(user) {
  if (user === null || may(user, '-x', process.execPath)) return process.execPath;
  const folder = join(cacheFolder(), `node-${process.version}`);
  await copyOnce(folder, process.version, async (to) => cpSync(process.execPath, join(to, 'node')));
  return join(folder, 'node');
}

/**
 * A folder that is filled once per stamp, readable to everybody, complete or absent.
 * @param {string} folder
 * @param {string} stamp
 * @param {(to: string) => Promise<void>} fill
 * @returns {Promise<string>}
 */
async function copyOnce(folder, stamp, fill) {
  const isFresh = () =>
    existsSync(join(folder, '.stamp')) && readFileSync(join(folder, '.stamp'), 'utf8') === stamp;
  if (isFresh()) return folder;
  await withLock(`${folder}.lock`, async () => {
    if (isFresh()) return;
    const temporary = `${folder}.${process.pid}.new`;
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary);
    await fill(temporary);
    writeFileSync(join(temporary, '.stamp'), stamp);
    await run('chmod', ['-R', 'u+rwX,go+rX,go-w', temporary]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
  });
  return folder;
}
