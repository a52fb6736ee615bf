import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from './log';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-log-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const lines = () => readFileSync(join(folder, 'logs/endcap.log'), 'utf8').trim().split('\n');

test('a line that waited for the log carries the time at which it was told', () => {
  const log = createLog(folder, 'info');
  const at = Date.UTC(2026, 10, 20, 9, 30, 0, 125);
  log.asOf(at).info('Endcap starts', { of: 1 });
  log.asOf(at + 40).error('the books did not open');
  const before = Date.now();
  log.warn('now');
  const [first, second, third] = lines();
  expect(first).toBe('2026-11-20T09:30:00.125Z info Endcap starts {"of":1}');
  expect(second).toBe('2026-11-20T09:30:00.165Z error the books did not open');
  expect(third).toMatch(/ warn now$/);
  const told = Date.parse((third ?? '').split(' ')[0] ?? '');
  expect(told).toBeGreaterThanOrEqual(before);
  expect(told).toBeLessThanOrEqual(Date.now());
});

test('what stands under the name of a secret is blotted out, and what is finer than the level is left out', () => {
  const log = createLog(folder, 'info');
  log.debug('fine');
  log.info('asked', { clientSecret: 'hush', nested: { adminPin: '4711' }, url: 'https://ads.example' });
  expect(lines().map((line) => line.slice(line.indexOf(' ') + 1))).toEqual([
    'info asked {"clientSecret":"…","nested":{"adminPin":"…"},"url":"https://ads.example"}',
  ]);
});
