import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(__dirname, '../../docs/install.md'), 'utf8');

/** The commands of the code block after this line of docs/install.md, one per line. */
export function commandsAfter(line: string): string[] {
  const [, after = ''] = page.split(`\n${line}\n`);
  const [, block = ''] = /^\n*```sh\n([\s\S]*?\n)```/.exec(after) ?? [];
  if (block === '') throw new Error(`docs/install.md has no commands after "${line}"`);
  return block.trim().split('\n');
}
