import { closeSync, constants, lchownSync, lstatSync, openSync, readdirSync } from 'node:fs';

/** Opens folders only, never a link, even one that was put there a moment ago. */
const FOLDER_ONLY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Changes the owner of a folder and everything below it. Changes links themselves and never follows them; leaves out
 * other file systems, and files and links with a second name elsewhere. Keeps each folder open while its content is
 * changed, and changes the folder last, because the owner of a part of the tree may put a link in its place.
 * @returns how many files and folders got another owner
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
