import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { cacheFolder, startedAsRoot } from './places.mjs';
import { findProgram, run } from './programs.mjs';
import { SetUpStop, say } from './say.mjs';

/** Debian's package for each library that Electron is linked with. */
const PACKAGE_OF = new Map([
  ['libX11.so.6', 'libx11-6'],
  ['libX11-xcb.so.1', 'libx11-xcb1'],
  ['libXcomposite.so.1', 'libxcomposite1'],
  ['libXcursor.so.1', 'libxcursor1'],
  ['libXdamage.so.1', 'libxdamage1'],
  ['libXext.so.6', 'libxext6'],
  ['libXfixes.so.3', 'libxfixes3'],
  ['libXi.so.6', 'libxi6'],
  ['libXrandr.so.2', 'libxrandr2'],
  ['libXrender.so.1', 'libxrender1'],
  ['libXss.so.1', 'libxss1'],
  ['libXtst.so.6', 'libxtst6'],
  ['libasound.so.2', 'libasound2'],
  ['libatk-1.0.so.0', 'libatk1.0-0'],
  ['libatk-bridge-2.0.so.0', 'libatk-bridge2.0-0'],
  ['libatspi.so.0', 'libatspi2.0-0'],
  ['libcairo.so.2', 'libcairo2'],
  ['libcups.so.2', 'libcups2'],
  ['libdbus-1.so.3', 'libdbus-1-3'],
  ['libdrm.so.2', 'libdrm2'],
  ['libexpat.so.1', 'libexpat1'],
  ['libgbm.so.1', 'libgbm1'],
  ['libgdk-3.so.0', 'libgtk-3-0'],
  ['libgdk_pixbuf-2.0.so.0', 'libgdk-pixbuf-2.0-0'],
  ['libgio-2.0.so.0', 'libglib2.0-0'],
  ['libglib-2.0.so.0', 'libglib2.0-0'],
  ['libgmodule-2.0.so.0', 'libglib2.0-0'],
  ['libgobject-2.0.so.0', 'libglib2.0-0'],
  ['libgtk-3.so.0', 'libgtk-3-0'],
  ['libnspr4.so', 'libnspr4'],
  ['libnss3.so', 'libnss3'],
  ['libnssutil3.so', 'libnss3'],
  ['libpango-1.0.so.0', 'libpango-1.0-0'],
  ['libpangocairo-1.0.so.0', 'libpango-1.0-0'],
  ['libplc4.so', 'libnspr4'],
  ['libplds4.so', 'libnspr4'],
  ['libsmime3.so', 'libnss3'],
  ['libudev.so.1', 'libudev1'],
  ['libxcb.so.1', 'libxcb1'],
  ['libxkbcommon.so.0', 'libxkbcommon0'],
  ['libxshmfence.so.1', 'libxshmfence1'],
]);

/** Debian's package for each program that we start ourselves. */
const PACKAGE_OF_PROGRAM = new Map([
  ['Xvfb', 'xvfb'],
  ['ffmpeg', 'ffmpeg'],
  ['debootstrap', 'debootstrap'],
  ['tinyproxy', 'tinyproxy-bin'],
  ['certutil', 'libnss3-tools'],
  ['weston', 'weston'],
  ['dpkg-deb', 'dpkg'],
  ['systemd-analyze', 'systemd'],
  ['xdotool', 'xdotool'],
  ['xrandr', 'x11-xserver-utils'],
  ['xwininfo', 'x11-utils'],
]);

/**
 * @typedef {object} Needs
 * @property {string} executable Electron's
 * @property {Array<'Xvfb' | 'ffmpeg' | 'xdotool' | 'xrandr' | 'xwininfo' | 'debootstrap' | 'weston' | 'dpkg-deb' | 'systemd-analyze' | 'tinyproxy' | 'certutil'>} programs
 */

/**
 * The libraries that `ldd` could not find.
 * @param {string} lddOutput
 * @returns {string[]} sorted, each once
 */
export function missingLibraries(lddOutput) {
  const missing = [...lddOutput.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? '');
  return [...new Set(missing)].sort();
}

/**
 * The Debian packages for missing libraries, and the libraries no package is known for.
 * @param {string[]} libraries
 * @returns {{ packages: string[], unknown: string[] }} sorted, each once
 */
export function packagesFor(libraries) {
  const packages = new Set();
  const unknown = [];
  for (const library of libraries) {
    const found = PACKAGE_OF.get(library);
    if (found === undefined) unknown.push(library);
    else packages.add(found);
  }
  return { packages: [...packages].sort(), unknown };
}

/**
 * The names under which this release carries the packages: those rebuilt for 64-bit
 * time got `t64` appended, and their old names became virtual.
 * @param {string[]} packages
 * @param {string} policy what `apt-cache policy` said about the names with and without `t64`
 * @returns {string[]}
 */
export function namesInThisRelease(packages, policy) {
  const available = new Set();
  let name = '';
  for (const line of policy.split('\n')) {
    const heading = /^(\S+):$/.exec(line);
    if (heading !== null) name = heading[1] ?? '';
    else if (/^\s+Candidate: (?!\(none\))/.test(line)) available.add(name);
  }
  return packages.map((each) => (available.has(`${each}t64`) ? `${each}t64` : each));
}

/**
 * Makes sure that the system has what Electron needs. As root on Debian what is
 * missing is installed; otherwise throws with the command that would.
 * @param {Needs} needs
 */
export async function ensureSystemPackages(needs) {
  if (process.platform !== 'linux') return;
  if (!(await anythingMissing(needs))) return;
  if (startedAsRoot && findProgram('apt-get') !== null) {
    await withLock(join(cacheFolder(), 'system-packages.lock'), () => install(needs));
    return;
  }
  const { packages, unknown } = await whatIsMissing(needs);
  const inRelease = await askRelease(packages);
  if (unknown.length > 0) say(`libraries missing that no Debian package is known for: ${unknown.join(' ')}`);
  say('packages of the system are missing. Install them and start again:');
  throw new SetUpStop(installCommand(inRelease.length > 0 ? inRelease : unknown));
}

/** @param {string[]} packages */
function installCommand(packages) {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`;
}

/** @param {Needs} needs */
async function install(needs) {
  if (!(await anythingMissing(needs))) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const patience = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2'];
  const { packages, unknown } = await whatIsMissing(needs);
  const update = await run('apt-get', [...patience, 'update'], {
    env,
    label: "Reading the system's package lists",
  });
  const inRelease = await askRelease(packages);
  say(`installing packages of the system: ${inRelease.join(' ')}`);
  const installed = await run(
    'apt-get',
    [...patience, 'install', '-y', '--no-install-recommends', ...inRelease],
    { env, label: `Installing ${inRelease.length} packages and what they need` },
  );
  if (installed.code !== 0 || (await anythingMissing(needs))) {
    if (update.code !== 0) say(`apt-get update: ${lastLine(update.stderr)}`);
    say(`apt-get install: ${lastLine(installed.stderr)}`);
    const still = await whatIsMissing(needs);
    const left = [...unknown, ...still.unknown];
    if (left.length > 0) say(`libraries no Debian package is known for: ${[...new Set(left)].join(' ')}`);
    throw new SetUpStop(installCommand(await askRelease(still.packages)));
  }
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}

/** @param {string[]} packages */
async function askRelease(packages) {
  if (packages.length === 0 || findProgram('apt-cache') === null) return packages;
  const { stdout } = await run('apt-cache', ['policy', ...packages.map((name) => `${name}t64`)], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  return namesInThisRelease(packages, stdout);
}

/**
 * @param {Needs} needs
 * @returns {Promise<{ packages: string[], unknown: string[] }>}
 */
async function whatIsMissing({ executable, programs }) {
  const { stdout } = await run('ldd', [executable], { env: { ...process.env, LC_ALL: 'C' } });
  const { packages, unknown } = packagesFor(missingLibraries(stdout));
  for (const program of programs) {
    if (findProgram(program) === null) packages.push(PACKAGE_OF_PROGRAM.get(program) ?? program);
  }
  if (!hasFont()) packages.push('fonts-dejavu-core');
  return { packages, unknown };
}

/**
 * Answers from the last look when the executable is the same, so that a second
 * start asks nobody.
 * @param {Needs} needs
 * @returns {Promise<boolean>}
 */
async function anythingMissing(needs) {
  if (needs.programs.some((program) => findProgram(program) === null)) return true;
  const file = join(cacheFolder(), 'system-packages.json');
  const { size, mtimeMs } = statSync(needs.executable);
  const looked = JSON.stringify({ executable: needs.executable, size, mtimeMs });
  if (existsSync(file) && readFileSync(file, 'utf8') === looked) return false;
  const { packages, unknown } = await whatIsMissing(needs);
  if (packages.length + unknown.length > 0) return true;
  writeFileSync(file, looked);
  return false;
}

/** Forgets the last look: Electron could not be started, so something must have changed. */
export function lookAgain() {
  writeFileSync(join(cacheFolder(), 'system-packages.json'), '');
}

/** Text needs at least one font; a bare system has none. */
function hasFont() {
  const folders = ['/usr/share/fonts', '/usr/local/share/fonts', '/usr/share/X11/fonts'];
  return [...folders, join(homedir(), '.fonts'), join(homedir(), '.local/share/fonts')].some(holdsFont);
}

/**
 * @param {string} folder
 * @returns {boolean}
 */
function holdsFont(folder) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return (
      entries.some((entry) => /\.(ttf|otf|ttc)$/i.test(entry.name)) ||
      entries.some((entry) => entry.isDirectory() && holdsFont(join(folder, entry.name)))
    );
  } catch {
    return false;
  }
}
