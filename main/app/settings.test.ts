import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Base } from './core';
import { openSettings, type SettingsSource } from './settings';

let endSetUp = () => {};
vi.mock('../shell/this-machine', () => ({
  isPackaged: true,
  locale: () => 'en',
  systemKeyring: { open: async () => null },
}));
vi.mock('./overlay', () => ({
  firstSetUp: async () => {
    endSetUp();
    return 'settings';
  },
}));

it('a settings file that comes during the set-up counts as one that was there at the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = {
    baseUrl: 'https://ads.example.com',
    authUrl: 'https://login.example.com',
    clientId: 'kiosk',
    clientSecret: 'hush',
    projectId: 'p',
  };
  const fleet = { brokers: ['mqtts://broker.example'] };
  endSetUp = () => writeFileSync(join(folder, 'settings.json'), JSON.stringify({ service, fleet }));
  const base = {
    windows: { stage: { keep() {} } },
    clock: { now: () => 1 },
    dataDirectory: folder,
    log: silentLog,
  } as unknown as Base;
  const source: SettingsSource = {
    places: { configPath: null, env: {}, platform: 'win32', dataDir: folder },
    located: { kind: 'none' },
    setUp: true,
    programs: folder,
  };
  const found = await openSettings(base, source);
  expect(found?.settings.fleet.brokers).toMatchObject([{ host: 'broker.example' }]);
  expect(found).toMatchObject({ remote: { setAside: null } });
});
