import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { rejectOnAbort, startDeadline } from '../deadline';
import { http } from '../late-modules';
import type { Schedule } from '../schedule';
import type { CheckedTarget, EgressRefusal, HttpProxy, OpenConnection } from './checked-target';
import { asSendError, SendError } from './send-error';
import { openToProxy, proxyAuthorization } from './through-proxy';

/** An open connection over which a URL can be requested. */
export interface Reached {
  readonly url: URL;
  readonly socket: Socket;
  /** The proxy at the other end, which forwards requests; null: the other end is the host. */
  readonly forwarding: HttpProxy | null;
}

export interface ReachOptions {
  /** Where to connect for a URL, or why not. */
  readonly route: (url: URL) => Promise<CheckedTarget | EgressRefusal>;
  readonly openConnection: OpenConnection;
  /** Longest time for look-up, connection and TLS together, ms. */
  readonly connectMs: number;
  readonly schedule: Schedule;
}

/**
 * Look-up, check, connection and TLS; nothing of a request is sent yet. Rejects with a `SendError`.
 *
 * @param use `tunnel`: the bytes are the caller's, even behind a proxy. `raw`: the caller's own protocol, over TLS to an https
 * address. `request`: one HTTP request follows
 * @param left whether an earlier hop of a redirect was reached
 */
export async function reach(
  url: URL,
  use: 'tunnel' | 'raw' | 'request',
  { route, openConnection, connectMs, schedule }: ReachOptions,
  signal: AbortSignal,
  left: 'no' | 'maybe' = 'no',
): Promise<Reached> {
  const end = startDeadline(connectMs, schedule, signal);
  try {
    const target = await Promise.race([route(url), rejectOnAbort(end.signal)]);
    if (!target.ok) throw new SendError(target.code, left, target.message);
    const isSecure = use !== 'tunnel' && url.protocol === 'https:';
    // Proxies forward http themselves; many refuse a tunnel to its port.
    const forwarding = (use === 'request' && !isSecure && target.proxy) || null;
    const socket = forwarding
      ? await openToProxy(openConnection, forwarding, end.signal)
      : await openConnection(target, isSecure, end.signal);
    return { url, socket, forwarding };
  } catch (error) {
    throw asSendError(error, signal, left);
  } finally {
    end.release();
  }
}

/**
 * Starts a request on such a connection; its body is still to be sent.
 *
 * @param isLenient takes errors in the form of an answer that browsers take too. No second answer comes on the
 *   connection, so nobody can hide one in the first
 */
export function requestOver(
  { url, socket, forwarding }: Reached,
  method: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  isLenient = false,
): ClientRequest {
  const path = url.pathname + url.search;
  return http().request({
    createConnection: () => socket,
    method,
    path: forwarding ? url.origin + path : path,
    setHost: false,
    insecureHTTPParser: isLenient,
    headers: {
      host: url.host,
      ...headers,
      ...(forwarding && proxyAuthorization(forwarding)),
      connection: 'close',
    },
  });
}
