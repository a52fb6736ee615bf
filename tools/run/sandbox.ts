import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { succeedsAs, type User } from './ordinary-user.ts';
import { startedAsRoot } from './places.ts';
import { printWarning } from './say.ts';

/**
 * Electron's arguments for a sandbox that works here; warns if there is none. Chromium makes it with the user's own
 * namespaces, or with the set-uid helper beside the executable.
 * @param dist Electron's folder
 */
export function sandboxArguments(dist: string): string[] {
  if (process.platform !== 'linux') return [];
  const helper = join(dist, 'chrome-sandbox');
  if (!startedAsRoot && (canMakeNamespaces(null) || isSetUid(helper))) return [];
  printWarning([
    'Chromium runs WITHOUT its sandbox. For development only.',
    startedAsRoot
      ? 'It runs as root, because there is no ordinary user to run it.'
      : `To get the sandbox: sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
  ]);
  return ['--no-sandbox'];
}

/**
 * As root: makes the helper set-uid if the user cannot create namespaces.
 * @param dist Electron's folder, which is root's
 */
export function makeSandbox(user: User, dist: string): void {
  const helper = join(dist, 'chrome-sandbox');
  if (canMakeNamespaces(user) || isSetUid(helper)) return;
  try {
    chownSync(helper, 0, 0);
    chmodSync(helper, 0o4755);
  } catch {
    // The file system does not support this.
  }
}

const canMakeNamespaces = (user: User | null) => succeedsAs(user, ['unshare', '-Ur', 'true']);

function isSetUid(helper: string): boolean {
  const stats = statSync(helper, { throwIfNoEntry: false });
  return stats?.uid === 0 && (stats.mode & 0o4755) === 0o4755;
}
