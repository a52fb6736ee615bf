import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../shared/log';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { MAX_ANNOUNCEMENT_MS, openAnnouncement } from './announcement';

const MESSAGE = { text: 'Please leave the building.', severity: 'emergency', language: 'en' } as const;
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-announcement-'));
  file = join(folder, 'announcement.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const open = (time: ReturnType<typeof handTurnedTime>) => openAnnouncement(file, { ...time, log: silentLog });

test('an announcement ends by itself, reports its end and removes its file', async () => {
  const time = handTurnedTime();
  const announcement = await open(time);
  let changes = 0;
  announcement.onChange(() => (changes += 1));
  await announcement.begin(MESSAGE, 60_000);
  await time.advance(59_999);
  expect(announcement.current()).toMatchObject(MESSAGE);
  await time.advance(1);
  expect(announcement.current()).toBeNull();
  expect(changes).toBe(2);
  await expect.poll(() => existsSync(file)).toBe(false);
});

test('a restart shows an announcement for its remaining time, never longer than its duration', async () => {
  const start = Date.UTC(2026, 0, 5, 12);
  await (await open(handTurnedTime(start))).begin(MESSAGE, 60_000);
  expect((await open(handTurnedTime(start + 20_000))).current()?.until).toBe(start + 60_000);
  expect((await open(handTurnedTime(start - 3_600_000))).current()?.until).toBe(start - 3_540_000);
  expect((await open(handTurnedTime(start + 60_000))).current()).toBeNull();
  expect(existsSync(file)).toBe(false);
});

test('a new announcement replaces the old one, and lasts at most a day', async () => {
  const time = handTurnedTime();
  const announcement = await open(time);
  await announcement.begin(MESSAGE, 60_000);
  await announcement.begin({ ...MESSAGE, text: 'All is well.' }, 100 * MAX_ANNOUNCEMENT_MS);
  await time.advance(MAX_ANNOUNCEMENT_MS - 1);
  expect(announcement.current()?.text).toBe('All is well.');
  await time.advance(1);
  expect(announcement.current()).toBeNull();
});

test.each(['{', '{"version":1}'])('a broken file (%j) gives no announcement', async (text) => {
  writeFileSync(file, text);
  expect((await open(handTurnedTime())).current()).toBeNull();
});
