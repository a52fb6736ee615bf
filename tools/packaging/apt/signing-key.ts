import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../../run/say.ts';

interface SigningKey {
  readonly fingerprint: string;
  /** As `gpg --armor --export` writes it. */
  readonly publicKey: string;
  /** The environment in which gpg and reprepro find the secret key. */
  readonly env: NodeJS.ProcessEnv;
  /** Removes the copy of the key. */
  readonly forget: () => void;
}

/**
 * The key that signs the repository, from a file with a secret key or from the caller's own keyring. It must have no
 * passphrase if nobody can be asked for it.
 * @param key a file, or a name that gpg knows
 */
export function openSigningKey(key: string): SigningKey {
  const home = existsSync(key) ? mkdtempSync(join(tmpdir(), 'endcap-gpg-')) : null;
  const env = home === null ? process.env : { ...process.env, GNUPGHOME: home };
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--batch', '--no-tty', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const forget = () => {
    if (home === null) return;
    try {
      execFileSync('gpgconf', ['--kill', 'all'], { env, stdio: 'ignore' });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  };
  let whatItLacks = 'names no single secret key';
  try {
    if (home !== null) gpg('--import', key);
    const listed = gpg('--list-secret-keys', '--with-colons', ...(home === null ? [key] : [])).toString();
    const fingerprints = [...listed.matchAll(/^sec:[\s\S]*?^fpr:+([0-9A-F]{40}):/gm)].map(([, name]) => name);
    const [fingerprint] = fingerprints;
    if (fingerprint === undefined || fingerprints.length > 1) throw new Error(`${fingerprints.length} keys`);
    // An expired key, for example, would stop reprepro in the middle.
    whatItLacks = 'cannot sign';
    gpg('--local-user', fingerprint, '--output', '-', '--detach-sign', '/dev/null');
    const publicKey = gpg('--armor', '--export', fingerprint).toString();
    return { fingerprint, publicKey, env, forget };
  } catch (error) {
    forget();
    const reason = String((error as { stderr?: unknown }).stderr ?? error).trim();
    throw new CommandError(
      `endcap: ${key} ${whatItLacks} (${reason}). The repository needs a key without passphrase and end. Make one:\n` +
        `gpg --batch --passphrase '' --quick-generate-key 'Updates of our kiosks' rsa4096 sign never\n` +
        "and give its name: --key 'Updates of our kiosks'",
    );
  }
}
