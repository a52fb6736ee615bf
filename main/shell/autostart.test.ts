import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setAutostart } from './autostart';
import { autostartEntry } from './autostart-entry';

let folder: string;
const entry = () => join(folder, 'autostart', 'endcap.desktop');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-autostart-'));
  vi.stubEnv('XDG_CONFIG_HOME', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe.skipIf(process.platform !== 'linux')('the start with a desktop session', () => {
  it('has the path of the program that runs now, also if it was on before', async () => {
    mkdirSync(join(folder, 'autostart'));
    writeFileSync(entry(), autostartEntry(['/opt/endcap-0.1/endcap']));
    expect(await setAutostart(true)).toEqual({ on: true, by: 'session' });
    expect(readFileSync(entry(), 'utf8')).toContain(`\nExec="${process.execPath}"`);
  });

  it('has the path of the AppImage, not of the folder where it is mounted now', async () => {
    vi.stubEnv('APPIMAGE', '/home/kiosk/Endcap.AppImage');
    await setAutostart(true);
    expect(readFileSync(entry(), 'utf8')).toContain('\nExec="/home/kiosk/Endcap.AppImage"');
    expect(await setAutostart(false)).toEqual({ on: false, by: 'session' });
  });
});
