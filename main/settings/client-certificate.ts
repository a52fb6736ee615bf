import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from './secret';
import { type NamedFiles, readNamedFile } from './secret-file';

/** What the kiosk shows to a receiver that asks for a certificate (mutual TLS). */
export interface ClientCertificate {
  /** PEM, its chain included. */
  readonly cert: string;
  /** PEM. */
  readonly key: Secret;
}

/** One of its two files; `file` is the absolute path. */
interface PemFile<Pem> {
  readonly file: string;
  readonly pem: Pem;
}

/** The certificate in a PEM file, or what is wrong in a sentence. */
export async function readCertificateFile(
  setting: string,
  files: NamedFiles,
): Promise<PemFile<string> | string> {
  const read = await readNamedFile(setting, files);
  if (typeof read === 'string') return read;
  const { file, found } = read;
  if (!readOrNull(() => new X509Certificate(found.text))) {
    return `The file ${file} holds no certificate; expected X.509 in PEM.`;
  }
  return { file, pem: found.text };
}

/** The private key in a PEM file that others cannot read, or what is wrong in a sentence. */
export async function readKeyFile(setting: string, files: NamedFiles): Promise<PemFile<Secret> | string> {
  const read = await readNamedFile(setting, files);
  if (typeof read === 'string') return read;
  const { file, found } = read;
  if (found.readableBy === 'others') {
    return `The file ${file} is readable by others. Expected mode 0600, or 0640 with the kiosk's own group. Run: chmod 600 '${file}'`;
  }
  if (!readOrNull(() => createPrivateKey(found.text))) {
    return `The file ${file} cannot be read as a key; expected a private key in PEM without a passphrase.`;
  }
  return { file, pem: new Secret(found.text) };
}

/** What is wrong with the two together, in a sentence; null: they belong together. A wrong file would otherwise look like an error of the receiver. */
export function certificateFault(cert: PemFile<string>, key: PemFile<Secret>): string | null {
  const belongs = new X509Certificate(cert.pem).checkPrivateKey(createPrivateKey(key.pem.reveal()));
  return belongs ? null : `The key in ${key.file} does not belong to the certificate in ${cert.file}.`;
}

/** Node throws where a PEM file holds something else; its words would not tell staff what to do. */
function readOrNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
