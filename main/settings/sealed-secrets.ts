import { isObject, type Json, valueAt, withValue } from './json-values';

/** The system's keyring: encrypts secrets so that only this user of this machine can decrypt them (rule 23). */
export interface Keyring {
  /** The system's name for it; null: there is none that encrypts. */
  name(): Promise<string | null>;
  /** Encrypts to printable text that only `open` can decrypt. Rejects if there is no keyring. */
  seal(secret: string): Promise<string>;
  /** Decrypts; null if this keyring cannot. */
  open(sealed: string): Promise<string | null>;
}

const FIT = 'a secret that only the kiosk itself can open';

/**
 * The settings that are sealed: the file then holds `{ "sealed": "…" }` in place of the text. `fit`: a valid value, used
 * where no keyring is available.
 */
const SECRETS = [
  { path: ['service', 'clientSecret'], fit: FIT },
  { path: ['native', 'apptoken'], fit: FIT },
  { path: ['network', 'proxy'], fit: 'http://sealed.invalid' },
] as const;

/** The address of a proxy is secret only with user and password in it. */
const isSecret = (value: string, [section]: readonly string[]) =>
  section !== 'network' || value.includes('@');

/**
 * A copy with the secrets sealed. If there is no keyring, or it does not return what it sealed, all secrets
 * stay in plain text, protected by the file's mode.
 */
export async function sealSecrets(raw: Json, keyring: Keyring) {
  const name = await keyring.name();
  if (name === null) return { raw, by: null };
  let sealed = raw;
  for (const { path } of SECRETS) {
    const value = valueAt(raw, path);
    if (typeof value !== 'string' || !isSecret(value, path)) continue;
    const text = await keyring.seal(value).catch(() => '');
    const opened = await keyring.open(text).catch(() => null);
    if (opened !== value) return { raw, by: null };
    sealed = withValue(sealed, path, { sealed: text });
  }
  return { raw: sealed, by: name };
}

/**
 * A copy with the secrets opened, and the names of those that were sealed and of those that could not be
 * opened.
 *
 * @param open null: no keyring is available, and sealed values count as valid
 */
export async function openSecrets(raw: unknown, open: Keyring['open'] | null) {
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

export function isSealed(value: unknown): value is { readonly sealed: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.sealed === 'string';
}
