import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../run/programs.ts';
import { CommandError, printStatus } from '../../run/say.ts';
import type { Wanted } from './arguments.ts';
import { readPackage } from './deb-fields.ts';
import { ARCHITECTURES, CURRENT, distributions, override, PREVIOUS } from './distributions.ts';
import { writeForKiosks } from './kiosk-package.ts';
import { openSigningKey } from './signing-key.ts';
import type { Window } from './window.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the format is reprepro's.
const LINE = '${architecture} ${version}\\n';

/** Arguments that later runs may omit. */
interface Kept {
  readonly url: string;
  readonly window: Window;
  readonly percent: number;
}

type Found = Awaited<ReturnType<typeof readPackage>>;
type Newer = Found & { readonly published: string | null };
/** Resolves with its output. */
type Reprepro = (label: string, args: readonly string[]) => Promise<string>;

/**
 * Makes or extends the repository in `wanted.out`: reprepro's configuration and database there, and in `public` the
 * files for kiosks.
 */
export async function publish(wanted: Wanted): Promise<void> {
  const { out, key, packages } = wanted;
  const configuration = join(out, 'conf');
  const notes = join(configuration, 'endcap.json');
  const kept = whatIsKept(notes, wanted);
  // Before anything is changed, because a package that cannot be read, or is not ours, must stop everything.
  const found = await Promise.all(packages.map(readPackage));
  const signing = openSigningKey(key);
  try {
    mkdirSync(configuration, { recursive: true });
    writeFileSync(join(configuration, 'distributions'), distributions(signing.fingerprint));
    const reprepro = programFor(out, signing.env);
    // The percentage of the last run says whether all kiosks may have the published version.
    const isRolledOut = kept.before === null || kept.before.percent === 100;
    const newer = await whatIsNewer(reprepro, found);
    const percent = wanted.percent ?? (newer.length > 0 ? 100 : (kept.before?.percent ?? 100));
    if (isRolledOut) await keepPublished(reprepro, newer);
    writeFileSync(join(configuration, 'override'), override(percent));
    if (newer.length > 0) {
      const files = newer.map(({ file }) => file);
      await reprepro('Publishing', ['includedeb', CURRENT, ...files]);
    }
    if (wanted.withdraw) await reprepro('Withdrawing the newest version', ['remove', CURRENT, 'endcap']);
    await reprepro('', ['reoverride', CURRENT]);
    await reprepro('Signing', ['export']);
    const folder = join(out, 'public');
    await writeForKiosks({ to: folder, ...kept.now, publicKey: signing.publicKey });
    writeFileSync(notes, `${JSON.stringify({ ...kept.now, percent })}\n`);
    printStatus(await sumUp(reprepro, percent));
    printStatus(`a web server gives ${folder} to kiosks as ${kept.now.url}`);
    printStatus(
      `on each kiosk, once: ${kept.now.url}/endcap.sources and endcap-updates.deb (docs/install.md)`,
    );
  } finally {
    signing.forget();
  }
}

/** The stored arguments of the last run, and those of this run. */
function whatIsKept(
  notes: string,
  { url, window }: Wanted,
): { before: Kept | null; now: Omit<Kept, 'percent'> } {
  const before: Kept | null = existsSync(notes) ? JSON.parse(readFileSync(notes, 'utf8')) : null;
  const at = url ?? before?.url;
  if (at === undefined) throw new CommandError('endcap: a new repository needs --url, where kiosks find it');
  return { before, now: { url: at, window: window ?? before?.window ?? { from: '02:00', to: '04:00' } } };
}

function programFor(out: string, env: NodeJS.ProcessEnv): Reprepro {
  const always = ['--silent', '--basedir', out, '--outdir', '+b/public', '--export=never'];
  return async (label, args) => {
    const options = { env, ...(label === '' ? {} : { label }) };
    const exports = args[0] === 'export' ? always.slice(0, -1) : always;
    const { code, stdout, stderr } = await run('reprepro', [...exports, ...args], options);
    if (code !== 0) throw new CommandError(`endcap: reprepro ${args[0]} failed: ${stderr.trim()}`);
    return stdout;
  };
}

/**
 * The newest package of each architecture, if it is not published yet: a folder of packages also contains those of
 * earlier commits. A package that is older than the published one is an error.
 */
async function whatIsNewer(reprepro: Reprepro, found: readonly Found[]): Promise<Newer[]> {
  const current = await versions(reprepro, CURRENT);
  const newer: Newer[] = [];
  for (const architecture of ARCHITECTURES) {
    const newest = await newestOf(found.filter((one) => one.architecture === architecture));
    const published = current.get(architecture) ?? null;
    if (newest === null || newest.version === published) continue;
    if (published !== null && !(await isNewer(newest.version, published))) {
      throw new CommandError(
        `endcap: ${newest.file} is version ${newest.version}, but the newer ${published} is published. To go back, publish the older sources as a newer version`,
      );
    }
    newer.push({ ...newest, published });
  }
  return newer;
}

async function newestOf(packages: readonly Found[]): Promise<Found | null> {
  let newest = packages[0] ?? null;
  for (const one of packages) {
    if (newest !== null && (await isNewer(one.version, newest.version))) newest = one;
  }
  return newest;
}

async function isNewer(version: string, than: string): Promise<boolean> {
  return (await run('dpkg', ['--compare-versions', version, 'gt', than])).code === 0;
}

/** The version that all kiosks could take until now becomes the previous version. */
async function keepPublished(reprepro: Reprepro, newer: readonly Newer[]): Promise<void> {
  for (const { architecture, published } of newer) {
    if (published !== null)
      await reprepro('', ['--architecture', architecture, 'copy', PREVIOUS, CURRENT, 'endcap']);
  }
}

/** By architecture. */
async function versions(reprepro: Reprepro, codename: string): Promise<Map<string, string>> {
  const listed = await reprepro('', ['--list-format', LINE, 'list', codename, 'endcap']);
  const lines = listed.split('\n').map((line) => line.split(' '));
  return new Map(lines.flatMap(([name, version]) => (name && version ? [[name, version]] : [])));
}

async function sumUp(reprepro: Reprepro, percent: number): Promise<string> {
  const [current, previous] = [await versions(reprepro, CURRENT), await versions(reprepro, PREVIOUS)];
  const lines = ARCHITECTURES.flatMap((name) => {
    const version = current.get(name);
    const before = previous.get(name);
    if (version === undefined) return before ? [`${name}: ${before} for all kiosks`] : [];
    return [`${name}: ${version} for ${percent} % of the kiosks${before ? `, before it ${before}` : ''}`];
  });
  return lines.length === 0 ? 'nothing is published yet' : lines.join('; ');
}
