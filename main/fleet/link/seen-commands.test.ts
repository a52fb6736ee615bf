import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../shared/log';
import type { CommandName } from './commands';
import { openSeenCommands } from './seen-commands';

const DAY = 86_400;
let folder: string;
let file: string;
let now: number | null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-seen-'));
  file = join(folder, 'fleet-commands.ndjson');
  now = 1_000_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
/** @param path of the file in which it remembers */
async function open(path = file) {
  const seen = await openSeenCommands(path, () => now, silentLog);
  return {
    note: (jti: string, exp: number, by = 'key', name: CommandName = 'refresh') =>
      seen.note({ jti, exp, command: { name } }, by),
  };
}

test('a command is new only once, even after restarts and torn lines', async () => {
  const first = await open();
  expect(await Promise.all([first.note('one', 1_000_100), first.note('one', 1_000_100)])).toEqual([
    'new',
    'seen-before',
  ]);
  appendFileSync(file, '["tor');
  const second = await open();
  expect(await second.note('one', 1_000_100)).toBe('seen-before');
  expect(await second.note('two', 1_000_100)).toBe('new');
  expect(await (await open()).note('two', 1_000_100)).toBe('seen-before');
});

test('a command is forgotten a week after it expired, by trusted time only', async () => {
  const seen = await open();
  await seen.note('one', 1_000_100);
  now = 1_000_100 + 7 * DAY;
  await seen.note('other', now);
  expect(await seen.note('one', 1_000_100)).toBe('seen-before');
  now = null;
  await seen.note('another', 1_000_100);
  for (const jti of ['one', 'another']) expect(await seen.note(jti, 1_000_100)).toBe('seen-before');
  now = 1_000_101 + 7 * DAY;
  await seen.note('last', now);
  expect(readFileSync(file, 'utf8')).not.toContain('"one"');
});

test('a forgotten command is not new again, even if the clock is set back, and later ones are', async () => {
  const seen = await open();
  await seen.note('one', 1_000_100);
  now = 1_000_101 + 7 * DAY;
  await seen.note('last', now);
  now = 1_000_000;
  for (const again of [seen, await open()]) expect(await again.note('one', 1_000_100)).toBe('too-many');
  expect(await seen.note('two', 1_000_101)).toBe('new');
  expect(await seen.note('three', 1_000_100, 'other key')).toBe('new');
});

test('damaged lines are reported with their number, and the others are kept', async () => {
  await (await open()).note('one', 1_000_100);
  const lines: unknown[] = [];
  const log = { ...silentLog, error: (_event: string, fields: unknown) => void lines.push(fields) };
  const openLogged = () => openSeenCommands(file, () => now, log);
  await openLogged();
  expect(lines).toEqual([]);
  writeFileSync(file, `\0\0\n${readFileSync(file, 'utf8')}["tw`);
  const seen = await openLogged();
  expect(lines).toEqual([{ file, lines: 2 }]);
  const again = { jti: 'one', exp: 1_000_100, command: { name: 'refresh' as const } };
  expect(await seen.note(again, 'key')).toBe('seen-before');
});

test('a line that a full disk cut off does not lose later commands', async () => {
  const seen = await open();
  await seen.note('one', 1_000_100);
  const before = readFileSync(file, 'utf8');
  // The write fails on what it finds here; a line that an older Endcap could not finish is written by hand.
  rmSync(file);
  mkdirSync(file);
  await expect(seen.note('two', 1_000_100)).rejects.toThrow('EISDIR');
  rmdirSync(file);
  writeFileSync(file, `${before}["tw`);
  expect(await seen.note('three', 1_000_100)).toBe('new');
  expect(await (await open()).note('three', 1_000_100)).toBe('seen-before');
});

test('no command is new while the stored ones cannot be read', async () => {
  writeFileSync(file, '["one",1000100]\n');
  // Sparse, and longer than Node reads.
  truncateSync(file, 3 * 2 ** 30);
  const seen = await open();
  await expect(seen.note('one', 1_000_100)).rejects.toThrow('2 GiB');
});

test('a command that cannot be stored is not new', async () => {
  const seen = await open(join(folder, 'missing', 'x'));
  await expect(seen.note('one', 1_000_100)).rejects.toThrow();
});

test('commands are carried out again, each once, as soon as the stored ones can be read', async () => {
  await (await open()).note('one', 1_000_100);
  renameSync(file, `${file}.good`);
  // A link to itself: reading fails, as from a bad disk.
  symlinkSync(file, file);
  const seen = await open();
  await expect(seen.note('two', 1_000_100)).rejects.toThrow('ELOOP');
  renameSync(`${file}.good`, file);
  expect([await seen.note('one', 1_000_100), await seen.note('two', 1_000_100)]).toEqual([
    'seen-before',
    'new',
  ]);
  expect(await (await open()).note('one', 1_000_100)).toBe('seen-before');
});

/** Stores a thousand commands of a key, as many as are remembered: one a second, each valid until its `exp`. */
const fill = (key: string, exp: (n: number) => number) =>
  writeFileSync(
    file,
    [{ place: key, endedTo: 0 }, ...Array.from({ length: 1_000 }, (_, n) => [`${key}-${n}`, exp(n)])]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );

test('a key that sends without end never runs out of places, and none of its commands is new twice', async () => {
  fill('key', (n) => 1_000_000 + n);
  const seen = await open();
  for (let n = 1_000; n < 1_100; n++) expect(await seen.note(`key-${n}`, 1_000_000 + n)).toBe('new');
  now = 0;
  for (const n of [0, 50, 99]) expect(await seen.note(`key-${n}`, 1_000_000 + n)).toBe('too-many');
  for (const n of [100, 999, 1_099]) expect(await seen.note(`key-${n}`, 1_000_000 + n)).toBe('seen-before');
  expect(await (await open()).note('key-0', 1_000_000)).toBe('too-many');
});

test('a key that filled its places keeps them from its own commands that end before, and from nothing else', async () => {
  const late = 1_000_000 + 7 * DAY;
  fill('stolen', () => late);
  const seen = await open();
  expect(await seen.note('one', 1_000_300, 'stolen')).toBe('new');
  expect(await seen.note('two', late, 'stolen')).toBe('new');
  expect(await seen.note('one', 1_000_300, 'stolen')).toBe('too-many');
  expect(await seen.note('three', late, 'stolen')).toBe('too-many');
  expect(await seen.note('four', late + 1, 'stolen')).toBe('new');
  expect(await seen.note('five', 1_000_300, 'stolen', 'announce')).toBe('new');
  expect(await seen.note('six', 1_000_300, 'good')).toBe('new');
  expect(statSync(file).size).toBeLessThan(100_000);
});

test('commands that a version without places stored take none, and one can read what is stored now', async () => {
  const late = 1_000_000 + 7 * DAY;
  writeFileSync(file, Array.from({ length: 10_000 }, (_, n) => `["old-${n}",${late}]\n`).join(''));
  const seen = await open();
  expect([await seen.note('old-0', late), await seen.note('one', 1_000_300)]).toEqual(['seen-before', 'new']);
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines).toContain(`["old-9999",${late}]`);
  expect(lines).toContain('["one",1000300]');
  now = late + 7 * DAY + 1;
  await seen.note('two', now + 300);
  expect(readFileSync(file, 'utf8')).not.toContain('old-');
  now = late;
  for (const again of [seen, await open()]) expect(await again.note('old-0', late)).toBe('too-many');
  expect(await seen.note('three', late + 1)).toBe('new');
});
