import { isObject, type Json, valueAt, withValue } from './json-values';

/** Keeps secrets closed to everybody but this user of this machine: the system's keyring (rule 23). */
export interface Keyring {
  /** How the system calls it; null: there is none that closes anything. */
  name(): Promise<string | null>;
  /** Printable text that only `open` reads. Rejects where there is no keyring. */
  seal(secret: string): Promise<string>;
  /** What was sealed; null where this keyring does not open it. */
  open(sealed: string): Promise<string | null>;
}

interface SecretSetting {
  readonly path: readonly [section: string, name: string];
  /** Whether what a file holds there is secret at all. */
  readonly isSecret: (value: string) => boolean;
  /** Passes for a value where no keyring can be asked. */
  readonly fit: string;
}

const always = () => true;
const FIT = 'a secret that only the kiosk itself can open';

/** The settings that the keyring keeps, as the file has them: `{ "sealed": "…" }` in place of the text. */
const SECRETS: readonly SecretSetting[] = [
  { path: ['service', 'clientSecret'], isSecret: always, fit: FIT },
  { path: ['native', 'apptoken'], isSecret: always, fit: FIT },
  // The address of a proxy, which is secret only with user and password in it.
  { path: ['network', 'proxy'], isSecret: (value) => value.includes('@'), fit: 'http://sealed.invalid' },
];

/**
 * A copy with the secrets sealed. Where there is no keyring, or it does not give
 * back what it was given, they stay as they are: then the file's mode keeps them.
 */
export async function sealSecrets(
  raw: Json,
  keyring: Keyring,
): Promise<{ readonly raw: Json; readonly by: string | null }> {
  const name = await keyring.name();
  if (name === null) return { raw, by: null };
  let sealed = raw;
  for (const { path, isSecret } of SECRETS) {
    const value = valueAt(raw, path);
    if (typeof value !== 'string' || !isSecret(value)) continue;
    try {
      const text = await keyring.seal(value);
      if ((await keyring.open(text)) !== value) return { raw, by: null };
      sealed = withValue(sealed, path, { sealed: text });
    } catch {
      return { raw, by: null };
    }
  }
  return { raw: sealed, by: name };
}

/**
 * A copy with the secrets opened, and the names of those that were sealed and of those that stay closed.
 *
 * @param open null: no keyring can be asked, and what is sealed counts as fit
 */
export async function openSecrets(
  raw: unknown,
  open: Keyring['open'] | null,
): Promise<{
  readonly raw: unknown;
  readonly sealed: readonly string[];
  readonly closed: readonly string[];
}> {
  let opened = raw;
  const sealed: string[] = [];
  const closed: string[] = [];
  for (const { path, fit } of SECRETS) {
    const value = valueAt(opened, path);
    if (!isObject(opened) || !isSealed(value)) continue;
    const name = path.join('.');
    sealed.push(name);
    const secret = open === null ? fit : await open(value.sealed).catch(() => null);
    if (secret === null) closed.push(name);
    else opened = withValue(opened, path, secret);
  }
  return { raw: opened, sealed, closed };
}

/** Whether a setting's value is one that the keyring keeps. */
export function isSealed(value: unknown): value is { readonly sealed: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.sealed === 'string';
}
