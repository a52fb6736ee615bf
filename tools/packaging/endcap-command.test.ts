import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), 'tree/usr/bin/endcap');
const endcap = (...args: string[]) => spawnSync('sh', [SCRIPT, ...args], { encoding: 'utf8' });

it.each([
  [['--help'], 'check-config'],
  [['run', '--help'], '--data-dir DIR'],
  [['run', '--windowed', '-h'], '--data-dir DIR'],
])('prints its usage when asked by %j', (args, words) => {
  expect(endcap(...args)).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining(words) });
});

it.each([
  ['chekc-config', 'endcap: there is no command "chekc-config"\n\nUsage: endcap COMMAND'],
  ['', 'Usage: endcap COMMAND'],
])('says what is wrong with the command "%s", and prints its usage', (name, begin) => {
  const { status, stdout, stderr } = name === '' ? endcap() : endcap(name);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.startsWith(begin)).toBe(true);
});

describe('with a substitute for the program', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'endcap-command-'));
    put('program', '#!/bin/sh\necho "$ENDCAP_DATA_DIR"\n');
    put('endcap', readFileSync(SCRIPT, 'utf8').replace('/opt/endcap/endcap', join(home, 'program')));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /**
   * Another process writes it: a file that any process has open for writing cannot be executed, and a program that
   * another thread starts just then inherits our open files.
   */
  const put = (name: string, program: string) => {
    const text = join(home, `${name}.text`);
    writeFileSync(text, program);
    execFileSync('install', ['-m', '0755', text, join(home, name)]);
  };
  const run = (command: string, env: NodeJS.ProcessEnv) => {
    const PATH = `${home}:${process.env.PATH}`;
    return spawnSync(join(home, 'endcap'), [command], { encoding: 'utf8', env: { PATH, ...env } }).stdout;
  };

  it('asks the kiosk of its own user on a desktop, and otherwise that of the service', () => {
    expect(run('inspect', { HOME: home })).toBe('/var/lib/endcap\n');
    expect(run('inspect', {})).toBe('/var/lib/endcap\n');
    const own = join(home, '.config/endcap');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'signals-token'), '');
    expect(run('inspect', { HOME: home })).toBe(`${own}\n`);
    expect(run('inspect', { HOME: home, XDG_CONFIG_HOME: '/elsewhere' })).toBe('/var/lib/endcap\n');
  });

  it("runs as the kiosk's user for root, whose folder of temporary files that user may not enter", () => {
    put('id', `#!/bin/sh\ntest -e ${home}/left && echo 1 || echo 0\n`);
    put('runuser', `#!/bin/sh\ntouch ${home}/left\nshift 3\nexec "$@"\n`);
    expect(run('check-config', { TMPDIR: '/tmp/user/0' })).toBe('/var/lib/endcap\n');
  });
});
