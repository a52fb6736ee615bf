import { execFileSync } from 'node:child_process';

/** Does to the display what these words of xdotool say; answers what it prints. Throws where it fails. */
export function xdotool(...words: readonly (string | number)[]): string {
  return execFileSync('xdotool', words.map(String), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
