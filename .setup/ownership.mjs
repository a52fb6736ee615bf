import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives a folder and all below it to somebody; links are changed themselves, never
 * followed, and other file systems below are left alone.
 * @param {string} path
 * @param {{ uid: number, gid: number }} owner
 * @param {{ only?: number }} [options] `only`: just what belongs to this user id
 * @returns {number} how many files and folders changed hands
 */
export function giveTree(path, owner, { only } = {}) {
  const device = lstatSync(path).dev;
  let given = 0;
  /** @param {string} each */
  const give = (each) => {
    const stats = lstatSync(each);
    if (stats.dev !== device) return;
    const isTheirs = stats.uid === owner.uid && stats.gid === owner.gid;
    if (!isTheirs && (only === undefined || stats.uid === only)) {
      lchownSync(each, owner.uid, owner.gid);
      given += 1;
    }
    if (stats.isDirectory()) for (const name of readdirSync(each)) give(join(each, name));
  };
  give(path);
  return given;
}
