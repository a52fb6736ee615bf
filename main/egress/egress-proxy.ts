import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../../../shared/log';
import type { Schedule } from '../schedule';
import type { Fence, FencePurpose } from './fence';
import { FencedConnections } from './fenced-connections';
import { type OpenConnection, openConnection as openRealConnection } from './open-connection';
import { ASK_PASSWORD, forward, type OwnSite, refusal, tunnel } from './pass-through';
import { hasPassword } from './proxy-password';
import { type RequestBudget, requestMeter } from './request-budget';

export type { OwnAnswer, OwnSite } from './pass-through';

/** Chromium holds at most 32 connections to one proxy in a session. */
const MAX_CONNECTIONS = 256;

export interface FenceProxy {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Ends every connection through it. */
  close(): Promise<void>;
}

/**
 * The fence for pages: a loopback HTTP proxy that a session is bound to (rule
 * 22). It resolves each host, checks it, and connects to exactly what was
 * checked, for `CONNECT` (https, WebSocket) and absolute-form requests (http).
 *
 * It asks for a password: another user of this machine can reach its port, but neither
 * the store's proxy nor what a guest is shown. A page elsewhere cannot use
 * it either, since anything but a proxy request is refused.
 *
 * @param options.password of this proxy alone; without one nobody is asked for it (tests)
 * @param options.connectMs longest time for name and connection, ms
 * @param options.idleMs longest silence on a connection, ms
 */
export async function startFenceProxy(options: {
  readonly fence: Fence;
  readonly purpose: FencePurpose;
  readonly password?: string;
  readonly schedule: Schedule;
  readonly log: Log;
  /** Hears of each host that is kept out, once; of the first 200. */
  readonly onFenced?: (hostname: string) => void;
  /** For its pages alone; without it every host is asked in the network. */
  readonly ownSite?: OwnSite;
  /** How much its pages may ask for; null: without a bound. */
  readonly budget?: RequestBudget | null;
  /** They have asked for more. It is told once, and nothing is answered from then on. */
  readonly onFlood?: () => void;
  /** ms, monotonic. */
  readonly now?: () => number;
  readonly connectMs?: number;
  readonly idleMs?: number;
  readonly openConnection?: OpenConnection;
}): Promise<FenceProxy> {
  const { fence, purpose, schedule, log } = options;
  const connectMs = options.connectMs ?? 10_000;
  const idleMs = options.idleMs ?? 60_000;
  const connections = new FencedConnections({
    fence,
    purpose,
    openConnection: options.openConnection ?? openRealConnection,
    connectMs,
    idleMs,
    schedule,
    onFenced(hostname, reason) {
      options.onFenced?.(hostname);
      log.warn('a page was kept inside the fence', { purpose, reason });
    },
  });
  const { ownSite, budget = null, password } = options;
  const mayUse = ({ headers }: IncomingMessage) =>
    password === undefined || hasPassword(headers['proxy-authorization'], password);
  const now = options.now ?? (() => performance.now());
  const take = budget === null ? () => true : requestMeter(budget);
  let isFlooded = false;

  /** Counts a request; one too many ends every connection, so that no more is read of a flood. */
  function isOneTooMany(): boolean {
    if (!isFlooded && take(now())) return false;
    if (!isFlooded) {
      isFlooded = true;
      options.onFlood?.();
      server.closeAllConnections();
      connections.destroyAll();
    }
    return true;
  }

  const server = createServer((incoming, response) => {
    // Not counted: a stranger must not bring the budget of the pages to its end.
    if (!mayUse(incoming)) {
      response.writeHead(407, { ...ASK_PASSWORD, 'content-length': '0' }).end();
      return;
    }
    if (isOneTooMany()) {
      incoming.socket.destroy();
      return;
    }
    forward(connections, ownSite, incoming, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = connectMs;
  server.timeout = idleMs;
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => client.destroy());
    if (!mayUse(incoming)) client.end(refusal(407));
    else if (isOneTooMany()) client.destroy();
    else tunnel(connections, incoming.url ?? '', client, head).catch(() => client.destroy());
  });
  server.on('clientError', (_fault, client: Socket) => {
    if (client.writable) client.end(refusal(400));
    else client.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  server.on('connection', (socket) => {
    if (isFlooded) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      connections.destroyAll();
      await closed;
    },
  };
}
