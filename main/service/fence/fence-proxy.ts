import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../../shared/log';
import type { Schedule } from '../schedule';
import type { Fence, FencePurpose, HttpProxy } from './fence';
import { type OpenConnection, openConnection as openRealConnection, rejectOnAbort } from './open-connection';
import { hasPassword } from './proxy-password';
import { type RequestBudget, requestMeter } from './request-budget';
import { openToProxy, proxyAuthorization } from './through-proxy';

/** Chromium holds at most 32 connections to one proxy in a session. */
const MAX_CONNECTIONS = 256;
const MAX_TOLD = 200;
/** What concerns one connection only and is not passed on (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** An answer that main gives itself. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A host that exists for the pages of this proxy alone: main answers for it, and no network is asked. */
export interface OwnSite {
  readonly host: string;
  answer(url: URL): OwnAnswer;
}

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
  const openConnection = options.openConnection ?? openRealConnection;
  const open = new Set<Duplex>();
  const { ownSite, budget = null, password } = options;
  const mayUse = ({ headers }: IncomingMessage) =>
    password === undefined || hasPassword(headers['proxy-authorization'], password);
  const now = options.now ?? (() => performance.now());
  const take = budget === null ? () => true : requestMeter(budget);
  let isFlooded = false;
  /** Hosts whose refusal is in the log: a page that tries again and again does not fill it. */
  const told = new Set<string>();

  /** Counts a request; one too many ends every connection, so that no more is read of a flood. */
  function isOneTooMany(): boolean {
    if (!isFlooded && take(now())) return false;
    if (!isFlooded) {
      isFlooded = true;
      options.onFlood?.();
      server.closeAllConnections();
      for (const stream of open) stream.destroy();
    }
    return true;
  }

  /** A connection to a checked address, or the status that says why there is none. */
  async function reach(url: URL | null, client: Duplex, use: 'tunnel' | 'forward'): Promise<Reached> {
    if (url === null) return { ok: false, status: 400 };
    const giveUp = new AbortController();
    const cancelDeadline = schedule(connectMs, () => giveUp.abort());
    const gone = () => giveUp.abort();
    client.once('close', gone);
    try {
      const target = await Promise.race([fence.resolve(url, purpose), rejectOnAbort(giveUp.signal)]);
      if (!target.ok) {
        if (target.code === 'fenced' && told.size < MAX_TOLD && !told.has(url.hostname)) {
          told.add(url.hostname);
          options.onFenced?.(url.hostname);
          log.warn('a page was kept inside the fence', { purpose, reason: target.message });
        }
        return { ok: false, status: target.code === 'fenced' ? 403 : 502 };
      }
      const forwarding = (use === 'forward' && target.proxy) || null;
      const socket = forwarding
        ? await openToProxy(openConnection, forwarding, giveUp.signal)
        : await openConnection(target, false, giveUp.signal);
      keep(socket);
      return { ok: true, socket, url, forwarding };
    } catch {
      return { ok: false, status: 502 };
    } finally {
      cancelDeadline();
      client.off('close', gone);
    }
  }

  /** Counts a connection among those to close, and ends it when it falls silent. */
  function keep(stream: Socket): void {
    open.add(stream);
    stream.once('close', () => open.delete(stream));
    stream.setTimeout(idleMs, () => stream.destroy());
  }

  async function tunnel(authority: string, client: Socket, head: Buffer): Promise<void> {
    keep(client);
    const reached = await reach(authorityUrl(authority), client, 'tunnel');
    if (!reached.ok) {
      client.end(refusal(reached.status));
      return;
    }
    const { socket } = reached;
    socket.on('error', () => client.destroy());
    socket.once('close', () => client.destroy());
    client.once('close', () => socket.destroy());
    if (client.destroyed) {
      socket.destroy();
      return;
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) socket.write(head);
    client.pipe(socket).pipe(client);
  }

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = absoluteUrl(incoming.url ?? '');
    if (ownSite !== undefined && asked?.host === ownSite.host) {
      const { status, headers, body } = ownSite.answer(asked);
      // A 204 states no length.
      const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      response.writeHead(status, { ...headers, ...length }).end(body);
      return;
    }
    const reached = await reach(asked, incoming.socket, 'forward');
    if (!reached.ok) {
      refuse(response, reached.status);
      return;
    }
    const { socket, url, forwarding } = reached;
    const path = url.pathname + url.search;
    const outgoing = request({
      createConnection: () => socket,
      method: incoming.method ?? 'GET',
      path: forwarding ? url.origin + path : path,
      setHost: false,
      headers: {
        ...endToEnd(incoming.headers),
        ...(forwarding && proxyAuthorization(forwarding)),
        host: url.host,
        connection: 'close',
      },
    });
    const fail = () => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502);
    };
    outgoing.once('response', (answer) => {
      const { statusCode = 0, headers } = answer;
      // 407 is the store's proxy speaking to this kiosk, not to a page; from a site Chromium would take it for ours.
      if (statusCode < 200 || statusCode === 407) {
        answer.destroy();
        fail();
        return;
      }
      response.writeHead(statusCode, endToEnd(headers));
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    // To another protocol than HTTP a page gets by CONNECT only.
    outgoing.once('upgrade', (_answer, upgraded) => {
      upgraded.destroy();
      fail();
    });
    outgoing.on('error', fail);
    response.once('close', () => socket.destroy());
    incoming.pipe(outgoing);
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
    forward(incoming, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = connectMs;
  server.timeout = idleMs;
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => client.destroy());
    if (!mayUse(incoming)) client.end(refusal(407));
    else if (isOneTooMany()) client.destroy();
    else tunnel(incoming.url ?? '', client, head).catch(() => client.destroy());
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
      for (const stream of open) stream.destroy();
      await closed;
    },
  };
}

type Reached =
  | {
      readonly ok: true;
      readonly socket: Socket;
      readonly url: URL;
      /** The proxy that the connection leads to and that forwards requests; null: it leads to the host. */
      readonly forwarding: HttpProxy | null;
    }
  | { readonly ok: false; readonly status: 400 | 403 | 502 };

const ASK_PASSWORD = { 'proxy-authenticate': 'Basic realm="endcap"' };

const refusal = (status: number) =>
  `HTTP/1.1 ${status} Refused\r\n${status === 407 ? `Proxy-Authenticate: ${ASK_PASSWORD['proxy-authenticate']}\r\n` : ''}Connection: close\r\nContent-Length: 0\r\n\r\n`;

/** Without words: the answer is read as the page's own host speaking. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': '0', connection: 'close' }).end();
}

/** `host:port`, as `CONNECT` names where it wants to go; null for anything else. */
function authorityUrl(authority: string): URL | null {
  if (!/^[^/?#@\\\s]+:\d{1,5}$/.test(authority)) return null;
  return URL.parse(`https://${authority}`);
}

/** What an absolute-form request names; null for one to this server itself. */
function absoluteUrl(target: string): URL | null {
  return /^http:\/\//i.test(target) ? URL.parse(target) : null;
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
