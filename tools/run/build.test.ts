import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sourceStamp } from './build.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stamp-'));
  mkdirSync(join(root, 'main', 'media'), { recursive: true });
  write('main/index.ts', 'one');
  write('main/media/cache.ts', 'two');
  write('package.json', '{}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string, seconds = 1_000_000) {
  writeFileSync(join(root, path), text);
  utimesSync(join(root, path), seconds, seconds);
}

test('the stamp stays while nothing changes', () => {
  expect(sourceStamp(root)).toBe(sourceStamp(root));
});

test.each([
  ['a file changes its size', () => write('main/index.ts', 'longer')],
  ['a file changes its time', () => write('main/index.ts', 'eno', 1_000_001)],
  ['a file is added', () => write('main/media/new.ts', '')],
  ['a file goes', () => rmSync(join(root, 'main/media/cache.ts'))],
  [
    'a file is renamed',
    () => renameSync(join(root, 'main/media/cache.ts'), join(root, 'main/media/disk.ts')),
  ],
  ['the dependencies change', () => write('package-lock.json', '{}')],
])('the stamp changes when %s', (_, change) => {
  const before = sourceStamp(root);
  change();
  expect(sourceStamp(root)).not.toBe(before);
});

test('tests and files that are no sources do not change the stamp', () => {
  const before = sourceStamp(root);
  write('main/index.test.ts', 'a test');
  write('README.md', 'words');
  expect(sourceStamp(root)).toBe(before);
});
