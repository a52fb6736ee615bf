import { type ChildProcess, spawn } from 'node:child_process';
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
 * @param parts.onSpeaking called when it begins and when it ends, not between two texts
 * @returns speaks a text, and stops the one before; an empty text only stops
 */
export function systemSpeech(parts: {
  readonly language: string;
  readonly schedule: Schedule;
  readonly log: Log;
  readonly onSpeaking: (isSpeaking: boolean) => void;
}): (text: string) => void {
  const { language, schedule, log } = parts;
  let current: ChildProcess | null = null;
  let hasWarned = false;
  function warn(problem: string, reason: Record<string, unknown>): void {
    if (!hasWarned) log.warn(`nothing can be read out: ${problem}`, reason);
    hasWarned = true;
  }
  function follow(speaker: ChildProcess | null): void {
    const isSpeaking = speaker !== null;
    if (isSpeaking !== (current !== null)) parts.onSpeaking(isSpeaking);
    current = speaker;
  }
  return (text) => {
    current?.kill('SIGKILL');
    if (text === '') return follow(null);
    const voice = language.split('-')[0] ?? 'en';
    let speaker: ChildProcess;
    try {
      speaker = spawn('espeak-ng', ['-v', voice, '-s', '150', '--stdin'], {
        stdio: ['pipe', 'ignore', 'ignore'],
        windowsHide: true,
      });
    } catch (error) {
      follow(null); // For example the kiosk has no memory left for a process.
      return warn('espeak-ng does not start', { error });
    }
    follow(speaker);
    const cancelDeadline = schedule(SAID_MS, () => void speaker.kill('SIGKILL'));
    const over = (): void => {
      cancelDeadline();
      if (speaker === current) follow(null);
    };
    speaker.on('error', (error) => {
      over();
      warn('espeak-ng does not start', { error });
    });
    speaker.on('exit', (code) => {
      over();
      // For example it has no voice for the language. Null: we stopped it.
      if (code) warn('espeak-ng failed', { code, voice });
    });
    speaker.stdin?.on('error', () => {}); // Stopped before it had read everything.
    speaker.stdin?.end(text);
  };
}

/**
 * Whether headphones are plugged into the default output, where the speech goes: by PulseAudio or PipeWire if one
 * runs, else by the default sound card. False if neither reports a socket.
 */
export async function headphonesPluggedIn(run: RunProgram): Promise<boolean> {
  const [list, defaultSink] = await Promise.all(
    [['-f', 'json', 'list', 'sinks'], ['get-default-sink']].map((args) => run('pactl', args).catch(() => '')),
  );
  const sinks = headphonesOfSinks(list ?? '', defaultSink?.trim() ?? '');
  if (sinks !== null) return sinks;
  // Without `-c`, as espeak-ng without a device, it takes the default card.
  return (await run('amixer', ['contents']).then(headphonesOfCard, () => null)) === true;
}
