import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
} from 'node:crypto';
import { rename } from 'node:fs/promises';
import type { Log } from '../../shared/log';
import { readTextIfThere, writeWholeFile } from '../whole-file';

const PREFIX = 'ed25519:';

/** The kiosk's own key, which signs its exports and its proof of play. */
export interface SigningKey {
  /** `ed25519:` and the key in base64url: for the overlay, the status and `verify-plays`. */
  readonly publicKey: string;
  /** Short name of the key: 16 hex digits of its SHA-256. */
  readonly fingerprint: string;
  sign(content: Uint8Array): Uint8Array;
}

/**
 * Opens the key in `file` (PKCS #8, mode 0600), or creates one if there is no file. A file that holds no such key is
 * renamed to `.unreadable` and a new key is created: exports continue with a new fingerprint. Rejects if the file
 * cannot be read or written.
 *
 * @param beforeNew runs before an unreadable file is renamed (`wasLost`), and before a new key is stored
 */
export async function openSigningKey(
  file: string,
  log: Log,
  beforeNew = async (_wasLost: boolean): Promise<void> => {},
): Promise<SigningKey> {
  const stored = await readTextIfThere(file);
  const known = stored === null ? null : privateKeyIn(stored);
  if (known) return signingKeyOf(known);
  await beforeNew(stored !== null);
  // Only now: a start that finds no file cannot know that a key was lost.
  if (stored !== null) {
    await rename(file, `${file}.unreadable`);
    log.error('the signing key was unreadable; its file was renamed and a new key is made', { file });
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeWholeFile(file, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), 0o600);
  return signingKeyOf(privateKey);
}

export function signingKeyOf(privateKey: KeyObject): SigningKey {
  const raw = rawOf(createPublicKey(privateKey));
  const publicKey = PREFIX + raw.toString('base64url');
  return { publicKey, fingerprint: fingerprintOf(raw), sign: (content) => sign(null, content, privateKey) };
}

export type PublicKey = NonNullable<ReturnType<typeof readPublicKey>>;

/** Reads a public key: `ed25519:…`, or the content of a PEM file; null if it is neither. */
export function readPublicKey(text: string) {
  try {
    const isPem = text.includes('-----BEGIN PUBLIC KEY-----');
    const key = isPem ? createPublicKey(text) : publicKeyIn(text.trim());
    if (key?.asymmetricKeyType !== 'ed25519') return null;
    return { key, fingerprint: fingerprintOf(rawOf(key)) };
  } catch {
    return null;
  }
}

function publicKeyIn(text: string): KeyObject | null {
  if (!/^ed25519:[A-Za-z0-9_-]{43}$/.test(text)) return null;
  const key = { kty: 'OKP', crv: 'Ed25519', x: text.slice(PREFIX.length) };
  return createPublicKey({ key, format: 'jwk' });
}

/** The 32 bytes of an Ed25519 public key. */
function rawOf(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** An Ed25519 key in PKCS #8; null if it is something else. */
export function privateKeyIn(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

const fingerprintOf = (raw: Uint8Array): string => hash('sha256', raw).slice(0, 16);
