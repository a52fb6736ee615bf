import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { may } from './ordinary-user.mjs';
import { giveTree } from './ownership.mjs';
import { cacheFolder } from './places.mjs';
import { makeFolder } from './safe-folders.mjs';
import { say } from './say.mjs';

/** Settings that name a file or a folder, relative to the settings file. */
const PATHS = [
  ['service', 'clientSecretFile'],
  ['playback', 'houseDir'],
];

/**
 * The settings with their paths passed through `place`; anything that is not JSON
 * stays as it is, since its fault is the kiosk's to name.
 * @param {string} text
 * @param {(path: string) => string} place
 * @returns {string}
 */
export function movePaths(text, place) {
  let settings;
  try {
    settings = JSON.parse(text);
  } catch {
    return text;
  }
  for (const [group = '', name = ''] of PATHS) {
    const path = settings?.[group]?.[name];
    if (typeof path === 'string' && path !== '') settings[group][name] = place(path);
  }
  return JSON.stringify(settings, null, 2);
}

/**
 * Hands a settings file that only root may read to the user: a private copy, with
 * copies of the files it names where those are root's too.
 * @param {import('./ordinary-user.mjs').User} user
 * @param {string} config absolute path
 * @returns {{ config: string, remove: () => void }} the original when the user may read all of it
 */
export function settingsFor(user, config) {
  const untouched = { config, remove: () => {} };
  if (!existsSync(config)) return untouched;
  const text = readFileSync(config, 'utf8');
  const here = dirname(config);
  let hidden = !may(user, '-r', config);
  const look = (/** @type {string} */ path) => {
    const absolute = resolve(here, path);
    if (existsSync(absolute) && !may(user, '-r', absolute)) hidden = true;
    return absolute;
  };
  movePaths(text, look);
  if (!hidden) return untouched;
  const folder = makeFolderOfOurs();
  const handOver = (/** @type {string} */ path) => {
    const absolute = resolve(here, path);
    if (!existsSync(absolute) || may(user, '-r', absolute)) return absolute;
    const copy = join(mkdtempSync(join(folder, 'file-')), basename(absolute));
    cpSync(absolute, copy, { recursive: true });
    return copy;
  };
  const copy = join(folder, 'config.json');
  writeFileSync(copy, movePaths(text, handOver), { mode: 0o600 });
  giveTree(folder, user);
  say(`${user.name} may not read ${config}: it gets a private copy for as long as the kiosk runs`);
  return { config: copy, remove: () => removeFolder(folder) };
}

/**
 * A folder that is root's until it is handed over, in a folder of root's: nobody else can put a link there meanwhile.
 * What a launcher left behind when it was killed is removed: it may hold a secret.
 */
function makeFolderOfOurs() {
  const parent = join(cacheFolder(), 'settings');
  makeFolder(parent, { mode: 0o711 });
  for (const name of readdirSync(parent)) {
    if (!existsSync(`/proc/${name.split('-')[0]}`)) removeFolder(join(parent, name));
  }
  return mkdtempSync(join(parent, `${process.pid}-`));
}

/**
 * By a program that follows no link, whoever puts one there while it works.
 * @param {string} folder
 */
function removeFolder(folder) {
  spawnSync('rm', ['-rf', '--', folder]);
}
