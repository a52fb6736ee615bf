import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOrStop } from '../../run/programs.ts';
import { CURRENT, PREVIOUS } from './distributions.ts';
import { timers, type Window } from './window.ts';

const MATERIAL = join(dirname(fileURLToPath(import.meta.url)), 'kiosk');
/** The file that describes the repository to apt, in the repository and on each kiosk. */
const SOURCES = 'endcap.sources';

interface ForKiosks {
  /** The folder that receives it. */
  readonly to: string;
  readonly url: string;
  readonly window: Window;
  /** As `gpg --armor` exports it. */
  readonly publicKey: string;
}

/**
 * Writes what a new kiosk needs of a repository: `endcap.sources`, which describes the repository and its key to apt,
 * and `endcap-updates.deb`, which contains the same file and only makes the kiosk take updates automatically.
 */
export async function writeForKiosks({ to, url, window, publicKey }: ForKiosks): Promise<void> {
  const source = sources(url, publicKey);
  const root = mkdtempSync(join(to, '.kiosk-'));
  try {
    cpSync(MATERIAL, root, { recursive: true });
    const { download, install } = timers(window);
    put(root, 'usr/lib/systemd/system/apt-daily.timer.d/endcap.conf', download);
    put(root, 'usr/lib/systemd/system/apt-daily-upgrade.timer.d/endcap.conf', install);
    // The same bytes as below, because dpkg asks about an existing file only if it differs.
    put(root, `etc/apt/sources.list.d/${SOURCES}`, source);
    put(root, 'DEBIAN/control', control());
    put(
      root,
      'DEBIAN/conffiles',
      '/etc/apt/apt.conf.d/52endcap-updates\n/etc/apt/sources.list.d/endcap.sources\n',
    );
    chmodSync(join(root, 'DEBIAN/postinst'), 0o755);
    const script = `find . -type d -exec chmod 755 {} + && find . -type f ! -name postinst -exec chmod 644 {} + &&
      dpkg-deb --root-owner-group --build . "$1"`;
    const file = join(to, 'endcap-updates.deb');
    const make = ['-ec', script, 'sh', `${file}.new`];
    await runOrStop('no package for kiosks was built', 'sh', make, { cwd: root });
    renameSync(`${file}.new`, file);
    writeFileSync(join(to, SOURCES), source);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function sources(url: string, publicKey: string): string {
  // A continued field: its lines are indented, and an empty line is a dot.
  const key = publicKey
    .trim()
    .split('\n')
    .map((line) => ` ${line || '.'}\n`);
  return `# Versions of Endcap: the newest one, and the one before it.
Types: deb
URIs: ${url}
Suites: ${CURRENT} ${PREVIOUS}
Components: main
Signed-By:
${key.join('')}`;
}

function control(): string {
  const version = new Date().toISOString().replace(/\.\d+Z$|[^0-9]/g, '');
  return `Package: endcap-updates
Version: ${version}
Architecture: all
Maintainer: The Endcap developers <packages@endcap.invalid>
Depends: unattended-upgrades (>= 2.9), apt (>= 2.6), systemd (>= 252)
Section: video
Priority: optional
Description: Unattended updates of Endcap from one repository
 Takes new versions of Endcap from the repository that made this package, at night,
 and nothing else. A version reaches a kiosk when its share has come up to it.
`;
}

function put(root: string, path: string, content: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
