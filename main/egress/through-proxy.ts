import { request as httpRequest } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { proxyName } from '../settings/proxy-address';
import type { CheckedTarget, HttpProxy, OpenConnection } from './checked-target';
import { SendError } from './send-error';

/** Opens a connection to a proxy itself. Rejects with a `SendError` that names the proxy. */
export async function openToProxy(
  open: OpenConnection,
  proxy: HttpProxy,
  signal: AbortSignal,
): Promise<Socket> {
  try {
    return await open(proxy, false, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
    throw new SendError('proxy-unreachable', 'no', `${proxyName(proxy)} cannot be connected to (${code})`, {
      cause: error,
    });
  }
}

/**
 * Opens a tunnel through a proxy to a target (`CONNECT`, RFC 9110, 9.3.6). It sends the host's name, not an
 * address: proxies allow hosts by name, and resolve it themselves. Rejects with a `SendError`, or with the
 * signal's reason.
 */
export async function openTunnel(
  open: OpenConnection,
  proxy: HttpProxy,
  { hostname, port }: CheckedTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = await openToProxy(open, proxy, signal);
  const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
  return new Promise((resolve, reject) => {
    const fail = (reason: unknown) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      reject(reason);
    };
    const abort = () => fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const request = httpRequest({
      createConnection: () => socket,
      method: 'CONNECT',
      path: authority,
      setHost: false,
      headers: { host: authority, ...proxyAuthorization(proxy) },
    });
    request.once('connect', (answer, tunnel: Socket, head) => {
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 299) {
        fail(refusedBy(proxy, status));
        return;
      }
      signal.removeEventListener('abort', abort);
      if (head.length > 0) tunnel.unshift(head);
      resolve(tunnel);
    });
    request.on('error', (error) =>
      fail(
        new SendError('proxy-refused', 'no', `${proxyName(proxy)} ended the connection without an answer`, {
          cause: error,
        }),
      ),
    );
    request.end();
    if (signal.aborted) abort();
  });
}

/** What a proxy's own answer means. tinyproxy answers a wrong password with 401 instead of 407. */
export function refusedBy(proxy: HttpProxy, status: number): SendError {
  const name = proxyName(proxy);
  return status === 407 || status === 401
    ? new SendError('proxy-auth', 'no', `${name} does not accept the user and password (${status})`)
    : new SendError('proxy-refused', 'no', `${name} answered with the status ${status}`);
}

/** The header with the proxy's credentials, if it has any (Basic, RFC 7617). */
export function proxyAuthorization({ credentials }: HttpProxy): Readonly<Record<string, string>> {
  if (credentials === null) return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials.reveal()).toString('base64')}` };
}
