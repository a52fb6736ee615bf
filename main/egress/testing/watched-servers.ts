import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { listening } from '../../../tools/fleet/loopback-ports';
import type { Lookup } from '../checked-target';

export type WatchedServer = Awaited<ReturnType<typeof watchedServer>>;

/** A real server on every loopback address, v4 and v6, that counts who connects. */
export async function watchedServer(
  listener: RequestListener = (_request, response) => void response.end('here'),
) {
  const requests: IncomingMessage[] = [];
  /** Local address of each connection, v4 unmapped. */
  const reachedAt: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.on('connection', (socket) => reachedAt.push((socket.localAddress ?? '').replace('::ffff:', '')));
  return {
    ...(await listening(server, '::')),
    reachedAt,
    requests,
    /** Number of connections since the start. */
    connections: () => reachedAt.length,
    openConnections: promisify(server.getConnections.bind(server)),
  };
}

/** A resolver that knows these names only; for any other it rejects with the system's error. */
export function lookupOf(names: Readonly<Record<string, readonly string[]>>): Lookup & { asked: string[] } {
  const asked: string[] = [];
  const lookup = async (hostname: string): Promise<LookupAddress[]> => {
    asked.push(hostname);
    const addresses = names[hostname.replace(/\.$/, '')];
    if (!addresses)
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return Object.assign(lookup, { asked });
}
