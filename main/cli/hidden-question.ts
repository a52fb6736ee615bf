import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const BACKSPACES: ReadonlySet<string> = new Set(['\b', '\u007f']);
const MOST_CHARACTERS = 256;

/**
 * Asks a question on a terminal and shows nothing of the answer. Null: the person
 * gave up (Ctrl-C, Ctrl-D). The terminal is as before afterwards.
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
      // Whoever types ahead answers the next question.
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
