import { closeSync, constants, lchownSync, lstatSync, openSync, readdirSync } from 'node:fs';

/** Opens a folder and nothing else: no link, however it got there. */
const FOLDER_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Gives a folder and all below it to somebody; links are changed themselves, never
 * followed, and other file systems below are left alone, and so are files and links that have another
 * name elsewhere. What is in a folder is given before the folder, and every folder is held
 * while it is gone through: whoever owns a part of the tree may put a link in its place.
 * @returns how many files and folders changed hands
 */
export function chownTree(path: string, owner: { uid: number; gid: number }): number {
  const device = lstatSync(path).dev;
  let given = 0;
  const give = (each: string) => {
    const stats = lstatSync(each, { throwIfNoEntry: false });
    if (stats === undefined || stats.dev !== device) return;
    if (stats.isDirectory()) {
      const fd = openSync(each, FOLDER_ONLY);
      const held = process.platform === 'linux' ? `/proc/self/fd/${fd}` : each;
      try {
        for (const name of readdirSync(held)) give(`${held}/${name}`);
      } finally {
        closeSync(fd);
      }
    }
    const isTheirs = stats.uid === owner.uid && stats.gid === owner.gid;
    if (isTheirs || (!stats.isDirectory() && stats.nlink > 1)) return;
    try {
      lchownSync(each, owner.uid, owner.gid);
      given += 1;
    } catch (error) {
      // Its owner has removed it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  give(path);
  return given;
}
