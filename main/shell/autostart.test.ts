import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
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

  it('keeps what the operator wrote into the entry, and its arguments', async () => {
    mkdirSync(join(folder, 'autostart'));
    const later = 'X-GNOME-Autostart-Delay=20\n';
    writeFileSync(
      entry(),
      autostartEntry(['/opt/endcap-0.1/endcap', '--config', '/etc/my kiosk.json']) + later,
    );
    await setAutostart(true);
    const written = readFileSync(entry(), 'utf8');
    expect(written).toBe(autostartEntry([process.execPath, '--config', '/etc/my kiosk.json']) + later);
    const own = '[Desktop Entry]\nType=Application\nExec=/usr/bin/endcap run\n';
    writeFileSync(entry(), own);
    await setAutostart(true);
    expect(readFileSync(entry(), 'utf8')).toBe(own);
  });

  it('is not written again if nothing changes, because a power cut could leave it empty', async () => {
    await setAutostart(true);
    const { ino, mtimeNs } = statSync(entry(), { bigint: true });
    await setAutostart(true);
    expect(statSync(entry(), { bigint: true })).toMatchObject({ ino, mtimeNs });
  });

  it.each([
    [
      ['--config', 'kiosk.json', '--kiosk', '--data-dir=data'],
      '',
      ['--config', 'kiosk.json', '--data-dir', 'data'],
    ],
    [
      ['--inspect=9229', '--data-dir', 'data'],
      'named.json',
      ['--config', 'named.json', '--data-dir', 'data'],
    ],
    [['--config=given.json'], 'named.json', ['--config', 'given.json']],
  ])(
    'with %j and ENDCAP_CONFIG "%s" finds the same files from the home folder',
    async (args, named, files) => {
      vi.stubEnv('ENDCAP_CONFIG', named);
      const { argv } = process;
      process.argv = [process.execPath, ...args];
      await setAutostart(true).finally(() => {
        process.argv = argv;
      });
      const kept = args.filter((argument) => argument === '--kiosk');
      const absolute = files.map((word) => (word.startsWith('--') ? word : resolve(word)));
      expect(readFileSync(entry(), 'utf8')).toBe(autostartEntry([process.execPath, ...kept, ...absolute]));
    },
  );

  it('has the path of the AppImage, not of the folder where it is mounted now', async () => {
    vi.stubEnv('APPIMAGE', '/home/kiosk/Terminal.AppImage');
    vi.stubEnv('APPDIR', '/tmp/.mount_Terminal');
    await setAutostart(true);
    expect(readFileSync(entry(), 'utf8')).toContain(`\nExec="${process.execPath}"`);
    vi.stubEnv('APPIMAGE', '/home/kiosk/Endcap.AppImage');
    vi.stubEnv('APPDIR', dirname(process.execPath));
    await setAutostart(true);
    expect(readFileSync(entry(), 'utf8')).toContain('\nExec="/home/kiosk/Endcap.AppImage"');
    expect(await setAutostart(false)).toEqual({ on: false, by: 'session' });
  });
});
