// All messages of the set-up go to standard error, because standard output belongs to the command that was called.

export function printStatus(line: string): void {
  process.stderr.write(`endcap: ${line}\n`);
}

/** Prints something that must not be overlooked, in a box. */
export function printWarning(lines: readonly string[]): void {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '='.repeat(width + 6);
  const boxed = lines.map((line) => `!! ${line.padEnd(width)} !!`);
  process.stderr.write(`\n${[rule, ...boxed, rule].join('\n')}\n\n`);
}

/** An expected error: its message says what to do, so no stack trace is printed. */
export class CommandError extends Error {
  override name = 'CommandError';
}
