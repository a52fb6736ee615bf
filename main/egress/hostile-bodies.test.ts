import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { timers } from '../schedule';
import { wrapperDocuments } from '../service/ads';
import { request, type ServiceRequest } from '../service/http';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { realHttp } from '../service/testing/local-server';
import { createAdFetch } from './ad-fetch';
import { createEgressPolicy, type EgressPurpose } from './egress-policy';
import { EMPTY_GZIP, nothingInFiveLayers } from './testing/hostile-bodies';
import { watchedServer } from './testing/watched-servers';

const OFTEN = { interval: 5 };

async function hostile(listener: RequestListener) {
  const server = await watchedServer(listener);
  const url = `http://127.0.0.1:${server.port}/`;
  const fetching = (purpose: EgressPurpose, schedule = timers) =>
    createAdFetch({
      egressPolicy: createEgressPolicy({ serviceUrls: [url], allowPrivateHosts: [], lookup: async () => [] }),
      purpose,
      schedule,
    });
  return {
    url,
    fetching,
    requests: server.requests,
    /** Waits until the server's side of every connection is closed. */
    allClosed: () => expect.poll(() => server.openConnections(), OFTEN).toBe(0),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const call = (url: string): ServiceRequest => ({
  operation: 'playlist',
  method: 'GET',
  url,
  headers: {},
  expects: [200],
  secrets: [],
  // Longer than any wait of a test: no deadline closes a connection that the kiosk has left open.
  limits: { headersMs: 600_000, totalMs: 600_000, maxBytes: 1_000_000 },
});

/** Sends a head and a part of the body, then nothing more. */
const endless =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.write('x'.repeat(100_000));
  };

describe('content encodings', () => {
  const layered =
    (encoding: string, body: Buffer): RequestListener =>
    (_request, response) =>
      void response.writeHead(200, { 'content-encoding': encoding }).end(body);

  test('five layers that decode to nothing are not decoded: a wrapper', async () => {
    await using server = await hostile(layered('gzip, gzip, gzip, gzip, gzip', nothingInFiveLayers()));
    const response = await server.fetching('wrapper')(server.url);
    await expect(response.text()).rejects.toMatchObject({ code: 'encoding' });
    await server.allClosed();
  });

  test('five layers that decode to nothing are not decoded: an answer of the service', async () => {
    await using server = await hostile(layered('gzip, gzip, gzip, gzip, gzip', nothingInFiveLayers()));
    expect(await request(realHttp, call(server.url))).toMatchObject({
      error: { code: 'malformed', message: expect.stringContaining('gzip, gzip') },
    });
    await server.allClosed();
  });

  test.each([
    ['two', 'gzip, gzip'],
    ['two of different kinds', 'gzip,br'],
    ['two about one that is none', 'br, identity, gzip'],
    ['one that was not asked for', 'zstd'],
    ['another one', 'deflate'],
    ['one beside a word that is none', 'zstd, UTF-8'],
    ['a thousand', 'gzip,'.repeat(1000)],
  ])('an encoding is refused: %s', async (_what, encoding) => {
    await using server = await hostile((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).write(gzipSync(gzipSync('<VAST/>')));
    });
    const response = await server.fetching('wrapper')(server.url);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toMatchObject({ code: 'encoding' });
    expect(await request(realHttp, call(server.url))).toMatchObject({ error: { code: 'malformed' } });
    await server.allClosed();
  });

  test.each(['gzip, identity', ' GZIP ', ',gzip', 'x-gzip', 'utf-8, gzip'])(
    '%j is one encoding',
    async (encoding) => {
      await using server = await hostile(layered(encoding, gzipSync('<VAST/>')));
      expect(await (await server.fetching('wrapper')(server.url)).text()).toBe('<VAST/>');
      expect(await request(realHttp, call(server.url))).toMatchObject({ body: '<VAST/>' });
    },
  );

  // Browsers ignore them too.
  test.each(['UTF-8', 'none', 'identity, utf-8', 'x-unknown', 'constructor', '__proto__'])(
    '%j is none: the body is read as it is',
    async (encoding) => {
      await using server = await hostile(layered(encoding, Buffer.from('<VAST/>')));
      expect(await (await server.fetching('wrapper')(server.url)).text()).toBe('<VAST/>');
      expect(await request(realHttp, call(server.url))).toMatchObject({ body: '<VAST/>' });
    },
  );

  test('a body of several megabytes is decoded whole', async () => {
    const body = randomBytes(3_000_000);
    await using server = await hostile(layered('gzip', gzipSync(body)));
    const response = await server.fetching('wrapper')(server.url);
    expect(body.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  test('a body that decodes to nothing is cancelled after a megabyte', async () => {
    let sent = 0;
    const members = Buffer.concat(Array.from({ length: 3_000 }, () => EMPTY_GZIP));
    await using server = await hostile((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const more = () => {
        while (!response.destroyed && response.write(members)) sent += members.length;
      };
      response.on('drain', more);
      more();
    });
    const response = await server.fetching('wrapper')(server.url);
    await expect(response.text()).rejects.toMatchObject({ code: 'encoding' });
    await server.allClosed();
    // More than was read, because the sockets of both sides buffer data.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test.each([
    ['beacon', 'identity'],
    ['media', 'identity'],
    ['wrapper', 'gzip, br'],
  ] as const)('a %s accepts the encoding %s', async (purpose, accepted) => {
    await using server = await hostile((_request, response) => void response.end('ok'));
    const response = await server.fetching(purpose)(server.url, { headers: { 'accept-encoding': 'zstd' } });
    await response.text();
    expect(server.requests[0]?.headers['accept-encoding']).toBe(accepted);
  });

  test.each(['beacon', 'media'] as const)('the body of a %s is never decoded', async (purpose) => {
    const body = gzipSync('x'.repeat(1000));
    await using server = await hostile(layered('gzip', body));
    const response = await server.fetching(purpose)(server.url);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
  });
});

describe('one deadline from the first byte to the last', () => {
  const ANSWER_MS = 120_000;

  test.each(['beacon', 'wrapper'] as const)('ends an endless %s that is read', async (purpose) => {
    const time = handTurnedTime();
    await using server = await hostile(endless(200));
    const reader = (await server.fetching(purpose, time.schedule)(server.url)).body?.getReader();
    await reader?.read();
    const rest = (async () => {
      for (;;) await reader?.read();
    })();
    const ended = expect(rest).rejects.toMatchObject({ code: 'timeout' });
    await time.advance(ANSWER_MS);
    await ended;
    await server.allClosed();
  });

  test.each([200, 404, 500])('ends an unread answer with status %i', async (status) => {
    const time = handTurnedTime();
    await using server = await hostile(endless(status));
    await server.fetching('wrapper', time.schedule)(server.url);
    await time.advance(ANSWER_MS);
    await server.allClosed();
  });

  test.each([204, 304])(
    'an answer with status %i has no body, and its connection is closed',
    async (status) => {
      await using server = await hostile(
        // The server sees no end of it, and would keep the connection.
        ({ socket }) => void socket.write(`HTTP/1.1 ${status} None\r\n\r\n`),
      );
      expect(await server.fetching('media')(server.url)).toMatchObject({ status, body: null });
      await server.allClosed();
    },
  );

  test('ends the decoding of an answer that came whole', async () => {
    const time = handTurnedTime();
    await using server = await hostile(
      (_request, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000))),
    );
    const reader = (await server.fetching('wrapper', time.schedule)(server.url)).body?.getReader();
    await reader?.read();
    await server.allClosed();
    await time.advance(ANSWER_MS);
    const rest = async () => {
      for (;;) if ((await reader?.read())?.done) return 'whole';
    };
    await expect(rest()).rejects.toMatchObject({ code: 'timeout' });
  });

  test('cancelling also ends the decoding', async () => {
    await using server = await hostile(
      (_request, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000))),
    );
    const controller = new AbortController();
    const response = await server.fetching('wrapper')(server.url, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    await server.allClosed();
    controller.abort();
    const rest = async () => {
      for (;;) if ((await reader?.read())?.done) return 'whole';
    };
    await expect(rest()).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('includes slow redirects', async () => {
    const time = handTurnedTime();
    await using server = await hostile((request, response) => {
      if (request.url === '/last') return void response.writeHead(200).flushHeaders();
      void time.advance(ANSWER_MS / 2).then(() => response.writeHead(302, { location: '/last' }).end());
    });
    const reader = (await server.fetching('wrapper', time.schedule)(server.url)).body?.getReader();
    const ended = expect(reader?.read()).rejects.toMatchObject({ code: 'timeout' });
    await time.advance(ANSWER_MS / 2);
    await ended;
    await server.allClosed();
  });

  test('leaves no timer once a body was read or cancelled', async () => {
    const time = handTurnedTime();
    await using server = await hostile((_request, response) => void response.end('whole'));
    const fetch = server.fetching('wrapper', time.schedule);
    await (await fetch(server.url)).text();
    await (await fetch(server.url)).body?.cancel();
    await expect.poll(() => time.waits(), OFTEN).toEqual([]);
  });
});

describe('the kiosk closes the connection of', () => {
  test.each([404, 403, 500, 503])('a wrapper with status %i', async (status) => {
    await using server = await hostile(endless(status));
    const read = wrapperDocuments(server.fetching('wrapper'), (url) => url);
    const outcome = await read(server.url, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'error', message: `status ${status}` });
    await server.allClosed();
  });

  test('a wrapper that is too long', async () => {
    await using server = await hostile((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    const read = wrapperDocuments(server.fetching('wrapper'), (url) => url);
    expect(await read(server.url, new AbortController().signal)).toMatchObject({ kind: 'error' });
    await server.allClosed();
  });

  test.each([302, 404, 500])('an answer of the service with status %i', async (status) => {
    await using server = await hostile(endless(status));
    const limits = { ...call(server.url).limits, maxBytes: 10_000 };
    await request(realHttp, { ...call(server.url), limits });
    await server.allClosed();
  });
});
