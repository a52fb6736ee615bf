import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../main/describe-error';

/** Below the ports that systems use for outgoing connections (Linux: from 32768 on), above those that `fetch` refuses (10080). */
const LOWEST = 10_100;
const HIGHEST = 32_000;
const TRIES = 100;
const LOOK_MS = 5;

/**
 * Finds a free port of loopback. No outgoing connection can take it, so a server that is down for a while
 * can use it again.
 */
export async function freePort(): Promise<number> {
  for (let tries = TRIES; tries > 0; tries -= 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    await untilNobodyListens(port);
    return port;
  }
  throw new Error(`none of ${TRIES} ports is free`);
}

/** Listens on a free port of loopback. Disposal destroys open connections, and ends when the server is closed. */
export async function listening(server: Server, host = '127.0.0.1') {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Resolves when connections to this port of loopback are refused. A closed socket may stay open for a moment: a child
 * process that another thread starts just then holds a copy until it runs its program.
 */
export async function untilNobodyListens(port: number, host = '127.0.0.1'): Promise<void> {
  while (await isListening(port, host)) await wait(LOOK_MS);
}

/**
 * Whether something listens on this port of loopback. A listener that closes just then resets the connection, which counts
 * as listening. Rejects on any other error but "connection refused".
 */
export function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      const code = errorCode(error);
      if (code === 'ECONNREFUSED' || code === 'ECONNRESET') resolve(code === 'ECONNRESET');
      else reject(error);
    });
  });
}
