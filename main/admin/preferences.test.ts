import { mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { openPreferences, volumeInForce } from './preferences';

test('choices that cannot be read for a moment are neither lost nor replaced', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-preferences-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'overlay.json');
  await writeFile(`${file}.good`, '{"volume":0.5,"theme":"dark"}');
  // A link to itself: reading fails, as from a bad disk.
  await symlink(file, file);
  const open = () => openPreferences(file, 'de-AT', silentLog);
  const preferences = await open();
  expect([preferences.volume(), preferences.overlay()]).toEqual([null, { language: 'de', theme: 'system' }]);
  await preferences.choose({ volume: 1 });
  expect(preferences.volume()).toBe(1);
  await rename(`${file}.good`, file);
  expect(await readFile(file, 'utf8')).toContain('0.5');
  await preferences.choose({ language: 'en' });
  const again = await open();
  expect([again.volume(), again.overlay()]).toEqual([1, { language: 'en', theme: 'dark' }]);
});

test('a choice holds at once, before the disk has answered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-preferences-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const preferences = await openPreferences(join(folder, 'overlay.json'), 'en', silentLog);
  const first = preferences.choose({ volume: 0.5 });
  const second = preferences.choose({ volume: 0 });
  expect(preferences.volume()).toBe(0);
  await Promise.all([first, second]);
  expect(JSON.parse(await readFile(join(folder, 'overlay.json'), 'utf8'))).toEqual({ volume: 0 });
});

test('the stage is told a volume when it is chosen, and when the settings hold again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-preferences-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const preferences = await openPreferences(join(folder, 'overlay.json'), 'en', silentLog);
  const told: unknown[] = [];
  const volume = volumeInForce(preferences, 0.25, (command) => told.push(command));
  expect([volume(), told]).toEqual([0.25, []]);
  const choices = [0, 0.5, undefined].map((chosen) => preferences.choose({ volume: chosen }));
  // At once, before the disk has answered.
  expect(told).toEqual([0, 0.5, 0.25].map((chosen) => ({ type: 'volume', volume: chosen })));
  expect(volume()).toBe(0.25);
  await Promise.all(choices);
});

test.each([
  ['de-AT', '{"volume":7,"theme":"dark","language":"xx"}', null, { language: 'de', theme: 'dark' }],
  ['xx', '{"volume":0,"theme":"pink"}', 0, { language: 'en', theme: 'system' }],
  ['de', '{"language":"en"}', null, { language: 'en', theme: 'system' }],
])('with the language %s and %s stored, what is valid holds', async (settings, stored, volume, overlay) => {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-preferences-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'overlay.json');
  await writeFile(file, stored);
  const preferences = await openPreferences(file, settings, silentLog);
  expect([preferences.volume(), preferences.overlay()]).toEqual([volume, overlay]);
});
