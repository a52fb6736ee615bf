import { spawnSync } from 'node:child_process';
import { SetUpStop } from './say.mjs';

/**
 * Makes a picture with ffmpeg, in place of the one that is there.
 * Throws `SetUpStop` when ffmpeg does not.
 * @param {string} to
 * @param {string[]} from arguments that name what it is made from, and how
 * @param {string} [input] what ffmpeg reads from `pipe:0`
 */
export function makePicture(to, from, input = '') {
  const made = spawnSync('ffmpeg', ['-loglevel', 'error', '-y', ...from, to], { input });
  if (made.status !== 0) throw new SetUpStop(`${to} could not be made: ${made.stderr}`);
}
