import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureElectron, officialVersion, versionOf } from '../run/electron.ts';
import { callerFolder } from '../run/places.ts';
import { CommandError } from '../run/say.ts';

/** The Electron that is packaged, which need not run on this machine. */
interface PackagedElectron {
  /** Its distribution; null: electron-builder downloads the official one. */
  readonly dist: string | null;
  readonly version: string;
  /** Null: this machine cannot run it. */
  readonly executable: string | null;
  readonly thirdParty: boolean;
  /** All other arguments. */
  readonly rest: readonly string[];
}

/** Reads `--electron-dist DIR` and `--arm64`; without them, chooses the Electron that this machine runs. */
export async function packagedElectron(
  args: readonly string[],
  { allowThirdParty }: { allowThirdParty: boolean },
): Promise<PackagedElectron> {
  const at = args.indexOf('--electron-dist');
  if (at === -1 && !args.includes('--arm64')) {
    const { dist, version, executable, origin } = await ensureElectron({ preferOfficial: !allowThirdParty });
    return { dist, version, executable, thirdParty: origin === 'fallback', rest: args };
  }
  if (at === -1) {
    return { dist: null, version: officialVersion(), executable: null, thirdParty: false, rest: args };
  }
  const dist = resolve(callerFolder(), args[at + 1] ?? '');
  const version = versionOf(dist);
  if (version === null || !existsSync(join(dist, 'electron')))
    throw new CommandError(`endcap: --electron-dist names ${dist}, which holds no Electron for Linux`);
  if (version !== officialVersion() && !allowThirdParty) {
    throw new CommandError(
      `endcap: ${dist} is Electron ${version}, and ${officialVersion()} is what Endcap is tested with`,
    );
  }
  const rest = args.filter((_, index) => index !== at && index !== at + 1);
  return { dist, version, executable: null, thirdParty: version !== officialVersion(), rest };
}
