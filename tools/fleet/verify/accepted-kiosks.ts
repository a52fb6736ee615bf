import type { KeyObject } from 'node:crypto';
import { readPublicKey } from '../../../main/fleet/signing-key';

/** A kiosk whose plays are paid for. */
export interface AcceptedKiosk {
  readonly fingerprint: string;
  readonly key: KeyObject;
  /** Raw 32 bytes in base64, as manifests name it. */
  readonly publicKey: string;
  readonly name: string;
}

/**
 * Reads a list of accepted kiosks: one public key per line as overlay and status show it (`ed25519:…`), optionally
 * followed by a name. Empty lines and lines that begin with `#` are ignored. Any other line is an error: a kiosk that
 * is silently left out would look forged.
 */
export function readAcceptedKiosks(
  text: string,
): { kiosks: ReadonlyMap<string, AcceptedKiosk> } | { error: string } {
  const kiosks = new Map<string, AcceptedKiosk>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, key = '', name = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === '' || key.startsWith('#')) continue;
    const read = readPublicKey(key);
    if (read === null) return { error: `line ${index + 1}: expected a public key such as ed25519:…` };
    const publicKey = Buffer.from(key.replace('ed25519:', ''), 'base64url').toString('base64');
    kiosks.set(read.fingerprint, { ...read, publicKey, name });
  }
  return kiosks.size === 0
    ? { error: 'expected a public key (ed25519:…) on at least one line, got none' }
    : { kiosks };
}
