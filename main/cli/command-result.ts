import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../describe-error';

export interface CommandResult {
  /** 0 done, 1 not done, 2 wrong usage. */
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

export const printed = (stdout: string): CommandResult => ({ exitCode: 0, stdout, stderr: '' });

/** Ends a command with one line for the operator: it was not done. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2 = 1;
}

/** Ends a command with one line for the operator: wrong usage. */
export class UsageError extends CommandError {
  override readonly exitCode = 2;
}

type Options = NonNullable<ParseArgsConfig['options']>;

export interface CommandLine<Taken extends Options> {
  readonly words: readonly string[];
  readonly options: ReturnType<
    typeof parseArgs<{ args: string[]; allowPositionals: true; options: Taken }>
  >['values'];
}

/**
 * A command that prints its usage for `--help`, and of a `CommandError` one line without control characters, which file
 * names may hold.
 */
export const command =
  <const Taken extends Options, Input extends readonly unknown[]>(
    name: string,
    usage: string,
    taken: Taken,
    run: (line: CommandLine<Taken>, ...input: Input) => Promise<CommandResult>,
  ) =>
  async (args: readonly string[], ...input: Input): Promise<CommandResult> => {
    try {
      const line = readLine(args, taken);
      return line === null ? printed(`${usage}\n`) : await run(line, ...input);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const line = error.message.replace(/\p{C}+/gu, ' ');
      return { exitCode: error.exitCode, stdout: '', stderr: `${name}: ${line}\n` };
    }
  };

/** Null: the usage was asked for. Throws `UsageError` for an unknown option. */
function readLine<const Taken extends Options>(
  args: readonly string[],
  taken: Taken,
): CommandLine<Taken> | null {
  const options = { ...taken, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    if ('help' in values) return null;
    return { words: positionals, options: values as CommandLine<Taken>['options'] };
  } catch (error) {
    // Only the first sentence of Node's message: the rest explains how to pass a file name that looks like an option.
    throw new UsageError(`${messageOf(error).split(/\. |\n/, 1)[0]} (--help shows the usage)`);
  }
}

/**
 * Makes foreign text safe for a terminal: one line, without control characters, escapes and marks that change the
 * direction of writing, and cut to `most` characters.
 */
export function plainText(text: string, most = 200): string {
  // Only a first part is processed, because a message may be long.
  const words = [...text.slice(0, most * 4).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')];
  return words.length <= most ? words.join('') : `${words.slice(0, most - 1).join('')}…`;
}

/** A text with spaces behind it, `width` characters wide. */
export const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - lengthOf(text)));

export const lengthOf = (text: string): number => [...text].length;

/** JSON with control characters escaped, so that a terminal does not obey them; it reads back as the same value. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
