import { execFileSync } from 'node:child_process';

/** Runs xdotool with these arguments; returns its output. Throws when it fails. */
export function xdotool(...words: readonly (string | number)[]): string {
  return execFileSync('xdotool', words.map(String), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
