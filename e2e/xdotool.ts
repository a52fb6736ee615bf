import { execFileSync } from 'node:child_process';

/** Runs xdotool with these arguments; returns its output. Throws when it fails. */
export function xdotool(...words: readonly (string | number)[]): string {
  return execFileSync('xdotool', words.map(String), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Searches the windows that can be seen on the display; returns what xdotool prints of them. */
export function searchVisible(...words: readonly (string | number)[]): string {
  for (let tries = 5; ; tries -= 1) {
    try {
      return xdotool('search', '--onlyvisible', ...words);
    } catch (error) {
      // A window that closes while they are listed ends xdotool.
      if (tries === 0) throw error;
    }
  }
}
