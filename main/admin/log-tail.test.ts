import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogPage, type LogQuery } from '../../shared/admin';
import { logPage, readLogEnd } from './log-tail';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-log-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LOG = [
  '2026-11-20T12:00:00.000Z info Endcap starts {"version":"0.1.0"}',
  '2026-11-20T12:00:01.000Z debug a detail',
  '2026-11-20T12:00:02.000Z warn The network is away',
  '2026-11-20T12:00:03.000Z error a crash',
  '    at somewhere',
  '    at elsewhere',
  '2026-11-20T12:00:04.000Z info the network is back',
  '',
].join('\n');

const find = (query: Partial<LogQuery> = {}, text = LOG) =>
  LogPage.parse(logPage({ text, cut: false }, { level: 'debug', search: '', limit: 100, ...query }));

describe('the log', () => {
  it('lists the latest entry first, with its continuation lines', () => {
    expect(find().lines.map(({ level, text }) => [level, text])).toEqual([
      ['info', 'the network is back'],
      ['error', 'a crash\n    at somewhere\n    at elsewhere'],
      ['warn', 'The network is away'],
      ['debug', 'a detail'],
      ['info', 'Endcap starts {"version":"0.1.0"}'],
    ]);
    expect(find().lines[0]?.at).toBe(Date.UTC(2026, 10, 20, 12, 0, 4));
  });

  it('is filtered by level and text', () => {
    expect(find({ level: 'warn' }).lines).toHaveLength(2);
    expect(find({ search: '  NETWORK  ' }).lines).toHaveLength(2);
    expect(find({ search: 'elsewhere' }).lines).toHaveLength(1);
    expect(find({ limit: 2 })).toMatchObject({ lines: [{}, {}], cut: true });
  });

  it.each([
    'Authorization: Bearer abc.def-123',
    'GET https://ads.example/x?playerid=1&key=abc.def-123&x=1',
    '{"clientSecret":"abc.def-123"}',
    ...['token', 'apptoken', 'client_secret', 'sig', 'Signature', 'secret', 'password'].map(
      (name) => `GET https://ads.example/x?playerid=1&${name}=abc.def-123&x=1`,
    ),
    'authorization: bearer abc.def-123',
    '{"pinHash":"scrypt$1$abc.def-123"}',
    '{"token": "abc.def-123"}',
    '{"proxyPassword":"abc.def-123"}',
    'scrypt$32768$8$1$abcdef123$abcdef123',
  ])('shows no secret of %s', (line) => {
    const [found] = find({}, `2026-11-20T12:00:00.000Z info ${line}\n`).lines;
    expect(found?.text).not.toMatch(/abc\.?def-?123/);
    expect(found?.text).toContain('…');
  });

  it('shows no secret in the lines after an entry', () => {
    const [found] = find({}, '2026-11-20T12:00:00.000Z error a crash\n    at Bearer abc.def-123\n').lines;
    expect(found?.text).toBe('a crash\n    at Bearer …');
  });

  it('has no older lines where the last one just fits', () => {
    expect(find({ limit: 5 })).toMatchObject({ cut: false, lines: { length: 5 } });
    expect(find({ level: 'warn', limit: 2 })).toMatchObject({ cut: true, lines: { length: 2 } });
  });

  it('cuts long entries, and gives no time where that is none', () => {
    const [found] = find(
      {},
      `2026-99-20T12:00:00.000Z info ${'x'.repeat(900)}\n${'y'.repeat(5_000)}\n`,
    ).lines;
    expect(found?.at).toBeNull();
    expect(found?.text).toMatch(/^x{900}\ny{98}…$/);
  });

  it('is empty without a log file', async () => {
    expect(await readLogEnd(join(folder, 'gone'))).toBeNull();
    expect(logPage(null, { level: 'info', search: '', limit: 1 })).toEqual({ lines: [], cut: false });
  });

  it('goes on in the file that was put aside', async () => {
    const file = join(folder, 'turned.log');
    await writeFile(file, LOG);
    expect(await readLogEnd(file)).toEqual({ text: LOG, cut: false });
    await writeFile(join(folder, 'turned.old.log'), 'before\n');
    expect(await readLogEnd(file)).toEqual({ text: `before\n${LOG}`, cut: false });
    await writeFile(join(folder, 'turned.old.log'), `before\n${'a long line\n'.repeat(200_000)}`);
    const end = await readLogEnd(file);
    expect(end).toMatchObject({ cut: true, text: expect.stringMatching(/^a long line\n/) });
    expect(end?.text.endsWith(`a long line\n${LOG}`)).toBe(true);
  });

  it('of many megabytes is read only at its end, starting with a whole line', async () => {
    const file = join(folder, 'long.log');
    const line = (index: number) => `2026-11-20T12:00:00.000Z info line ${index} ${'x'.repeat(200)}`;
    await writeFile(file, `${Array.from({ length: 20_000 }, (_, index) => line(index)).join('\n')}\n`);
    const end = await readLogEnd(file);
    expect(end?.cut).toBe(true);
    expect(end?.text).toMatch(/^2026-11-20T12:00:00.000Z info line \d+ x/);
    const page = end && logPage(end, { level: 'info', search: '', limit: 500 });
    expect(page?.lines[0]?.text).toMatch(/^line 19999 /);
    expect(logPage(end, { level: 'error', search: '', limit: 500 })).toEqual({ lines: [], cut: true });
  });
});
