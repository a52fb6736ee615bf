import type { WebContents } from 'electron';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import { noteEndedByMain } from './ended-by-main';

/** More of one page in a second is of use to nobody, and busies the process that decides. */
const MOST_WORDS = 1_000;
const MOST_CHARACTERS = 4_000_000;
const MEASURED_MS = 1_000;

/**
 * Measures how much a page tells main: lines of its console, titles, ways it wants to go.
 * Answers true once it is too much, with every word of that second.
 *
 * @returns takes the length of each word, in characters
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
    return words > MOST_WORDS || characters > MOST_CHARACTERS;
  };
}

/**
 * Ends the process of a foreign page that does not stop talking. Each word goes through
 * main, and that of a guest through the kiosk window too; Chromium bounds none of it, and
 * an endless loop of short ones holds up whoever decides for seconds.
 *
 * @returns to be told what main hears of it otherwise
 */
export function endTheLoud(contents: WebContents, schedule: Schedule, log: Log): (word: string) => void {
  const isTooLoud = noiseMeter(schedule);
  let isEnded = false;
  const hear = (word: string) => {
    if (!isTooLoud(word.length) || isEnded || contents.isDestroyed()) return;
    isEnded = true;
    log.warn('a page did not stop talking; it was ended');
    noteEndedByMain(contents);
    contents.forcefullyCrashRenderer();
  };
  contents.on('console-message', ({ message }) => hear(message));
  contents.on('page-title-updated', (_event, title) => hear(title));
  contents.on('page-favicon-updated', (_event, icons) => hear(icons.join()));
  contents.on('did-change-theme-color', (_event, colour) => hear(colour ?? ''));
  contents.on('will-frame-navigate', ({ url }) => hear(url));
  return hear;
}
