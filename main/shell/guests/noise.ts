import type { WebContents } from 'electron';
import type { Log } from '../../../shared/log';
import type { Schedule } from '../../schedule';
import { killByMain } from '../page-processes';

/** More messages of one page within a second would keep main busy. */
const MAX_MESSAGES = 1_000;
const MAX_CHARACTERS = 4_000_000;
const MEASURED_MS = 1_000;

/**
 * Measures how much a page sends to main: console lines, titles, navigations.
 *
 * @returns a function that takes the length of each message in characters, and returns true while the limits of this
 * second are exceeded
 */
export function noiseMeter(schedule: Schedule): (length: number) => boolean {
  let words = 0;
  let characters = 0;
  return (length) => {
    if (words === 0)
      schedule(MEASURED_MS, () => {
        words = 0;
        characters = 0;
      });
    words += 1;
    characters += length;
    return words > MAX_MESSAGES || characters > MAX_CHARACTERS;
  };
}

/**
 * Kills the process of a foreign page that sends too many messages. Each goes through main, and a guest's through the
 * kiosk window too. Chromium does not limit them, and an endless loop of short ones would block main for seconds.
 *
 * @returns a function to call with messages of the page that reach main in other ways
 */
export function killNoisyRenderer(
  contents: WebContents,
  schedule: Schedule,
  log: Log,
): (word: string) => void {
  let isTooMuch = noiseMeter(schedule);
  let isEnded = false;
  const hear = (word: string) => {
    if (!isTooMuch(word.length) || isEnded || contents.isDestroyed()) return;
    // Without a process, nothing would end and set it back.
    if (contents.getOSProcessId() === 0) return;
    isEnded = true;
    log.warn('a page sent too many messages; its process was killed');
    killByMain(contents);
  };
  // Another window of the visit may load it again, in a new process.
  contents.on('render-process-gone', () => {
    isTooMuch = noiseMeter(schedule);
    isEnded = false;
  });
  contents.on('console-message', ({ message }) => hear(message));
  contents.on('page-title-updated', (_event, title) => hear(title));
  contents.on('page-favicon-updated', (_event, icons) => hear(icons.join()));
  contents.on('did-change-theme-color', (_event, colour) => hear(colour ?? ''));
  contents.on('will-frame-navigate', ({ url }) => hear(url));
  return hear;
}
