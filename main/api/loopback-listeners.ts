import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { reasonOf } from '../describe-error';

/** Most free ports tried if the settings ask for any. */
const MAX_TRIES = 20;

/** Waiting connections that the system keeps for each address. */
const BACKLOG = 1024;

/** Error codes of a system without IPv6: then no other program can listen on it either. */
const NO_IPV6: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);

export type Listening =
  | {
      readonly ok: true;
      readonly port: number;
      /** Stops listening on both addresses and closes open connections. */
      close(): Promise<void>;
    }
  | { readonly ok: false; readonly address: string; readonly code: string };

/**
 * Lets an HTTP server listen on 127.0.0.1 and on [::1], on one port. Otherwise another
 * user of this machine could listen on the other address, and get the token of every
 * client that uses `localhost`.
 *
 * @param port 0: a port that is free on both. Another that is taken on either is an error.
 */
export async function listenOnLoopback(server: Server, port: number): Promise<Listening> {
  for (let tries = 1; ; tries += 1) {
    const listening = await listenOnce(server, port);
    if (listening.ok || port !== 0 || listening.code !== 'EADDRINUSE' || tries >= MAX_TRIES) return listening;
  }
}

async function listenOnce(server: Server, asked: number): Promise<Listening> {
  const failure = await listen(server, { host: '127.0.0.1', port: asked });
  if (failure !== null) return { ok: false, address: `127.0.0.1:${asked}`, code: failure };
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : asked;
  // The HTTP server can listen on one address only; connections to the other are passed to it.
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) =>
    server.emit('connection', socket),
  );
  async function close(): Promise<void> {
    const closed = [server, second].map((one) => new Promise((resolve) => one.close(resolve)));
    server.closeAllConnections();
    await Promise.all(closed);
  }
  const refusal = await listen(second, { host: '::1', port });
  if (refusal !== null && !NO_IPV6.has(refusal)) {
    await close();
    return { ok: false, address: `[::1]:${port}`, code: refusal };
  }
  second.on('error', (error) => server.emit('error', error));
  return { ok: true, port, close };
}

/** Null when it listens, else the code of the system's error. */
async function listen(
  server: NetServer,
  where: { readonly host: string; readonly port: number },
): Promise<string | null> {
  try {
    await once(server.listen({ ...where, backlog: BACKLOG }), 'listening');
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}
