import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const clone = resolve(__dirname, '../..');
/** Time stamp of the packages (SOURCE_DATE_EPOCH), s since 1970. */
const EPOCH = 1_700_000_000;

/**
 * Makes the Debian package of a clone's sources as `npm run package` does, but compresses it quickly and names no
 * commit.
 *
 * @param to folder for the package
 * @param more arguments of `npm run package`
 * @returns the package's path
 */
export function buildPackage(from: string, to: string, more: readonly string[] = []): string {
  const options = JSON.stringify({ to, allowThirdParty: true, more });
  const program = `
    import { packageApplication } from './tools/packaging/application.ts';
    import { buildDeb, releaseOf } from './tools/packaging/deb.ts';
    const { unpacked: app, thirdParty } = await packageApplication(${options});
    const { manifest, epoch } = releaseOf();
    const release = { manifest, epoch, version: manifest.version };
    console.log(await buildDeb({ ...release, app, to: ${JSON.stringify(to)}, thirdParty, compression: 'quick' }));`;
  return execFileSync(
    process.execPath,
    ['--import', './tools/run/typescript.mjs', '--input-type=module', '-e', program],
    {
      cwd: from,
      env: { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH) },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  ).trim();
}

export const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
