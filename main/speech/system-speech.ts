import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import type { Log } from '../../shared/log';
import type { Schedule } from '../schedule';
import type { RunProgram } from '../shell/run-program';
import { headphonesOfCard, headphonesOfSinks } from './headphone-jack';

/** A text is stopped after this time, ms; the longest takes less. */
const SAID_MS = 60_000;

/**
 * Speaks with espeak-ng, one text at a time. Texts go through its standard input, so that no text of an ad
 * becomes an option or a path. Not Web Speech: Electron on Linux has no voices, even with
 * `--enable-speech-dispatcher` and a speech dispatcher installed.
 *
 * @param parts.language a tag; espeak-ng takes its first part
 * @returns speaks a text, and stops the one before; an empty text only stops
 */
export function systemSpeech(parts: {
  readonly language: string;
  readonly schedule: Schedule;
  readonly log: Log;
}): (text: string) => void {
  const { language, schedule, log } = parts;
  let stop = (): void => {};
  let isMissing = false;
  return (text) => {
    stop();
    stop = () => {};
    if (text === '' || isMissing) return;
    const voice = language.split('-')[0] ?? 'en';
    const speaker: ChildProcess = spawn('espeak-ng', ['-v', voice, '-s', '150', '--stdin'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
    });
    const cancelDeadline = schedule(SAID_MS, () => void speaker.kill('SIGKILL'));
    speaker.on('error', (error) => {
      cancelDeadline();
      isMissing = true;
      log.warn('nothing can be read out: espeak-ng does not start', { error });
    });
    speaker.on('exit', cancelDeadline);
    speaker.stdin?.on('error', () => {}); // Stopped before it had read everything.
    speaker.stdin?.end(text);
    stop = () => void speaker.kill('SIGKILL');
  };
}

/**
 * Whether headphones are plugged in, by PulseAudio or PipeWire if one runs, else by the sound cards. False if
 * neither reports a socket.
 */
export async function headphonesPluggedIn(run: RunProgram, folder = '/proc/asound'): Promise<boolean> {
  const sinks = headphonesOfSinks(await run('pactl', ['-f', 'json', 'list', 'sinks']).catch(() => ''));
  if (sinks !== null) return sinks;
  const names = await readdir(folder).catch(() => []);
  const cards = names.flatMap((name) => /^card(\d+)$/.exec(name)?.[1] ?? []);
  const found = cards.map((card) =>
    run('amixer', ['-c', card, 'contents']).then(headphonesOfCard, () => null),
  );
  return (await Promise.all(found)).includes(true);
}
