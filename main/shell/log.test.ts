import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

test('a line is in the file at once, with its time and its level', () => {
  const log = createLog(folder, 'info');
  const before = Date.now();
  log.info('Endcap starts', { of: 1 });
  log.error('the books did not open');
  const [first = '', second] = lines();
  expect(first).toMatch(/^\d{4}-\d\d-\d\dT\S+Z info Endcap starts \{"of":1\}$/);
  expect(second).toMatch(/ error the books did not open$/);
  const told = Date.parse(first.split(' ')[0] ?? '');
  expect(told).toBeGreaterThanOrEqual(before);
  expect(told).toBeLessThanOrEqual(Date.now());
});

test('a file that is too long is kept as the old one, and another begins', () => {
  const log = createLog(folder, 'info', 20);
  for (const event of ['one', 'two', 'three']) log.info(event);
  const old = readFileSync(join(folder, 'logs/endcap.old.log'), 'utf8');
  expect(old).toMatch(/ info two\n$/);
  expect(lines()).toEqual([expect.stringMatching(/ info three$/)]);
});

test('a disk that takes no line does not stop the kiosk', () => {
  writeFileSync(join(folder, 'logs'), 'a file where the folder should be');
  expect(() => createLog(folder, 'info').info('Endcap starts')).not.toThrow();
});

test('what stands under the name of a secret is blotted out, and what is finer than the level is left out', () => {
  const log = createLog(folder, 'info');
  log.debug('fine');
  log.info('asked', { clientSecret: 'hush', nested: { adminPin: '4711' }, url: 'https://ads.example' });
  expect(lines().map((line) => line.slice(line.indexOf(' ') + 1))).toEqual([
    'info asked {"clientSecret":"…","nested":{"adminPin":"…"},"url":"https://ads.example"}',
  ]);
});
