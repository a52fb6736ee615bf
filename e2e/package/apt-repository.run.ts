import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArguments } from '../../tools/packaging/apt/arguments.ts';
import { pathWith, standIn } from '../stand-in';
import { until } from '../until';
import { clone } from './build-package';

const KEY = 'Updates of our kiosks';
const COMMAND = [join(clone, 'tools/run/index.mjs'), 'apt-repository'];
/** Machine ids of the kiosks. */
const KIOSKS = Array.from({ length: 20 }, (_, index) => index.toString(16).padStart(32, 'c0ffee')).sort();

let folder: string;
let repository: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-apt-'));
  repository = join(folder, 'repository');
  mkdirSync(join(folder, 'gpg'), { mode: 0o700 });
  gpg('--passphrase', '', '--quick-generate-key', KEY, 'rsa3072', 'sign', 'never');
  for (const version of ['1.0', '2.0', '3.0', '4.0', '5.0', '5.3', '6.0', '7.0']) {
    for (const architecture of ['amd64', 'arm64']) tinyPackage(version, architecture);
  }
});

afterAll(() => {
  spawnSync('gpgconf', ['--kill', 'all'], { env: withKeyring() });
  rmSync(folder, { recursive: true, force: true });
});

describe('npm run apt-repository', () => {
  it('reports what is missing, and changes nothing', () => {
    expect(publish('--key', KEY).stderr).toContain('--out and --key are needed');
    expect(publish('--out', repository, '--key', 'nobody', '--url', 'http://a').stderr).toContain(
      'Make one:',
    );
    expect(publish('--out', repository, '--key', KEY).stderr).toContain('needs --url');
    const asked = ['--out', repository, '--key', KEY, '--url', 'http://a'];
    const read = (...more: string[]) => readArguments([...asked, ...more]);
    expect(() => read('--percent', '101')).toThrow('not a whole number from 1 to 100');
    expect(() => read('--window', '2-4')).toThrow('02:00-04:00');
    expect(() => read('absent.deb')).toThrow(/there is no file .*absent.deb/);
    writeFileSync(join(folder, 'other.deb'), 'no package');
    expect(publish(...asked, join(folder, 'other.deb')).stderr).toContain('is no Debian package');
  });

  it('makes a signed repository of both architectures, with a key from a file', () => {
    const secret = join(folder, 'secret.gpg');
    writeFileSync(secret, gpg('--export-secret-keys', KEY), { mode: 0o600 });
    const url = `file://${repository}/public`;
    const made = publish('--out', repository, '--key', secret, '--url', url, ...packages('1.0'));
    expect(made).toMatchObject({ status: 0, stdout: '' });
    expect(made.stderr).toContain('amd64: 1.0 for 100 % of the kiosks; arm64: 1.0 for 100 % of the kiosks');
    gpg('--verify', join(repository, 'public/dists/endcap/InRelease'));
    // The web server is another user.
    expect(execFileSync('find', [join(repository, 'public'), '!', '-perm', '-004']).toString()).toBe('');
    expect(candidates()).toEqual({ '1.0': KIOSKS });
  });

  it('rolls a version out to a growing share of the kiosks, and a kiosk once included stays included', () => {
    publish('--out', repository, '--key', KEY, '--percent', '30', ...packages('2.0'));
    const { '2.0': early = [], '1.0': others = [] } = candidates();
    // The other kiosks still get the previous version.
    expect([...early, ...others].sort()).toEqual(KIOSKS);
    expect(early.length).toBeGreaterThan(KIOSKS.length * 0.1);
    expect(early.length).toBeLessThan(KIOSKS.length * 0.5);
    publish('--out', repository, '--key', KEY, '--percent', '70');
    const { '2.0': later = [] } = candidates();
    expect(later).toEqual(expect.arrayContaining(early));
    expect(later.length).toBeGreaterThan(KIOSKS.length * 0.5);
    publish('--out', repository, '--key', KEY, '--percent', '100');
    expect(candidates()).toEqual({ '2.0': KIOSKS });
  });

  it('keeps the last version that was rolled out to all as the previous one, not a stopped one', () => {
    publish('--out', repository, '--key', KEY, '--percent', '10', ...packages('3.0'));
    expect(publish('--out', repository, '--key', KEY, '--withdraw').stderr).toContain(
      'amd64: 2.0 for all kiosks',
    );
    expect(candidates()).toEqual({ '2.0': KIOSKS });
    publish('--out', repository, '--key', KEY, '--percent', '10', ...packages('3.0'));
    // The folder contains packages of earlier commits too; the newest is published.
    const all = ['1.0', '4.0', '3.0'].flatMap(packages);
    expect(publish('--out', repository, '--key', KEY, ...all).stderr).toContain(
      'amd64: 4.0 for 100 % of the kiosks, before it 2.0; arm64: 4.0 for 100 % of the kiosks, before it 2.0',
    );
    const refused = publish('--out', repository, '--key', KEY, ...packages('3.0'));
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('4.0 is published') });
  });

  it('publishes the architectures of a version one after the other, each with its own percentage', () => {
    const [amd64 = '', arm64 = ''] = packages('5.0');
    publish('--out', repository, '--key', KEY, '--percent', '100');
    const first = publish('--out', repository, '--key', KEY, '--percent', '10', amd64);
    expect(first.stderr).toContain(
      'amd64: 5.0 for 10 % of the kiosks, before it 4.0; arm64: 4.0 for 100 % of the kiosks, before it 2.0',
    );
    const second = publish('--out', repository, '--key', KEY, '--percent', '20', arm64);
    expect(second.stderr).toContain(
      'amd64: 5.0 for 10 % of the kiosks, before it 4.0; arm64: 5.0 for 20 % of the kiosks, before it 4.0',
    );
    // The same command once more, as after an interruption.
    const again = publish('--out', repository, '--key', KEY, '--percent', '20', arm64);
    expect(again.stderr).toContain('amd64: 5.0 for 10 % of the kiosks, before it 4.0; arm64: 5.0 for 20 %');
    const both = publish('--out', repository, '--key', KEY, '--percent', '100');
    expect(both.stderr).toContain('amd64: 5.0 for 100 % of the kiosks, before it 4.0; arm64: 5.0 for 100 %');
  });

  it('warns of a package for tests, and of what it needs more than the published one, because kiosks install nothing else', () => {
    const depends = 'libc6 (>= 2.31), libnew1 | libnew1t64\nRecommends: libnss3-tools';
    const more = tinyPackage('5.1', 'amd64', {
      depends,
      description: 'A kiosk player\n .\n FOR TESTS ONLY: it',
    });
    const warning =
      'takes 5.1 by itself only if it has these packages already: libc6 (>= 2.31), libnew1 | libnew1t64';
    const { stderr } = publish('--out', repository, '--key', KEY, more);
    expect(stderr).toContain(warning);
    expect(stderr).toContain(`${more} says that it is FOR TESTS ONLY`);
    // The one before recommends a package, and this one none.
    const same = tinyPackage('5.2', 'amd64', { depends: 'libc6 (>= 2.31), libnew1 | libnew1t64' });
    expect(publish('--out', repository, '--key', KEY, same).stderr).not.toMatch(
      /only if it has|FOR TESTS ONLY/,
    );
    // Kiosks that did not take a version for a few, or one that was withdrawn, have the version before.
    publish('--out', repository, '--key', KEY, '--withdraw');
    const later = tinyPackage('5.2.1', 'amd64', { depends: 'libc6 (>= 2.31), liblater' });
    const laterWarning = 'takes 5.2.1 by itself only if it has these packages already: liblater';
    expect(publish('--out', repository, '--key', KEY, '--percent', '10', later).stderr).toContain(
      laterWarning,
    );
    const last = tinyPackage('5.2.2', 'amd64', { depends: 'libc6 (>= 2.31), liblater' });
    expect(publish('--out', repository, '--key', KEY, last).stderr).toContain('already: liblater');
    expect(publish('--out', repository, '--key', KEY, ...packages('5.3')).stderr).not.toContain(
      'only if it has',
    );
  });

  it('warns that kiosks do not know another key, and says nothing of the same one', () => {
    gpg('--passphrase', '', '--quick-generate-key', 'Another key', 'rsa3072', 'sign', 'never');
    const warning = 'take no more updates, until each has got the new endcap.sources';
    expect(publish('--out', repository, '--key', 'Another key').stderr).toContain(warning);
    expect(publish('--out', repository, '--key', KEY).stderr).toContain(warning);
    expect(publish('--out', repository, '--key', KEY).stderr).not.toContain(warning);
  });

  it('changes nothing with a key that cannot sign', () => {
    const past = ['--faked-system-time', '20200101T000000!', '--passphrase', ''];
    gpg(...past, '--quick-generate-key', 'Old key', 'rsa3072', 'sign', '1d');
    const lists = () => readFileSync(join(repository, 'public/dists/endcap/InRelease'), 'utf8');
    const before = lists();
    const refused = publish('--out', repository, '--key', 'Old key', ...packages('6.0'));
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('Old key cannot sign') });
    expect(lists()).toBe(before);
    expect(publish('--out', repository, '--key', KEY).stderr).toContain('amd64: 5.3 for 100 %');
  });

  it('goes on after an interruption with the same command', async () => {
    const [, arm64 = ''] = packages('7.0');
    const large = tinyPackage('7.0', 'amd64', { bytes: 150_000_000 });
    const command = ['--out', repository, '--key', KEY, '--percent', '10', large, arm64];
    const programs = join(folder, 'programs');
    const noted = join(folder, 'publishing');
    const reprepro = execFileSync('which', ['reprepro'], { encoding: 'utf8' }).trim();
    const wrapped = `case "$*" in *includedeb*) : > '${noted}' ;; esac; exec ${reprepro} "$@"`;
    standIn(programs, 'reprepro', wrapped);
    const env = { ...withKeyring(), ...pathWith(programs) };
    const child = spawn(process.execPath, [...COMMAND, ...command], { cwd: clone, env, detached: true });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    const isLocked = () => existsSync(noted) && existsSync(join(repository, 'db/lockfile'));
    await until(isLocked, 60_000, 'a reprepro that publishes');
    // Ctrl-C reaches every process of the terminal.
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await until(() => child.exitCode !== null, 60_000, 'the end of the command');
    expect(said).toContain('interrupted. Run the same command again');
    expect(publish(...command).stderr).toContain('amd64: 7.0 for 10 % of the kiosks, before it 5.3');
  });

  it('makes a package for kiosks that updates Endcap alone, at night, without questions', () => {
    publish('--out', repository, '--key', KEY, '--window', '23:30-00:30');
    const root = join(folder, 'kiosk');
    execFileSync('dpkg-deb', ['-R', join(repository, 'public/endcap-updates.deb'), root]);
    // When dpkg finds a file with different content, it asks.
    expect(readFileSync(join(root, 'etc/apt/sources.list.d/endcap.sources'), 'utf8')).toBe(
      readFileSync(join(repository, 'public/endcap.sources'), 'utf8'),
    );
    const settings = aptSettings(join(root, 'etc/apt/apt.conf.d/52endcap-updates'));
    expect(settings.filter((line) => line.startsWith('Unattended-Upgrade::Origins-Pattern'))).toEqual([
      'Unattended-Upgrade::Origins-Pattern=',
      'Unattended-Upgrade::Origins-Pattern::=origin=Endcap,label=Endcap',
    ]);
    expect(settings).toContain('APT::Periodic::Unattended-Upgrade=1');
    expect(settings).toContain('APT::Get::Phase-Policy=true');
    const timer = (name: string) =>
      readFileSync(join(root, `usr/lib/systemd/system/${name}.timer.d/endcap.conf`), 'utf8');
    expect(timer('apt-daily')).toContain('OnCalendar=*-*-* 23:30:00\n');
    expect(timer('apt-daily-upgrade')).toContain('OnCalendar=*-*-* 00:00:00\n');
    expect(timer('apt-daily-upgrade')).toContain('RandomizedDelaySec=30m\n');
    const units = join(folder, 'units');
    for (const name of ['apt-daily', 'apt-daily-upgrade']) {
      mkdirSync(join(units, `${name}.timer.d`), { recursive: true });
      writeFileSync(join(units, `${name}.timer`), '[Timer]\nOnCalendar=daily\nPersistent=true\n');
      writeFileSync(join(units, `${name}.service`), '[Service]\nExecStart=/bin/true\n');
      writeFileSync(join(units, `${name}.timer.d/endcap.conf`), timer(name));
      const verified = spawnSync('systemd-analyze', ['--man=no', 'verify', join(units, `${name}.timer`)], {
        encoding: 'utf8',
      });
      expect(verified.stderr.split('\n').filter((line) => line.includes('endcap'))).toEqual([]);
    }
  });

  it('names settings for those who want security updates of Debian, which do not let kernels pile up', () => {
    const endcap = readFileSync(join(folder, 'kiosk/etc/apt/apt.conf.d/52endcap-updates'), 'utf8');
    const named = endcap.split('\n').filter((line) => line.startsWith('// Unattended-Upgrade::'));
    const both = join(folder, 'with-security-updates');
    writeFileSync(both, [endcap, ...named.map((line) => line.replace('// ', ''))].join('\n'));
    const settings = aptSettings(both);
    expect(settings).toContain(
      `Unattended-Upgrade::Origins-Pattern::=origin=Debian,codename=\${distro_codename}-security`,
    );
    expect(settings).toContain('Unattended-Upgrade::Remove-Unused-Kernel-Packages=true');
    expect(settings).toContain('Unattended-Upgrade::Remove-Unused-Dependencies=false');
  });
});

/** What apt and unattended-upgrades read of a file. */
const aptSettings = (file: string): string[] =>
  execFileSync(
    'apt-config',
    ['dump', '--format', '%f=%v%n', 'Unattended-Upgrade', 'APT::Periodic', 'APT::Get::Phase-Policy'],
    { env: { ...process.env, APT_CONFIG: file }, encoding: 'utf8' },
  ).split('\n');

/** By version, the kiosks on which apt, with the kiosk's own configuration, would upgrade 0.9 to it. */
function candidates(): Partial<Record<string, string[]>> {
  const apt = join(folder, 'apt');
  rmSync(apt, { recursive: true, force: true });
  for (const name of ['lists/partial', 'archives/partial', 'etc'])
    mkdirSync(join(apt, name), { recursive: true });
  writeFileSync(
    join(apt, 'status'),
    'Package: endcap\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.9\nMaintainer: x\nDescription: x\n',
  );
  const root = join(apt, 'kiosk');
  execFileSync('dpkg-deb', ['-R', join(repository, 'public/endcap-updates.deb'), root]);
  const env = { ...process.env, APT_CONFIG: join(root, 'etc/apt/apt.conf.d/52endcap-updates'), LC_ALL: 'C' };
  const options = [
    ...[
      '-o',
      `Dir::Etc=${join(apt, 'etc')}`,
      '-o',
      `Dir::Etc::SourceList=${join(repository, 'public/endcap.sources')}`,
    ],
    ...['-o', `Dir::State::Lists=${join(apt, 'lists')}`, '-o', `Dir::State::status=${join(apt, 'status')}`],
    ...['-o', `Dir::Cache=${apt}`, '-o', 'APT::Architecture=amd64', '-o', 'APT::Sandbox::User=root'],
  ];
  execFileSync('apt-get', [...options, 'update', '-q'], { env, stdio: 'pipe' });
  const kiosks: Record<string, string[]> = {};
  for (const machine of KIOSKS) {
    const asked = [...options, '-o', `APT::Machine-ID=${machine}`, 'policy', 'endcap'];
    const told = execFileSync('apt-cache', asked, { env, encoding: 'utf8' });
    const [, version = 'none'] = /Candidate: (.*)/.exec(told) ?? [];
    kiosks[version] = [...(kiosks[version] ?? []), machine];
  }
  return kiosks;
}

function packages(version: string): string[] {
  return ['amd64', 'arm64'].map((architecture) => join(folder, `endcap_${version}_${architecture}.deb`));
}

/** A package without files, or with one of `bytes`. */
function tinyPackage(
  version: string,
  architecture: string,
  { bytes = 0, depends = '', description = 'x' } = {},
): string {
  const root = join(folder, 'tiny');
  mkdirSync(join(root, 'DEBIAN'), { recursive: true });
  const fields = {
    Package: 'endcap',
    Version: version,
    Architecture: architecture,
    Maintainer: 'x <x@y.invalid>',
    ...(depends && { Depends: depends }),
  };
  const lines = Object.entries({
    ...fields,
    Section: 'video',
    Priority: 'optional',
    Description: description,
  });
  writeFileSync(join(root, 'DEBIAN/control'), lines.map(([name, value]) => `${name}: ${value}\n`).join(''));
  const file = join(folder, `endcap_${version}_${architecture}.deb`);
  if (bytes > 0) {
    writeFileSync(join(root, 'content'), '');
    truncateSync(join(root, 'content'), bytes);
  }
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', root, file], { stdio: 'ignore' });
  return file;
}

function publish(...args: string[]) {
  const command = [process.execPath, ...COMMAND, ...args];
  // As on a machine whose users' files are closed to others.
  const { status, stdout, stderr } = spawnSync('sh', ['-c', 'umask 077; exec "$@"', 'sh', ...command], {
    cwd: clone,
    env: withKeyring(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function gpg(...args: string[]): Buffer {
  return execFileSync('gpg', ['--batch', '--no-tty', ...args], { env: withKeyring(), stdio: 'pipe' });
}

function withKeyring(): NodeJS.ProcessEnv {
  return { ...process.env, GNUPGHOME: join(folder, 'gpg') };
}
