export interface CommandResult {
  /** 0 done, 1 not done, 2 wrong usage. */
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

export const printed = (stdout: string): CommandResult => ({ exitCode: 0, stdout, stderr: '' });

/** Returns the result of a failed command: one line without control characters, which file names may hold. */
export const failureOf =
  (command: string) =>
  (exitCode: 1 | 2, message: string): CommandResult => ({
    exitCode,
    stdout: '',
    stderr: `${command}: ${message.replace(/\p{C}+/gu, ' ')}\n`,
  });

export const asksForUsage = (args: readonly string[]): boolean =>
  args.length === 1 && (args[0] === '--help' || args[0] === '-h');

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
