import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { may } from './ordinary-user.mjs';
import { cacheFolder, readIfThere } from './places.mjs';
import { giveTree, makeFolder } from './safe-folders.mjs';
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
 * Hands files that only root may read to the user, as private copies: settings, the files that they name, and the
 * session's Xauthority.
 * @param {import('./ordinary-user.mjs').User} user
 * @param {{ config: string | null, authority: string }} files absolute paths
 * @returns {{ config: string | null, authority: string | null, remove: () => void }} where the user can read them; the
 *   originals when the user may read all of them. `authority` null: there is none
 */
export function handOver(user, { config, authority }) {
  const folder = makeFolderOfOurs();
  const give = (/** @type {string} */ path) => {
    if (!existsSync(path) || may(user, '-r', path)) return path;
    const to = join(mkdtempSync(join(folder, 'file-')), basename(path));
    cpSync(path, to, { recursive: true });
    return to;
  };
  let given = config;
  const text = config && readIfThere(config);
  if (config && text) {
    const absolute = movePaths(text, (path) => resolve(dirname(config), path));
    const moved = movePaths(absolute, give);
    if (moved !== absolute || !may(user, '-r', config)) {
      given = join(folder, 'config.json');
      writeFileSync(given, moved, { mode: 0o600 });
      say(`${user.name} may not read ${config}: it gets a private copy for as long as the kiosk runs`);
    }
  }
  const cookie = existsSync(authority) ? give(authority) : null;
  giveTree(folder, user);
  return { config: given, authority: cookie, remove: () => removeFolder(folder) };
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
