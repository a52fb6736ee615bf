import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { tls } from '../late-modules';
import type { CheckedTarget, OpenConnection } from './checked-target';
import { openTcp, ready } from './open-tcp';
import { openTunnel } from './through-proxy';

/** A client certificate for mutual TLS; PEM. */
interface ShownCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Hosts whose TLS sessions are kept, some 4 KB each; ads can name any number. */
const MAX_SESSIONS = 100;

/**
 * The only place that opens connections out of the kiosk. The checked addresses replace the look-up.
 *
 * @param additionalCas PEM; trusted besides the usual ones
 * @param shown the certificate for servers that ask for one; absent: none
 * @param protocols offered over TLS (ALPN)
 */
export function createOpenConnection(
  additionalCas: readonly string[] = [],
  shown?: ShownCertificate,
  protocols: readonly string[] = ['http/1.1'],
): OpenConnection {
  const sessions = new Map<string, Buffer>();
  /** Resumes the host's last session: each request has its own connection, and a full handshake takes 2.6 KB more. */
  async function openTls(
    over: Socket,
    target: CheckedTarget,
    signal: AbortSignal,
    resumes: boolean,
  ): Promise<Socket> {
    const { hostname, port } = target;
    const context = contextOf(additionalCas, shown);
    const key = `${hostname}:${port}`;
    const session = resumes && sessions.get(key);
    const socket = tls().connect({
      socket: over,
      host: hostname,
      servername: serverName(hostname),
      // Otherwise `NODE_TLS_REJECT_UNAUTHORIZED` of the environment decides.
      rejectUnauthorized: true,
      ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
      ...(context && { secureContext: context }),
      ...(session && { session }),
    });
    // Node emits it only once the certificate is verified.
    socket.on('session', (latest) => {
      const [oldest] = sessions.keys();
      if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      sessions.set(key, latest);
    });
    try {
      return await ready(socket, 'secureConnect', signal);
    } catch (error) {
      sessions.delete(key);
      if (!session || signal.aborted) throw error;
      // The session may be the cause: servers that ask for certificates may hand out sessions and break off when one is
      // resumed (OpenSSL, "session id context uninitialized").
      return open(target, true, signal, false);
    }
  }
  async function open(
    target: CheckedTarget,
    secure: boolean,
    signal: AbortSignal,
    resumes = true,
  ): Promise<Socket> {
    signal.throwIfAborted();
    const { proxy } = target;
    const socket = proxy ? await openTunnel(open, proxy, target, signal) : await openTcp(target, signal);
    return secure ? openTls(socket, target, signal, resumes) : socket;
  }
  return open;
}

/** With the usual CAs alone. */
export const openConnection: OpenConnection = createOpenConnection();

/** By certificate, or else by list of CAs: to create one parses some 150 certificates and blocks main for 0.1 s. */
const contexts = new WeakMap<object, SecureContext>();

/** Undefined: TLS uses its default. */
function contextOf(
  additionalCas: readonly string[],
  shown: ShownCertificate | undefined,
): SecureContext | undefined {
  if (additionalCas.length === 0 && !shown) return undefined;
  const key = shown ?? additionalCas;
  const known = contexts.get(key);
  if (known) return known;
  const made = tls().createSecureContext({ ca: [...usualCas(), ...additionalCas], ...shown });
  contexts.set(key, made);
  return made;
}

/** Includes those of `NODE_EXTRA_CA_CERTS` where Node has `getCACertificates`. */
const usualCas = (): readonly string[] =>
  typeof tls().getCACertificates === 'function' ? tls().getCACertificates('default') : tls().rootCertificates;

/** The name for SNI and the certificate check: none for a literal, and without a trailing dot. */
const serverName = (hostname: string) => (isIP(hostname) ? '' : hostname.replace(/\.$/, ''));
