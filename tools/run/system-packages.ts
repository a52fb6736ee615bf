import { join } from 'node:path';
import { withLock } from './lock.ts';
import { cacheFolder, startedAsRoot } from './places.ts';
import { findProgram, run } from './programs.ts';
import { CommandError } from './say.ts';

/** Libraries that Electron needs, under the names of Debian releases with and without 64-bit time. */
export const ELECTRON_LIBRARIES = [
  ...['libasound2t64 | libasound2', 'libatk-bridge2.0-0t64 | libatk-bridge2.0-0'],
  ...['libatk1.0-0t64 | libatk1.0-0', 'libatspi2.0-0t64 | libatspi2.0-0', 'libcups2t64 | libcups2'],
  ...['libglib2.0-0t64 | libglib2.0-0', 'libgtk-3-0t64 | libgtk-3-0'],
  ...['libc6 (>= 2.31)', 'libcairo2', 'libdbus-1-3', 'libdrm2', 'libexpat1', 'libgbm1', 'libgcc-s1'],
  ...['libnspr4', 'libnss3', 'libpango-1.0-0', 'libudev1', 'libx11-6', 'libxcb1', 'libxcomposite1'],
  ...['libxdamage1', 'libxext6', 'libxfixes3', 'libxkbcommon0', 'libxrandr2'],
];

/** Debian's package of each program that we start ourselves, if it has another name. */
const PACKAGE_OF = new Map([
  ['Xvfb', 'xvfb'],
  ['cec-ctl', 'v4l-utils'],
  ['certutil', 'libnss3-tools'],
  ['dbus-daemon', 'dbus'],
  ['dpkg-deb', 'dpkg'],
  ['gpg', 'gnupg'],
  ['promtool', 'prometheus'],
  ['systemd-analyze', 'systemd'],
  ['tinyproxy', 'tinyproxy-bin'],
  ['xdpyinfo', 'x11-utils'],
  ['xrandr', 'x11-xserver-utils'],
  ['zkServer.sh', 'zookeeper'],
]);

/** The libraries that `ldd` could not find: sorted, each once. */
export function missingLibraries(lddOutput: string): string[] {
  const missing = [...lddOutput.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? '');
  return [...new Set(missing)].sort();
}

/**
 * Makes sure that the system has these programs, and the libraries of Electron. As root on Debian, installs what is
 * missing; otherwise throws with the command that does so. Off Linux, throws if one of the programs is missing.
 * @param electron its executable, if it will be started
 */
export async function ensureSystemPackages(
  programs: readonly string[],
  electron?: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  let { missing, packages } = await whatIsMissing(programs, electron);
  if (packages.length === 0) return;
  if (platform !== 'linux')
    throw new CommandError(`endcap: this command is for Linux: it needs ${missing.join(' ')}`);
  let complaint = '';
  if (startedAsRoot && findProgram('apt-get') !== null) {
    complaint = await withLock(join(cacheFolder(), 'system-packages'), () => install(packages));
    ({ missing, packages } = await whatIsMissing(programs, electron));
    if (packages.length === 0) return;
  }
  throw new CommandError(
    `${complaint}endcap: the system lacks ${missing.join(' ')}. Install it and start again:\n` +
      `sudo apt-get update && sudo apt-get satisfy -y --no-install-recommends '${packages.join(', ')}'`,
  );
}

/** Resolves with the errors of apt-get. */
async function install(packages: readonly string[]): Promise<string> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (label: string, ...words: string[]) =>
    run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2', ...words], { env, label });
  const update = await apt("Reading the system's package lists", 'update');
  const satisfy = ['satisfy', '-y', '--no-install-recommends', packages.join(', ')];
  const installed = await apt(`Installing ${packages.length} packages and what they need`, ...satisfy);
  return `${update.stderr}${installed.stderr}`;
}

/**
 * The names of what is missing, and the Debian packages that contain it. Those for Electron's libraries also bring a
 * font, because text needs one.
 */
async function whatIsMissing(programs: readonly string[], electron: string | undefined) {
  const linked = electron && (await run('ldd', [electron], { env: { LC_ALL: 'C' } }));
  const libraries = linked ? missingLibraries(linked.stdout) : [];
  const absent = programs.filter((program) => findProgram(program) === null);
  const packages = absent.map((program) => PACKAGE_OF.get(program) ?? program);
  return {
    missing: [...libraries, ...absent],
    packages: libraries.length > 0 ? [...ELECTRON_LIBRARIES, ...packages] : packages,
  };
}
