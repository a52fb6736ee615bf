import { MAX_SIGNATURE_FILE_BYTES, readSignature } from '../admin/export-signature';
import { readPublicKey } from '../fleet/signing-key';
import { measureFile, readNamedFile, readSmallFile } from './argument-files';
import { CommandError, command, printed, UsageError } from './command-result';

const VERIFY_PLAYS_USAGE = `Usage: verify-plays FILE KEY

Checks whether an export of plays (CSV or NDJSON) is complete and unchanged, and
which kiosk signed it. Its signature, FILE.sig, must be in the same folder.

  FILE   the export
  KEY    the kiosk's public key as its overlay and its status show it
         (ed25519:…), or a file that holds it

Exit status: 0 whole and signed with this key, 1 not, 2 wrong usage or a file
that cannot be read.`;

const MAX_KEY_FILE_BYTES = 16_384;

export const runVerifyPlays = command('verify-plays', VERIFY_PLAYS_USAGE, {}, async ({ words }) => {
  const [file, keyOrFile] = words;
  if (file === undefined || keyOrFile === undefined || words.length > 2)
    throw new UsageError(`expected a file and a key, got ${words.length} (--help shows the usage)`);
  const key = keyOrFile.startsWith('ed25519:')
    ? keyOrFile
    : textOf(await readNamedFile(keyOrFile, MAX_KEY_FILE_BYTES));
  const publicKey = readPublicKey(key);
  if (!publicKey)
    throw new UsageError(`${keyOrFile}: expected a public key such as ed25519:…, or a file that holds one`);
  const content = await measureFile(file);
  const signatureFile = `${file}.sig`;
  const signature = await readSmallFile(signatureFile, MAX_SIGNATURE_FILE_BYTES);
  if (signature === null)
    throw new CommandError(
      `${signatureFile}: there is no such file; without it the export cannot be verified`,
    );
  const statement = readSignature(textOf(signature.bytes), publicKey);
  if ('error' in statement) throw new CommandError(`${signatureFile}: ${statement.error}`);
  if (content.bytes !== statement.bytes)
    throw new CommandError(
      `${file}: not what was signed: the signature is for ${statement.bytes} bytes, the file has ${content.bytes}`,
    );
  if (content.sha256 !== statement.sha256)
    throw new CommandError(`${file}: not what was signed: the content was changed`);
  const { kiosk, player, rows, from, to, createdAt } = statement;
  const whose = player === null ? `kiosk ${kiosk}` : `kiosk ${kiosk} (player ${player})`;
  return printed(
    `Whole, and signed by ${whose}: ${rows} plays from ${from} to ${to}, exported ${createdAt}.\n`,
  );
});

/** latin1, so that no byte outside ASCII becomes a character of a key or a signature. */
const textOf = (bytes: Buffer): string => bytes.toString('latin1');
