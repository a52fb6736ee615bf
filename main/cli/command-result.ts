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

/**
 * A command that prints its usage when asked, and of a `CommandError` one line without control characters, which file
 * names may hold.
 */
export const command =
  <Input extends readonly unknown[]>(
    name: string,
    usage: string,
    run: (args: readonly string[], ...input: Input) => Promise<CommandResult>,
  ) =>
  async (args: readonly string[], ...input: Input): Promise<CommandResult> => {
    if (args.length === 1 && (args[0] === '--help' || args[0] === '-h')) return printed(`${usage}\n`);
    try {
      return await run(args, ...input);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const line = error.message.replace(/\p{C}+/gu, ' ');
      return { exitCode: error.exitCode, stdout: '', stderr: `${name}: ${line}\n` };
    }
  };

/** What is wrong with options that `parseArgs` refused. */
export const optionError = (error: unknown): string =>
  // Only the first sentence of Node's message: the rest explains how to pass a file name that looks like an option.
  messageOf(error).split(/\. |\n/, 1)[0] ?? '';

/**
 * Makes foreign text safe for a terminal: one line, without control characters, escapes and marks that change the
 * direction of writing, and cut to `most` characters.
 */
export function plainText(text: string, most = 200): string {
  // Only a first part is processed, because a message may be long.
  const words = [...text.slice(0, most * 4).replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')];
  return words.length <= most ? words.join('') : `${words.slice(0, most - 1).join('')}…`;
}

/** JSON with control characters escaped, so that a terminal does not obey them; it reads back as the same value. */
export function plainJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
