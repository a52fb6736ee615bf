import { execFileSync } from 'node:child_process';
import { SOURCES } from '../run/places.ts';

/**
 * The last commit, or the last one that changed one of `paths`; null without git, as in an unpacked archive. Root may
 * ask about another user's clone.
 * @returns its time in seconds since 1970, and its abbreviated name
 */
export function lastCommit(root: string, paths: readonly string[] = []) {
  try {
    const log = ['-C', root, 'log', '-1', '--abbrev=10', '--format=%ct %h', '--', ...paths];
    const safe = ['-c', `safe.directory=${root}`];
    const told = execFileSync('git', [...safe, ...log], { encoding: 'utf8', stdio: 'pipe' });
    const [, at, name] = /^(\d+) ([0-9a-f]+)\s*$/.exec(told) ?? [];
    return at === undefined || name === undefined ? null : { at: Number(at), name };
  } catch {
    return null;
  }
}

/**
 * When the sources last changed, in seconds since 1970, so that a commit always makes the same build;
 * SOURCE_DATE_EPOCH replaces it. Never later than this machine's clock, because the program rejects times from before
 * its build. Null without git.
 */
export function buildDate(root: string): number | null {
  const at = sourceDateEpoch() ?? lastCommit(root, SOURCES)?.at;
  return at === undefined ? null : Math.min(at, Math.floor(Date.now() / 1000));
}

/** SOURCE_DATE_EPOCH, in seconds since 1970; null if it is not set, 0, or no number. */
export const sourceDateEpoch = (): number | null => Number(process.env.SOURCE_DATE_EPOCH) || null;
