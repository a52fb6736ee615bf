import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'playwright/test';
import { expect } from './expect';
import { HEADLESS } from './headless';
import { electronExecutable } from './kiosk';

const built = resolve(__dirname, '../out/main');

const INDEX = `
const { fail } = require('./chunks/failing.js');
(async () => {
  const { basename } = await import('node:path');
  let stack;
  try { fail(); } catch (fault) { stack = fault.stack; }
  console.log(JSON.stringify({ imported: basename('/a/b'), electron: typeof require('electron').app.exit, stack }));
  process.exit(0);
})();
`;
const FAILING = "\n\nexports.fail = () => {\n  throw new Error('broken');\n};\n";

let root: string;

test.beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'endcap-compiled-'));
});

test.afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs Electron on a program, to its end. */
function electron(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(electronExecutable(), [...HEADLESS, ...args], {
    encoding: 'utf8',
    timeout: 30_000,
    env: { ...process.env, HOME: root, XDG_CONFIG_HOME: root },
  });
  return { status, stdout, stderr };
}

/** A program of two files behind the built entry, compiled. */
function program(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const entry = readFileSync(join(built, 'entry.js'), 'utf8');
  writeFileSync(join(folder, 'entry.js'), entry);
  for (const [, chunk = ''] of entry.matchAll(/require\("\.\/(chunks\/[^"]+)"\)/g)) {
    mkdirSync(dirname(join(folder, chunk)), { recursive: true });
    cpSync(join(built, chunk), join(folder, chunk));
  }
  writeFileSync(join(folder, 'index.js'), INDEX);
  writeFileSync(join(folder, 'chunks/failing.js'), FAILING);
  expect(electron(join(built, 'compile.js'), folder)).toMatchObject({ status: 0 });
  return folder;
}

test('compiled code knows its files and may import what Node brings', () => {
  const folder = program('one');
  const { stdout, stderr } = electron(join(folder, 'entry.js'));
  expect(stderr).not.toContain('does not fit');
  const { imported, electron: exit, stack } = JSON.parse(stdout);
  expect({ imported, exit }).toEqual({ imported: 'b', exit: 'function' });
  expect(stack).toContain(`${join(folder, 'chunks/failing.js')}:4:9`);
});

test('compiled code that does not fit is told of once, and the program runs', () => {
  const folder = program('one');
  for (const file of ['index.js', 'chunks/failing.js']) {
    const kept = readFileSync(join(folder, `${file}.compiled`));
    kept.writeUInt8(kept.readUInt8(kept.length - 1) ^ 1, kept.length - 1);
    writeFileSync(join(folder, `${file}.compiled`), kept);
  }
  const { stdout, stderr } = electron(join(folder, 'entry.js'));
  expect(stderr.match(/what is compiled of .* does not fit/g)).toHaveLength(1);
  expect(stderr).toContain(join(folder, 'index.js'));
  expect(JSON.parse(stdout)).toMatchObject({ imported: 'b' });
});

test('the same code gives the same bytes in any folder', () => {
  const [one, other] = [program('one'), program('the/other')];
  const kept = readdirSync(join(one, 'chunks')).filter((name) => name.endsWith('.compiled'));
  expect(kept).toContain('failing.js.compiled');
  for (const name of ['index.js.compiled', ...kept.map((chunk) => `chunks/${chunk}`)]) {
    expect(readFileSync(join(other, name)).equals(readFileSync(join(one, name)))).toBe(true);
  }
});

test('all of the built program is compiled, by the Electron that runs it', () => {
  const chunks = readdirSync(join(built, 'chunks'));
  const files = chunks.filter((name) => name.endsWith('.js'));
  expect(files).toContain('kiosk.js');
  expect(files.filter((name) => !chunks.includes(`${name}.compiled`))).toEqual([]);
  const { stdout, stderr } = electron(join(built, 'entry.js'), '--endcap-command', 'pin', '--help');
  expect(stdout).toContain('Usage: pin');
  expect(stderr).not.toContain('does not fit');
});
