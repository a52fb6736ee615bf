export interface CommandResult {
  /** 0 done, 1 not, 2 wrong usage. */
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

export const printed = (stdout: string): CommandResult => ({ exitCode: 0, stdout, stderr: '' });

/** What a command answers when it failed: one line, since file names may hold control characters. */
export const failureOf =
  (command: string) =>
  (exitCode: 1 | 2, message: string): CommandResult => ({
    exitCode,
    stdout: '',
    stderr: `${command}: ${message.replace(/\p{C}+/gu, ' ')}\n`,
  });

/** Whether the arguments ask for the usage. */
export const asksForUsage = (args: readonly string[]): boolean =>
  args.length === 1 && (args[0] === '--help' || args[0] === '-h');
