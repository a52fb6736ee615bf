import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type SigningKey, signingKeyOf } from '../admin/signing-key';
import { errorCode, reasonOf } from '../describe-error';
import { syncFolder } from '../whole-file';
import { FleetError, type FleetProcess } from './fleet-process';

const MAX_KEY_FILE_BYTES = 16_384;

/** The operator's key, which signs commands and blocks. */
export interface CommandKey extends Pick<SigningKey, 'publicKey' | 'fingerprint'> {
  readonly privateKey: KeyObject;
}

/** Creates a key for commands in `file` (PKCS #8, mode 0600). Throws `FleetError` and changes nothing if it exists. */
export async function makeCommandKey(file: string, process: Pick<FleetProcess, 'read'>): Promise<CommandKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  // `wx` fails if there is a file or a link, which somebody may have put there.
  const handle = await open(file, 'wx', 0o600).catch(async (error: unknown) => {
    if (errorCode(error) !== 'EEXIST')
      throw new FleetError(1, `${file}: cannot be written (${reasonOf(error)})`);
    const known = await readCommandKey(file, process).catch(() => null);
    const whose = known === null ? '' : `, ${known.publicKey}`;
    throw new FleetError(
      1,
      `${file}: there is a file already${whose}; it stays as it is. Choose another name`,
    );
  });
  try {
    await handle.writeFile(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
  return commandKeyOf(privateKey);
}

/** Reads the key in `file`. Throws `FleetError` if there is none, or if others than its owner may read it. */
export async function readCommandKey(
  file: string,
  { read }: Pick<FleetProcess, 'read'>,
): Promise<CommandKey> {
  let bytes: Uint8Array | null;
  try {
    bytes = await read(file, MAX_KEY_FILE_BYTES);
    if (bytes !== null && globalThis.process.platform !== 'win32') {
      const mode = (await stat(file)).mode & 0o777;
      if ((mode & 0o077) !== 0)
        throw new FleetError(
          2,
          `${file}: expected a key that its owner alone may read, got mode ${mode.toString(8)}. Run: chmod 600`,
        );
    }
  } catch (error) {
    if (error instanceof FleetError) throw error;
    throw new FleetError(2, `${file}: cannot be read (${reasonOf(error)})`);
  }
  if (bytes === null)
    throw new FleetError(2, `${file}: there is no such file. Make a key: endcap fleet keys ${file}`);
  try {
    const key = createPrivateKey(Buffer.from(bytes));
    if (key.asymmetricKeyType === 'ed25519') return commandKeyOf(key);
  } catch {
    // The error below is the same.
  }
  throw new FleetError(2, `${file}: expected an Ed25519 private key (PKCS #8), got something else`);
}

function commandKeyOf(privateKey: KeyObject): CommandKey {
  const { publicKey, fingerprint } = signingKeyOf(privateKey);
  return { privateKey, publicKey, fingerprint };
}
