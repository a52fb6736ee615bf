import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../main/settings/testing/read-settings';
import { HEADLESS } from '../headless';
import { testPackageForArm64 } from './arm64-package';
import { buildPackage, clone, sha256 } from './build-package';

let folder: string;
/** The package, and another one of the same sources, built in another place. */
let deb: string;
let again: string;
/** The package's content. */
let root: string;
let listing: readonly Entry[];

interface Entry {
  readonly mode: string;
  readonly owner: string;
  readonly path: string;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-package-'));
  const elsewhere = join(folder, 'elsewhere');
  copySources(elsewhere);
  // So that this one is built here, too: a build in a clone with its history has another date.
  rmSync(join(clone, 'out/sources.stamp'), { force: true });
  deb = buildPackage(clone, join(folder, 'first'));
  again = buildPackage(elsewhere, join(folder, 'second'));
  root = join(folder, 'root');
  execFileSync('dpkg-deb', ['-R', deb, root]);
  listing = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => {
      const [mode = '', owner = '', , , , ...path] = line.split(/\s+/);
      return { mode, owner, path: path.join(' ').replace(/^\.\//, '/') };
    });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the Debian package', () => {
  it('is the same, byte for byte, wherever its sources are built', () => {
    expect(sums(again)).toEqual(sums(deb));
    expect(sha256(again)).toBe(sha256(deb));
  });

  it('says its whole version to the program in it', () => {
    const control = execFileSync('dpkg-deb', ['-f', deb, 'Version'], { encoding: 'utf8' });
    expect(readFileSync(join(root, 'opt/endcap/resources/release'), 'utf8')).toBe(control);
  });

  it('belongs to root, is writable to nobody else, and has no set-uid program', () => {
    expect(listing.length).toBeGreaterThan(40);
    expect(listing.filter(({ owner }) => owner !== 'root/root')).toEqual([]);
    expect(listing.filter(({ mode }) => !/^(d|-)rw[x-]r-[x-]r-[x-]$/.test(mode))).toEqual([]);
  });

  it('puts its files where a Debian package may, and nothing into folders of the operator', () => {
    const outside = listing.filter(
      ({ mode, path }) =>
        !mode.startsWith('d') &&
        !/^\/(opt\/endcap|usr\/bin\/endcap$|usr\/lib\/(endcap|systemd\/system|sysusers\.d|udev\/rules\.d|modules-load\.d)\/|usr\/share\/(doc\/)?endcap\/|usr\/share\/polkit-1\/rules\.d\/endcap\.rules$|etc\/((default|pam\.d)\/endcap|apt\/apt\.conf\.d\/50endcap)$)/.test(
          path,
        ),
    );
    expect(outside).toEqual([]);
    expect(read('DEBIAN/conffiles')).toBe(
      '/etc/apt/apt.conf.d/50endcap\n/etc/default/endcap\n/etc/pam.d/endcap\n',
    );
  });

  it('lets the kiosk reach displays over their cables and no other bus, with programs that are only suggested', () => {
    const rule = read('usr/lib/udev/rules.d/61-endcap-display.rules');
    expect(rule).toMatch(
      /^ACTION!="remove", SUBSYSTEM=="i2c-dev", .*ATTRS\{class\}=="0x03\*", GROUP="endcap"/m,
    );
    expect(read('usr/lib/modules-load.d/endcap.conf')).toMatch(/^i2c-dev$/m);
    expect(read('DEBIAN/control')).toMatch(/^Suggests: ddcutil, v4l-utils, /m);
    expect(read('usr/lib/sysusers.d/endcap.conf')).toContain('m endcap video');
  });

  it('holds neither source maps, nor the demo of Electron, nor a sandbox helper that is not set-uid', () => {
    const names = listing.map(({ path }) => path);
    expect(names.filter((path) => /\.map$|default_app|chrome-sandbox/.test(path))).toEqual([]);
    const archived = readFileSync(join(root, 'opt/endcap/resources/app.asar')).toString('latin1');
    expect(archived).not.toContain('sourceMappingURL=data:');
  });

  it('states that it is for tests if its Electron is a third party’s repackaging', () => {
    // The electron package writes path.txt once its own distribution is complete.
    const isOfficial = existsSync(join(clone, 'node_modules/electron/path.txt'));
    expect(read('DEBIAN/control').includes('FOR TESTS ONLY')).toBe(!isOfficial);
  });

  it('can be cloned with its system as docs/install.md says: each machine makes an id of its own', () => {
    const machine = join(folder, 'machine');
    const id = 'c0ffee00c0ffee00c0ffee00c0ffee00\n';
    for (const file of ['etc/machine-id', 'var/lib/dbus/machine-id']) {
      mkdirSync(dirname(join(machine, file)), { recursive: true });
      writeFileSync(join(machine, file), id);
    }
    const page = readFileSync(join(clone, 'docs/install.md'), 'utf8');
    const [, empty = ''] = /`(sudo truncate [^`]+)`/.exec(page) ?? [];
    execFileSync('sh', ['-c', empty.replaceAll('sudo ', '').replaceAll(' /', ` ${machine}/`)]);
    const made = execFileSync('systemd-machine-id-setup', ['--root', machine, '--print'], {
      encoding: 'utf8',
    });
    expect(made).toMatch(/^[0-9a-f]{32}\n$/);
    expect(made).not.toBe(id);
  });

  it('has scripts that a POSIX shell accepts', () => {
    const scripts = ['DEBIAN/postinst', 'DEBIAN/prerm', 'DEBIAN/postrm', 'usr/bin/endcap'];
    const ofUnits = ['usr/lib/endcap/kiosk-session', 'usr/lib/endcap/updates'];
    for (const script of [...scripts, ...ofUnits]) {
      expect(spawnSync('sh', ['-n', join(root, script)], { encoding: 'utf8' }).stderr).toBe('');
    }
  });

  it('has an apt hook that keeps installed packages, and does no harm once Endcap is removed', () => {
    const config = join(root, 'etc/apt/apt.conf.d/50endcap');
    const env = { ...process.env, APT_CONFIG: config };
    const told = execFileSync('apt-config', ['dump', '--format', '%v%n', 'DPkg::Pre-Install-Pkgs'], {
      env,
      encoding: 'utf8',
    });
    const hook = told.trim();
    expect(hook).toContain('/usr/lib/endcap/updates keep');
    // After removal of the package, the hook's file remains and must not stop apt.
    const absent = hook.replaceAll('/usr/lib/endcap', join(folder, 'absent'));
    expect(spawnSync('sh', ['-c', absent], { input: '' }).status).toBe(0);
  });

  it('has an example of settings that needs nothing but its secret', () => {
    const example: unknown = JSON.parse(read('usr/share/doc/endcap/config.example.json'));
    expect(readSettings(example, 'config.example.json')).toMatchObject({ kind: 'settings' });
  });

  it('has units that systemd accepts, with an exposure of the kiosk of at most 3.0 of 10', () => {
    // Adds the units that the package's unit names and other packages provide.
    const machine = join(folder, 'machine');
    cpSync(root, machine, { recursive: true, filter: (path) => !path.endsWith('/opt/endcap') });
    cpSync('/usr/lib/systemd/system', join(machine, 'usr/lib/systemd/system'), {
      recursive: true,
      verbatimSymlinks: true,
      force: false,
    });
    for (const program of ['chvt', 'sleep'])
      writeFileSync(join(machine, 'usr/bin', program), '', { mode: 0o755 });
    const unit = 'endcap.service';
    const verified = spawnSync(
      'systemd-analyze',
      [`--root=${machine}`, '--man=no', 'verify', unit, 'endcap-seat.service', 'endcap-trial.service'],
      { encoding: 'utf8' },
    );
    expect(
      `${verified.stdout}${verified.stderr}`.split('\n').filter((line) => line.includes('endcap')),
    ).toEqual([]);
    const exposed = spawnSync(
      'systemd-analyze',
      [`--root=${machine}`, 'security', '--offline=true', '--threshold=30', unit],
      { encoding: 'utf8' },
    );
    expect({ status: exposed.status, stderr: exposed.stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('has the fuses of a kiosk: no Node, no debugger, only its own code', async () => {
    const {
      version: _version,
      resetAdHocDarwinSignature: _mac,
      ...wire
    } = await getCurrentFuseWire(join(root, 'opt/endcap/endcap'));
    const { ENABLE, DISABLE } = FuseState;
    expect(wire).toMatchObject({
      [FuseV1Options.RunAsNode]: DISABLE,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: DISABLE,
      [FuseV1Options.EnableNodeCliInspectArguments]: DISABLE,
      [FuseV1Options.OnlyLoadAppFromAsar]: ENABLE,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: ENABLE,
      [FuseV1Options.EnableCookieEncryption]: ENABLE,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: DISABLE,
    });
  });

  it('respects its fuses: it does not run as Node and ignores options of Node', () => {
    const script = join(folder, 'intruder.js');
    const proof = join(folder, 'intruded');
    writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(proof)}, '')`);
    const run = (args: readonly string[], env: Record<string, string>) =>
      spawnSync(
        join(root, 'opt/endcap/endcap'),
        [...HEADLESS, ...args, '--endcap-command', 'pin', '--help'],
        {
          env: { ...process.env, XDG_CONFIG_HOME: folder, ...env },
          encoding: 'utf8',
          timeout: 30_000,
        },
      );
    expect(run([], { NODE_OPTIONS: `--require=${script}` }).stdout).toContain('Usage: pin');
    expect(run([], { ELECTRON_RUN_AS_NODE: '1' }).stdout).toContain('Usage: pin');
    expect(run(['-r', script], {}).stdout).toContain('Usage: pin');
    expect(run(['--inspect=127.0.0.1:0'], {}).stderr).not.toContain('Debugger listening');
    expect(readdirSync(folder)).not.toContain('intruded');
  });
});

testPackageForArm64();

/** Copies the sources to another folder, with the same dependencies. */
function copySources(to: string): void {
  mkdirSync(to);
  const left = new Set(['node_modules', 'out', 'dist', 'test-results', '.git']);
  for (const name of readdirSync(clone)) {
    if (!left.has(name)) cpSync(join(clone, name), join(to, name), { recursive: true });
  }
  const dependencies = [join(clone, 'node_modules'), join(to, 'node_modules')];
  // Hard links if the system allows links to files of another owner, otherwise a copy.
  if (spawnSync('cp', ['-al', ...dependencies]).status === 0) return;
  rmSync(join(to, 'node_modules'), { recursive: true, force: true });
  execFileSync('cp', ['-a', '--reflink=auto', ...dependencies]);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The checksums in a package, one line per file. */
function sums(path: string): string[] {
  const text = execFileSync('dpkg-deb', ['--ctrl-tarfile', path], { maxBuffer: 64 * 1024 * 1024 });
  return execFileSync('tar', ['-xO', './md5sums'], { input: text, encoding: 'utf8' }).trim().split('\n');
}
