import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from './places';
import { runBundled } from './programs-of-ours';

it('leaves a bundled program whole for the command that is reading it', async () => {
  const help = () => runBundled('fleet', 'tools/fleet/command.ts', ['sql', '--help']);
  const program = join(repositoryRoot, 'out', 'fleet', 'fleet.mjs');
  expect(await help()).toBe(0);
  const read = openSync(program, 'r');
  try {
    const { ino, size } = fstatSync(read);
    expect(await help()).toBe(0);
    expect(readFileSync(read)).toHaveLength(size);
    const replaced = openSync(program, 'r');
    expect(fstatSync(replaced).ino).not.toBe(ino);
    closeSync(replaced);
  } finally {
    closeSync(read);
  }
});
