import { verify } from 'node:crypto';
import { z } from 'zod';
import { ExportFormat } from '../../shared/admin';
import { plain } from '../../shared/plain';
import type { PublicKey, SigningKey } from '../fleet/signing-key';
import { jsonOf } from '../whole-file';

/*
 * How an export is signed. `FILE.sig` beside `FILE` has two lines of ASCII: the statement, which is JSON, and the
 * Ed25519 signature of exactly the bytes `endcap-plays/1\n` and the statement's line, in base64url. The statement
 * holds the SHA-256 of the whole content, so one signature covers content and statement. The content stays pure CSV
 * or NDJSON for any tool, and a drive that is pulled out cannot hold a signed half. A change in either file is
 * detected.
 */

const FORMAT = 'endcap-plays/1';
export const MAX_SIGNATURE_FILE_BYTES = 16_384;

/** The kiosk's signed statement about an export; times are RFC 3339, UTC. */
export const ExportStatement = z.strictObject({
  format: z.literal(FORMAT),
  /** Fingerprint of the key that signs. */
  kiosk: plain.text,
  player: plain.textOrNull,
  from: plain.text,
  /** Exclusive. */
  to: plain.text,
  content: ExportFormat,
  rows: plain.count,
  bytes: plain.count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: plain.text,
  endcap: plain.text,
});
export type ExportStatement = z.infer<typeof ExportStatement>;

/** The content of `FILE.sig`. */
export function signStatement(statement: Omit<ExportStatement, 'format' | 'kiosk'>, key: SigningKey): string {
  // ASCII only, so that no tool can change a byte by changing the encoding.
  const line = JSON.stringify({ format: FORMAT, kiosk: key.fingerprint, ...statement }).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const signature = Buffer.from(key.sign(signedBytes(line))).toString('base64url');
  return `${line}\n${signature}\n`;
}

/**
 * Reads `FILE.sig` and checks that this public key signed it; otherwise `error` says why it is no signature, or not
 * of this key. It does not check the exported content.
 */
export function readSignature(
  file: string,
  { key, fingerprint }: PublicKey,
): ExportStatement | { readonly error: string } {
  const [, line = '', signature = ''] = /^([\x20-\x7e]+)\n([A-Za-z0-9_-]{86})\n$/.exec(file) ?? [];
  const bytes = Buffer.from(signature, 'base64url');
  // Several base64 texts decode to the same bytes; only the canonical one is accepted.
  if (line === '' || bytes.toString('base64url') !== signature)
    return { error: 'its form is not that of an export signature' };
  const statement = ExportStatement.safeParse(jsonOf(line)).data ?? null;
  if (!verify(null, signedBytes(line), key, bytes)) {
    const claimed = statement?.kiosk ?? '';
    return {
      error:
        /^[0-9a-f]{16}$/.test(claimed) && claimed !== fingerprint
          ? `it says that kiosk ${claimed} signed it; the key given is of kiosk ${fingerprint}`
          : 'the signature does not fit: it was changed, or another key made it',
    };
  }
  if (!statement) return { error: 'it is signed, but its statement is of no known form' };
  if (statement.kiosk !== fingerprint) return { error: 'it names another kiosk than the one that signed' };
  return statement;
}

function signedBytes(line: string): Buffer {
  return Buffer.from(`${FORMAT}\n${line}`, 'utf8');
}
