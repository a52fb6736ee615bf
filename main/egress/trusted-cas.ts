import * as tls from 'node:tls';

/** What a server may ask a client for (mutual TLS); PEM. */
export interface ShownCertificate {
  readonly cert: string;
  readonly key: string;
}

/** One for each list: making it reads some 150 certificates. */
const contexts = new WeakMap<readonly string[], tls.SecureContext>();

/**
 * A context that trusts what this process trusts anyway, and these CAs (PEM)
 * besides (`network.caFile`). Undefined where there are none: TLS has its own.
 */
export function trustedCas(additional: readonly string[]): tls.SecureContext | undefined {
  if (additional.length === 0) return undefined;
  const known = contexts.get(additional);
  if (known) return known;
  const made = tls.createSecureContext({ ca: [...usualCas(), ...additional] });
  contexts.set(additional, made);
  return made;
}

/** The same, which also shows a certificate. To be made once for each client. */
export function showingCertificate(
  additional: readonly string[],
  { cert, key }: ShownCertificate,
): tls.SecureContext {
  return tls.createSecureContext({ ca: [...usualCas(), ...additional], cert, key });
}

/** Those of `NODE_EXTRA_CA_CERTS` are among them where Node tells. */
function usualCas(): readonly string[] {
  return typeof tls.getCACertificates === 'function'
    ? tls.getCACertificates('default')
    : tls.rootCertificates;
}
