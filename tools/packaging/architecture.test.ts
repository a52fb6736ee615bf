import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { architectureOf } from './architecture.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-architecture-'));
  mkdirSync(join(folder, 'locales'));
  writeFileSync(join(folder, 'locales/de.pak'), 'no program');
  writeFileSync(join(folder, 'version'), '45');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, machine: number): void {
  const header = Buffer.alloc(64);
  header.write('\x7fELF', 'latin1');
  header.writeUInt16LE(machine, 18);
  writeFileSync(join(folder, name), header);
}

test.each([
  [62, 'amd64'],
  [183, 'arm64'],
])('programs of machine %i are for %s', (machine, name) => {
  program('endcap', machine);
  program('locales/lib.so', machine);
  expect(architectureOf(folder)).toBe(name);
});

test('mixed programs, another machine and a file that is no program are refused', () => {
  expect(() => architectureOf(folder)).toThrow('holds no program');
  program('endcap', 183);
  program('libEGL.so', 62);
  expect(() => architectureOf(folder)).toThrow(/arm64 and .* for amd64|amd64 and .* for arm64/);
  rmSync(join(folder, 'endcap'));
  program('libEGL.so', 40);
  expect(() => architectureOf(folder)).toThrow('libEGL.so for machine 40');
});
