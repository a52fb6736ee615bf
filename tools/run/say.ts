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
