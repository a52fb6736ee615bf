import * as tls from 'node:tls';

/** A client certificate for mutual TLS; PEM. */
export interface ShownCertificate {
  readonly cert: string;
  readonly key: string;
}

/** One context for each list: creating one parses some 150 certificates. */
const contexts = new WeakMap<readonly string[], tls.SecureContext>();

/**
 * A context that trusts these CAs (PEM, `network.caFile`) besides the usual ones. Undefined if there are
 * none: TLS then uses its default.
 */
export function trustedCas(additional: readonly string[]): tls.SecureContext | undefined {
  if (additional.length === 0) return undefined;
  const known = contexts.get(additional);
  if (known) return known;
  const made = tls.createSecureContext({ ca: [...usualCas(), ...additional] });
  contexts.set(additional, made);
  return made;
}

/** The same, with a client certificate. Not cached: create it once for each client. */
export function contextWithCertificate(
  additional: readonly string[],
  { cert, key }: ShownCertificate,
): tls.SecureContext {
  return tls.createSecureContext({ ca: [...usualCas(), ...additional], cert, key });
}

/** Includes those of `NODE_EXTRA_CA_CERTS` where Node has `getCACertificates`. */
function usualCas(): readonly string[] {
  return typeof tls.getCACertificates === 'function'
    ? tls.getCACertificates('default')
    : tls.rootCertificates;
}
