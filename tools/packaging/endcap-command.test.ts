import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), 'tree/usr/bin/endcap');
const endcap = (...args: string[]) => spawnSync('sh', [SCRIPT, ...args], { encoding: 'utf8' });

it('prints its usage when asked', () => {
  expect(endcap('--help')).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringContaining('check-config'),
  });
});

it.each([
  ['chekc-config', 'endcap: there is no command "chekc-config"\n\nUsage: endcap COMMAND'],
  ['', 'Usage: endcap COMMAND'],
])('says what is wrong with the command "%s", and prints its usage', (name, begin) => {
  const { status, stdout, stderr } = name === '' ? endcap() : endcap(name);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.startsWith(begin)).toBe(true);
});
