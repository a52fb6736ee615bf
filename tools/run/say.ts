// Everything the set-up tells a person goes to standard error: standard output belongs to the command that was asked for.

export function printStatus(line: string): void {
  process.stderr.write(`endcap: ${line}\n`);
}

/** Says something that must not be overlooked, in a box. */
export function printWarning(lines: readonly string[]): void {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '='.repeat(width + 6);
  const boxed = lines.map((line) => `!! ${line.padEnd(width)} !!`);
  process.stderr.write(`\n${[rule, ...boxed, rule].join('\n')}\n\n`);
}

/** An end that was foreseen: its message tells the person what to do, a stack trace would not help. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/**
 * Runs a command of ours and turns what it throws into an exit code and, for a
 * foreseen end, into a last line that says what to do.
 * @param main resolves with the exit code
 */
export async function asCommand(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (error instanceof CommandError) process.stderr.write(`${error.message}\n`);
    else console.error(error);
    process.exitCode = 1;
  }
}
