import { createServer, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { listening } from '../../../tools/fleet/loopback-ports';
import type { TestCa } from './test-ca';

export type ForwardProxy = Awaited<ReturnType<typeof forwardProxy>>;

/**
 * A real forward proxy on loopback, as a store may have one.
 *
 * @param options.routes loopback port of each host that it reaches (`host:port`); others get a 502
 * @param options.credentials `user:password` that it requires
 * @param options.refuses the status that every request gets
 * @param options.inspects terminates TLS itself, with certificates of this CA
 */
export async function forwardProxy(options: {
  readonly routes: Readonly<Record<string, number>>;
  readonly credentials?: string;
  readonly refuses?: number;
  readonly inspects?: TestCa;
}) {
  const { routes, credentials, inspects } = options;
  /** Every request line (`CONNECT host:port`, `GET http://…`), refused requests included. */
  const asked: string[] = [];

  /** The status to refuse with; null: the request is forwarded. */
  function refusal(incoming: IncomingMessage, port: number | undefined): number | null {
    const given = incoming.headers['proxy-authorization'];
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (expected && given !== expected) return 407;
    return options.refuses ?? (port === undefined ? 502 : null);
  }

  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const url = URL.parse(incoming.url ?? '');
    const port = url ? routes[`${url.hostname}:${url.port || 80}`] : undefined;
    const refused = refusal(incoming, port);
    if (refused !== null || url === null) {
      response.writeHead(refused ?? 400, { 'proxy-authenticate': 'Basic realm="store"' }).end();
      return;
    }
    const { 'proxy-authorization': _own, ...headers } = incoming.headers;
    const outgoing = request(
      { port, host: '127.0.0.1', method: incoming.method, path: url.pathname + url.search, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    const authority = incoming.url ?? '';
    asked.push(`CONNECT ${authority}`);
    const port = routes[authority];
    const refused = refusal(incoming, port);
    if (refused !== null || port === undefined) {
      // As many proxies do, it leaves the connection open for another try.
      client.once('end', () => client.end()).resume();
      client.write(
        `HTTP/1.1 ${refused} No\r\nProxy-Authenticate: Basic realm="store"\r\nContent-Length: 0\r\n\r\n`,
      );
      return;
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (!inspects) return tunnel(client, port);
    const issued = inspects.issue(authority.replace(/:\d+$/, ''));
    tunnel(new TLSSocket(client, { isServer: true, secureContext: createSecureContext(issued) }), port);
  });
  return {
    ...(await listening(server)),
    asked,
    openConnections: promisify(server.getConnections.bind(server)),
  };
}

/** Passes everything between a client and this port of loopback, until one of them closes. */
function tunnel(client: Socket, port: number): void {
  const server = connect(port, '127.0.0.1');
  server.on('error', () => {}).once('close', () => client.end());
  client.on('error', () => {}).once('close', () => server.destroy());
  client.pipe(server).pipe(client);
}
