import { once } from 'node:events';
import { isIP, type LookupFunction, connect as openTcp, type Socket } from 'node:net';
import * as tls from 'node:tls';
import { rejectOnAbort } from '../service/deadline';
import type { CheckedTarget, OpenConnection } from './checked-target';
import { openTunnel } from './through-proxy';

/** A client certificate for mutual TLS; PEM. */
interface ShownCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Pause before the next address of a host is tried as well (Happy Eyeballs), ms. */
const NEXT_ADDRESS_MS = 1000;
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
    over: tls.ConnectionOptions,
    target: CheckedTarget,
    signal: AbortSignal,
    resumes: boolean,
  ): Promise<Socket> {
    const { hostname, port } = target;
    const context = contextOf(additionalCas, shown);
    const key = `${hostname}:${port}`;
    const session = resumes && sessions.get(key);
    const socket = tls.connect({
      ...over,
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
    const { hostname, port, proxy } = target;
    if (proxy !== undefined) {
      const tunnel = await openTunnel(open, proxy, target, signal);
      return secure ? openTls({ socket: tunnel }, target, signal, resumes) : tunnel;
    }
    const options = {
      // A literal is connected to as it is; for a name `lookup` gives the checked addresses, without a second
      // look-up.
      host: hostname,
      port,
      lookup: pinned(target),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      noDelay: true,
    };
    return secure ? openTls(options, target, signal, resumes) : ready(openTcp(options), 'connect', signal);
  }
  return open;
}

/** With the usual CAs alone. */
export const openConnection: OpenConnection = createOpenConnection();

/** Resolves once the socket is open; destroys it and rejects if that fails. */
async function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  // Without a listener an error event would end the process; users of the socket see it close.
  socket.on('error', () => {});
  try {
    // TLS over a tunnel may end without an error.
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('the connection was closed')));
    await Promise.race([once(socket, event), closed, rejectOnAbort(signal)]);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function pinned({ addresses }: CheckedTarget): LookupFunction {
  const [first] = addresses;
  return (hostname, { all }, answer) => {
    if (first === undefined) answer(new Error(`no checked address of ${hostname}`), '');
    else if (all) answer(null, [...addresses]);
    else answer(null, first.address, first.family);
  };
}

/** By certificate, or else by list of CAs: to create one parses some 150 certificates and blocks main for 0.1 s. */
const contexts = new WeakMap<object, tls.SecureContext>();

/** Undefined: TLS uses its default. */
function contextOf(
  additionalCas: readonly string[],
  shown: ShownCertificate | undefined,
): tls.SecureContext | undefined {
  if (additionalCas.length === 0 && !shown) return undefined;
  const key = shown ?? additionalCas;
  const known = contexts.get(key);
  if (known) return known;
  const made = tls.createSecureContext({ ca: [...usualCas(), ...additionalCas], ...shown });
  contexts.set(key, made);
  return made;
}

/** Includes those of `NODE_EXTRA_CA_CERTS` where Node has `getCACertificates`. */
const usualCas = (): readonly string[] =>
  typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates;

/** The name for SNI and the certificate check: none for a literal, and without a trailing dot. */
const serverName = (hostname: string) => (isIP(hostname) ? '' : hostname.replace(/\.$/, ''));
