import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { errorCode } from '../describe-error';
import { http } from '../late-modules';
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
    const why = errorCode(error) ?? 'no connection';
    throw new SendError('proxy-unreachable', 'no', `${proxyName(proxy)} cannot be connected to (${why})`, {
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
  const request = http().request({
    createConnection: () => socket,
    method: 'CONNECT',
    path: authority,
    setHost: false,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    signal,
  });
  request.end();
  const answered = once(request, 'connect') as Promise<[IncomingMessage, Socket, Buffer]>;
  const [answer, tunnel, head] = await answered.catch((error: unknown) => {
    signal.throwIfAborted();
    const message = `${proxyName(proxy)} ended the connection without an answer`;
    throw new SendError('proxy-refused', 'no', message, { cause: error });
  });
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 299) {
    socket.destroy();
    throw refusedBy(proxy, status);
  }
  if (head.length > 0) tunnel.unshift(head);
  return tunnel;
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
