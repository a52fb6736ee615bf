import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorCode, messageOf } from '../describe-error';
import { programRunner } from './run-program';

/** Prefix of our certificates in the database; all others are left alone. */
const NICKNAME = 'Endcap network.caFile ';
/** Trusted as a CA of TLS servers, and for nothing else. */
const TRUST = 'C,,';
const PATIENCE_MS = 20_000;

/** `done`: of our certificates, the database holds exactly these. `no-certutil`: certutil is missing. */
export type ChromiumCas =
  | { readonly kind: 'done' }
  | { readonly kind: 'no-certutil' }
  | { readonly kind: 'failed'; readonly detail: string };

const run = programRunner(PATIENCE_MS);

/**
 * Makes Chromium trust the CAs of `network.caFile` (rule 22): guests and the link
 * view speak TLS end to end through our proxy. On Linux Chromium trusts what the
 * user's NSS database does, which `certutil` (Debian: libnss3-tools) writes. CAs of an
 * earlier start that the file no longer holds are removed. Never rejects.
 *
 * @param cas PEM, one certificate each
 */
export async function trustInChromium(
  cas: readonly string[],
  { home = homedir(), certutil = 'certutil' } = {},
): Promise<ChromiumCas> {
  const folder = join(home, '.pki', 'nssdb');
  const ask = (...args: string[]) => run(certutil, ['-d', `sql:${folder}`, ...args]);
  const wanted = new Map(cas.map((pem) => [nickname(pem), pem]));
  // Nothing to add, and nothing to remove.
  if (cas.length === 0 && !existsSync(join(folder, 'cert9.db'))) return { kind: 'done' };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const listed = await ask('-L').catch(async (error: unknown) => {
      if (isMissing(error)) throw error;
      // There is no database yet.
      await ask('-N', '--empty-password');
      return ask('-L');
    });
    const present = ourNames(listed);
    for (const name of present) if (!wanted.has(name)) await ask('-D', '-n', name);
    for (const [name, pem] of wanted) {
      if (present.includes(name)) continue;
      const file = join(folder, `${name.replaceAll(' ', '-')}.pem`);
      await writeFile(file, pem, { mode: 0o600 });
      try {
        await ask('-A', '-n', name, '-t', TRUST, '-i', file);
      } finally {
        await rm(file, { force: true });
      }
    }
    return { kind: 'done' };
  } catch (error) {
    if (isMissing(error)) return { kind: 'no-certutil' };
    return { kind: 'failed', detail: messageOf(error).slice(0, 300) };
  }
}

const nickname = (pem: string) =>
  `${NICKNAME}${createHash('sha256').update(pem.replace(/\s/g, '')).digest('hex').slice(0, 16)}`;

/** Each line of `certutil -L` has two columns: a name and its trust. */
function ourNames(listing: string): readonly string[] {
  return listing
    .split('\n')
    .flatMap((line) => (line.startsWith(NICKNAME) ? [line.replace(/\s+\S+\s*$/, '')] : []));
}

const isMissing = (error: unknown) => error instanceof Error && errorCode(error.cause) === 'ENOENT';
