import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from './secret';
import { type NamedFiles, readNamedFile, readPrivateFile } from './secret-file';

/** The kiosk's certificate for receivers and brokers that ask for one (mutual TLS). */
export interface ClientCertificate {
  /** PEM, its chain included. */
  readonly cert: string;
  /** PEM. */
  readonly key: Secret;
}

/** The certificate's or the key's file; `file` is the absolute path. */
interface PemFile<Pem> {
  readonly file: string;
  readonly pem: Pem;
}

/** Reads the certificate from a PEM file; a string is an error message (one sentence). */
export async function readCertificateFile(
  setting: string,
  files: NamedFiles,
): Promise<PemFile<string> | string> {
  const read = await readNamedFile(setting, files);
  if (typeof read === 'string') return read;
  const { file, found } = read;
  try {
    new X509Certificate(found.text);
  } catch {
    return `The file ${file} holds no certificate; expected X.509 in PEM.`;
  }
  return { file, pem: found.text };
}

/** Reads the private key from a PEM file that nobody else may read; a string is an error message. */
export async function readKeyFile(setting: string, files: NamedFiles): Promise<PemFile<Secret> | string> {
  const read = await readPrivateFile(setting, files);
  if (typeof read === 'string') return read;
  const { file, found } = read;
  try {
    createPrivateKey(found.text);
  } catch {
    return `The file ${file} cannot be read as a key; expected a private key in PEM without a passphrase.`;
  }
  return { file, pem: new Secret(found.text) };
}

/**
 * An error message if certificate and key do not match, else null. Checked here, because a wrong file would
 * look like an error of the receiver later.
 */
export function certificateError(cert: PemFile<string>, key: PemFile<Secret>): string | null {
  const belongs = new X509Certificate(cert.pem).checkPrivateKey(createPrivateKey(key.pem.reveal()));
  return belongs ? null : `The key in ${key.file} does not belong to the certificate in ${cert.file}.`;
}
