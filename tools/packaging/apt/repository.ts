import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SIGNALS } from '../../run/keep-running.ts';
import { run } from '../../run/programs.ts';
import { CommandError, printStatus, printWarning } from '../../run/say.ts';
import type { Wanted } from './arguments.ts';
import { FOR_TESTS_ONLY, readPackage } from './deb-fields.ts';
import { ARCHITECTURES, CURRENT, distributions, override, PREVIOUS } from './distributions.ts';
import { writeForKiosks } from './kiosk-package.ts';
import { openSigningKey } from './signing-key.ts';
import type { Window } from './window.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the format is reprepro's.
const LINE = '${architecture} ${version} ${Phased-Update-Percentage} ${Depends}, ${Recommends}\\n';

/** Arguments that later runs may omit. */
interface Kept {
  readonly url: string;
  readonly window: Window;
}

type Found = Awaited<ReturnType<typeof readPackage>>;
/** A version in a list, and the share of the kiosks that take it. */
interface Published {
  readonly version: string;
  readonly percent: number;
  /** Its dependencies, as in the package. */
  readonly needs: string;
}
type Newer = Found & { readonly published: Published | null };
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
    warnOfOtherKey(join(configuration, 'distributions'), signing.fingerprint);
    writeFileSync(join(configuration, 'distributions'), distributions(signing.fingerprint));
    const reprepro = programFor(out, signing.env);
    const newer = await whatIsNewer(reprepro, found);
    const previous = await versions(reprepro, PREVIOUS);
    for (const one of newer) {
      warnOfTests(one);
      warnOfNeeds(one, previous.get(one.architecture) ?? null);
    }
    await keepPublished(reprepro, newer);
    writeFileSync(join(configuration, 'override'), override(wanted.percent ?? 100));
    if (newer.length > 0) {
      const files = newer.map(({ file }) => file);
      await reprepro('publishing', ['includedeb', CURRENT, ...files]);
    }
    if (wanted.withdraw) await reprepro('withdrawing the newest version', ['remove', CURRENT, 'endcap']);
    if (wanted.percent !== null) {
      // The other architecture keeps its percentage if only one is named: it may be published later.
      const named = found.length === 0 ? ARCHITECTURES : found.map(({ architecture }) => architecture);
      for (const architecture of new Set(named))
        await reprepro('', ['--architecture', architecture, 'reoverride', CURRENT]);
    }
    await reprepro('signing', ['export']);
    const folder = join(out, 'public');
    await writeForKiosks({ to: folder, ...kept, publicKey: signing.publicKey });
    writeFileSync(notes, `${JSON.stringify(kept)}\n`);
    printStatus(await sumUp(reprepro));
    printStatus(`a web server gives ${folder} to kiosks as ${kept.url}`);
    printStatus(`on each kiosk, once: ${kept.url}/endcap.sources and endcap-updates.deb (docs/install.md)`);
  } finally {
    signing.forget();
  }
}

/** The arguments of this run, and where it has none, the stored ones of the last run. */
function whatIsKept(notes: string, { url, window }: Wanted): Kept {
  const before: Kept | null = existsSync(notes) ? JSON.parse(readFileSync(notes, 'utf8')) : null;
  const at = url ?? before?.url;
  if (at === undefined) throw new CommandError('endcap: a new repository needs --url, where kiosks find it');
  return { url: at, window: window ?? before?.window ?? { from: '02:00', to: '04:00' } };
}

/** A kiosk takes nothing that only an unknown key signed, and only its own journal would say so. */
function warnOfOtherKey(configuration: string, fingerprint: string): void {
  const before = existsSync(configuration) ? readFileSync(configuration, 'utf8') : '';
  const signedBy = /^SignWith: (\S+)/m.exec(before)?.[1];
  if (signedBy === undefined || signedBy === fingerprint) return;
  printWarning([
    `Another key signs this repository now. Until now it was ${signedBy}.`,
    'Kiosks that were set up with that key take no more updates, until each has got the new endcap.sources.',
    'To undo this, run the command again with the key from before.',
  ]);
}

function warnOfTests({ file, forTests }: Newer): void {
  if (forTests)
    printWarning([
      `${file} says that it is ${FOR_TESTS_ONLY}: no store may get it. Withdraw it (--withdraw).`,
    ]);
}

/** unattended-upgrades installs packages of this repository alone. If a version needs another one, it takes neither. */
function warnOfNeeds({ version, needs, published }: Newer, previous: Published | null): void {
  // The version that kiosks have: most did not take one for a few, and none takes one that was withdrawn.
  const present = published?.percent === 100 ? published : (previous ?? published);
  if (present === null) return;
  const groups = (field: string) => field.split(',').map((group) => group.trim());
  const before = groups(present.needs);
  const added = groups(needs).filter((group) => group !== '' && !before.includes(group));
  if (added.length === 0) return;
  printWarning([
    `A kiosk takes ${version} by itself only if it has these packages already: ${added.join(', ')}.`,
    'Where they are missing, type: sudo apt-get update && sudo apt-get install --no-install-recommends endcap',
  ]);
}

function programFor(out: string, env: NodeJS.ProcessEnv): Reprepro {
  const always = ['--silent', '--basedir', out, '--outdir', '+b/public', '--export=never'];
  // Ctrl-C reaches reprepro too. If this process ended first, reprepro would be killed, and leave its lock behind. So
  // there is no spinner either: it ends the process.
  let isInterrupted = false;
  for (const signal of SIGNALS) process.on(signal, () => (isInterrupted = true));
  return async (label, args) => {
    if (label !== '') printStatus(label);
    const exports = args[0] === 'export' ? always.slice(0, -1) : always;
    const { code, stdout, stderr } = await run('reprepro', [...exports, ...args], { env });
    if (isInterrupted)
      throw new CommandError('endcap: interrupted. Run the same command again before any other');
    if (code !== 0) throw new CommandError(`endcap: reprepro ${args.join(' ')} failed: ${stderr.trim()}`);
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
    if (newest === null || newest.version === published?.version) continue;
    if (published !== null && !(await isNewer(newest.version, published.version))) {
      throw new CommandError(
        `endcap: ${newest.file} is version ${newest.version}, but the newer ${published.version} is published. To go back, publish the older sources as a newer version`,
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

/** A version that all kiosks could take until now becomes the previous version. */
async function keepPublished(reprepro: Reprepro, newer: readonly Newer[]): Promise<void> {
  for (const { architecture, published } of newer) {
    if (published?.percent === 100)
      await reprepro('', ['--architecture', architecture, 'copy', PREVIOUS, CURRENT, 'endcap']);
  }
}

/** By architecture. */
async function versions(reprepro: Reprepro, codename: string): Promise<Map<string, Published>> {
  const listed = await reprepro('', ['--list-format', LINE, 'list', codename, 'endcap']);
  const lines = listed.split('\n').map((line) => line.split(' '));
  return new Map(
    lines.flatMap(([name, version, percent, ...needs]) =>
      name && version ? [[name, { version, percent: Number(percent || 100), needs: needs.join(' ') }]] : [],
    ),
  );
}

async function sumUp(reprepro: Reprepro): Promise<string> {
  const [current, previous] = [await versions(reprepro, CURRENT), await versions(reprepro, PREVIOUS)];
  const lines = ARCHITECTURES.flatMap((name) => {
    const newest = current.get(name);
    const before = previous.get(name)?.version;
    if (newest === undefined) return before ? [`${name}: ${before} for all kiosks`] : [];
    const { version, percent } = newest;
    return [`${name}: ${version} for ${percent} % of the kiosks${before ? `, before it ${before}` : ''}`];
  });
  return lines.length === 0 ? 'nothing is published yet' : lines.join('; ');
}
