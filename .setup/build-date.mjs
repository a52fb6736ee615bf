import { execFileSync } from 'node:child_process';

/**
 * When the sources last changed, in seconds since the epoch, so that one commit makes one
 * build; SOURCE_DATE_EPOCH overrules it. Never later than this machine's clock, or what is
 * built would not believe that machine. Null without git, as in an unpacked archive.
 * @param {string} root
 * @returns {number | null}
 */
export function buildDate(root) {
  const now = Math.floor(Date.now() / 1000);
  const given = Number(process.env.SOURCE_DATE_EPOCH);
  if (given > 0) return Math.min(given, now);
  try {
    const sources = ['main', 'renderer', 'preload', 'shared', 'electron.vite.config.ts', 'package.json'];
    const words = ['-c', `safe.directory=${root}`, '-C', root, 'log', '-1', '--format=%ct', '--', ...sources];
    const told = Number(
      execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    return told > 0 ? Math.min(told, now) : null;
  } catch {
    return null;
  }
}
