import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { freePort, listening } from '../../tools/fleet/loopback-ports';
import { SendError, type SendErrorCode } from '../egress/send-error';
import { Secret } from '../settings/secret';
import { type Http, request, type ServiceRequest } from './http';
import type { ServiceErrorCode } from './service-error';
import { handTurnedTime } from './testing/hand-turned-time';
import { localServer, realHttp } from './testing/local-server';

const LIMITS = { headersMs: 10_000, totalMs: 10_000, maxBytes: 1024 };

function call(url: string, changes: Partial<ServiceRequest> = {}): ServiceRequest {
  return {
    operation: 'playlist',
    method: 'GET',
    url,
    headers: {},
    limits: LIMITS,
    expects: [200],
    secrets: [],
    ...changes,
  };
}

type Answer = (response: ServerResponse) => void;

const text =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

describe('every failure is a value with its code', () => {
  const html = '<!DOCTYPE html><html><body>Welcome to our Wi-Fi</body></html>';
  const table: ReadonlyArray<[string, Answer, Partial<ServiceRequest>, ServiceErrorCode]> = [
    ['401 to the token request', text(401), { operation: 'token' }, 'wrong-secret'],
    ['400 invalid_client', text(400, '{"error":"invalid_client"}'), { operation: 'token' }, 'wrong-secret'],
    [
      '400 invalid_scope',
      text(400, '{"error":"invalid_scope"}'),
      { operation: 'token' },
      'unexpected-status',
    ],
    ['401', text(401), {}, 'unauthorized'],
    ['403', text(403), {}, 'forbidden'],
    ['404', text(404), {}, 'not-found'],
    ['404 with a page', text(404, html), {}, 'not-found'],
    ['410', text(410), {}, 'not-found'],
    ['429', text(429), {}, 'rate-limited'],
    ['500', text(500), {}, 'server-error'],
    ["503 with a gateway's page", text(503, html), {}, 'server-error'],
    ["403 with a firewall's page", text(403, html), {}, 'web-page'],
    ["403 with a firewall's page beyond the limit", text(403, html.padEnd(2000)), {}, 'forbidden'],
    ['401 with a page, without a token', text(401, html), { isAnonymous: true }, 'refused'],
    ["403 with a firewall's page, without a token", text(403, html), { isAnonymous: true }, 'web-page'],
    [
      'a 429 that breaks off',
      (response) => {
        response.writeHead(429, { 'content-length': '100' });
        response.write('too many', () => response.destroy());
      },
      {},
      'rate-limited',
    ],
    ['503 in an encoding nobody knows', text(503, 'x', { 'content-encoding': 'zstd' }), {}, 'server-error'],
    ['511: the network wants a log-in', text(511, html), {}, 'web-page'],
    ['400 with a page', text(400, html), {}, 'web-page'],
    ['418', text(418), {}, 'unexpected-status'],
    ['201 where 200 is expected', text(201), {}, 'unexpected-status'],
    ['304 to an unconditional request', text(304), {}, 'unexpected-status'],
    ['302', text(302, '', { location: 'http://127.0.0.1:1/' }), {}, 'redirect'],
    ['302 to a log-in page', text(302, '', { location: 'https://log-in.example/?to=ads' }), {}, 'web-page'],
    ['301 of a service that moved', text(301, '', { location: 'https://new.example/' }), {}, 'redirect'],
    ['308', text(308, '', { location: '/elsewhere' }), {}, 'redirect'],
    ['more bytes than the limit', text(200, 'x'.repeat(1025)), {}, 'too-large'],
    [
      'more bytes than the limit, called a web page',
      text(200, 'x'.repeat(1025), { 'content-type': 'text/html' }),
      {},
      'too-large',
    ],
    [
      'more bytes than the limit after decompression',
      (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)));
      },
      {},
      'too-large',
    ],
    [
      'a body shorter than it says',
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('short', () => response.destroy());
      },
      {},
      'truncated',
    ],
    [
      'chunks without the last one',
      (response) => {
        response.writeHead(200);
        response.write('<VAST>', () => response.destroy());
      },
      {},
      'truncated',
    ],
    [
      'a connection closed without an answer',
      (response) => {
        response.destroy();
      },
      {},
      'unreachable-connection',
    ],
    ['no headers in time', () => {}, { limits: { ...LIMITS, headersMs: 30 } }, 'timeout'],
    [
      'headers, but no body in time',
      (response) => {
        response.writeHead(200).flushHeaders();
      },
      { limits: { ...LIMITS, totalMs: 60 } },
      'timeout',
    ],
    [
      'an encoding nobody knows',
      text(200, 'x', { 'content-type': 'text/xml; charset=klingon' }),
      {},
      'malformed',
    ],
  ];

  test.each(table)('%s', async (_name, answer, changes, code) => {
    await using server = await localServer((_request, response) => answer(response));
    const result = await request(realHttp, call(server.url, changes));
    expect(result).toMatchObject({
      kind: 'error',
      error: { code, operation: changes.operation ?? 'playlist' },
    });
    if (result.kind === 'error') {
      expect(result.error.message).toContain(new URL(server.url).host);
      expect(result.error.advice).not.toBe('');
      expect(`${result.error.message}${result.error.advice}`).not.toMatch(/STATUS|SETTING|undefined/);
    }
  });

  test('a port without a listener', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    expect(await request(realHttp, call(url))).toMatchObject({
      error: {
        code: 'unreachable-connection',
        message: expect.stringContaining('cannot be connected to (ECONNREFUSED)'),
        advice: expect.stringContaining('network connection'),
      },
    });
  });

  test('a host without an address', async () => {
    const fetch = () => Promise.reject(new SendError('name', 'no', 'no address'));
    expect(await request({ ...realHttp, fetch }, call('https://ads.example'))).toMatchObject({
      error: {
        code: 'unreachable-name',
        message: expect.stringContaining('ads service at ads.example cannot be found'),
        advice: expect.stringContaining('DNS, and the spelling of service.baseUrl'),
      },
    });
  });

  test('no TLS where https is expected', async () => {
    await using server = await localServer(() => {});
    const result = await request(realHttp, call(server.url.replace('http:', 'https:')));
    expect(result).toMatchObject({ error: { code: 'tls' } });
  });

  test('a server that does not speak HTTP', async () => {
    await using server = await listening(createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')));
    expect(await request(realHttp, call(`http://127.0.0.1:${server.port}`))).toMatchObject({
      error: { code: 'unreachable-connection' },
    });
  });

  test.each<[SendErrorCode, string, string]>([
    ['name', '', 'unreachable-name'],
    ['connection', 'ECONNREFUSED', 'unreachable-connection'],
    ['fenced', '', 'unreachable-connection'],
    ['tls', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'unknown-ca'],
    ['tls', 'CERT_HAS_EXPIRED', 'certificate-date'],
    ['tls', 'CERT_NOT_YET_VALID', 'certificate-date'],
    ['tls', 'ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-name'],
    ['tls', 'EPROTO', 'tls'],
    // Without a certificate of the kiosk it means no common cipher, or a host that the server does not know.
    ['tls', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls'],
    ['timeout', 'ETIMEDOUT', 'timeout'],
    ['proxy-auth', '', 'proxy-auth'],
  ])('the HTTP client fails with %s (%s)', async (sendCode, systemCode, code) => {
    const cause = Object.assign(new Error('low-level'), { code: systemCode });
    const http: Http = {
      ...realHttp,
      fetch: () => Promise.reject(new SendError(sendCode, 'no', 'no connection', { cause })),
    };
    expect(await request(http, call('http://127.0.0.1'))).toMatchObject({ error: { code } });
  });
});

test.each<[number, Record<string, string>, object]>([
  [503, { 'retry-after': '600' }, { code: 'server-error', status: 503, retryAfterMs: 600_000 }],
  [401, {}, { code: 'unauthorized', status: 401 }],
])('an answer of %i says so although its body never ends', async (status, headers, error) => {
  await using server = await localServer((_request, response) => {
    response.writeHead(status, headers).write('busy');
  });
  const time = handTurnedTime();
  const asking = request({ ...realHttp, schedule: time.schedule }, call(server.url));
  await expect.poll(time.waits).toContain(2_000);
  time.pass(2_000);
  expect(await asking).toMatchObject({ kind: 'error', error });
});

describe('limits', () => {
  test('a hundred megabytes are cut off at the limit, not read', async () => {
    let sent = 0;
    await using server = await localServer((_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const send = (): void => {
        while (sent < 100 && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) {
            response.once('drain', send);
            return;
          }
        }
        response.end();
      };
      send();
    });
    const result = await request(
      realHttp,
      call(server.url, { limits: { ...LIMITS, maxBytes: 1024 * 1024 } }),
    );
    expect(result).toMatchObject({ error: { code: 'too-large', status: 200 } });
    expect(sent).toBeLessThan(100);
  });

  test('the connection of an answer that is too large is closed', async () => {
    let closed = (): void => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    await using server = await localServer((_request, response) => {
      response.once('close', closed);
      response.writeHead(200);
      response.write(Buffer.alloc(2048));
    });
    expect(await request(realHttp, call(server.url))).toMatchObject({ error: { code: 'too-large' } });
    await closing;
  });

  test('a body of exactly the limit is taken', async () => {
    await using server = await localServer((_request, response) => text(200, 'x'.repeat(1024))(response));
    expect(await request(realHttp, call(server.url))).toMatchObject({
      kind: 'response',
      body: 'x'.repeat(1024),
    });
  });

  test('time limits hold even where fetch never settles', async () => {
    const http: Http = { ...realHttp, fetch: () => new Promise(() => {}) };
    const limits = { ...LIMITS, headersMs: 10 };
    expect(await request(http, call('http://127.0.0.1', { limits }))).toMatchObject({
      error: { code: 'timeout' },
    });
  });

  test('a request can be cancelled before and while it runs', async () => {
    await using server = await localServer(() => {});
    const controller = new AbortController();
    const result = request(realHttp, call(server.url, { signal: controller.signal }));
    controller.abort();
    expect(await result).toMatchObject({ error: { code: 'cancelled' } });
    expect(await request(realHttp, call(server.url, { signal: controller.signal }))).toMatchObject({
      error: { code: 'cancelled' },
    });
  });
});

describe('secrets', () => {
  test('do not go over plain http to another machine', async () => {
    const asked: string[] = [];
    const http: Http = {
      ...realHttp,
      fetch: async (url) => {
        asked.push(url);
        return new Response();
      },
    };
    const result = await request(http, call('http://ads.example.com/', { secrets: ['s3cret'] }));
    expect(result).toMatchObject({ error: { code: 'insecure-address' } });
    expect(asked).toEqual([]);
  });

  test('do not follow a redirect', async () => {
    await using elsewhere = await localServer((_request, response) => text(200)(response));
    await using server = await localServer((_request, response) =>
      text(307, '', { location: elsewhere.url })(response),
    );
    await request(realHttp, call(server.url, { headers: { Authorization: 'Bearer t' }, secrets: ['t'] }));
    expect(server.received).toHaveLength(1);
    expect(elsewhere.received).toHaveLength(0);
  });

  test('are removed from error messages of the service', async () => {
    const body = JSON.stringify({
      error: 'invalid_client',
      error_description: 'no "pa ss&word" for Bearer abc',
    });
    await using server = await localServer((_request, response) => text(400, body)(response));
    expect(await request(realHttp, call(server.url, { secrets: ['pa ss&word'] }))).toMatchObject({
      error: { serviceMessage: 'invalid_client: no "[secret]" for Bearer [secret]' },
    });
  });
});

describe('the headers and error messages of an answer', () => {
  test('the server time is Date less Age, with the monotonic time of receipt', async () => {
    await using server = await localServer((_request, response) =>
      text(200, 'ok', { date: 'Mon, 05 Jan 2026 12:00:30 GMT', age: '30' })(response),
    );
    const http: Http = { ...realHttp, clock: { now: () => 0, monotonic: () => 77 } };
    expect(await request(http, call(server.url))).toMatchObject({
      serverTime: { at: Date.UTC(2026, 0, 5, 12), monotonic: 77 },
    });
  });

  test.each(['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday'])(
    'no server time from "Date: %s"',
    async (date) => {
      await using server = await localServer((_request, response) => text(200, 'ok', { date })(response));
      expect(await request(realHttp, call(server.url))).toMatchObject({ kind: 'response', serverTime: null });
    },
  );

  test('compressed answers arrive in plain text', async () => {
    await using server = await localServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('<VAST/>'));
    });
    expect(await request(realHttp, call(server.url))).toMatchObject({ body: '<VAST/>' });
  });

  test.each(['gzip', 'br'])(
    'an answer without a body is empty, even if it is called %s',
    async (encoding) => {
      await using server = await localServer((_request, response) =>
        text(200, '', { 'content-encoding': encoding, 'content-length': '0' })(response),
      );
      expect(await request(realHttp, call(server.url))).toMatchObject({ kind: 'response', body: '' });
    },
  );

  test('a Retry-After date is relative to the Date of the answer', async () => {
    await using server = await localServer((_request, response) =>
      text(503, '', {
        date: 'Mon, 05 Jan 2026 12:00:00 GMT',
        'retry-after': 'Mon, 05 Jan 2026 12:02:00 GMT',
      })(response),
    );
    expect(await request(realHttp, call(server.url))).toMatchObject({
      error: { code: 'server-error', status: 503, retryAfterMs: 120_000 },
    });
  });

  test.each([
    ['a gRPC gateway', '{"code":7,"message":"no access","details":[]}', 'no access'],
    ['RFC 6749', '{"error":"invalid_client","error_description":"unknown"}', 'invalid_client: unknown'],
    ['the native API', '{"status":"error","error_message":"Invalid app token"}', 'Invalid app token'],
    ['a nested error', '{"error":{"code":5,"message":"gone"}}', 'gone'],
    ['one who repeats a token', '{"message":"bad eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln"}', 'bad [secret]'],
    ['control characters', '{"message":"a\\u0000\\n\\u001b[31mb"}', 'a [31mb'],
  ])('the error message of %s', async (_name, body, serviceMessage) => {
    await using server = await localServer((_request, response) => text(403, body)(response));
    expect(await request(realHttp, call(server.url))).toMatchObject({ error: { serviceMessage } });
  });

  test.each(['', 'null', '[]', '{"message":5}', '<html>', '{"message":"  "}'])(
    'no error message in %j',
    async (body) => {
      await using server = await localServer((_request, response) => text(403, body)(response));
      const result = await request(realHttp, call(server.url));
      expect(result.kind === 'error' && 'serviceMessage' in result.error).toBe(false);
    },
  );

  test('a long error message is cut to 300 characters', async () => {
    await using server = await localServer((_request, response) =>
      text(500, JSON.stringify({ message: 'x'.repeat(900) }))(response),
    );
    const result = await request(realHttp, call(server.url));
    expect(result.kind === 'error' && result.error.serviceMessage?.length).toBe(300);
  });
});

test('a cache on the way passes each GET on, because its answer would hold beacons that are confirmed already', async () => {
  const stored = new Map<string, string>();
  let answers = 0;
  /** A cache in front of a service: it answers again what was asked for before, unless it is told not to. */
  await using server = await localServer(({ path, headers }, response) => {
    const known = headers['cache-control'] === 'no-cache' ? undefined : stored.get(path);
    answers += 1;
    const body = known ?? `answer ${answers}`;
    stored.set(path, body);
    response.writeHead(200, { 'last-modified': 'Mon, 05 Jan 2026 12:00:00 GMT' }).end(body);
  });
  const ask = async (http: Http) => {
    const answer = await request(http, call(server.url));
    return 'body' in answer && answer.body;
  };
  expect([await ask(realHttp), await ask(realHttp)]).toEqual(['answer 1', 'answer 2']);
  // An operator's own header counts in its place.
  const headers = [{ name: 'cache-control', value: new Secret('max-age=60'), isSecret: false }];
  expect(await ask({ ...realHttp, headers })).toBe('answer 2');
});

describe('the extra headers of the settings', () => {
  const plain = { name: 'X-Retailer', value: new Secret('acme'), isSecret: false };
  const key = { name: 'X-Key', value: new Secret('k3y-of-h3ader'), isSecret: true };

  test('are sent with every request, but do not replace its own headers', async () => {
    await using server = await localServer((_request, response) => void response.end('ok'));
    const accept = { name: 'ACCEPT', value: new Secret('text/other'), isSecret: false };
    const http: Http = { ...realHttp, headers: [plain, key, accept] };
    await request(http, call(server.url, { headers: { Accept: 'application/json' } }));
    expect(server.received[0]?.headers).toMatchObject({
      'x-retailer': 'acme',
      'x-key': 'k3y-of-h3ader',
      accept: 'application/json',
    });
  });

  test('that are secrets are never sent over plain http, and are removed from messages of the service', async () => {
    const afar = call('http://ads.example/');
    expect(await request({ ...realHttp, headers: [key] }, afar)).toMatchObject({
      error: { code: 'insecure-address' },
    });
    await using server = await localServer((_request, response) => {
      response.writeHead(400).end(JSON.stringify({ message: 'bad key k3y-of-h3ader' }));
    });
    const result = await request({ ...realHttp, headers: [plain, key] }, call(server.url));
    expect(result.kind).toBe('error');
    expect(JSON.stringify(result)).toContain('bad key');
    expect(JSON.stringify(result)).not.toContain('k3y-of-h3ader');
  });
});
