import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { workedMs } from '../reading/testing/turn-meter';
import { createLog } from './log';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-log-'));
  // Otherwise its lines, one of them very long, are in the output of the tests.
  for (const terminal of [process.stdout, process.stderr]) vi.spyOn(terminal, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
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

test('a line on the terminal, which the journal keeps, has its time in UTC as in the file', () => {
  const log = createLog(folder, 'info');
  log.info('Endcap starts');
  log.warn('the clock was set');
  const told = [process.stdout, process.stderr].map(({ write }) =>
    String(vi.mocked(write).mock.calls[0]?.[0]),
  );
  expect(told.map((line) => line.trim())).toEqual(lines());
});

test('a file that is too long becomes the old one, and a new one begins', () => {
  const log = createLog(folder, 'info', 20);
  for (const event of ['one', 'two', 'three']) log.info(event);
  const old = readFileSync(join(folder, 'logs/endcap.old.log'), 'utf8');
  expect(old).toMatch(/ info two\n$/);
  expect(lines()).toEqual([expect.stringMatching(/ info three$/)]);
});

test('a disk that cannot be written does not stop the kiosk', () => {
  writeFileSync(join(folder, 'logs'), 'a file where the folder should be');
  expect(() => createLog(folder, 'info').info('Endcap starts')).not.toThrow();
});

test('values under the name of a secret are replaced, and lines below the level are left out', () => {
  const log = createLog(folder, 'info');
  log.debug('fine');
  log.info('asked', { clientSecret: 'hush', nested: { adminPin: '4711' }, url: 'https://ads.example' });
  expect(lines().map((line) => line.slice(line.indexOf(' ') + 1))).toEqual([
    'info asked {"clientSecret":"…","nested":{"adminPin":"…"},"url":"https://ads.example"}',
  ]);
});

test('a URL loses its query, user and fragment: a signed one has its key there', () => {
  const log = createLog(folder, 'info');
  const url = 'https://u:p@cdn.example/a.mp4?X-Amz-Signature=hush#hush';
  log.warn('creative not stored', { url, nested: [url], error: new Error(`GET ${url} failed`) });
  const plain = 'https://cdn.example/a.mp4?…';
  expect(lines().map((line) => line.slice(line.indexOf(' ') + 1))).toEqual([
    `warn creative not stored {"url":"${plain}","nested":["${plain}"],"error":{"name":"Error","message":"GET ${plain} failed"}}`,
  ]);
});

test('a long word without an address is logged at once', () => {
  const started = workedMs();
  createLog(folder, 'info').info('x', { detail: 'a'.repeat(300_000) });
  expect(workedMs() - started).toBeLessThan(1_000);
});

test('an address or error of megabytes, which a page can name, is logged at once and in short', () => {
  const long = `http://x.example/${'a'.repeat(2_000_000)}`;
  const log = createLog(folder, 'info');
  const started = workedMs();
  for (let time = 1; time <= 10; time += 1) log.warn('it was blocked', { url: long, error: new Error(long) });
  expect(workedMs() - started).toBeLessThan(500);
  expect(lines()).toHaveLength(10);
  for (const line of lines()) {
    expect(line).toContain('{"url":"http://x.example/aaa');
    expect(line.length).toBeLessThan(5_000);
  }
});

test.each([
  { what: 'that nobody reads', isClosed: false },
  { what: 'whose other end is gone', isClosed: true },
])('a terminal $what neither blocks nor ends the kiosk', async ({ isClosed }) => {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(__dirname, 'log.ts'),
      outDir: join(folder, 'built'),
      rolldownOptions: { output: { entryFileNames: 'log.mjs' } },
    },
  });
  const program = `
    const { createLog } = await import(${JSON.stringify(join(folder, 'built/log.mjs'))});
    const log = createLog(${JSON.stringify(folder)}, 'info');
    for (let line = 0; line < 4000; line += 1) {
      log.info('x'.repeat(100));
      log.warn('x'.repeat(100));
    }
    log.info('the last line');
    setTimeout(() => process.exit(0), 100);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  if (isClosed) for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
  const stuck = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [code] = await once(child, 'exit');
  clearTimeout(stuck);
  expect(code).toBe(0);
  expect(lines().at(-1)).toMatch(/ info the last line$/);
});
