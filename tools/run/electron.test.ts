import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkIntegrity, fallbackPackage } from './electron.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinned-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = Buffer.from('the very bytes that were looked at');
const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

test('the pinned bytes are accepted', async () => {
  const file = join(folder, 'package.tgz');
  writeFileSync(file, bytes);
  await expect(checkIntegrity(file, integrity)).resolves.toBeUndefined();
});

test.each([
  ['one bit turned', Buffer.from(bytes.map((byte, index) => (index === 5 ? byte ^ 1 : byte)))],
  ['a byte more', Buffer.concat([bytes, Buffer.from('!')])],
  ['cut short', bytes.subarray(0, -1)],
  ['empty', Buffer.alloc(0)],
])('a tampered file is refused: %s', async (_, tampered) => {
  const file = join(folder, 'package.tgz');
  writeFileSync(file, tampered);
  await expect(checkIntegrity(file, integrity)).rejects.toThrow(/not the pinned file: expected sha512-/);
});

test('an integrity without a hash accepts nothing', async () => {
  const file = join(folder, 'package.tgz');
  writeFileSync(file, bytes);
  await expect(checkIntegrity(file, '')).rejects.toThrow(/not the pinned file/);
});

test('the fallback is pinned to one version and a whole SHA-512', () => {
  expect(fallbackPackage.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(Buffer.from(fallbackPackage.integrity.replace(/^sha512-/, ''), 'base64')).toHaveLength(64);
});
