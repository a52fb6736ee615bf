import { ensureSystemPackages } from '../../run/system-packages.ts';
import { readArguments } from './arguments.ts';
import { publish } from './repository.ts';

/**
 * Makes or extends a signed apt repository for kiosks.
 * @returns the exit code
 */
export async function aptRepository(args: readonly string[]): Promise<number> {
  const wanted = readArguments(args);
  await ensureSystemPackages(['reprepro', 'gpg', 'dpkg-deb']);
  // A web server reads what is published as a user of its own.
  process.umask(0o022);
  await publish(wanted);
  return 0;
}
