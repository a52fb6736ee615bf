import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packagedElectron } from '../packaging/packaged-electron.mjs';
import { ensureBuilt } from './build.mjs';
import { chownTree } from './chown-tree.mjs';
import { buildDeb, releaseOf } from './deb.mjs';
import { ensureElectron } from './electron.mjs';
import { cacheFolder, repositoryRoot, startedAsRoot } from './places.mjs';
import { findProgram, run } from './programs.mjs';
import { runVitest } from './programs-of-ours.mjs';
import { CommandError, printStatus, printWarning } from './say.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

const ALLOW_THIRD_PARTY = '--allow-third-party-runtime';

/**
 * Packages the application with electron-builder, by default as the folder that the
 * Debian package is made of: that needs no network.
 * @param {object} options
 * @param {string} options.to electron-builder's output folder
 * @param {boolean} options.allowThirdParty whether the fallback runtime will do; else it is refused
 * @param {string[]} [options.more] `--arm64` and `--electron-dist DIR`; the rest is for electron-builder, where `--linux`
 *   or `--win` ask for the targets of its configuration
 * @returns {Promise<{ thirdParty: boolean, unpacked: string | null }>} `unpacked`: the folder, where that was asked for
 */
export async function packageApplication({ to, allowThirdParty, more = [] }) {
  const electron = await packagedElectron(more, { allowThirdParty });
  const { thirdParty, rest } = electron;
  if (thirdParty && !allowThirdParty) {
    throw new CommandError(
      `endcap: not packaged. Only a third party's repackaging of Electron is available, and it must not be used in a store. Make GitHub reachable, or build a package for tests only: npm run package -- ${ALLOW_THIRD_PARTY}`,
    );
  }
  if (thirdParty)
    printWarning(["This package holds a THIRD PARTY's repackaging of Electron: for tests only."]);
  await ensureBuilt();
  const asFolder = !rest.some((arg) => /^--(linux|win|mac)$/.test(arg));
  await ensureSystemPackages({ executable: electron.executable, programs: [] });
  const options = [
    ...[...(asFolder ? ['--dir'] : []), '--publish', 'never', `-c.directories.output=${to}`],
    ...(electron.dist === null ? [] : [`-c.electronDist=${electron.dist}`]),
    ...[`-c.electronVersion=${electron.version}`, ...rest],
  ];
  const builder = [join(repositoryRoot, 'node_modules/electron-builder/cli.js'), ...options];
  const { code } = await run(process.execPath, builder, {
    cwd: repositoryRoot,
    output: 'stderr',
    label: 'Packaging',
  });
  if (code !== 0) throw new CommandError('endcap: electron-builder failed');
  const folder = rest.includes('--arm64') ? 'linux-arm64-unpacked' : 'linux-unpacked';
  const unpacked = asFolder && process.platform === 'linux' ? join(to, folder) : null;
  return { thirdParty, unpacked };
}

/**
 * Packages into `dist/`: the application, and where there is dpkg-deb a Debian package.
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function makePackage(args) {
  const to = join(repositoryRoot, 'dist');
  const { thirdParty, unpacked } = await packageApplication({
    to,
    allowThirdParty: args.includes(ALLOW_THIRD_PARTY),
    more: args.filter((arg) => arg !== ALLOW_THIRD_PARTY),
  });
  if (unpacked !== null && findProgram('dpkg-deb') !== null) {
    printStatus(`built ${await buildDeb({ app: unpacked, to, ...releaseOf(), thirdParty })}`);
  } else {
    printStatus(
      'no Debian package was built: that needs Linux, dpkg-deb, and no --linux, --win or --mac among the arguments',
    );
  }
  if (startedAsRoot) chownTree(to, statSync(repositoryRoot));
  printStatus(`packaged into ${to}`);
  return 0;
}

/**
 * Tests two versions of the Debian package on a clean Debian.
 * @param {string} name of the test: `install`, or `upgrade` for unattended updates
 * @returns {Promise<number>} the exit code
 */
export async function installTest(name) {
  if (!startedAsRoot) {
    throw new CommandError('endcap: only root can boot a clean system. Run: sudo npm run install-test');
  }
  const { executable } = await ensureElectron();
  await ensureSystemPackages({ executable, programs: ['Xvfb', 'ffmpeg', 'debootstrap', 'reprepro', 'gpg'] });
  const cache = cacheFolder();
  const folder = mkdtempSync(join(cache, 'packages-'));
  try {
    const { unpacked, thirdParty } = await packageApplication({ to: folder, allowThirdParty: true });
    if (unpacked === null) throw new CommandError('endcap: a Debian package is built and tested on Linux');
    const release = { ...releaseOf(), app: unpacked, to: folder, thirdParty };
    const build = (/** @type {string} */ number) =>
      buildDeb({ ...release, version: `${release.version}.${number}`, compression: 'quick' });
    const debs = { ENDCAP_DEB_OLDER: await build('1'), ENDCAP_DEB_NEWER: await build('2') };
    const tests = ['--config', 'e2e/install/vitest.config.mts', `e2e/install/${name}.run.ts`];
    return await runVitest(tests, { ...debs, ENDCAP_INSTALL_CACHE: cache });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
