import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../../shared/log';
import { http } from '../late-modules';
import type { Schedule } from '../schedule';
import { type Rate, tokenBucket } from '../token-bucket';
import { checkedConnections } from './checked-connections';
import type { OpenConnection } from './checked-target';
import type { EgressPolicy, EgressPurpose } from './egress-policy';
import { openConnection as openRealConnection } from './open-connection';
import { ASK_PASSWORD, forward, type OwnSite, refusalResponse, tunnel } from './pass-through';

/** The user name for every egress proxy; only the passwords differ. */
export const PROXY_USER = 'guest';

/** Longest time for look-up and connection, ms. */
const CONNECT_MS = 10_000;
/** Chromium holds at most 32 connections to one proxy in a session. */
const MAX_CONNECTIONS = 256;
/** Of those that have not shown the password: with more, the oldest is closed, so that others cannot hold them all. */
const MAX_STRANGERS = 64;

export type EgressProxy = Awaited<ReturnType<typeof startEgressProxy>>;

/**
 * The egress policy for pages: a loopback HTTP proxy that a session is bound to (rule 22). It resolves each
 * host, checks it, and connects to exactly the checked addresses, for `CONNECT` (https, WebSocket) and
 * absolute-form requests (http).
 *
 * It requires a password: another user of this machine can reach its port, and must not get through to the
 * store's proxy or to the guest's pages. A web page cannot use it as a server either, because it refuses
 * everything but proxy requests.
 *
 * @param options.password of this proxy alone; absent: none is needed (tests)
 * @param options.idleMs longest silence on a connection, ms
 */
export async function startEgressProxy(options: {
  readonly egressPolicy: EgressPolicy;
  readonly purpose: EgressPurpose;
  readonly password?: string;
  readonly schedule: Schedule;
  readonly log: Log;
  /** Called with each refused host, once, for the first 200. */
  readonly onRefused?: (hostname: string) => void;
  /** A host that exists for its pages alone. */
  readonly ownSite?: OwnSite;
  /** How many requests its pages may make; null: without a bound. */
  readonly budget?: Rate | null;
  /** Called once when they exceed the budget; nothing is answered from then on. */
  readonly onFlood?: () => void;
  readonly idleMs?: number;
  readonly openConnection?: OpenConnection;
}) {
  const { egressPolicy, purpose, schedule, log, ownSite, budget = null, password } = options;
  const { idleMs = 60_000, openConnection = openRealConnection } = options;
  const connections = checkedConnections({
    route: (url) => egressPolicy.resolve(url, purpose),
    openConnection,
    connectMs: CONNECT_MS,
    idleMs,
    schedule,
    onRefused(hostname, reason) {
      options.onRefused?.(hostname);
      log.warn('the egress policy blocked a request of a page', { purpose, reason });
    },
  });
  /** Connections that have not shown the password, oldest first. */
  const strangers = new Set<Socket>();
  const mayUse = ({ headers, socket }: IncomingMessage) => {
    const isKnown = password === undefined || hasPassword(headers['proxy-authorization'], password);
    if (isKnown) strangers.delete(socket);
    return isKnown;
  };
  const take = budget === null ? () => 0 : tokenBucket(budget);
  let isRefusing = false;
  let received = 0;

  function refuseAll(): void {
    isRefusing = true;
    server.closeAllConnections();
    connections.destroyAll();
  }

  /** Counts a request. From the first one over the budget on everything is refused, so that no more of a flood is read. */
  function isOneTooMany(): boolean {
    if (!isRefusing && take(performance.now()) === 0) return false;
    if (!isRefusing) {
      refuseAll();
      options.onFlood?.();
    }
    return true;
  }

  const server = http().createServer((incoming, response) => {
    // Not counted: other processes must not use up the pages' budget.
    if (!mayUse(incoming)) {
      response.writeHead(407, { ...ASK_PASSWORD, 'content-length': '0' }).end();
      return;
    }
    // Its connection is closed already.
    if (isOneTooMany()) return;
    forward(connections, ownSite, incoming, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = CONNECT_MS;
  server.timeout = idleMs;
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => client.destroy());
    if (!mayUse(incoming)) client.end(refusalResponse(407), () => client.destroy());
    else if (isOneTooMany()) client.destroy();
    else tunnel(connections, incoming.url ?? '', client, head).catch(() => client.destroy());
  });
  server.on('clientError', (_error, client: Socket) => {
    if (client.writable) client.end(refusalResponse(400));
    else client.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  server.on('connection', (socket) => {
    received += 1;
    if (isRefusing) socket.destroy();
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size > MAX_STRANGERS) oldest?.destroy();
  });
  return {
    /** On 127.0.0.1. */
    port: (server.address() as AddressInfo).port,
    /** How many connections have come so far, refused ones included. */
    received: () => received,
    /** Destroys every connection, and from now on those that still come. */
    refuseAll,
    /** Destroys every connection and stops listening. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      refuseAll();
      await closed;
    },
  };
}

/** Whether a `Proxy-Authorization` header carries this password (Basic scheme, RFC 7617). */
function hasPassword(header: string | undefined, password: string): boolean {
  const expected = `Basic ${Buffer.from(`${PROXY_USER}:${password}`).toString('base64')}`;
  return timingSafeEqual(digest(header ?? ''), digest(expected));
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** More than a banner or the script of a beacon needs; a loop of requests exceeds it within a second. */
export const GUEST_BUDGET: Rate = { burst: 600, perSecond: 60 };
/** Enough for a shop's page with everything that it loads. */
export const LINK_BUDGET: Rate = { burst: 3_000, perSecond: 200 };
