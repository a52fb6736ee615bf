import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorCode } from '../describe-error';

/**
 * Listens on loopback, with a socket that can go away and come back on the same port. A port that cannot be used (taken,
 * or reserved by Windows since the last start) gives way to a free one, unless it is required; 0 asks for a free one.
 * Rejects where no port can be used.
 */
export async function startListener(
  host: string,
  port: number,
  requiresPort: boolean,
  onRequest: http.RequestListener,
) {
  const server = http.createServer({ keepAliveTimeout: 30_000 }, onRequest);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const listen = (wanted: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port: wanted, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await listen(port);
  } catch (error) {
    if (requiresPort && errorCode(error) === 'EADDRINUSE')
      throw new Error(`port ${port} is taken: end the program that listens on it, or choose another port`);
    if (requiresPort || port === 0) throw error;
    await listen(0);
  }
  const address = server.address() as AddressInfo;
  let returning: NodeJS.Timeout | undefined;
  /** Closes the listening socket and destroys every connection: clients are refused. */
  async function goDown(): Promise<void> {
    clearTimeout(returning);
    if (!server.listening) return;
    await new Promise((resolve) => {
      server.close(resolve);
      for (const socket of sockets) socket.destroy();
    });
  }
  async function comeBack(): Promise<void> {
    clearTimeout(returning);
    if (!server.listening) await listen(address.port);
  }
  return {
    port: address.port,
    goDown,
    comeBack,
    /** Goes down once the answer to the present request was sent, and comes back after `ms`. */
    goDownFor(ms: number): void {
      clearTimeout(returning);
      setImmediate(() => {
        void goDown();
        returning = setTimeout(() => void comeBack(), ms);
      });
    },
  };
}
