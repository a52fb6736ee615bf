import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { freePort, listening, untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { timers } from '../schedule';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { Lookup } from './checked-target';
import { createEgressPolicy } from './egress-policy';
import { type EgressProxy, startEgressProxy } from './egress-proxy';
import { FENCED_CASES, UNREADABLE_HOSTS } from './testing/fenced-cases';
import { sendRawRequest } from './testing/raw-request';
import { lookupOf, type WatchedServer, watchedServer } from './testing/watched-servers';

/** Must never be reached. */
let forbidden: WatchedServer;
/** `allowed.example`, which the operator named. */
let allowed: WatchedServer;
let proxy: EgressProxy | null = null;

beforeEach(async () => {
  forbidden = await watchedServer();
  allowed = await watchedServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      response.setHeader('x-answer', 'yes');
      response.setHeader('keep-alive', 'timeout=99');
      response.end(`got ${Buffer.concat(chunks).toString()}`);
    });
  });
});
afterEach(async () => {
  await proxy?.close();
  proxy = null;
  await forbidden[Symbol.asyncDispose]();
  await allowed[Symbol.asyncDispose]();
});

const asciiHost = (host: string) => URL.parse(`http://${host}`)?.hostname ?? host;
const names = Object.fromEntries(
  FENCED_CASES.flatMap(({ host, addresses }) => (addresses ? [[asciiHost(host), addresses]] : [])),
);

async function start(
  changes: Partial<Parameters<typeof startEgressProxy>[0]> & { lookup?: Lookup; allow?: string[] } = {},
): Promise<number> {
  const { lookup, allow, ...rest } = changes;
  const egressPolicy = createEgressPolicy({
    serviceUrls: [`http://127.0.0.1:${forbidden.port}`],
    allowPrivateHosts: allow ?? [`allowed.example:${allowed.port}`],
    lookup: lookup ?? lookupOf({ ...names, 'allowed.example': ['127.0.0.1'] }),
  });
  proxy = await startEgressProxy({
    egressPolicy,
    purpose: 'guest',
    schedule: timers,
    log: silentLog,
    // Longer than any wait of a test: silence closes no connection that something else has to close.
    idleMs: 600_000,
    ...rest,
  });
  return proxy.port;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const get = (target: string, host = 'x') =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
const connectTo = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
/** UTF-8 bytes as a Latin-1 string: the header of a request is sent as Latin-1. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('a page cannot reach anything outside the public internet', () => {
  test.each(FENCED_CASES)('$what: $host', async ({ host }) => {
    const port = await start();
    const tunnel = await sendRawRequest(port, connectTo(`${host}:${forbidden.port}`));
    expect([400, 403]).toContain(statusOf(tunnel));
    const plain = await sendRawRequest(port, get(`http://${asciiHost(host)}:${forbidden.port}/`));
    expect(statusOf(plain)).toBe(403);
    const verbatim = await sendRawRequest(port, get(utf8(`http://${host}:${forbidden.port}/`)));
    expect([400, 403]).toContain(statusOf(verbatim));
    expect(forbidden.connections()).toBe(0);
  });

  test.each(UNREADABLE_HOSTS)('an unreadable host: %s', async (host) => {
    const port = await start();
    expect(statusOf(await sendRawRequest(port, connectTo(`${host}:${forbidden.port}:x`)))).toBe(400);
    expect(statusOf(await sendRawRequest(port, get(`http://${host}:${forbidden.port}:x/`)))).toBe(400);
    expect(forbidden.connections()).toBe(0);
  });

  test.each(['guest', 'link'] as const)(
    "a %s does not reach the service's own private host",
    async (purpose) => {
      const port = await start({ purpose });
      expect(statusOf(await sendRawRequest(port, connectTo(`127.0.0.1:${forbidden.port}`)))).toBe(403);
      expect(forbidden.connections()).toBe(0);
    },
  );

  test('a name whose address changes is reached at the checked address', async () => {
    const answers = ['127.0.0.2', '127.0.0.1'];
    let asked = 0;
    const lookup: Lookup = async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }];
    const port = await start({ lookup, allow: ['rebind.example'] });
    const answer = await sendRawRequest(port, get(`http://rebind.example:${allowed.port}/`));
    expect(statusOf(answer)).toBe(200);
    expect(asked).toBe(1);
    expect(allowed.reachedAt).toEqual(['127.0.0.2']);
  });

  test('a public name that becomes private after the check is reached at its public address only', async () => {
    const answers = ['1.1.1.1', '127.0.0.1'];
    let asked = 0;
    const targets: unknown[] = [];
    const port = await start({
      lookup: async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }],
      openConnection: async (target) => {
        targets.push(target.addresses);
        throw new Error('no network here');
      },
    });
    expect(statusOf(await sendRawRequest(port, connectTo(`rebind.example:${forbidden.port}`)))).toBe(502);
    expect(statusOf(await sendRawRequest(port, connectTo(`rebind.example:${forbidden.port}`)))).toBe(403);
    expect(targets).toEqual([[{ address: '1.1.1.1', family: 4 }]]);
  });
});

describe('only a proxy', () => {
  test.each([
    ['origin form', get('/')],
    ['origin form for a host that it would reach', get('/', 'allowed.example')],
    ['asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['https in absolute form', get('https://allowed.example/')],
    ['another scheme', get('ftp://allowed.example/')],
    ['CONNECT without a port', connectTo('allowed.example')],
    ['CONNECT with a path', connectTo('allowed.example/x:443')],
    ['CONNECT with a user', connectTo('user@allowed.example:443')],
    ['CONNECT with an address', connectTo('http://allowed.example:443')],
    ['CONNECT with too high a port', connectTo('allowed.example:99999')],
  ])('%s is refused', async (_what, bytes) => {
    expect(statusOf(await sendRawRequest(await start(), bytes))).toBe(400);
    expect(allowed.connections()).toBe(0);
  });

  test('port 0 is refused', async () => {
    expect(statusOf(await sendRawRequest(await start(), connectTo('allowed.example:0')))).toBe(403);
  });

  test('a name without an address or a port without a server gives 502', async () => {
    const port = await start({ allow: ['allowed.example'] });
    expect(statusOf(await sendRawRequest(port, get('http://nowhere.example/')))).toBe(502);
    expect(statusOf(await sendRawRequest(port, connectTo(`allowed.example:${await freePort()}`)))).toBe(502);
  });

  test('the proxy listens on 127.0.0.1 only', async () => {
    const port = await start();
    for (const host of ['::1', '127.0.0.2']) {
      const error = await new Promise((resolve) => {
        const socket = connect(port, host, () => resolve('connected'));
        socket.once('error', resolve);
      });
      expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    }
  });
});

describe('allowed traffic goes through', () => {
  test('a request with its body, without hop-by-hop headers', async () => {
    const port = await start();
    const answer = await new Promise<{ headers: object; body: string }>((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: `http://allowed.example:${allowed.port}/p?q=a|b`,
        headers: {
          host: 'other.example',
          'proxy-connection': 'keep-alive',
          'proxy-authorization': 'Basic eA==',
          connection: 'close, x-mine',
          'x-mine': '1',
          'x-kept': '2',
        },
      });
      outgoing.once('error', reject);
      outgoing.once('response', async (response) => {
        let body = '';
        for await (const chunk of response) body += chunk;
        resolve({ headers: response.headers, body });
      });
      outgoing.write('a ');
      outgoing.end('body');
    });
    expect(answer).toMatchObject({ headers: { 'x-answer': 'yes' }, body: 'got a body' });
    expect(answer.headers).not.toMatchObject({ 'keep-alive': 'timeout=99' });
    const [received] = allowed.requests;
    expect(received?.url).toBe('/p?q=a|b');
    expect(received?.headers).toMatchObject({
      host: `allowed.example:${allowed.port}`,
      'x-kept': '2',
      connection: 'close',
    });
    for (const name of ['proxy-connection', 'proxy-authorization', 'x-mine'])
      expect(received?.headers).not.toHaveProperty(name);
  });

  test('a tunnel carries bytes both ways, those sent along with CONNECT too', async () => {
    const answer = await sendRawRequest(
      await start(),
      connectTo(`allowed.example:${allowed.port}`) + get('/inside', 'allowed.example'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(allowed.requests[0]?.url).toBe('/inside');
  });

  test('an answer that breaks off also breaks off for the page', async () => {
    const broken = await watchedServer((_incoming, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const port = await start({ allow: ['allowed.example'] });
    const answer = await sendRawRequest(port, get(`http://allowed.example:${broken.port}/`));
    expect(answer).toContain('half');
    expect(answer).toContain('content-length: 100');
    await broken[Symbol.asyncDispose]();
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['a status below all others', 'HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['a head that does not end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
  ])('an answer that is %s is a bad gateway', async (_what, bytes) => {
    const server = createTcpServer((socket) => {
      // A whole answer does not end the connection: this kiosk has to.
      socket.once('data', () => (bytes.endsWith('\r\n\r\n') ? socket.write(bytes) : socket.end(bytes)));
    });
    const odd = await listening(server);
    const port = await start({ allow: ['allowed.example'] });
    expect(statusOf(await sendRawRequest(port, get(`http://allowed.example:${odd.port}/`)))).toBe(502);
    await new Promise((resolve) => server.close(resolve));
  });

  test('a page that repeats a refused request is logged once', async () => {
    const told: string[] = [];
    const log = {
      ...silentLog,
      warn: (_event: string, details?: object) => told.push(JSON.stringify(details)),
    };
    const port = await start({ log });
    for (let time = 0; time < 5; time += 1)
      await sendRawRequest(port, get('http://lan.example/secret?token=1'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('lan.example');
    expect(told[0]).not.toContain('secret');
  });
});

describe('the own host of a guest', () => {
  const ownSite = {
    host: 'mine.localhost',
    answer: ({ pathname }: URL) => ({ status: 200, headers: { 'x-path': pathname }, body: 'mine' }),
  };

  test('is answered by main without the network, and other hosts are refused', async () => {
    const port = await start({ ownSite });
    const answer = await sendRawRequest(port, get('http://mine.localhost/a?b'));
    expect([statusOf(answer), answer]).toEqual([200, expect.stringContaining('x-path: /a')]);
    expect(answer.endsWith('mine')).toBe(true);
    for (const host of ['other.localhost', 'mine.localhost:81', 'x.mine.localhost'])
      expect([403, 502]).toContain(statusOf(await sendRawRequest(port, get(`http://${host}/`))));
    expect([403, 502]).toContain(statusOf(await sendRawRequest(port, connectTo('mine.localhost:443'))));
  });
});

describe('limits', () => {
  test('a flood is reported once, closes all connections and stops all answers', async () => {
    let floods = 0;
    const onFlood = () => {
      floods += 1;
    };
    const port = await start({ budget: { burst: 3, perSecond: 0.001 }, onFlood });
    const { closed } = await silentTunnel(port);
    const asked = () => sendRawRequest(port, get(`http://allowed.example:${allowed.port}/`));
    expect([statusOf(await asked()), statusOf(await asked())]).toEqual([200, 200]);
    const { length } = allowed.requests;
    expect([
      await asked(),
      await asked(),
      await sendRawRequest(port, connectTo('allowed.example:1')),
    ]).toEqual(['', '', '']);
    await closed;
    expect([floods, allowed.requests.length]).toEqual([1, length]);
  });

  test('a flood in a single packet is reported once, and nothing of it over the budget is sent', async () => {
    let floods = 0;
    const onFlood = () => {
      floods += 1;
    };
    const port = await start({ budget: { burst: 2, perSecond: 0.001 }, onFlood });
    const target = `http://allowed.example:${allowed.port}/`;
    await sendRawRequest(port, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(6));
    expect(floods).toBe(1);
    expect(allowed.requests.length).toBeLessThanOrEqual(2);
  });

  test('at its end it closes all connections, answers none that still come, and counts them', async () => {
    const port = await start();
    const asked = () => sendRawRequest(port, get(`http://allowed.example:${allowed.port}/`));
    expect(statusOf(await asked())).toBe(200);
    const { closed } = await silentTunnel(port);
    const { length } = allowed.requests;
    expect(proxy?.received()).toBe(2);
    proxy?.refuseAll();
    await closed;
    expect(await asked()).toBe('');
    expect([proxy?.received(), allowed.requests.length]).toEqual([3, length]);
  });

  /** A tunnel to a server that never sends anything. */
  async function silentTunnel(port: number): Promise<{ client: Socket; closed: Promise<unknown> }> {
    const client = connect(port, '127.0.0.1');
    client.on('error', () => {});
    const closed = new Promise((resolve) => client.once('close', resolve));
    client.write(connectTo(`allowed.example:${allowed.port}`));
    await new Promise((resolve) => client.once('data', resolve));
    client.resume();
    return { client, closed };
  }

  test('a silent tunnel is closed on both sides', async () => {
    // Long enough that a busy machine opens the tunnel before it counts as silent.
    const { closed } = await silentTunnel(await start({ idleMs: 1_500 }));
    await closed;
    await allDisconnected();
  });

  test('a client that asks for nothing is closed', async () => {
    const client = connect(await start({ idleMs: 300 }), '127.0.0.1');
    await once(client, 'close');
  });

  /** A client of a proxy that waits for a tunnel to a name which is never resolved. */
  async function waitingClient() {
    let asking = () => {};
    const asks = new Promise<void>((resolve) => {
      asking = resolve;
    });
    const lookup = () => {
      asking();
      return new Promise<never>(() => {});
    };
    const port = await start({ lookup });
    const client = connect(port, '127.0.0.1').on('error', () => {});
    client.write(connectTo('slow.example:443'));
    await asks;
    return { port, client };
  }

  test('a client that breaks its connection off while it waits for a tunnel harms nobody', async () => {
    const { port, client } = await waitingClient();
    client.resetAndDestroy();
    expect(statusOf(await sendRawRequest(port, get('http://127.0.0.1/')))).toBe(403);
  });

  test('a client that waits for a tunnel is closed at the end, without an answer', async () => {
    const { client } = await waitingClient();
    let answer = '';
    client.on('data', (bytes) => {
      answer += bytes;
    });
    proxy?.refuseAll();
    await once(client, 'close');
    expect(answer).toBe('');
  });

  test('a page that disconnects also closes its connection to the server', async () => {
    const { client } = await silentTunnel(await start());
    client.destroy();
    await allDisconnected();
  });

  test('a page that disconnects also ends its request', async () => {
    await using endless = await watchedServer(
      (_incoming, response) => void response.writeHead(200).write('x'),
    );
    const client = connect(await start({ allow: ['allowed.example'] }), '127.0.0.1');
    client.write(get(`http://allowed.example:${endless.port}/`));
    await once(client, 'data');
    client.destroy();
    await expect.poll(endless.openConnections).toBe(0);
  });

  test('closing the proxy closes all connections, also tunnels', async () => {
    const port = await start();
    const { closed } = await silentTunnel(port);
    await proxy?.close();
    proxy = null;
    await closed;
    await allDisconnected();
    await untilNobodyListens(port);
  });

  test('a connection that does not open in time gives 502', async () => {
    const time = handTurnedTime();
    let trying = () => {};
    const tries = new Promise<void>((resolve) => {
      trying = resolve;
    });
    const port = await start({
      schedule: time.schedule,
      lookup: lookupOf({ 'slow.example': ['1.1.1.1'] }),
      openConnection: (_target, _secure, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          trying();
        }),
    });
    const answer = sendRawRequest(port, connectTo('slow.example:443'));
    await tries;
    await time.advance(10_000);
    expect(statusOf(await answer)).toBe(502);
  });

  test('a name that is not resolved in time gives 502', async () => {
    const time = handTurnedTime();
    let asking = () => {};
    const asks = new Promise<void>((resolve) => {
      asking = resolve;
    });
    const port = await start({
      schedule: time.schedule,
      lookup: () => {
        asking();
        return new Promise(() => {});
      },
    });
    const answer = sendRawRequest(port, connectTo('slow.example:443'));
    await asks;
    await time.advance(10_000);
    expect(statusOf(await answer)).toBe(502);
  });

  async function allDisconnected(): Promise<void> {
    await expect.poll(() => allowed.openConnections()).toBe(0);
  }
});

describe('a proxy with a password', () => {
  const password = 'of-this-guest';
  const header = (user: string) => `Proxy-Authorization: Basic ${Buffer.from(user).toString('base64')}\r\n`;
  const withHeader = (request: string, more: string) => request.replace('\r\n', `\r\n${more}`);
  const own = { host: 'own.localhost', answer: () => ({ status: 200, headers: {}, body: 'the document' }) };
  const budget = { burst: 2, perSecond: 0.001 };

  test.each([
    ['none', ''],
    ['another', header('guest:other')],
    ['another name', header(`somebody:${password}`)],
    ['one of another scheme', `Proxy-Authorization: Bearer ${password}\r\n`],
  ])('answers 407 to a wrong password (%s), and does not count the request', async (_what, more) => {
    let floods = 0;
    const onFlood = () => {
      floods += 1;
    };
    const port = await start({ password, ownSite: own, budget, onFlood });
    for (let times = 0; times < 5; times += 1) {
      const plain = await sendRawRequest(port, withHeader(get('http://own.localhost/'), more));
      expect(plain).toMatch(/^HTTP\/1\.1 407 /);
      expect(plain.toLowerCase()).toContain('proxy-authenticate: basic realm="endcap"');
      expect(plain).not.toContain('the document');
      const tunnel = await sendRawRequest(
        port,
        withHeader(connectTo(`allowed.example:${allowed.port}`), more),
      );
      expect(tunnel).toMatch(/^HTTP\/1\.1 407 .*\r\nProxy-Authenticate: Basic realm="endcap"/);
    }
    expect(floods).toBe(0);
    expect(allowed.requests).toEqual([]);
  });

  test.each([
    ['a tunnel without the password', connectTo('allowed.example:443')],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  ])('closes even while a client that asked for %s keeps its side open', async (_what, bytes) => {
    const port = await start({ password, ownSite: own });
    const client = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    client.on('error', () => {});
    client.write(bytes);
    await new Promise((resolve) => client.once('data', resolve));
    client.resume();
    onTestFinished(() => void client.destroy());
    const closing = proxy?.close().then(() => 'closed');
    proxy = null;
    expect(await closing).toBe('closed');
  });

  test.each([
    ['say nothing', ''],
    [
      'show another',
      `GET http://own.localhost/ HTTP/1.1\r\nHost: own.localhost\r\n${header('guest:other')}\r\n`,
    ],
  ])(
    'serves a client that knows the password although others hold all connections and %s',
    async (_how, bytes) => {
      const port = await start({ password, ownSite: own });
      const strangers = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
      const answers = strangers.map(
        (stranger) => new Promise((resolve) => stranger.once('data', resolve).once('close', resolve)),
      );
      for (const stranger of strangers) stranger.write(bytes);
      if (bytes !== '') await Promise.all(answers);
      onTestFinished(() => {
        for (const stranger of strangers) stranger.destroy();
      });
      const more = header(`guest:${password}`);
      const isServed = async () =>
        (await sendRawRequest(port, withHeader(get('http://own.localhost/'), more))).includes('the document');
      expect(await isServed()).toBe(true);
      // A tunnel that knows it is not closed for later strangers either.
      const tunnel = connect(port, '127.0.0.1');
      strangers.push(tunnel);
      tunnel.write(withHeader(connectTo(`allowed.example:${allowed.port}`), more));
      await once(tunnel, 'data');
      for (let times = 0; times < 300; times += 1)
        strangers.push(connect(port, '127.0.0.1').on('error', () => {}));
      expect(await isServed()).toBe(true);
      tunnel.write(get('/'));
      expect(String(await once(tunnel, 'data'))).toContain('got ');
    },
  );

  test('serves a client that knows the password, and never passes the password on', async () => {
    const port = await start({ password, ownSite: own });
    const more = header(`guest:${password}`);
    expect(await sendRawRequest(port, withHeader(get('http://own.localhost/'), more))).toContain(
      'the document',
    );
    const passedOn = await sendRawRequest(
      port,
      withHeader(get(`http://allowed.example:${allowed.port}/`), more),
    );
    expect(statusOf(passedOn)).toBe(200);
    expect(allowed.requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined]);
  });
});

test('turns 407 of a site into 502, because Chromium would send the site our password', async () => {
  const site = await watchedServer((_incoming, response) =>
    response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end(),
  );
  try {
    const port = await start({
      lookup: lookupOf({ 'asks.example': ['127.0.0.1'] }),
      allow: [`asks.example:${site.port}`],
    });
    expect(statusOf(await sendRawRequest(port, get(`http://asks.example:${site.port}/`)))).toBe(502);
  } finally {
    await site[Symbol.asyncDispose]();
  }
});
