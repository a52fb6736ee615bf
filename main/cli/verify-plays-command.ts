import { MAX_SIGNATURE_FILE_BYTES, readSignature } from '../admin/export-signature';
import { readPublicKey } from '../admin/signing-key';
import { reasonOf } from '../describe-error';
import { asksForUsage, type CommandResult, failureOf, printed } from './command-result';

const VERIFY_PLAYS_USAGE = `Usage: verify-plays FILE KEY

Checks whether an export of plays (CSV or NDJSON) is complete and unchanged, and
which kiosk signed it. Its signature, FILE.sig, must be in the same folder.

  FILE   the export
  KEY    the kiosk's public key as its overlay and its status show it
         (ed25519:…), or a file that holds it

Exit status: 0 whole and signed with this key, 1 not, 2 wrong usage or a file
that cannot be read.`;

const MAX_KEY_FILE_BYTES = 16_384;

export interface VerifyPlaysProcess {
  /** A small file's bytes; null if there is none. Rejects with the system's error, or above `most` bytes. */
  readonly read: (path: string, most: number) => Promise<Uint8Array | null>;
  /** SHA-256 (hex) and length of a file of any size; null where there is none. */
  readonly measure: (path: string) => Promise<{ sha256: string; bytes: number } | null>;
}

const failed = failureOf('verify-plays');

/** Runs `verify-plays FILE KEY`; all input and output is injected. */
export async function runVerifyPlays(
  args: readonly string[],
  { read, measure }: VerifyPlaysProcess,
): Promise<CommandResult> {
  if (asksForUsage(args)) return printed(`${VERIFY_PLAYS_USAGE}\n`);
  const [file, keyOrFile] = args;
  if (file === undefined || keyOrFile === undefined || args.length > 2) {
    return failed(2, `expected a file and a key, got ${args.length} (--help shows the usage)`);
  }
  const key = keyOrFile.startsWith('ed25519:')
    ? keyOrFile
    : await textOf(keyOrFile, MAX_KEY_FILE_BYTES, read);
  if (typeof key !== 'string') return failed(2, `${keyOrFile}: ${key.problem}`);
  const publicKey = readPublicKey(key);
  if (!publicKey) {
    return failed(2, `${keyOrFile}: expected a public key such as ed25519:…, or a file that holds one`);
  }
  let content: { sha256: string; bytes: number } | null;
  try {
    content = await measure(file);
  } catch (error) {
    return failed(2, `${file}: cannot be read (${reasonOf(error)})`);
  }
  if (!content) return failed(2, `${file}: there is no such file`);
  const signatureFile = `${file}.sig`;
  const text = await textOf(signatureFile, MAX_SIGNATURE_FILE_BYTES, read);
  if (typeof text !== 'string') {
    return text.code === 'missing'
      ? failed(1, `${signatureFile}: ${text.problem}; without it the export cannot be verified`)
      : failed(2, `${signatureFile}: ${text.problem}`);
  }
  const reading = readSignature(text, publicKey);
  if (reading.kind === 'error') return failed(1, `${signatureFile}: ${reading.message}`);
  const { statement } = reading;
  if (content.bytes !== statement.bytes) {
    return failed(
      1,
      `${file}: not what was signed: the signature is for ${statement.bytes} bytes, the file has ${content.bytes}`,
    );
  }
  if (content.sha256 !== statement.sha256) {
    return failed(1, `${file}: not what was signed: the content was changed`);
  }
  const { kiosk, player, rows, from, to, createdAt } = statement;
  const whose = player === null ? `kiosk ${kiosk}` : `kiosk ${kiosk} (player ${player})`;
  return printed(
    `Whole, and signed by ${whose}: ${rows} plays from ${from} to ${to}, exported ${createdAt}.\n`,
  );
}

async function textOf(
  path: string,
  most: number,
  read: VerifyPlaysProcess['read'],
): Promise<string | { code: 'missing' | 'unreadable'; problem: string }> {
  try {
    const bytes = await read(path, most);
    if (bytes === null) return { code: 'missing', problem: 'there is no such file' };
    // latin1: each byte is a character, so no other byte decodes to ASCII.
    return Buffer.from(bytes).toString('latin1');
  } catch (error) {
    return { code: 'unreadable', problem: `cannot be read (${reasonOf(error)})` };
  }
}
