import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, reasonOf } from '../describe-error';
import { privateKeyIn, type SigningKey, signingKeyOf } from '../fleet/signing-key';
import { syncFolder } from '../whole-file';
import { readSmallFile } from './argument-files';
import { CommandError, UsageError } from './command-result';

const MAX_KEY_FILE_BYTES = 16_384;

/** The operator's key, which signs commands and blocks. */
export interface CommandKey extends Pick<SigningKey, 'publicKey' | 'fingerprint'> {
  readonly privateKey: KeyObject;
}

/** Creates a key for commands in `file` (PKCS #8, mode 0600). Throws `CommandError` and changes nothing if it exists. */
export async function makeCommandKey(file: string, openFile = open): Promise<CommandKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  // `wx` fails if there is a file or a link, which somebody may have put there.
  const handle = await openFile(file, 'wx', 0o600).catch(async (error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw notWritten(file, error);
    const known = await readCommandKey(file).catch(() => null);
    const whose = known === null ? '' : `, ${known.publicKey}`;
    throw new CommandError(
      `${file}: there is a file already${whose}; it stays as it is. Choose another name`,
    );
  });
  try {
    await handle.writeFile(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    await handle.sync();
  } catch (error) {
    // Otherwise the next try would find a file there.
    await rm(file, { force: true }).catch(() => {});
    throw notWritten(file, error);
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
  return commandKeyOf(privateKey);
}

const notWritten = (file: string, error: unknown) =>
  new CommandError(`${file}: cannot be written (${reasonOf(error)})`);

/** Reads the key in `file`. Throws `UsageError` if there is none, or if others than its owner may read it. */
export async function readCommandKey(file: string): Promise<CommandKey> {
  const read = await readSmallFile(file, MAX_KEY_FILE_BYTES);
  if (read === null)
    throw new UsageError(`${file}: there is no such file. Make a key: endcap fleet keys ${file}`);
  const mode = process.platform === 'win32' ? 0 : read.stat.mode & 0o777;
  if ((mode & 0o077) !== 0)
    throw new UsageError(
      `${file}: expected a key that its owner alone may read, got mode ${mode.toString(8)}. Run: chmod 600 '${file}'`,
    );
  const key = privateKeyIn(read.bytes.toString());
  if (key === null)
    throw new UsageError(`${file}: expected an Ed25519 private key (PKCS #8), got something else`);
  return commandKeyOf(key);
}

const commandKeyOf = (privateKey: KeyObject): CommandKey => ({ privateKey, ...signingKeyOf(privateKey) });
