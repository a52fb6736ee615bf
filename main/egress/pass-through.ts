import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { CheckedConnections } from './checked-connections';
import { requestOver } from './reach';

/** Headers of a single connection, which are not passed on (RFC 9110, 7.6.1). */
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

/** An answer that comes from main instead of the network. */
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

export const ASK_PASSWORD = { 'proxy-authenticate': 'Basic realm="endcap"' };

export const refusalResponse = (status: number) =>
  `HTTP/1.1 ${status} Refused\r\n${status === 407 ? `Proxy-Authenticate: ${ASK_PASSWORD['proxy-authenticate']}\r\n` : ''}Connection: close\r\nContent-Length: 0\r\n\r\n`;

/** Without a body: the page would take it for its own host's answer. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': '0', connection: 'close' }).end();
}

/** Carries out a `CONNECT`. */
export async function tunnel(
  connections: CheckedConnections,
  authority: string,
  client: Socket,
  head: Buffer,
): Promise<void> {
  connections.keep(client);
  const reached = await connections.reach(authorityUrl(authority), client, 'tunnel');
  if ('status' in reached) {
    client.end(refusalResponse(reached.status));
    return;
  }
  const { socket } = reached;
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) socket.write(head);
  pipeline(client, socket, client, () => {
    socket.destroy();
    client.destroy();
  });
}

/** Carries out an absolute-form request. */
export async function forward(
  connections: CheckedConnections,
  ownSite: OwnSite | undefined,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = absoluteUrl(incoming.url ?? '');
  if (ownSite !== undefined && asked?.host === ownSite.host) {
    const { status, headers, body } = ownSite.answer(asked);
    // A 204 states no length.
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    response.writeHead(status, { ...headers, ...length }).end(body);
    return;
  }
  const reached = await connections.reach(asked, incoming.socket, 'request');
  if ('status' in reached) {
    refuse(response, reached.status);
    return;
  }
  const headers = { ...endToEnd(incoming.headers), host: reached.url.host };
  const outgoing = requestOver(reached, incoming.method ?? 'GET', headers);
  const fail = () => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502);
  };
  outgoing.once('response', (answer) => {
    const { statusCode = 0 } = answer;
    // The store's proxy sends a 407 to this kiosk, and Chromium would take a site's 407 for one of this
    // proxy.
    if (statusCode < 200 || statusCode === 407) return fail();
    response.writeHead(statusCode, endToEnd(answer.headers));
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  // Other protocols than HTTP are for CONNECT only.
  outgoing.once('upgrade', fail);
  outgoing.on('error', fail);
  response.once('close', () => reached.socket.destroy());
  incoming.pipe(outgoing);
}

/** The `host:port` of a `CONNECT` as a URL; null for anything else. */
function authorityUrl(authority: string): URL | null {
  if (!/^[^/?#@\\\s]+:\d{1,5}$/.test(authority)) return null;
  return URL.parse(`https://${authority}`);
}

/** The URL of an absolute-form request; null for a request to this server itself. */
function absoluteUrl(target: string): URL | null {
  return /^http:\/\//i.test(target) ? URL.parse(target) : null;
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
