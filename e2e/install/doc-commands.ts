import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(__dirname, '../../docs/install.md'), 'utf8');

/** What docs/install.md has a person type: the commands of the block after this line, one a line. */
export function commandsAfter(line: string): string[] {
  const [, after = ''] = page.split(`\n${line}\n`);
  const [, block = ''] = /^\n*```sh\n([\s\S]*?\n)```/.exec(after) ?? [];
  if (block === '') throw new Error(`docs/install.md has no commands after "${line}"`);
  return block.trim().split('\n');
}
