/**
 * Everything the set-up tells a person goes to standard error: standard output
 * belongs to the command that was asked for.
 * @param {string} line
 */
export function printStatus(line) {
  process.stderr.write(`endcap: ${line}\n`);
}

/**
 * Says something that must not be overlooked, in a box.
 * @param {string[]} lines
 */
export function printWarning(lines) {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '='.repeat(width + 6);
  process.stderr.write(
    `\n${rule}\n${lines.map((line) => `!! ${line.padEnd(width)} !!`).join('\n')}\n${rule}\n\n`,
  );
}

/** An end that was foreseen: its message tells the person what to do, a stack trace would not help. */
export class CommandError extends Error {
  /** @override */
  name = 'CommandError';
}

/**
 * Runs a command of ours and turns what it throws into an exit code and, for a
 * foreseen end, into a last line that says what to do.
 * @param {() => Promise<number>} main resolves with the exit code
 */
export async function asCommand(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (error instanceof CommandError) process.stderr.write(`${error.message}\n`);
    else console.error(error);
    process.exitCode = 1;
  }
}
