import { isIP, type LookupFunction, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import type { CheckedTarget } from './fence';

/** Pause before the next address of a host is tried beside the first, ms. */
const NEXT_ADDRESS_MS = 1000;

/**
 * Opens a connection to a checked target and to nothing else, with TLS where
 * `secure`. Rejects with the system's error, or with the signal's reason.
 */
export type OpenConnection = (target: CheckedTarget, secure: boolean, signal: AbortSignal) => Promise<Socket>;

/** The one place where a connection for an ad's URL is opened: the checked addresses stand in for a lookup. */
export const openConnection: OpenConnection = (target, secure, signal) => {
  const { hostname, port } = target;
  const options = {
    // A literal is its own address; a name is never looked up a second time.
    host: hostname,
    port,
    lookup: pinned(target),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
  };
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const socket = secure
      ? openTls({ ...options, servername: serverName(hostname), ALPNProtocols: ['http/1.1'] })
      : openTcp(options);
    // Whoever uses the connection hears of its end; an error that nobody listens to would end the kiosk.
    socket.on('error', () => {});
    const abort = () => fail(signal.reason);
    const fail = (reason: unknown) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      reject(reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', fail);
      resolve(socket);
    });
  });
};

function pinned({ addresses }: CheckedTarget): LookupFunction {
  const [first] = addresses;
  return (_hostname, { all }, answer) => {
    if (all) answer(null, [...addresses]);
    else if (first) answer(null, first.address, first.family);
  };
}

/** For SNI and the certificate: a literal has none, and a trailing dot is not part of it. */
const serverName = (hostname: string) => (isIP(hostname) ? '' : hostname.replace(/\.$/, ''));

/** Rejects with the signal's reason once it is given, and never settles otherwise. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
