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

/** Somebody has to issue a certificate, and bring it to each kiosk. */
const WARNED_BEFORE_MS = 30 * DAY_MS;

/** The settings with a client certificate. */
export interface ClientCertificates {
  readonly proof: { readonly clientCertificate: ClientCertificate | null };
  readonly fleet: { readonly clientCertificate: ClientCertificate | null };
}

/** A warning for each certificate that is not valid, or soon not, by a clock that stands at `now` (ms since the epoch). */
export function validityWarnings(settings: ClientCertificates, now: number) {
  return (['proof', 'fleet'] as const).flatMap((section) => {
    const { clientCertificate } = settings[section];
    const warning = clientCertificate && validityWarning(clientCertificate.cert, now);
    return warning ? [{ ...warning, message: `${section}.clientCertFile: ${warning.message}` }] : [];
  });
}

const NEW_ONE = 'Put a new one and its key there, then restart the kiosk.';

/** @param pem of its chain the first one counts, which is the kiosk's own */
function validityWarning(pem: string, now: number): { message: string; advice: string } | null {
  const { validFrom, validTo } = new X509Certificate(pem);
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const until = `valid until ${new Date(to).toISOString()}`;
  if (now < from) {
    const message = `The certificate is valid from ${new Date(from).toISOString()} on.`;
    return { message, advice: 'Check the clock of this machine.' };
  }
  if (now > to) return { message: `The certificate was ${until}.`, advice: NEW_ONE };
  if (to - now > WARNED_BEFORE_MS) return null;
  const days = Math.floor((to - now) / DAY_MS);
  return { message: `The certificate is ${until} (days left: ${days}).`, advice: NEW_ONE };
}

/**
 * An error message if certificate and key do not match, else null. Checked here, because a wrong file would
 * look like an error of the receiver later.
 */
export function certificateError(cert: PemFile<string>, key: PemFile<Secret>): string | null {
  const belongs = new X509Certificate(cert.pem).checkPrivateKey(createPrivateKey(key.pem.reveal()));
  return belongs ? null : `The key in ${key.file} does not belong to the certificate in ${cert.file}.`;
}
