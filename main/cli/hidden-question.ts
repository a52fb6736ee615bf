import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES: ReadonlySet<string> = new Set(['\b', '\u007f']);
const MOST_CHARACTERS = 256;

/**
 * Asks a question on a terminal without showing the answer. Null: cancelled (Ctrl-C,
 * Ctrl-D). Restores the terminal's mode.
 */
export function askHidden(
  question: string,
  input: ReadStream,
  say: (text: string) => void,
): Promise<string | null> {
  return new Promise((resolve) => {
    let answer = '';
    say(question);
    input.setRawMode(true);
    input.setEncoding('utf8');
    const done = (result: string | null, rest: string) => {
      input.off('data', take);
      input.setRawMode(false);
      input.pause();
      // Input after the line answers the next question.
      if (rest !== '') input.unshift(rest);
      say('\n');
      resolve(result);
    };
    const take = (typed: string | Buffer) => {
      const keys = String(typed);
      for (const [index, key] of [...keys].entries()) {
        if (key === '\r' || key === '\n') return done(answer, [...keys].slice(index + 1).join(''));
        if (key === CTRL_C || key === CTRL_D) return done(null, '');
        if (BACKSPACES.has(key)) answer = answer.slice(0, -1);
        else if (answer.length < MOST_CHARACTERS) answer += key;
      }
    };
    input.on('data', take);
    input.resume();
  });
}
