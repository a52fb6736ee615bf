import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../shared/log';
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
const open = () => openSeenCommands(file, () => now, silentLog);

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
  now = 1_000_101 + 7 * DAY;
  await seen.note('last', now);
  expect(await seen.note('one', 1_000_100)).toBe('new');
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
  const seen = await openSeenCommands(join(folder, 'missing', 'x'), () => now, silentLog);
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
