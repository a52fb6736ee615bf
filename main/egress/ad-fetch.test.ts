import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort, listening } from '../../tools/fleet/loopback-ports';
import { timers } from '../schedule';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createAdFetch } from './ad-fetch';
import type { Lookup, OpenConnection } from './checked-target';
import { createServiceFetch } from './egress';
import { createEgressPolicy } from './egress-policy';
import type { FetchInit } from './http-client';
import { openConnection } from './open-connection';
import { SendError } from './send-error';
import { FENCED_CASES, UNREADABLE_HOSTS } from './testing/fenced-cases';
import { selfSigned } from './testing/self-signed';
import { lookupOf, type WatchedServer, watchedServer } from './testing/watched-servers';

/** Must never be reached. */
let forbidden: WatchedServer;
/** `allowed.example`, which the operator named. Redirects to `?to=`. */
let allowed: WatchedServer;

beforeEach(async () => {
  forbidden = await watchedServer();
  allowed = await watchedServer((request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    if (to === null) response.end('here');
    else response.writeHead(302, { location: Buffer.from(to).toString('latin1') }).end('moved');
  });
});
afterEach(async () => {
  await forbidden[Symbol.asyncDispose]();
  await allowed[Symbol.asyncDispose]();
});

const asciiHost = (host: string) => URL.parse(`http://${host}`)?.hostname ?? host;
const names = Object.fromEntries(
  FENCED_CASES.flatMap(({ host, addresses }) => (addresses ? [[asciiHost(host), addresses]] : [])),
);

function fetcher(
  changes: Partial<Parameters<typeof createAdFetch>[0]> & { lookup?: Lookup; allow?: string[] } = {},
) {
  const { lookup, allow, ...rest } = changes;
  const egressPolicy = createEgressPolicy({
    serviceUrls: ['http://ads.example:1/path'],
    allowPrivateHosts: allow ?? [`allowed.example:${allowed.port}`],
    lookup: lookup ?? lookupOf({ ...names, 'allowed.example': ['127.0.0.1'] }),
  });
  return createAdFetch({ egressPolicy, purpose: 'beacon', schedule: timers, ...rest });
}

const errorOf = (sending: Promise<unknown>) =>
  sending.then(
    () => 'answered',
    (error: unknown) => (error instanceof SendError ? { code: error.code, left: error.left } : error),
  );
const to = (target: string) => `http://allowed.example:${allowed.port}/?to=${encodeURIComponent(target)}`;

describe('an ad cannot reach anything outside the public internet', () => {
  test.each(FENCED_CASES)('$what: $host', async ({ host }) => {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${forbidden.port}/`;
      // A backslash ends the authority, so that the port belongs to the path: then it is the host alone.
      expect(await errorOf(fetcher()(url))).toEqual({ code: 'fenced', left: 'no' });
      expect(await errorOf(fetcher()(to(url)))).toEqual({ code: 'fenced', left: 'maybe' });
    }
    expect(forbidden.connections()).toBe(0);
  });

  test.each(UNREADABLE_HOSTS)('an unreadable host: http://%s', async (host) => {
    expect(await errorOf(fetcher()(`http://${host}:${forbidden.port}:x/`))).toEqual({
      code: 'fenced',
      left: 'no',
    });
    expect(forbidden.connections()).toBe(0);
  });

  test.each([
    'data:text/plain,hello',
    'blob:http://x/1',
    'file:///etc/passwd',
    'ftp://1.1.1.1/',
    'about:blank',
    'javascript:1',
    '/relative',
    '',
  ])('another scheme: %s', async (url) => {
    expect(await errorOf(fetcher()(url))).toEqual({ code: 'fenced', left: 'no' });
  });

  test.each(['file:///etc/passwd', 'data:text/plain,x', 'http://[::1', 'ftp://allowed.example/'])(
    'a redirect to %s',
    async (target) => {
      expect(await errorOf(fetcher()(to(target)))).toEqual({ code: 'fenced', left: 'maybe' });
    },
  );

  test('through a chain of redirects', async () => {
    const last = `http://127.0.0.1:${forbidden.port}/`;
    expect(await errorOf(fetcher()(to(to(to(last)))))).toEqual({ code: 'fenced', left: 'maybe' });
    expect(allowed.requests).toHaveLength(3);
    expect(forbidden.connections()).toBe(0);
  });

  test('any v4 address of a forbidden range, in any notation, opens no connection', async () => {
    const opened: unknown[] = [];
    const fetch = fetcher({
      openConnection: async (target) => {
        opened.push(target);
        throw new Error('opened');
      },
    });
    const range = fc.constantFrom(
      [0x0a000000, 24],
      [0x7f000000, 24],
      [0xa9fe0000, 16],
      [0xac100000, 20],
      [0xc0a80000, 16],
      [0x64400000, 22],
      [0xe0000000, 28],
    );
    const address = range.chain(([network = 0, free = 0]) =>
      fc.integer({ min: 0, max: 2 ** free - 1 }).map((rest) => (network + rest) >>> 0),
    );
    await fc.assert(
      fc.asyncProperty(address, fc.integer({ min: 0, max: 9 }), async (value, notation) => {
        const parts = [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
        const [a = 0, b = 0, c = 0, d = 0] = parts;
        const hex = `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
        const hosts = [
          parts.join('.'),
          String(value),
          `0x${value.toString(16)}`,
          `0${value.toString(8)}`,
          parts.map((part) => `0${part.toString(8)}`).join('.'),
          parts.map((part) => `0X${part.toString(16).toUpperCase()}`).join('.'),
          `${a}.${(b << 16) + (c << 8) + d}`,
          `${a}.${b}.0x${((c << 8) + d).toString(16)}`,
          `[::ffff:${parts.join('.')}]`,
          `[64:ff9b::${hex}]`,
        ];
        expect(await errorOf(fetch(`http://user:pass@${hosts[notation]}/`))).toEqual({
          code: 'fenced',
          left: 'no',
        });
      }),
    );
    expect(opened).toEqual([]);
  });
});

describe('a connection goes to the checked address', () => {
  test('a name is looked up once, and a later change of its address has no effect', async () => {
    const answers = ['127.0.0.2', '127.0.0.1'];
    let asked = 0;
    const lookup: Lookup = async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }];
    const response = await fetcher({ lookup, allow: ['rebind.example'] })(
      `http://rebind.example:${allowed.port}/`,
    );
    expect(await response.text()).toBe('here');
    expect(asked).toBe(1);
    expect(allowed.reachedAt).toEqual(['127.0.0.2']);
  });

  test('a public name that becomes private after the check is reached at its public address only', async () => {
    const answers = ['1.1.1.1', '127.0.0.1'];
    let asked = 0;
    const targets: unknown[] = [];
    const fetch = fetcher({
      lookup: async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }],
      openConnection: async (target) => {
        targets.push(target.addresses);
        throw Object.assign(new Error('no network here'), { code: 'ENETUNREACH' });
      },
    });
    const url = `http://rebind.example:${forbidden.port}/`;
    expect(await errorOf(fetch(url))).toEqual({ code: 'connection', left: 'no' });
    expect(await errorOf(fetch(url))).toEqual({ code: 'fenced', left: 'no' });
    expect(targets).toEqual([[{ address: '1.1.1.1', family: 4 }]]);
  });

  test('the next address is tried when the first does not answer', async () => {
    const lookup = lookupOf({ 'two.example': ['127.0.0.1', '::1'] });
    await using onlyV6 = await listening(createTcpServer(answerOnce), '::1');
    const response = await fetcher({ lookup, allow: ['two.example'] })(`http://two.example:${onlyV6.port}/`);
    expect(await response.text()).toBe('ok');
  });

  test('the host header, the path and the query are those of the URL, verbatim', async () => {
    await fetcher()(`http://Allowed.Example:${allowed.port}/a%2Fb/?x=[1]&y=a|b&z=%zz#part`);
    const [request] = allowed.requests;
    expect(request?.url).toBe('/a%2Fb/?x=[1]&y=a|b&z=%zz');
    expect(request?.headers.host).toBe(`allowed.example:${allowed.port}`);
  });
});

describe('hosts from the settings', () => {
  const loop = { 'ads.example': ['127.0.0.1'], 'named.example': ['127.0.0.1'] };
  async function arrives(
    purpose: 'beacon' | 'wrapper' | 'media' | 'guest' | 'link',
    url: string,
    allow: string[],
  ) {
    const egressPolicy = createEgressPolicy({
      serviceUrls: [`http://ads.example:${allowed.port}/v1`, 'https://native.example'],
      allowPrivateHosts: allow,
      lookup: lookupOf(loop),
    });
    return egressPolicy.resolve(new URL(url), purpose).then((answer) => answer.ok);
  }

  test.each([
    ['beacon', true],
    ['wrapper', true],
    ['media', true],
    ['guest', false],
    ['link', false],
  ] as const)("the service's own host for a %s: %s", async (purpose, expected) => {
    expect(await arrives(purpose, `http://ads.example:${allowed.port}/`, [])).toBe(expected);
    expect(await arrives(purpose, `http://ads.example:${allowed.port + 1}/`, [])).toBe(false);
  });

  test.each([
    ['named.example', 'http://named.example:8080/', true],
    ['named.example', 'https://NAMED.example./', true],
    ['Named.Example', 'http://named.example/', true],
    ['named.example:443', 'https://named.example/', true],
    ['named.example:443', 'http://named.example:443/', true],
    ['named.example:443', 'http://named.example/', false],
    ['named.example:8080', 'http://named.example:8081/', false],
    ['named.example:80', 'http://named.example/', true],
    ['127.0.0.1', 'http://127.0.0.1:9/', true],
    ['127.0.0.1', 'http://2130706433/', true],
    ['127.0.0.1:80', 'http://127.0.0.1/', true],
    ['127.0.0.1', 'http://127.0.0.2/', false],
    ['127.0.0.1', 'http://named.example/', false],
    ['[::1]', 'http://[::1]:7/', true],
    ['[::1]:7', 'http://[0:0::1]:7/', true],
    ['[::1]:7', 'http://[::1]:8/', false],
    ['example', 'http://named.example/', false],
    ['named.example', 'ws://named.example/', true],
    ['named.example', 'ftp://named.example/', false],
  ])('allowPrivateHosts %s and %s: %s', async (entry, url, expected) => {
    for (const purpose of ['beacon', 'wrapper', 'media', 'guest', 'link'] as const) {
      expect(await arrives(purpose, url, [entry])).toBe(expected);
    }
  });
});

describe('redirects', () => {
  test('are followed, and the answer has the final URL', async () => {
    const last = `http://allowed.example:${allowed.port}/end?x=1`;
    const response = await fetcher()(to(to(last)));
    expect(await response.text()).toBe('here');
    expect(response.url).toBe(last);
  });

  test('twenty are followed, as in a browser, one more is not', async () => {
    const chain = (length: number): string =>
      length === 0 ? `http://allowed.example:${allowed.port}/` : to(chain(length - 1));
    expect((await fetcher()(chain(20))).status).toBe(200);
    expect(await errorOf(fetcher()(chain(21)))).toEqual({ code: 'redirects', left: 'maybe' });
  });

  test('a relative redirect stays on its host', async () => {
    expect((await fetcher()(to('/elsewhere?a=1'))).status).toBe(200);
    expect(allowed.requests.at(-1)?.url).toBe('/elsewhere?a=1');
  });

  test('credentials and cookies are never sent', async () => {
    const response = await fetcher()(`http://user:secret@allowed.example:${allowed.port}/?to=/next`, {
      headers: { authorization: 'Bearer t', cookie: 'a=1', 'x-other': 'kept' },
    });
    expect(response.url).not.toContain('secret');
    for (const { headers } of allowed.requests) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
      expect(headers['x-other']).toBe('kept');
    }
    expect(allowed.requests).toHaveLength(2);
  });

  test('an error after the first hop never says that nothing was sent', async () => {
    const gone = await freePort();
    const fetch = fetcher({ allow: ['allowed.example', 'refused.example'], lookup: everythingOnLoopback });
    expect(await errorOf(fetch(to(`http://refused.example:${gone}/`)))).toEqual({
      code: 'connection',
      left: 'maybe',
    });
    expect(await errorOf(fetcher()(to('http://nowhere.example/')))).toEqual({ code: 'name', left: 'maybe' });
  });
});

describe('whether the request was sent (rule 16)', () => {
  /** Sends a request to this server; resolves with its error. */
  async function sendTo(
    server: Server,
    scheme: 'http' | 'https' = 'http',
    init?: FetchInit,
    changes: Parameters<typeof fetcher>[0] = {},
  ) {
    await using failing = await listening(server);
    const fetch = fetcher({ lookup: everythingOnLoopback, allow: ['one.example'], ...changes });
    return await errorOf(fetch(`${scheme}://one.example:${failing.port}/beacon`, init));
  }

  test('no: no server listens', async () => {
    const port = await freePort();
    const fetch = fetcher({ lookup: everythingOnLoopback, allow: ['one.example'] });
    expect(await errorOf(fetch(`http://one.example:${port}/`))).toEqual({ code: 'connection', left: 'no' });
    expect(await errorOf(fetch(`https://one.example:${port}/`))).toEqual({ code: 'connection', left: 'no' });
  });

  test('no: the name does not resolve, or has no address', async () => {
    expect(await errorOf(fetcher()('http://nowhere.example/'))).toEqual({ code: 'name', left: 'no' });
    const empty = fetcher({ lookup: async () => [] });
    expect(await errorOf(empty('http://nowhere.example/'))).toEqual({ code: 'name', left: 'no' });
  });

  test('no: the server speaks no TLS', async () => {
    const server = createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(await sendTo(server, 'https')).toEqual({ code: 'tls', left: 'no' });
  });

  test('no: the certificate is not trusted, and no byte of the request arrives', async () => {
    let received = '';
    const server = createTlsServer(selfSigned(), (socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        received += chunk;
      });
    });
    server.on('tlsClientError', () => {});
    expect(await sendTo(server, 'https')).toEqual({ code: 'tls', left: 'no' });
    expect(received).toBe('');
  });

  test('no: the connection is reset during the handshake', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await sendTo(server, 'https')).toEqual({ code: 'connection', left: 'no' });
  });

  test('no: the connection is closed during the handshake', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.end()));
    expect(await sendTo(server, 'https')).toEqual({ code: 'connection', left: 'no' });
  });

  test('no: the handshake does not end in time', async () => {
    const time = handTurnedTime();
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => void time.advance(20_000));
    });
    expect(await sendTo(server, 'https', undefined, { schedule: time.schedule })).toEqual({
      code: 'timeout',
      left: 'no',
    });
  });

  test.each([
    ['the name', { lookup: (() => new Promise(() => {})) as Lookup }],
    [
      'the connection',
      { openConnection: hangingConnection, lookup: lookupOf({ 'one.example': ['1.1.1.1'] }) },
    ],
  ])('no: %s takes too long', async (_what, changes) => {
    const time = handTurnedTime();
    const sending = errorOf(fetcher({ ...changes, schedule: time.schedule })('http://one.example/'));
    await time.advance(19_999);
    expect(time.waits()).toEqual([1, 30_000 - 19_999]);
    await time.advance(1);
    expect(await sending).toEqual({ code: 'timeout', left: 'no' });
  });

  test('no: cancelled before there is a connection', async () => {
    const fetch = fetcher({
      openConnection: hangingConnection,
      lookup: lookupOf({ 'one.example': ['1.1.1.1'] }),
    });
    const controller = new AbortController();
    const sending = errorOf(fetch('http://one.example/', { signal: controller.signal }));
    controller.abort();
    expect(await sending).toEqual({ code: 'cancelled', left: 'no' });
    expect(await errorOf(fetch('http://one.example/', { signal: AbortSignal.abort() }))).toEqual({
      code: 'cancelled',
      left: 'no',
    });
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    expect(await errorOf(fetch('http://one.example/', { signal: late }))).toEqual({
      code: 'timeout',
      left: 'no',
    });
  });

  test('maybe: reset or closed after the request was read', async () => {
    const reset = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await sendTo(reset)).toEqual({ code: 'answer', left: 'maybe' });
    const closed = createTcpServer((socket) => socket.once('data', () => socket.end()));
    expect(await sendTo(closed)).toEqual({ code: 'answer', left: 'maybe' });
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['nothing', ''],
    ['a status below all others', 'HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['a head that does not end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
    ['an unknown status', 'HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('maybe: the answer is %s', async (_what, bytes) => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.end(bytes)));
    expect(await sendTo(server)).toEqual({ code: 'answer', left: 'maybe' });
  });

  test('maybe: no answer in time, or cancelled while waiting for it', async () => {
    const controller = new AbortController();
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => controller.abort(new DOMException('late', 'TimeoutError')));
    });
    expect(await sendTo(server, 'http', { signal: controller.signal })).toEqual({
      code: 'timeout',
      left: 'maybe',
    });
    const other = new AbortController();
    const silent = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => other.abort());
    });
    expect(await sendTo(silent, 'http', { signal: other.signal })).toEqual({
      code: 'cancelled',
      left: 'maybe',
    });
  });

  test('maybe: silence on an open connection', async () => {
    const time = handTurnedTime();
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => void time.advance(30_000));
    });
    expect(await sendTo(server, 'http', undefined, { schedule: time.schedule })).toEqual({
      code: 'timeout',
      left: 'maybe',
    });
  });

  test('an answer counts even if its body breaks off', async () => {
    await using server = await listening(
      createTcpServer((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 100\r\n\r\nhalf', () =>
            socket.destroy(),
          );
        });
      }),
    );
    const fetch = fetcher({ lookup: everythingOnLoopback, allow: ['one.example'] });
    const response = await fetch(`http://one.example:${server.port}/`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('answers', () => {
  async function answering(listener: Parameters<typeof watchedServer>[0]) {
    const server = await watchedServer(listener);
    const fetch = fetcher({
      purpose: 'wrapper',
      lookup: everythingOnLoopback,
      allow: ['one.example'],
      userAgent: 'Kiosk/1',
    });
    return { server, get: (init?: FetchInit) => fetch(`http://one.example:${server.port}/`, init) };
  }

  const long = 'ad '.repeat(50_000);
  test.each([
    ['gzip', gzipSync(long)],
    ['x-gzip', gzipSync(long)],
    ['br', brotliCompressSync(long)],
    ['identity', Buffer.from(long)],
  ])('content-encoding %s', async (encoding, bytes) => {
    const { server, get } = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
    });
    const response = await get();
    expect(await response.text()).toBe(long);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    await server[Symbol.asyncDispose]();
  });

  test.each(['gzip', 'br'])('a body that is not %s as declared is an error', async (encoding) => {
    const { server, get } = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('plain text');
    });
    const response = await get();
    await expect(response.text()).rejects.toThrow();
    await server[Symbol.asyncDispose]();
  });

  test('a compressed body that breaks off is an error only if it is read', async () => {
    const { server, get } = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '100000' });
      response.write(gzipSync(long).subarray(0, 100), () => response.destroy());
    });
    await get();
    await expect((await get()).text()).rejects.toThrow();
    await server[Symbol.asyncDispose]();
  });

  test.each([204, 205, 304])('status %i has no body', async (status) => {
    const { server, get } = await answering((_request, response) => void response.writeHead(status).end());
    const response = await get();
    expect([response.status, response.body]).toEqual([status, null]);
    await server[Symbol.asyncDispose]();
  });

  test('the body streams, and cancelling it closes the connection, read or not', async () => {
    for (const read of [true, false]) {
      let closed = () => {};
      const closing = new Promise<void>((resolve) => {
        closed = resolve;
      });
      const { server, get } = await answering((_request, response) => {
        response.once('close', closed);
        response.write('first');
      });
      const reader = (await get()).body?.getReader();
      if (read) expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
      await reader?.cancel();
      await closing;
      await server[Symbol.asyncDispose]();
    }
  });

  test('cancelling the request ends a body half-way', async () => {
    const controller = new AbortController();
    const { server, get } = await answering((_request, response) => void response.write('first'));
    const reader = (await get({ signal: controller.signal })).body?.getReader();
    await reader?.read();
    controller.abort();
    await expect(reader?.read()).rejects.toMatchObject({ code: 'cancelled' });
    await server[Symbol.asyncDispose]();
  });

  // Browsers and curl take them, so servers send them without knowing.
  test.each([
    ['a control character in a header', 'X-Policy: a\u0001b\r\nContent-Length: 2\r\n\r\nok'],
    ['a header on two lines', 'X-Policy: a\r\n b\r\nContent-Length: 2\r\n\r\nok'],
    ['two lengths', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['line feeds alone', 'Content-Length: 2\n\nok'],
  ])('an answer with %s is taken, but not one of the service', async (_what, rest) => {
    await using server = await answeringWith(rest);
    const fetch = fetcher({ lookup: everythingOnLoopback, allow: ['one.example'] });
    const response = await fetch(`http://one.example:${server.port}/`);
    expect(await response.text()).toBe('ok');
    const fetchFromService = createServiceFetch({ lookup: everythingOnLoopback, schedule: timers });
    expect(await errorOf(fetchFromService(`http://one.example:${server.port}/`))).toEqual({
      code: 'answer',
      left: 'maybe',
    });
  });

  test('an answer with a control character in the words of its status is taken', async () => {
    const answer = 'HTTP/1.1 204 No\u0001Content\r\n\r\n';
    await using server = await listening(
      createTcpServer((socket) => socket.once('data', () => socket.end(answer))),
    );
    const fetch = fetcher({ lookup: everythingOnLoopback, allow: ['one.example'] });
    expect((await fetch(`http://one.example:${server.port}/`)).status).toBe(204);
  });

  test('a header with a control character counts as absent, because no request could send it back', async () => {
    await using server = await answeringWith(
      'ETag: "a\u0001"\r\nLast-Modified: b\tc\r\nContent-Length: 2\r\n\r\nok',
    );
    const fetch = fetcher({ lookup: everythingOnLoopback, allow: ['one.example'] });
    const { headers } = await fetch(`http://one.example:${server.port}/`);
    expect([...headers.keys()]).toEqual(['content-length', 'last-modified']);
  });

  // A gateway adds what its server has sent already.
  test('of headers that come twice the first counts, and all encodings', async () => {
    await using server = await answeringWith(
      [
        'Content-Type: text/xml; charset=utf-8',
        'Content-Type: text/html',
        'Date: Mon, 05 Jan 2026 12:00:00 GMT',
        'Date: Mon, 05 Jan 2026 12:00:09 GMT',
        'Retry-After: 7',
        'Retry-After: 9',
        'Content-Encoding: identity',
        'Content-Encoding: none',
        'Content-Length: 2\r\n\r\nok',
      ].join('\r\n'),
    );
    for (const fetch of [
      fetcher({ lookup: everythingOnLoopback, allow: ['one.example'] }),
      createServiceFetch({ lookup: everythingOnLoopback, schedule: timers }),
    ]) {
      const response = await fetch(`http://one.example:${server.port}/`);
      expect(Object.fromEntries(response.headers)).toEqual({
        'content-type': 'text/xml; charset=utf-8',
        date: 'Mon, 05 Jan 2026 12:00:00 GMT',
        'retry-after': '7',
        'content-encoding': 'identity, none',
        'content-length': '2',
      });
    }
  });

  test('the user agent is the one given', async () => {
    const { server, get } = await answering(
      (request, response) => void response.end(request.headers['user-agent']),
    );
    expect(await (await get()).text()).toBe('Kiosk/1');
    await server[Symbol.asyncDispose]();
  });
});

const everythingOnLoopback: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];

const hangingConnection: OpenConnection = (_target, _secure, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });

function answerOnce(socket: Socket): void {
  socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
}

const answeringWith = (rest: string) =>
  listening(createTcpServer((socket) => socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`))));

test('a connection that is cancelled while it opens is closed', async () => {
  await using server = await listening(createTcpServer());
  const controller = new AbortController();
  const target = {
    ok: true,
    hostname: 'one.example',
    port: server.port,
    addresses: [{ address: '127.0.0.1', family: 4 }],
  } as const;
  const opening = openConnection(target, true, controller.signal);
  controller.abort(new Error('enough'));
  await expect(opening).rejects.toThrow('enough');
});
