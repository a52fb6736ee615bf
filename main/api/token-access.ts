import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reasonOf } from '../describe-error';

/** Who may read the token besides the kiosk's own user: `signals.tokenGroup` and `signals.tokenMode`. */
export interface TokenAccess {
  /** Name or number of a group; null: the file keeps the group that it has. */
  readonly group: string | null;
  /** 0600: nobody else. 0640: the group. */
  readonly mode: '0600' | '0640';
}

const GROUPS = '/etc/group';

/**
 * Lets the group read the token file, and pass through the folder that holds it. With mode 0600 only the group of
 * the file changes; group read that an operator gave stays.
 *
 * @returns null, or why not and what to do: the API works all the same, for the kiosk's own user
 */
export async function grantToken(
  tokenFile: string,
  { group, mode }: TokenAccess,
  groupsFile = GROUPS,
): Promise<string | null> {
  if (process.platform === 'win32' || (group === null && mode === '0600')) return null;
  const gid = group === null ? null : await gidOf(group, groupsFile);
  if (gid === undefined) {
    return `signals.tokenGroup: expected a group of this machine, found ${group}. Create it, then restart the kiosk.`;
  }
  try {
    await openTo(tokenFile, gid, Number.parseInt(mode, 8));
    if (mode === '0640') await openTo(dirname(tokenFile), gid, 0o010);
    return null;
  } catch (error) {
    return `signals.tokenGroup: ${group ?? 'the group'} cannot read ${tokenFile} (${reasonOf(error)}). Add the kiosk's user to that group, then restart the kiosk.`;
  }
}

/** Sets the group first, so that the group before it gains nothing, and adds `mode`. */
async function openTo(path: string, gid: number | null, mode: number): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stat = await file.stat();
    // Everybody may pass through already: the folder may belong to somebody else.
    if (stat.isDirectory() && (stat.mode & 0o001) !== 0) return;
    if (gid !== null && gid !== stat.gid) await file.chown(stat.uid, gid);
    if ((stat.mode & mode) !== mode) await file.chmod((stat.mode & 0o777) | mode);
  } finally {
    await file.close();
  }
}

/** The number of a group, from group(5); undefined when there is none of that name. */
async function gidOf(group: string, groupsFile: string): Promise<number | undefined> {
  if (/^\d+$/.test(group)) return Number(group);
  const lines = (await readFile(groupsFile, 'utf8').catch(() => '')).split('\n');
  const [, , gid] = lines.map((line) => line.split(':')).find(([name]) => name === group) ?? [];
  return gid === undefined || !/^\d+$/.test(gid) ? undefined : Number(gid);
}
