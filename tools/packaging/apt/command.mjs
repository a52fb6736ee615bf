import { ensureSystemPackages } from '../../run/system-packages.mjs';
import { readArguments } from './arguments.mjs';
import { publish } from './repository.mjs';

/**
 * Makes or extends a signed apt repository for kiosks.
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function aptRepository(args) {
  const wanted = readArguments(args);
  await ensureSystemPackages({ executable: null, programs: ['reprepro', 'gpg', 'gpgconf', 'dpkg-deb'] });
  await publish(wanted);
  return 0;
}
