import { createServer as createHttpServer, request, type Server } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort, untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { type Listening, listenOnLoopback } from './loopback-listeners';

const cleanups: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

/** Another user's program that listens on a port; resolves to that port. */
async function stranger(host: string): Promise<number> {
  const port = await freePort();
  const server: NetServer = createServer();
  await new Promise<void>((resolve) => server.listen({ host, port, ipv6Only: true }, resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return port;
}

function api(): Server {
  return createHttpServer((_request, response) => response.end('api'));
}

/** A server that gets these ports first when it listens on port 0. */
function givenPorts(ports: readonly number[]): Server {
  const left = [...ports];
  const server = api();
  const listen = server.listen.bind(server) as (options: object, done: () => void) => Server;
  server.listen = ((options: { port: number }, done: () => void) =>
    listen(options.port === 0 ? { ...options, port: left.shift() ?? 0 } : options, done)) as typeof listen &
    Server['listen'];
  return server;
}

async function start(server: Server, port: number): Promise<Listening> {
  const listening = await listenOnLoopback(server, port);
  if (listening.ok) {
    cleanups.push(() => {
      server.closeAllConnections();
      return listening.close();
    });
  }
  return listening;
}

function ask(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ host, port, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    asking.on('error', reject).end();
  });
}

describe.runIf(hasIpv6)('the port of the local API', () => {
  it('answers on both addresses that localhost may mean', async () => {
    const listening = await start(api(), 0);
    expect(listening).toMatchObject({ ok: true });
    const port = listening.ok ? listening.port : 0;
    for (const host of ['127.0.0.1', '::1', 'localhost']) expect(await ask(host, port)).toBe('api');
  });

  it('is closed on both addresses', async () => {
    const server = api();
    const listening = await listenOnLoopback(server, 0);
    if (!listening.ok) throw new Error(listening.code);
    await listening.close();
    for (const host of ['127.0.0.1', '::1']) await untilNobodyListens(listening.port, host);
  });

  it('is refused if another program holds it on one address, and is freed on the other', async () => {
    for (const [theirs, other] of [
      ['::1', '127.0.0.1'],
      ['::', '127.0.0.1'],
      ['127.0.0.1', '::1'],
    ] as const) {
      const port = await stranger(theirs);
      const address = theirs === '127.0.0.1' ? `127.0.0.1:${port}` : `[::1]:${port}`;
      expect(await start(api(), port)).toEqual({ ok: false, address, code: 'EADDRINUSE' });
      await untilNobodyListens(port, other);
    }
  });

  it('is chosen again if none is set and the first choice is taken on [::1]', async () => {
    const taken = [await stranger('::1'), await stranger('::1')];
    const listening = await start(givenPorts(taken), 0);
    expect(listening).toMatchObject({ ok: true });
    const port = listening.ok ? listening.port : 0;
    expect(taken).not.toContain(port);
    expect(await ask('::1', port)).toBe('api');
  });
});
