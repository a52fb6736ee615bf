import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureElectron } from '../../tools/run/electron.ts';
import { ELECTRON_LIBRARIES } from '../../tools/run/system-packages.ts';
import { buildPackage, clone } from './build-package';

/** The bytes before the fuses in every Electron. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/**
 * Tests of the package for another machine. Not a file of its own, because all packages are built in the clone, one after
 * the other. Uses a made-up distribution in which only names, headers and fuses are real, because not every machine can
 * download one for arm64.
 */
export function testPackageForArm64(): void {
  describe('the Debian package for arm64, made on another machine', () => {
    let folder: string;
    let deb: string;
    let root: string;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'endcap-arm64-'));
      const dist = join(folder, 'dist');
      const { dist: real, executable, version } = await ensureElectron();
      standIn(dist, real, readFileSync(executable), version);
      deb = buildPackage(clone, join(folder, 'made'), ['--arm64', '--electron-dist', dist]);
      root = join(folder, 'root');
      execFileSync('dpkg-deb', ['-R', deb, root]);
    });

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('names its architecture, and needs the same libraries', () => {
      expect(deb).toMatch(/\/endcap_[^/]+_arm64\.deb$/);
      const control = readFileSync(join(root, 'DEBIAN/control'), 'utf8');
      expect(control).toContain('\nArchitecture: arm64\n');
      expect(control).toContain(`\nDepends: ${ELECTRON_LIBRARIES.join(', ')}, weston`);
    });

    it('contains the application, and programs for this architecture only', () => {
      const app = join(root, 'opt/endcap');
      expect(readdirSync(app)).toEqual(
        expect.arrayContaining(['endcap', 'libEGL.so', 'locales', 'resources']),
      );
      expect(readdirSync(join(app, 'resources')).sort()).toEqual(['app.asar', 'release']);
      for (const name of ['endcap', 'libEGL.so']) {
        expect(readFileSync(join(app, name)).readUInt16LE(18)).toBe(183);
      }
    });

    it('has the fuses of a kiosk', async () => {
      expect(await getCurrentFuseWire(join(root, 'opt/endcap/endcap'))).toMatchObject({
        [FuseV1Options.RunAsNode]: FuseState.DISABLE,
        [FuseV1Options.EnableNodeCliInspectArguments]: FuseState.DISABLE,
        [FuseV1Options.OnlyLoadAppFromAsar]: FuseState.ENABLE,
      });
    });
  });
}

/** Makes a folder like Electron's, in which programs are only headers followed by the real fuses. */
function standIn(to: string, real: string, executable: Buffer, version: string): void {
  mkdirSync(join(to, 'locales'), { recursive: true });
  mkdirSync(join(to, 'resources'));
  const fuses = executable.indexOf(SENTINEL);
  const wire = executable.subarray(fuses, fuses + SENTINEL.length + 2 + 32);
  const header = Buffer.from(executable.subarray(0, 64));
  header.writeUInt16LE(183, 18);
  for (const name of readdirSync(real)) {
    if (/^(electron|chrome_crashpad_handler|chrome-sandbox|.*\.so(\.\d+)?)$/.test(name)) {
      writeFileSync(join(to, name), name === 'electron' ? Buffer.concat([header, wire]) : header, {
        mode: 0o755,
      });
    }
  }
  writeFileSync(join(to, 'version'), version);
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'locales/de.pak'])
    writeFileSync(join(to, name), name);
  // electron-builder reads every archive.
  cpSync(join(real, 'resources/default_app.asar'), join(to, 'resources/default_app.asar'));
}
