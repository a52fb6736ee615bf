import { createPrivateKey, X509Certificate } from 'node:crypto';
import { DAY_MS } from '../../shared/clock';
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

/** The settings with a client certificate. */
export interface ClientCertificates {
  readonly proof: { readonly clientCertificate: ClientCertificate | null };
  readonly fleet: { readonly clientCertificate: ClientCertificate | null };
}

/**
 * A warning for each certificate that is not valid, or soon not, by a clock that stands at `now` (ms since the epoch).
 *
 * @param beforeMs how long before its end it is warned of; one that is renewed often only in its last third
 */
export function validityWarnings(settings: ClientCertificates, now: number, beforeMs: number) {
  return (['proof', 'fleet'] as const).flatMap((section) => {
    const { clientCertificate } = settings[section];
    const warning = clientCertificate && validityWarning(clientCertificate.cert, now, beforeMs);
    return warning ? [{ ...warning, message: `${section}.clientCertFile: ${warning.message}` }] : [];
  });
}

const NEW_ONE = 'Put a new one and its key there, then restart the kiosk.';

/**
 * What is wrong with a certificate at `now` (ms since the epoch), or soon will be; null: nothing.
 *
 * @param pem of its chain the first one counts, which is the kiosk's own
 */
function validityWarning(pem: string, now: number, beforeMs: number) {
  const { validFrom, validTo } = new X509Certificate(pem);
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const until = `valid until ${new Date(to).toISOString()}`;
  if (now < from) {
    const message = `The certificate is valid from ${new Date(from).toISOString()} on.`;
    return { hasBegun: false, message, advice: 'Check the clock of this machine.' };
  }
  const late = { hasBegun: true, advice: NEW_ONE };
  if (now > to) return { ...late, message: `The certificate was ${until}.` };
  if (to - now > Math.min(beforeMs, (to - from) / 3)) return null;
  const days = Math.floor((to - now) / DAY_MS);
  return { ...late, message: `The certificate is ${until} (days left: ${days}).` };
}

/**
 * An error message if certificate and key do not match, else null. Checked here, because a wrong file would
 * look like an error of the receiver later.
 */
export function certificateError(cert: PemFile<string>, key: PemFile<Secret>): string | null {
  const belongs = new X509Certificate(cert.pem).checkPrivateKey(createPrivateKey(key.pem.reveal()));
  return belongs ? null : `The key in ${key.file} does not belong to the certificate in ${cert.file}.`;
}
