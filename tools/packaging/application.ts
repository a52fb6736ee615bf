import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from '../run/build.ts';
import { chownTree } from '../run/chown-tree.ts';
import { ensureElectron } from '../run/electron.ts';
import { cacheFolder, repositoryRoot, startedAsRoot } from '../run/places.ts';
import { findProgram, run } from '../run/programs.ts';
import { runVitest } from '../run/programs-of-ours.ts';
import { CommandError, printStatus, printWarning } from '../run/say.ts';
import { ensureSystemPackages } from '../run/system-packages.ts';
import { buildDeb, releaseOf } from './deb.ts';
import { packagedElectron } from './packaged-electron.ts';

const ALLOW_THIRD_PARTY = '--allow-third-party-runtime';

interface PackageOptions {
  /** electron-builder's output folder. */
  readonly to: string;
  /** Whether the fallback runtime may be packaged; otherwise it is an error. */
  readonly allowThirdParty: boolean;
  /**
   * `--arm64` and `--electron-dist DIR`; all other arguments are for electron-builder, where `--linux` selects the target
   * of its configuration.
   */
  readonly more?: readonly string[];
}

interface Packaged {
  readonly thirdParty: boolean;
  /** The folder with the application; null: another target was chosen. */
  readonly unpacked: string | null;
}

/**
 * Packages the application with electron-builder, by default as the folder from which the Debian package is made;
 * this needs no network.
 * @public `e2e/package` runs it in a clone of its own.
 */
export async function packageApplication({
  to,
  allowThirdParty,
  more = [],
}: PackageOptions): Promise<Packaged> {
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
  await ensureSystemPackages([], electron.executable ?? undefined);
  const options = [
    ...[...(asFolder ? ['--dir'] : []), '--publish', 'never', `-c.directories.output=${to}`],
    ...(electron.dist === null ? [] : [`-c.electronDist=${electron.dist}`]),
    ...[`-c.electronVersion=${electron.version}`, ...rest],
  ];
  const { code } = await run(process.execPath, ['node_modules/electron-builder/cli.js', ...options], {
    output: 'stderr',
    label: 'Packaging',
  });
  if (code !== 0) throw new CommandError('endcap: electron-builder failed');
  const folder = rest.includes('--arm64') ? 'linux-arm64-unpacked' : 'linux-unpacked';
  const unpacked = asFolder && process.platform === 'linux' ? join(to, folder) : null;
  return { thirdParty, unpacked };
}

/**
 * Packages into `dist/`: the application and, if dpkg-deb is installed, a Debian package.
 * @returns the exit code
 */
export async function makePackage(args: readonly string[]): Promise<number> {
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
 * @param args the test's name: `install`, or `upgrade` for unattended updates
 * @returns the exit code
 */
export async function installTest([name = 'install']: readonly string[]): Promise<number> {
  if (!startedAsRoot) {
    throw new CommandError('endcap: only root can boot a clean system. Run: sudo npm run install-test');
  }
  const { executable } = await ensureElectron();
  await ensureSystemPackages(['Xvfb', 'ffmpeg', 'debootstrap', 'reprepro', 'gpg'], executable);
  const cache = cacheFolder();
  const folder = mkdtempSync(join(cache, 'packages-'));
  try {
    const { unpacked, thirdParty } = await packageApplication({ to: folder, allowThirdParty: true });
    if (unpacked === null) throw new CommandError('endcap: a Debian package is built and tested on Linux');
    const release = { ...releaseOf(), app: unpacked, to: folder, thirdParty };
    const build = (number: number) =>
      buildDeb({ ...release, version: `${release.version}.${number}`, compression: 'quick' });
    const debs = { ENDCAP_DEB_OLDER: await build(1), ENDCAP_DEB_NEWER: await build(2) };
    const tests = ['--config', 'e2e/install/vitest.config.mts', `e2e/install/${name}.run.ts`];
    return await runVitest(tests, { ...debs, ENDCAP_INSTALL_CACHE: cache });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
