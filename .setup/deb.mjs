import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { clone } from './places.mjs';
import { run } from './programs.mjs';
import { SetUpStop } from './say.mjs';

/** What is installed besides the application, and the maintainer's scripts. */
const MATERIAL = join(clone, '.packaging');
/** Where the application is installed. */
const HOME = 'opt/endcap';

/** What Electron is linked with, under the names of releases with and without 64-bit time. */
const LIBRARIES = [
  ...['libasound2t64 | libasound2', 'libatk-bridge2.0-0t64 | libatk-bridge2.0-0'],
  ...['libatk1.0-0t64 | libatk1.0-0', 'libatspi2.0-0t64 | libatspi2.0-0', 'libcups2t64 | libcups2'],
  ...['libglib2.0-0t64 | libglib2.0-0', 'libgtk-3-0t64 | libgtk-3-0'],
  ...['libc6 (>= 2.31)', 'libcairo2', 'libdbus-1-3', 'libdrm2', 'libexpat1', 'libgbm1', 'libgcc-s1'],
  ...['libnspr4', 'libnss3', 'libpango-1.0-0', 'libudev1', 'libx11-6', 'libxcb1', 'libxcomposite1'],
  ...['libxdamage1', 'libxext6', 'libxfixes3', 'libxkbcommon0', 'libxrandr2'],
];
/** The compositor, its seat, text on the screen, and what the scripts call. */
const PROGRAMS = [
  ...['weston (>= 10)', 'libpam-systemd', 'dbus', 'udev', 'kbd', 'fonts-dejavu-core | fonts-noto-core'],
  ...['systemd (>= 252)', 'init-system-helpers (>= 1.54)', 'passwd', 'util-linux'],
];

/**
 * @typedef {object} DebOptions
 * @property {string} app the unpacked application, as electron-builder's `dir` target leaves it
 * @property {string} to the folder that receives the package
 * @property {{ name: string, version: string, description: string, author: string }} manifest
 * @property {string} version the package's
 * @property {number} epoch every time stamp in the package, seconds since 1970
 * @property {boolean} thirdParty whether the Electron in it is the fallback
 * @property {'small' | 'quick'} [compression] the same content either way
 */

/**
 * Builds the Debian package. The same application, material, version and epoch give
 * the same bytes: names are sorted, modes, owners and times are fixed.
 * @param {DebOptions} options
 * @returns {Promise<string>} the package's path
 */
export async function buildDeb({ app, to, manifest, version, epoch, thirdParty, compression = 'small' }) {
  mkdirSync(to, { recursive: true });
  const stage = mkdtempSync(join(to, '.deb-'));
  try {
    const root = join(stage, 'root');
    cpSync(join(MATERIAL, 'tree'), root, { recursive: true });
    mkdirSync(join(root, dirname(HOME)), { recursive: true });
    cpSync(app, join(root, HOME), { recursive: true, verbatimSymlinks: true });
    // The set-uid helper is for systems without user namespaces; a helper that is not set-uid is no use.
    rmSync(join(root, HOME, 'chrome-sandbox'), { force: true });
    // Electron's own demo: nothing loads it, since only app.asar may be loaded.
    rmSync(join(root, HOME, 'resources/default_app.asar'), { force: true });
    addDocuments(root);
    const files = walk(root);
    for (const path of files) chmodSync(join(root, path), isProgram(join(root, path)) ? 0o755 : 0o644);

    const control = join(root, 'DEBIAN');
    cpSync(join(MATERIAL, 'debian'), control, { recursive: true });
    for (const script of readdirSync(control)) chmodSync(join(control, script), 0o755);
    const bytes = files.reduce((sum, path) => sum + lstatSync(join(root, path)).size, 0);
    write(join(control, 'control'), controlFile({ manifest, version, bytes, thirdParty }));
    const conffiles = files.filter((path) => path.startsWith('etc/'));
    write(join(control, 'conffiles'), conffiles.map((path) => `/${path}\n`).join(''));
    write(join(control, 'md5sums'), files.map((path) => `${md5(join(root, path))}  ${path}\n`).join(''));
    for (const path of [...walk(root), ...folders(root), '.']) {
      if (lstatSync(join(root, path)).isDirectory()) chmodSync(join(root, path), 0o755);
      utimesSync(join(root, path), epoch, epoch);
    }

    const name = `${manifest.name}_${version}_amd64.deb`;
    const levels = compression === 'small' ? ['-Zxz', '-z6'] : ['-Zzstd', '-z1'];
    const { code, stderr } = await run(
      'dpkg-deb',
      ['--root-owner-group', ...levels, '--build', root, join(stage, name)],
      { env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) }, label: 'Compressing the package' },
    );
    if (code !== 0) throw new SetUpStop(`endcap: dpkg-deb failed: ${stderr.trim()}`);
    renameSync(join(stage, name), join(to, name));
    return join(to, name);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/**
 * The version of a package: the manifest's and, so that every commit's package is
 * newer than its parent's, when and what was committed.
 * @param {string} version the manifest's
 * @param {{ at: number, name: string } | null} commit seconds since 1970 and an abbreviated name
 */
function debVersion(version, commit) {
  if (commit === null) return version;
  const stamp = new Date(commit.at * 1000).toISOString().replace(/\.\d+Z$|[^0-9]/g, '');
  return `${version}+${stamp}.${commit.name}`;
}

/**
 * What is packaged: the manifest, and version and time stamp of the last commit, so
 * that one commit makes one package. SOURCE_DATE_EPOCH overrules the time stamp.
 * @returns {Promise<Pick<DebOptions, 'manifest' | 'version' | 'epoch'>>}
 */
export async function releaseOf() {
  const manifest = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  const { code, stdout } = await run('git', [
    ...['-c', `safe.directory=${clone}`, '-C', clone],
    ...['log', '-1', '--abbrev=10', '--format=%ct %h'],
  ]);
  // Without git, as in an unpacked archive, there is nothing but the manifest.
  const [, at, name] = (code === 0 && /^(\d+) ([0-9a-f]+)\s*$/.exec(stdout)) || [];
  const commit = at === undefined || name === undefined ? null : { at: Number(at), name };
  return {
    manifest,
    version: debVersion(manifest.version, commit),
    epoch: Number(process.env.SOURCE_DATE_EPOCH ?? commit?.at ?? 0),
  };
}

/**
 * @param {Pick<DebOptions, 'manifest' | 'version' | 'thirdParty'> & { bytes: number }} about
 */
function controlFile({ manifest, version, bytes, thirdParty }) {
  const description = [
    manifest.description.replace(/\.$/, ''),
    ' Plays the ads of a retail media service on a kiosk, decides on the kiosk what may',
    ' play, and keeps a durable record of every play, with or without the network.',
    ...(thirdParty ? [' .', " FOR TESTS ONLY: it holds a third party's repackaging of Electron."] : []),
  ];
  return `${[
    `Package: ${manifest.name}`,
    `Version: ${version}`,
    'Architecture: amd64',
    `Maintainer: ${manifest.author} <packages@endcap.invalid>`,
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${[...LIBRARIES, ...PROGRAMS].sort().join(', ')}`,
    // `certutil` adds the CAs of `network.caFile` to what Chromium trusts.
    'Recommends: libnss3-tools',
    'Section: video',
    'Priority: optional',
    `Description: ${description.join('\n')}`,
  ].join('\n')}\n`;
}

/** @param {string} root */
function addDocuments(root) {
  const folder = join(root, 'usr/share/doc/endcap');
  for (const name of ['install.md', 'security.md']) cpSync(join(clone, 'docs', name), join(folder, name));
  cpSync(join(clone, 'LICENSE'), join(folder, 'copyright'));
  cpSync(join(clone, 'main/settings/settings.schema.json'), join(folder, 'settings.schema.json'));
}

/**
 * Programs by what they are, not by a mode that an umask may have changed.
 * @param {string} path
 */
function isProgram(path) {
  if (path.endsWith('.so') || /\.so\.\d+$/.test(path)) return false;
  const start = readFileSync(path).subarray(0, 4).toString('latin1');
  return start === '\x7fELF' || start.startsWith('#!');
}

/**
 * @param {string} root
 * @param {string} [folder]
 * @returns {string[]} the files below, relative and sorted
 */
function walk(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? walk(root, path) : [path];
    });
}

/**
 * @param {string} root
 * @param {string} [folder]
 * @returns {string[]} the folders below, the deepest first: a file that is touched touches its folder
 */
function folders(root, folder = '') {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? [...folders(root, path), path] : [];
  });
}

/** @param {string} path */
function md5(path) {
  return createHash('md5').update(readFileSync(path)).digest('hex');
}

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  writeFileSync(path, text, { mode: 0o644 });
  chmodSync(path, 0o644);
}
