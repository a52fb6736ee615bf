import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureElectron, officialVersion } from '../run/electron.mjs';
import { callerFolder, readIfThere } from '../run/places.mjs';
import { CommandError } from '../run/say.mjs';

/**
 * The Electron that is packaged, which need not run on this machine.
 * @typedef {object} PackagedElectron
 * @property {string | null} dist its distribution; null: electron-builder downloads the official one
 * @property {string} version
 * @property {string | null} executable where this machine can run it
 * @property {boolean} thirdParty
 * @property {string[]} rest the arguments that say nothing of it
 */

/**
 * Reads `--electron-dist DIR` and `--arm64`; without them it is the Electron that this machine runs.
 * @param {string[]} args
 * @param {{ allowThirdParty: boolean }} options
 * @returns {Promise<PackagedElectron>}
 */
export async function packagedElectron(args, { allowThirdParty }) {
  const at = args.indexOf('--electron-dist');
  if (at === -1 && !args.includes('--arm64')) {
    const { dist, version, executable, origin } = await ensureElectron({ preferOfficial: !allowThirdParty });
    return { dist, version, executable, thirdParty: origin === 'fallback', rest: args };
  }
  if (at === -1) {
    return { dist: null, version: officialVersion(), executable: null, thirdParty: false, rest: args };
  }
  const dist = resolve(callerFolder(), args[at + 1] ?? '');
  const version = readIfThere(join(dist, 'version'))?.trim().replace(/^v/, '');
  if (version === undefined || !existsSync(join(dist, 'electron')))
    throw new CommandError(`endcap: --electron-dist names ${dist}, which holds no Electron for Linux`);
  if (version !== officialVersion() && !allowThirdParty) {
    throw new CommandError(
      `endcap: ${dist} is Electron ${version}, and ${officialVersion()} is what Endcap is tested with`,
    );
  }
  const rest = args.filter((_, index) => index !== at && index !== at + 1);
  return { dist, version, executable: null, thirdParty: version !== officialVersion(), rest };
}
