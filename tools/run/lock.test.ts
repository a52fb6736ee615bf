import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('work under the same lock never overlaps', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(join(folder, 'lock'), work)));
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('the lock of a killed process, which no longer renews it, is taken over', async () => {
  const left = join(folder, 'lock.lock');
  mkdirSync(left);
  const minuteAgo = Date.now() / 1000 - 60;
  utimesSync(left, minuteAgo, minuteAgo);
  await expect(withLock(join(folder, 'lock'), async () => 'done')).resolves.toBe('done');
});

test('the lock is released if the work fails', async () => {
  await expect(withLock(join(folder, 'lock'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(join(folder, 'lock.lock'))).toBe(false);
});
