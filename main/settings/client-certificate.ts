import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Secret } from './secret';

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

/** A string is an error message (one sentence). */
export function certificateIn(pem: string, file: string): PemFile<string> | string {
  try {
    new X509Certificate(pem);
    return { file, pem };
  } catch {
    return `The file ${file} holds no certificate; expected X.509 in PEM.`;
  }
}

/** A string is an error message (one sentence). */
export function privateKeyIn(pem: string, file: string): PemFile<Secret> | string {
  try {
    createPrivateKey(pem);
    return { file, pem: new Secret(pem) };
  } catch {
    return `The file ${file} cannot be read as a key; expected a private key in PEM without a passphrase.`;
  }
}

/**
 * An error message if certificate and key do not match, else null. Checked here, because a wrong file would
 * look like an error of the receiver later.
 */
export function certificateError(cert: PemFile<string>, key: PemFile<Secret>): string | null {
  const belongs = new X509Certificate(cert.pem).checkPrivateKey(createPrivateKey(key.pem.reveal()));
  return belongs ? null : `The key in ${key.file} does not belong to the certificate in ${cert.file}.`;
}
