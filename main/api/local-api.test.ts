import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../shared/log';
import { listening, untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { PlaysMoved } from '../records/exported-plays';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createSignals } from '../signals/signals';
import { createMetrics } from '../status/metrics';
import { exampleStatus } from '../status/testing/example-status';
import { createAdmission } from './admission';
import type { Connection } from './connections';
import { createLocalApi, type LocalApi, type LocalApiParts } from './local-api';

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

const cleanups: Array<() => Promise<unknown> | unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-signals-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** For tests that are not about time: on a busy machine a thousand clients take longer than a caller may. */
const NO_HURRY = {
  headersTimeoutMs: 300_000,
  requestTimeoutMs: 300_000,
  keepAliveMs: 300_000,
  answerMs: 300_000,
};

async function start(changes: Partial<LocalApiParts> & { folder?: string } = {}) {
  const { folder = await temporaryFolder(), limits, ...rest } = changes;
  // Controlled by the tests, so that rate limits do not depend on their speed.
  const time = handTurnedTime();
  const { clock } = time;
  const signals = createSignals({ clock, schedule: () => () => {} });
  const parts: LocalApiParts = {
    port: 0,
    tokenFile: join(folder, 'signals-token'),
    tokenAccess: { group: null, mode: '0600' },
    portFile: join(folder, 'signals-port'),
    signals,
    status: () => exampleStatus(),
    health: () => ({ window: 'answering', records: 'answering', video: 'none' }),
    metrics: createMetrics(),
    async *plays() {},
    answered() {},
    version: '1.0.0',
    clock,
    log: silentLog,
    limits: { ...NO_HURRY, rate: { perSecond: 1, burst: 100_000 }, ...limits },
    ...rest,
  };
  const started = await createLocalApi(parts);
  if (!started.ok) throw new Error(started.problem);
  await started.server.writePortFile();
  cleanups.push(() => started.server.close());
  return { server: started.server, signals, time, folder, parts };
}

interface Heard {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Parses the responses in the received text. */
function responsesIn(text: string): Heard[] {
  const heard: Heard[] = [];
  let rest = text;
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const status = Number(first.split(' ')[1]);
    let body = rest.slice(end + 4);
    if (headers['transfer-encoding'] === 'chunked') {
      const stop = body.indexOf('0\r\n\r\n');
      rest = body.slice(stop + 5);
      body = body.slice(0, stop);
    } else {
      const length = Number(headers['content-length'] ?? 0);
      rest = body.slice(length);
      body = body.slice(0, length);
    }
    heard.push({ status, headers, body });
  }
  return heard;
}

const portOf = ({ url }: LocalApi) => Number(new URL(url).port);

/** A raw connection that sends bytes unchanged and records everything received. */
function open(server: LocalApi) {
  const socket: Socket = connect({ host: '127.0.0.1', port: portOf(server) });
  let text = '';
  let closed = false;
  const waiting: Array<() => void> = [];
  const wake = () => {
    for (const look of waiting.splice(0)) look();
  };
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    text += chunk;
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    wake();
  });
  cleanups.push(() => socket.destroy());
  return {
    socket,
    send(bytes: string | Uint8Array) {
      socket.write(bytes);
    },
    get closed() {
      return closed;
    },
    get text() {
      return text;
    },
    /** Until the connection closes. */
    async end(): Promise<Heard[]> {
      while (!closed) await new Promise<void>((resolve) => waiting.push(resolve));
      return responsesIn(text);
    },
    /** Waits for this number of complete responses, or until the connection closes. */
    async responses(count: number): Promise<Heard[]> {
      while (!closed && responsesIn(text).length < count) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return responsesIn(text);
    },
  };
}

interface Asked {
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Record<string, string>;
  /** Names of default headers to leave out. */
  readonly without?: readonly string[];
}

/** A valid request with the token, except for the given changes. */
async function ask(server: LocalApi, path: string, asked: Asked = {}): Promise<Heard> {
  const { method = 'GET', body, headers = {}, without = [] } = asked;
  const all: Record<string, string> = { authorization: `Bearer ${server.token}`, ...headers };
  if (body !== undefined) all['content-type'] ??= 'application/json';
  for (const name of without) delete all[name];
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port: portOf(server), path, method, headers: all, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function codeOf(heard: Heard | undefined): string {
  return heard === undefined || heard.body === '' ? '' : JSON.parse(heard.body).error.code;
}

function head(server: LocalApi, method: string, path: string, headers: readonly string[] = []): string {
  return [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${portOf(server)}`,
    `Authorization: Bearer ${server.token}`,
    ...headers,
    '',
    '',
  ].join('\r\n');
}

const sunny = JSON.stringify({ types: ['WEATHER_TYPE_SUNNY'] });

describe('the local API', () => {
  it('accepts signals and deletes them', async () => {
    const { server, signals } = await start();
    const shopper = JSON.stringify({ people: [{ gender: 'GENDER_MALE' }], groupSize: 2 });
    expect((await ask(server, '/v1/signals/shopper', { method: 'PUT', body: shopper })).status).toBe(204);
    expect((await ask(server, '/v1/signals/cart', { method: 'PUT', body: '{"skus":["1"]}' })).status).toBe(
      204,
    );
    expect((await ask(server, '/v1/signals/weather', { method: 'PUT', body: sunny })).status).toBe(204);
    expect(signals.current()).toEqual({
      shopper: { people: [{ ageRange: null, gender: 'GENDER_MALE' }], groupSize: 2 },
      cart: { skus: ['1'], items: [] },
      weather: { types: ['WEATHER_TYPE_SUNNY'] },
    });
    for (const kind of ['shopper', 'cart', 'weather']) {
      expect((await ask(server, `/v1/signals/${kind}`, { method: 'DELETE' })).status).toBe(204);
    }
    expect(signals.current()).toEqual({ shopper: null, cart: null, weather: null });
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'accepts the content type %s',
    async (type) => {
      const { server } = await start();
      const asked = { method: 'PUT', body: sunny, headers: { 'content-type': type } };
      expect((await ask(server, '/v1/signals/weather', asked)).status).toBe(204);
    },
  );

  it('takes a body of exactly the limit, chunked too', async () => {
    const { server, signals } = await start();
    const body = sunny.padEnd(65_536, ' ');
    expect((await ask(server, '/v1/signals/weather', { method: 'PUT', body })).status).toBe(204);
    signals.clear('weather');
    const chunked = { method: 'PUT', body, headers: { 'transfer-encoding': 'chunked' } };
    expect((await ask(server, '/v1/signals/weather', chunked)).status).toBe(204);
    expect(signals.current().weather).not.toBeNull();
  });

  it('sends 100 Continue to a client that expects it', async () => {
    const { server } = await start();
    const connection = open(server);
    const headers = [
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${sunny.length}`,
    ];
    connection.send(head(server, 'PUT', '/v1/signals/weather', headers));
    await connection.responses(1);
    expect(connection.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send(sunny);
    expect((await connection.responses(2)).map(({ status }) => status)).toEqual([100, 204]);
  });

  it('serves status, metrics and its own description with the right content types', async () => {
    const { server } = await start();
    const status = await ask(server, '/v1/status');
    expect(status.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(status.body).state).toBe('starting');
    expect((await ask(server, '/metrics')).headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(JSON.parse((await ask(server, '/v1/openapi.json')).body).openapi).toBe('3.1.0');
  });

  it('answers HEAD as GET, without a body', async () => {
    const { server } = await start();
    const whole = await ask(server, '/v1/status');
    const bare = await ask(server, '/v1/status', { method: 'HEAD' });
    expect(bare).toMatchObject({ status: 200, body: '' });
    expect(bare.headers['content-length']).toBe(whole.headers['content-length']);
  });

  it.each([
    ['127.0.0.1', 200],
    ['localhost', 200],
    ['LOCALHOST', 200],
    ['[::1]', 200],
  ])('accepts the host name %s', async (name, status) => {
    const { server } = await start();
    const host = `${name}:${portOf(server)}`;
    expect((await ask(server, '/v1/status', { headers: { host } })).status).toBe(status);
  });

  it.each([
    [80, 'localhost', null],
    [80, '127.0.0.1:80', null],
    [80, 'evil.example', 'wrong-host'],
    [8080, 'localhost', 'wrong-host'],
  ])('at port %i answers to the host %s: %s', (port, host, code) => {
    const { clock } = handTurnedTime();
    const limits = { rate: { perSecond: 1, burst: 1 }, pipelined: 1 };
    const judge = createAdmission(
      'token',
      new Map([['/healthz', { GET: vi.fn() }]]),
      limits,
      clock,
      () => port,
    );
    const request = { method: 'GET', headers: { host }, headersDistinct: { host: [host] } };
    const judged = judge(request as unknown as IncomingMessage, { pending: 0 } as Connection, '/healthz');
    expect('refusal' in judged ? judged.refusal : null).toBe(code);
  });

  it('lets no web page read an answer, and no cache store one', async () => {
    const { server } = await start();
    const answers = [
      await ask(server, '/v1/status'),
      await ask(server, '/healthz'),
      await ask(server, '/nothing'),
      await ask(server, '/v1/signals/cart', { method: 'OPTIONS' }),
      await ask(server, '/v1/status', { without: ['authorization'] }),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('health', () => {
  it.each([
    [{ window: 'answering', records: 'answering', video: 'advancing' }, 200],
    [{ window: 'answering', records: 'answering', video: 'none' }, 200],
    [{ window: 'starting', records: 'answering', video: 'none' }, 503],
    [{ window: 'silent', records: 'answering', video: 'none' }, 503],
    [{ window: 'answering', records: 'silent', video: 'none' }, 503],
    [{ window: 'answering', records: 'answering', video: 'stalled' }, 503],
  ] as const)('with %j answers %d, without a token', async (checks, status) => {
    const { server } = await start({ health: () => checks });
    const heard = await ask(server, '/healthz', { without: ['authorization'] });
    expect(heard.status).toBe(status);
    expect(JSON.parse(heard.body)).toEqual({ status: status === 200 ? 'ok' : 'failing', checks });
  });

  it('answers 503 if the checks take too long', async () => {
    const { server } = await start({ health: () => new Promise(() => {}), limits: { answerMs: 10 } });
    const heard = await ask(server, '/healthz', { without: ['authorization'] });
    expect([heard.status, codeOf(heard)]).toEqual([503, 'unavailable']);
  });
});

describe('a refused request', () => {
  it.each([
    ['no token', { without: ['authorization'] }],
    ['a wrong token', { headers: { authorization: `Bearer ${'x'.repeat(43)}` } }],
    ['an empty token', { headers: { authorization: 'Bearer ' } }],
    ['another scheme', { headers: { authorization: 'Basic eDp5' } }],
  ])('with %s gets 401 and a WWW-Authenticate header', async (_what, asked) => {
    const { server, signals } = await start();
    for (const path of ['/v1/status', '/metrics', '/v1/openapi.json', '/v1/signals/cart', '/nothing']) {
      const heard = await ask(server, path, asked);
      expect([heard.status, codeOf(heard)]).toEqual([401, 'unauthorized']);
      expect(heard.headers['www-authenticate']).toBe('Bearer realm="endcap"');
    }
    const put = await ask(server, '/v1/signals/weather', { ...asked, method: 'PUT', body: sunny });
    expect(put.status).toBe(401);
    expect(signals.current().weather).toBeNull();
  });

  it.each(['evil.example', 'evil.example:PORT', '127.0.0.1', '127.0.0.1:1', 'localhost.:PORT', '127.1:PORT'])(
    'to the host "%s" gets 421, for health too',
    async (name) => {
      const { server } = await start();
      const host = name.replace('PORT', String(portOf(server)));
      for (const path of ['/v1/status', '/healthz']) {
        const heard = await ask(server, path, { headers: { host } });
        expect([heard.status, codeOf(heard)]).toEqual([421, 'wrong-host']);
      }
    },
  );

  it.each([
    ['no Host', (_port: number) => ''],
    ['an empty Host', (_port: number) => 'Host:\r\n'],
    [
      'a second Host behind more than a thousand headers',
      (port: number) => `Host: 127.0.0.1:${port}\r\n${'a: b\r\n'.repeat(1_100)}Host: evil.example\r\n`,
    ],
    ['two Hosts', (port: number) => `Host: 127.0.0.1:${port}\r\nHost: evil.example\r\n`],
  ])('with %s gets 421', async (_what, hosts) => {
    const { server } = await start();
    const connection = open(server);
    connection.send(
      `GET /v1/status HTTP/1.1\r\n${hosts(portOf(server))}Authorization: Bearer ${server.token}\r\n\r\n`,
    );
    expect((await connection.responses(1)).map(codeOf)).toEqual(['wrong-host']);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'http://localhost' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'something-new' },
  ])('of a page (%j) gets 403, its preflight too', async (headers: Record<string, string>) => {
    const { server, signals } = await start();
    const put = await ask(server, '/v1/signals/weather', { method: 'PUT', body: sunny, headers });
    expect([put.status, codeOf(put)]).toEqual([403, 'cross-site']);
    expect(signals.current().weather).toBeNull();
    expect((await ask(server, '/v1/signals/weather', { method: 'OPTIONS', headers })).status).toBe(403);
    expect((await ask(server, '/healthz', { headers })).status).toBe(403);
  });

  it('is never one from the same origin', async () => {
    const { server } = await start();
    const headers = { origin: server.url, 'sec-fetch-site': 'same-origin' };
    expect((await ask(server, '/v1/status', { headers })).status).toBe(200);
  });

  it.each([
    '/',
    '/v1',
    '/v1/status/',
    '/v1/signals',
    '/v1/signals/age',
    '/v1/plays/',
    '//v1/status',
    '/V1/STATUS',
  ])('to %s gets 404', async (path) => {
    const { server } = await start();
    const heard = await ask(server, path);
    expect([heard.status, codeOf(heard)]).toEqual([404, 'not-found']);
  });

  it('that uses the API as a proxy gets 404', async () => {
    const { server } = await start();
    const connection = open(server);
    connection.send(head(server, 'GET', 'http://evil.example/v1/status'));
    expect((await connection.responses(1)).map(codeOf)).toEqual(['not-found']);
  });

  it('for a tunnel gets 405', async () => {
    const { server } = await start();
    const connection = open(server);
    connection.send('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n');
    expect((await connection.end()).map(({ status }) => status)).toEqual([405]);
  });

  it('for a tunnel does no harm if its connection is reset', async () => {
    const { server } = await start();
    const connection = open(server);
    connection.socket.on('connect', () => {
      connection.send('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\nmore');
      connection.socket.resetAndDestroy();
    });
    await connection.end();
    expect((await ask(server, '/v1/status')).status).toBe(200);
  });

  it.each([
    ['POST', '/v1/signals/cart', 'PUT, DELETE'],
    ['GET', '/v1/signals/cart', 'PUT, DELETE'],
    ['OPTIONS', '/v1/signals/cart', 'PUT, DELETE'],
    ['PUT', '/v1/status', 'GET, HEAD'],
    ['DELETE', '/metrics', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('of %s to %s gets 405 and the allowed methods', async (method, path, allow) => {
    const { server } = await start();
    const heard = await ask(server, path, { method });
    expect([heard.status, codeOf(heard), heard.headers.allow]).toEqual([405, 'method-not-allowed', allow]);
  });

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('with a body of %s %j gets 415', async (type, more) => {
    const { server } = await start();
    const headers = { 'content-type': type, ...more };
    const heard = await ask(server, '/v1/signals/weather', { method: 'PUT', body: sunny, headers });
    expect([heard.status, codeOf(heard)]).toEqual([415, 'unsupported-media-type']);
  });

  it.each([
    ['an invalid byte', Buffer.from([0x22, 0xff, 0x22]), 'not-utf-8'],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'not-utf-8'],
    ['a half of a surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not-utf-8'],
    ['UTF-16', Buffer.from('{}', 'utf16le'), 'not-json'],
    ['nothing', Buffer.alloc(0), 'not-json'],
    ['half an object', Buffer.from('{"skus":['), 'not-json'],
    ['two objects', Buffer.from('{}{}'), 'not-json'],
    ['nine levels', Buffer.from(`${'['.repeat(9)}${']'.repeat(9)}`), 'too-deep'],
    ['thirty thousand levels', Buffer.from('['.repeat(30_000)), 'too-deep'],
    ['brackets in a string', Buffer.from(`{"skus":["${'['.repeat(20)}\\"["],"x":1}`), 'unknown-field'],
    ['an unknown field', Buffer.from('{"sku":[]}'), 'unknown-field'],
    ['a wrong type', Buffer.from('{"skus":"1"}'), 'invalid-signal'],
    ['a number beyond all', Buffer.from('{"ttlSeconds":1e999}'), 'invalid-signal'],
  ])('whose body is %s gets 400 and an error code', async (_what, body, code) => {
    const { server, signals } = await start();
    await ask(server, '/v1/signals/cart', { method: 'PUT', body: '{"skus":["before"]}' });
    const heard = await ask(server, '/v1/signals/cart', { method: 'PUT', body });
    expect([heard.status, codeOf(heard)]).toEqual([400, code]);
    expect(signals.current().cart?.skus).toEqual(['before']);
  });

  it.each([
    ['announced', true],
    ['chunked', false],
  ])('with too large a body, %s, gets 413 and the connection is closed', async (_what, announced) => {
    const { server } = await start({ limits: { lingerMs: 10_000 } });
    for (const size of [65_537, 1_000_000, 10_000_000]) {
      const body = 'x'.repeat(size);
      const headers: Record<string, string> = announced ? {} : { 'transfer-encoding': 'chunked' };
      const heard = await ask(server, '/v1/signals/cart', { method: 'PUT', body, headers });
      expect([heard.status, codeOf(heard)]).toEqual([413, 'body-too-large']);
      expect(heard.headers.connection).toBe('close');
    }
  });

  it('with too large a body is read to its end, so that its sender is not cut off before it reads why', async () => {
    const { server } = await start({ limits: { lingerMs: 10_000 } });
    const connection = open(server);
    const errors: Error[] = [];
    connection.socket.on('error', (error) => errors.push(error));
    const length = 4_000_000;
    const headers = ['Content-Type: application/json', `Content-Length: ${length}`];
    connection.send(head(server, 'PUT', '/v1/signals/cart', headers));
    await connection.responses(1);
    connection.send('x'.repeat(length));
    expect((await connection.end()).map(({ status }) => status)).toEqual([413]);
    expect(errors).toEqual([]);
  });

  it('with an endless body gets 413, and its connection is closed', async () => {
    const { server } = await start({ limits: { lingerMs: 500 } });
    const connection = open(server);
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.send(head(server, 'PUT', '/v1/signals/cart', headers));
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const pump = () => {
      while (!connection.closed && connection.socket.writable && connection.socket.write(chunk));
    };
    connection.socket.on('drain', pump);
    pump();
    expect((await connection.end())[0]?.status).toBe(413);
  });

  it('that expects 100 Continue for too large a body gets 413 instead', async () => {
    const { server } = await start();
    const connection = open(server);
    const headers = ['Content-Type: application/json', 'Expect: 100-continue', 'Content-Length: 100000'];
    connection.send(head(server, 'PUT', '/v1/signals/cart', headers));
    expect((await connection.responses(1)).map(({ status }) => status)).toEqual([413]);
  });

  it('with any other Expect header gets 417', async () => {
    const { server } = await start();
    const connection = open(server);
    connection.send(head(server, 'GET', '/v1/status', ['Expect: a-miracle']));
    expect((await connection.responses(1)).map(codeOf)).toEqual(['expectation-failed']);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01', 400],
    [
      'a length and chunks at once',
      'PUT / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['a negative length', 'PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('that is %s gets an error status and code', async (_what, bytes, status) => {
    const { server } = await start();
    const connection = open(server);
    connection.send(Buffer.from(bytes, 'latin1'));
    const heard = await connection.end();
    expect(heard.map((one) => one.status)).toEqual([status]);
    expect(codeOf(heard[0])).not.toBe('');
  });

  it('is logged without its content and without a token', async () => {
    const lines: string[] = [];
    const line = (event: string, details?: object) => lines.push(`${event} ${JSON.stringify(details)}`);
    const log = { debug: line, info: line, warn: line, error: line };
    const { server } = await start({ log });
    await ask(server, '/v1/signals/cart', { method: 'PUT', body: '{"skus":["4711"],"x4711":1}' });
    await ask(server, '/v1/status?token=4711', { headers: { authorization: 'Bearer 4711' } });
    expect(lines.some((text) => text.includes('refused'))).toBe(true);
    expect(lines.join('\n')).not.toContain('4711');
    expect(lines.join('\n')).not.toContain(server.token);
  });

  it('is logged twenty times an hour at most, however often it comes', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, warn: (event: string) => lines.push(event) };
    const { server, time } = await start({ log });
    for (let i = 0; i < 25; i += 1) await ask(server, '/nothing');
    expect(lines).toEqual(Array(20).fill('the local API refused a request: not-found'));
    await ask(server, '/v1/status', { method: 'DELETE' });
    expect(lines.at(-1)).toBe('the local API refused a request: method-not-allowed');
    time.pass(3_600_000 / 20);
    await ask(server, '/nothing');
    expect(lines).toHaveLength(22);
  });
});

describe('slow clients', () => {
  const limits = { headersTimeoutMs: 200, requestTimeoutMs: 300, keepAliveMs: 200 };
  // For tests in which one request has to succeed first, even on a busy machine.
  const patient = { headersTimeoutMs: 3000, requestTimeoutMs: 3000, keepAliveMs: 200 };

  it.each([
    ['a connection that says nothing', () => ''],
    ['headers that do not end', (server: LocalApi) => head(server, 'GET', '/v1/status').slice(0, -2)],
    [
      'a body that does not end',
      (server: LocalApi) =>
        head(server, 'PUT', '/v1/signals/cart', ['Content-Type: application/json', 'Content-Length: 10']) +
        '{',
    ],
  ])('%s gets 408 and is closed', async (_what, bytes) => {
    const { server, signals } = await start({ limits });
    const connection = open(server);
    connection.send(bytes(server));
    const heard = await connection.end();
    expect(heard.map(({ status }) => status)).toEqual([408]);
    expect(codeOf(heard[0])).toBe('timeout');
    expect(signals.current().cart).toBeNull();
  });

  it('that send byte by byte do not delay others', async () => {
    const { server } = await start({ limits: patient });
    const slow = Array.from({ length: 30 }, () => open(server));
    for (const connection of slow) connection.send(head(server, 'GET', '/v1/status', ['X: ']).trimEnd());
    const dribble = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('x');
    }, 10);
    cleanups.push(() => clearInterval(dribble));
    expect((await ask(server, '/v1/status')).status).toBe(200);
    const ends = await Promise.all(slow.map((connection) => connection.end()));
    for (const heard of ends) expect(codeOf(heard[0])).toBe('timeout');
  });

  it('that idle after an answer are closed', async () => {
    const { server } = await start({ limits: patient });
    const connection = open(server);
    connection.send(head(server, 'GET', '/v1/status'));
    expect((await connection.end()).map(({ status }) => status)).toEqual([200]);
  });

  it('that stop reading an answer are closed, and what they read is closed', async () => {
    let isClosed = false;
    const { server } = await start({
      limits: patient,
      async *plays() {
        try {
          for (;;) yield 'x'.repeat(65_536);
        } finally {
          isClosed = true;
        }
      },
    });
    const connection = open(server);
    connection.send(head(server, 'GET', '/v1/plays'));
    connection.socket.once('data', () => connection.socket.pause());
    await expect.poll(() => isClosed).toBe(true);
  });

  it('that disconnect in the middle of a body change no signal', async () => {
    const { server, signals } = await start();
    const connection = open(server);
    const headers = ['Content-Type: application/json', 'Content-Length: 100'];
    connection.send(`${head(server, 'PUT', '/v1/signals/weather', headers)}${sunny}`);
    connection.socket.end();
    await connection.end();
    expect(signals.current().weather).toBeNull();
    expect((await ask(server, '/v1/status')).status).toBe(200);
  });
});

describe('very many clients', () => {
  it('do not delay the next caller, even a thousand, and get 503 with the reason', async () => {
    const { server } = await start();
    const crowd = Array.from({ length: 1000 }, () => open(server));
    await Promise.all(
      crowd.map(
        ({ socket }) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
      ),
    );
    expect((await ask(server, '/v1/status')).status).toBe(200);
    expect((await ask(server, '/v1/signals/weather', { method: 'PUT', body: sunny })).status).toBe(204);
    await expect.poll(() => crowd.filter(({ closed }) => closed).length).toBeGreaterThan(930);
    for (const { closed, text } of crowd) {
      if (!closed) continue;
      const heard = responsesIn(text)[0];
      expect([heard?.status, codeOf(heard)]).toEqual([503, 'too-many-connections']);
    }
  });

  it('keep the connection of a sensor that has shown the token', async () => {
    const { server } = await start();
    const sensor = open(server);
    sensor.send(head(server, 'GET', '/v1/status'));
    await sensor.responses(1);
    const crowd = Array.from({ length: 200 }, () => open(server));
    await expect.poll(() => crowd.filter(({ closed }) => closed).length).toBeGreaterThan(130);
    sensor.send(head(server, 'GET', '/v1/status'));
    expect((await sensor.responses(2)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('answers pipelined requests in order', async () => {
    const { server } = await start();
    const connection = open(server);
    const put = (sku: string) => {
      const body = JSON.stringify({ skus: [sku] });
      const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      return head(server, 'PUT', '/v1/signals/cart', headers) + body;
    };
    connection.send(
      put('1') + head(server, 'GET', '/nothing') + put('2') + head(server, 'GET', '/v1/status'),
    );
    expect((await connection.responses(4)).map(({ status }) => status)).toEqual([204, 404, 204, 200]);
  });

  it('refuses pipelined requests without token once, and serves other clients meanwhile', async () => {
    const counted: number[] = [];
    const { server } = await start({ answered: (_route, status) => counted.push(status) });
    const request = `GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:${portOf(server)}\r\n\r\n`;
    const connections = Array.from({ length: 20 }, () => open(server));
    for (const connection of connections) connection.send(request.repeat(5000));
    expect((await ask(server, '/metrics')).status).toBe(200);
    for (const connection of connections) await connection.end();
    expect(counted.filter((status) => status === 401)).toHaveLength(20);
    expect(counted).toHaveLength(21);
  });

  it('refuses a caller with the token after too many pipelined requests', async () => {
    const { server } = await start({ limits: { pipelined: 4 } });
    const connection = open(server);
    connection.send(head(server, 'GET', '/healthz').repeat(200));
    const statuses = (await connection.end()).map(({ status }) => status);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 200]);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.length).toBeLessThan(200);
  });

  it('ignores requests pipelined behind one that closes the connection', async () => {
    const { server, signals } = await start();
    const connection = open(server);
    const oversize = head(server, 'PUT', '/v1/signals/cart', [
      'Content-Type: application/json',
      'Content-Length: 70000',
    ]);
    const headers = ['Content-Type: application/json', `Content-Length: ${sunny.length}`];
    connection.send(
      `${oversize}${' '.repeat(70_000)}${head(server, 'PUT', '/v1/signals/weather', headers)}${sunny}`,
    );
    expect((await connection.end()).map(({ status }) => status)).toEqual([413]);
    expect(signals.current().weather).toBeNull();
  });
});

describe('the rate limit', () => {
  const limits = { rate: { perSecond: 2, burst: 3 } };

  it('answers 429 with Retry-After, and accepts requests again later', async () => {
    const { server, time } = await start({ limits });
    for (let i = 0; i < 3; i += 1) expect((await ask(server, '/v1/status')).status).toBe(200);
    const refused = await ask(server, '/v1/status');
    expect([refused.status, codeOf(refused), refused.headers['retry-after']]).toEqual([
      429,
      'rate-limited',
      '1',
    ]);
    time.pass(500);
    expect((await ask(server, '/v1/status')).status).toBe(200);
    expect((await ask(server, '/v1/status')).status).toBe(429);
  });

  it('of requests without token does not affect those with the token, or health', async () => {
    const { server } = await start({ limits });
    const stranger = { without: ['authorization'] };
    const heard: number[] = [];
    for (let i = 0; i < 5; i += 1) heard.push((await ask(server, '/v1/status', stranger)).status);
    expect(heard).toEqual([401, 401, 401, 429, 429]);
    const connection = open(server);
    connection.send(`GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:${portOf(server)}\r\n\r\n`);
    const refused = { status: 429, headers: { connection: 'close' } };
    expect(await connection.responses(1)).toMatchObject([refused]);
    for (let i = 0; i < 5; i += 1) await ask(server, '/healthz', { headers: { host: 'evil.example' } });
    expect((await ask(server, '/healthz', stranger)).status).toBe(200);
    expect((await ask(server, '/v1/status')).status).toBe(200);
  });
});

describe('status and metrics that fail', () => {
  it('answer 500 and are logged, while health still answers', async () => {
    const events: string[] = [];
    const log = { ...silentLog, error: (event: string) => events.push(event) };
    const { server } = await start({
      log,
      status: () => {
        throw new Error('a bug');
      },
    });
    const heard = await ask(server, '/v1/status');
    expect([heard.status, codeOf(heard)]).toEqual([500, 'internal']);
    expect(heard.body).not.toContain('a bug');
    expect(events).toHaveLength(1);
    expect((await ask(server, '/metrics')).status).toBe(500);
    expect((await ask(server, '/healthz')).status).toBe(200);
  });

  it('answer 500 if the status does not fit its schema, and remove unknown fields', async () => {
    const broken = { ...exampleStatus(), since: Number.NaN };
    const first = await start({ status: () => broken });
    expect((await ask(first.server, '/v1/status')).status).toBe(500);
    const more = { ...exampleStatus(), clientSecret: 'hush' };
    const second = await start({ status: () => more });
    expect((await ask(second.server, '/v1/status')).body).not.toContain('hush');
  });
});

describe('plays', () => {
  it('are streamed for the requested range', async () => {
    const asked: unknown[] = [];
    const { server } = await start({
      async *plays(range) {
        asked.push(range);
        yield '{"id":1}\n';
        yield '{"id":2}\n';
      },
    });
    const heard = await ask(server, '/v1/plays?from=2026-01-01T00:00:00Z');
    expect([heard.status, heard.body]).toEqual([200, '{"id":1}\n{"id":2}\n']);
    expect(heard.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(asked).toEqual([{ from: Date.UTC(2026, 0, 1), to: null }]);
    const [july, august] = ['2026-07-01T00:00:00Z', '2026-08-01T00:00:00Z'];
    const unclear = [`from=${july}&from=${august}`, `from=${july}?to=${august}`];
    for (const query of ['from=yesterday', 'to=1', 'limit=5', 'flight=1', ...unclear]) {
      const refused = await ask(server, `/v1/plays?${query}`);
      expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid-query']);
    }
    // A + that is not escaped arrives as a space.
    const { body } = await ask(server, '/v1/plays?from=2026-01-01T00:00:00+01:00');
    expect(JSON.parse(body).error.message).toContain(
      '(+ is written %2B), got "from=2026-01-01T00:00:00 01:00".',
    );
  });

  it('are an empty body for an empty range', async () => {
    const { server } = await start({ async *plays() {} });
    expect(await ask(server, '/v1/plays')).toMatchObject({ status: 200, body: '' });
  });

  it('are not read on for HEAD', async () => {
    let isClosed = false;
    const { server } = await start({
      async *plays() {
        try {
          for (;;) yield 'one\n';
        } finally {
          isClosed = true;
        }
      },
    });
    expect(await ask(server, '/v1/plays', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(isClosed).toBe(true);
  });

  it('are read only as fast as the client reads, and stop when it cancels', async () => {
    const piece = `${'x'.repeat(65_535)}\n`;
    let given = 0;
    let ended = false;
    const { server } = await start({
      async *plays() {
        try {
          for (;;) {
            given += 1;
            yield piece;
          }
        } finally {
          ended = true;
        }
      },
    });
    const response = await fetch(`${server.url}/v1/plays`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    const least = given;
    // Nothing is read now: the buffers fill up, and then no more plays are requested.
    await expect
      .poll(async () => {
        const before = given;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return given - before;
      })
      .toBe(0);
    expect(given).toBeGreaterThanOrEqual(least);
    expect(given).toBeLessThan(2_000);
    await reader?.cancel();
    await expect.poll(() => ended).toBe(true);
  });

  it('that fail in the middle do not look complete', async () => {
    const { server } = await start({
      async *plays() {
        yield 'one\n';
        throw new Error('the books are gone');
      },
    });
    const whole = async () => {
      const response = await fetch(`${server.url}/v1/plays`, {
        headers: { authorization: `Bearer ${server.token}` },
      });
      return response.text();
    };
    await expect(whole()).rejects.toThrow();
    const silent = await start({
      // biome-ignore lint/correctness/useYield: books that never answer.
      async *plays() {
        throw new Error('the books are gone');
      },
    });
    expect((await ask(silent.server, '/v1/plays')).status).toBe(500);
  });

  it('are unavailable for a moment while they are moved with the clock', async () => {
    const { server } = await start({
      // biome-ignore lint/correctness/useYield: no page of them can be read.
      async *plays() {
        throw new PlaysMoved();
      },
    });
    const heard = await ask(server, '/v1/plays');
    expect([heard.status, codeOf(heard)]).toEqual([503, 'unavailable']);
  });

  it('that fail in the middle count as one answer', async () => {
    const counted: Array<[string, number]> = [];
    const { server } = await start({
      answered: (route, status) => counted.push([route, status]),
      async *plays() {
        yield 'one\n';
        throw new Error('the books are gone');
      },
    });
    await expect(ask(server, '/v1/plays')).rejects.toThrow();
    expect((await ask(server, '/healthz')).status).toBe(200);
    expect(counted).toEqual([
      ['/v1/plays', 200],
      ['/healthz', 200],
    ]);
  });
});

describe('starting and stopping', () => {
  it('creates a token that only its owner can read, and reuses it', async () => {
    const first = await start();
    const path = join(first.folder, 'signals-token');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).trim()).toBe(first.server.token);
    expect(first.server.token).toMatch(/^[\w-]{43}$/);
    await first.server.close();
    const second = await start({ folder: first.folder });
    expect(second.server.token).toBe(first.server.token);
    const other = await start();
    expect(other.server.token).not.toBe(first.server.token);
  });

  it.each([
    ['empty', ''],
    ['too short to be one', 'a'.repeat(31)],
    ['too long to be one', 'a'.repeat(257)],
    ['no text', '\u0000'.repeat(100)],
    ['two words', `${'a'.repeat(40)} b`],
    ['much longer than a token', `${'a'.repeat(40)}${'\n'.repeat(5_000)}`],
  ])('makes a new token where the file is %s', async (_what, content) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'signals-token'), content);
    const { server } = await start({ folder });
    expect((await readFile(join(folder, 'signals-token'), 'utf8')).trim()).toBe(server.token);
    expect(server.token).toMatch(/^[\w-]{43}$/);
  });

  it.each([32, 256])('keeps a token of %d characters that the operator put there', async (length) => {
    const folder = await temporaryFolder();
    const token = '~'.repeat(length);
    await writeFile(join(folder, 'signals-token'), `${token}\n`);
    expect((await start({ folder })).server.token).toBe(token);
  });

  it('removes the access of others to a token file, and of a group to write it, but not to read it', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'signals-token');
    await writeFile(path, 'a'.repeat(40));
    for (const [before, after] of [
      [0o644, 0o600],
      [0o602, 0o600],
      [0o601, 0o600],
      [0o660, 0o600],
      [0o640, 0o640],
    ] as const) {
      await chmod(path, before);
      const { server } = await start({ folder });
      expect((await stat(path)).mode & 0o777).toBe(after);
      await server.close();
    }
  });

  it('says why it cannot start when the token file is a link or a pipe, or its folder is missing', async () => {
    const { parts, folder } = await start();
    await symlink(join(folder, 'signals-token'), join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const places = [['link'], ['pipe'], ['no', 'token'], ['.']];
    for (const tokenFile of places.map((place) => join(folder, ...place))) {
      const started = await createLocalApi({ ...parts, tokenFile });
      expect(started).toMatchObject({ ok: false, problem: expect.stringContaining(`${tokenFile}: `) });
    }
  });

  it('writes its port to a file, and deletes the file when it stops', async () => {
    const { server, folder } = await start();
    const path = join(folder, 'signals-port');
    expect((await readFile(path, 'utf8')).trim()).toBe(String(portOf(server)));
    // The install test looks at it under the unit's umask 0077.
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    await Promise.all([server.close(), server.close()]);
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
    await untilNobodyListens(portOf(server));
  });

  it('reports that its port is taken, and deletes an old port file', async () => {
    await using other = await listening(createServer());
    const { port } = other;
    const { parts } = await start();
    const folder = await temporaryFolder();
    const portFile = join(folder, 'signals-port');
    await writeFile(portFile, '1\n');
    const started = await createLocalApi({ ...parts, port, portFile });
    expect(started).toMatchObject({ ok: false, problem: expect.stringContaining('another program') });
    await expect(readFile(portFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.runIf(hasIpv6)('reports that its port is taken on [::1], and writes no port file', async () => {
    await using stranger = await listening(createServer(), '::1');
    const { port } = stranger;
    const { parts } = await start();
    const portFile = join(await temporaryFolder(), 'signals-port');
    const started = await createLocalApi({ ...parts, port, portFile });
    const problem = started.ok ? '' : started.problem;
    expect(problem).toContain(`[::1]:${port}: another program`);
    expect(problem).toContain('signals.port');
    await expect(readFile(portFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.runIf(hasIpv6)('answers a client that asks for localhost, over IPv4 and IPv6', async () => {
    const { server } = await start();
    for (const host of ['127.0.0.1', '::1']) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${server.token}`, host: `localhost:${portOf(server)}` };
        httpRequest({ host, port: portOf(server), path: '/v1/status', headers, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
      expect(status).toBe(200);
    }
  });

  it('closes open connections when it stops', async () => {
    const { server } = await start();
    const connection = open(server);
    connection.send(head(server, 'GET', '/v1/status'));
    await connection.responses(1);
    await server.close();
    await connection.end();
  });

  it('reports the route and status of every answer', async () => {
    const counted: Array<[string, number]> = [];
    const { server } = await start({ answered: (route, status) => counted.push([route, status]) });
    await ask(server, '/healthz?x=1');
    await ask(server, '/some/thing');
    const connection = open(server);
    connection.send('hello\r\n\r\n');
    await connection.end();
    expect(counted).toEqual([
      ['/healthz', 200],
      ['other', 404],
      ['other', 400],
    ]);
  });
});
