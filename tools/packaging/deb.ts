import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { repositoryRoot } from '../run/places.ts';
import { runOrStop } from '../run/programs.ts';
import { ELECTRON_LIBRARIES } from '../run/system-packages.ts';
import { FOR_TESTS_ONLY } from './apt/deb-fields.ts';
import { architectureOf } from './architecture.ts';
import { lastCommit, sourceDateEpoch } from './last-commit.ts';

/** The folder with everything that is installed besides the application, and with the maintainer's scripts. */
const MATERIAL = join(repositoryRoot, 'tools/packaging');
/** Where the application is installed. */
const HOME = 'opt/endcap';

/** The pages of `docs` for who has the package alone. */
export const DOCUMENTS = [
  ...['install.md', 'settings.md', 'data-folder.md', 'security.md', 'privacy.md'],
  ...['local-api.md', 'metrics.md', 'fleet.md', 'proof-of-play.md'],
];

const THIRD_PARTY = ` .\n ${FOR_TESTS_ONLY}: it holds a third party's repackaging of Electron.\n`;

/** What is packaged. */
interface Release {
  readonly manifest: { name: string; version: string; description: string; author: string };
  /** The version of the package. */
  readonly version: string;
  /** Every time stamp in the package, seconds since 1970. */
  readonly epoch: number;
}

interface DebOptions extends Release {
  /** The unpacked application, as electron-builder's `dir` target leaves it. */
  readonly app: string;
  /** The folder that receives the package. */
  readonly to: string;
  /** Whether the Electron in it is the fallback. */
  readonly thirdParty: boolean;
  /** The content is the same with both. */
  readonly compression?: 'small' | 'quick';
}

/**
 * Builds the Debian package. The same application, material, version and epoch give
 * the same bytes: names are sorted, modes, owners and times are fixed.
 * @returns the package's path
 */
export async function buildDeb(options: DebOptions): Promise<string> {
  const { app, to, manifest, version, epoch, thirdParty, compression = 'small' } = options;
  const architecture = architectureOf(app);
  mkdirSync(to, { recursive: true });
  const stage = mkdtempSync(join(to, '.deb-'));
  try {
    const root = join(stage, 'root');
    cpSync(join(MATERIAL, 'tree'), root, { recursive: true });
    mkdirSync(join(root, dirname(HOME)), { recursive: true });
    cpSync(app, join(root, HOME), { recursive: true, verbatimSymlinks: true });
    // Only systems without user namespaces need the helper, and it is useless unless it is set-uid.
    rmSync(join(root, HOME, 'chrome-sandbox'), { force: true });
    // Electron's own demo: nothing loads it, since only app.asar may be loaded.
    rmSync(join(root, HOME, 'resources/default_app.asar'), { force: true });
    addDocuments(root);
    // `main/shell/this-machine.ts` reads it: the version in package.json has no commit.
    writeFileSync(join(root, HOME, 'resources/release'), `${version}\n`);

    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const path of files) chmodSync(path, isProgram(path) ? 0o755 : 0o644);
    const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
    const control = join(root, 'DEBIAN');
    cpSync(join(MATERIAL, 'debian'), control, { recursive: true });
    // The fields of the control file. It recommends `certutil`, which adds the CAs of `network.caFile`.
    const values = {
      NAME: manifest.name,
      VERSION: version,
      ARCHITECTURE: architecture,
      AUTHOR: manifest.author,
      KILOBYTES: String(Math.ceil(bytes / 1024)),
      LIBRARIES: ELECTRON_LIBRARIES.join(', '),
      SUMMARY: manifest.description.replace(/\.$/, ''),
      REMARK: thirdParty ? THIRD_PARTY : '',
    };
    const text = readFileSync(join(control, 'control'), 'utf8');
    const filled = Object.entries(values).reduce(
      (all, [key, value]) => all.replace(`@${key}@`, () => value),
      text,
    );
    writeFileSync(join(control, 'control'), filled);
    const name = `${manifest.name}_${version}_${architecture}.deb`;
    const levels = compression === 'small' ? '-Zxz -z6' : '-Zzstd -z1';
    const script = `
      export LC_ALL=C SOURCE_DATE_EPOCH=${epoch}
      find etc -type f -printf '/%p\\n' | sort > DEBIAN/conffiles
      find etc opt usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums
      find . -type d -exec chmod 755 {} +
      chmod 644 DEBIAN/* && chmod 755 DEBIAN/p*
      find . -exec touch -h -d @${epoch} {} +
      dpkg-deb --root-owner-group ${levels} --build . ../${name}`;
    const label = 'Compressing the package';
    await runOrStop('no Debian package was built', 'sh', ['-ec', script], { cwd: root, label });
    renameSync(join(stage, name), join(to, name));
    return join(to, name);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/**
 * The manifest, and the version and time stamp of the last commit. So a commit always makes the same package, and a
 * commit of a later second a newer one. SOURCE_DATE_EPOCH replaces the time stamp of the files. Without git, as in an
 * unpacked archive, only the manifest counts.
 */
export function releaseOf(): Release {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  const commit = lastCommit(repositoryRoot);
  const stamp = commit && new Date(commit.at * 1000).toISOString().replace(/\.\d+Z$|[^0-9]/g, '');
  return {
    manifest,
    version: commit === null ? manifest.version : `${manifest.version}+${stamp}.${commit.name}`,
    epoch: sourceDateEpoch() ?? commit?.at ?? 0,
  };
}

function addDocuments(root: string): void {
  const folder = join(root, 'usr/share/doc/endcap');
  for (const name of DOCUMENTS) cpSync(join(repositoryRoot, 'docs', name), join(folder, name));
  cpSync(join(repositoryRoot, 'LICENSE'), join(folder, 'copyright'));
  for (const schema of ['main/settings/settings.schema.json', 'main/fleet/link/fleet.schema.json'])
    cpSync(join(repositoryRoot, schema), join(folder, basename(schema)));
}

/** Recognises programs by their content, because an umask may have changed their mode. */
function isProgram(path: string): boolean {
  if (path.endsWith('.so') || /\.so\.\d+$/.test(path)) return false;
  const start = readFileSync(path).subarray(0, 4).toString('latin1');
  return start === '\x7fELF' || start.startsWith('#!');
}
