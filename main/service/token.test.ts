import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { type Log, silentLog } from '../../shared/log';
import { SendError } from '../egress/send-error';
import { Secret } from '../settings/secret';
import { authorisedRequest } from './authorised-request';
import type { Http } from './http';
import { callInventory } from './service-clients';
import { handTurnedTime } from './testing/hand-turned-time';
import { localServer, realHttp } from './testing/local-server';
import { createAccessTokens, lifetimeMs, MAX_TOKEN_BYTES, type TokenOptions } from './token';

const SECRET = 'pä ss&w=rd+';

function tokensFor(authUrl: string, changes: Partial<TokenOptions> = {}) {
  return createAccessTokens({
    account: { authUrl, clientId: 'kiosk@example.com', clientSecret: new Secret(SECRET), projectId: 'p-1' },
    http: realHttp,
    random: () => 0.5,
    log: silentLog,
    ...changes,
  });
}

/** A service that answers each request with the next of `answers`, and then repeats the last one. */
function scripted(time: ReturnType<typeof handTurnedTime>, ...answers: readonly [number, unknown][]) {
  const calls: string[] = [];
  const http: Http = {
    clock: time.clock,
    schedule: time.schedule,
    fetch: async (url) => {
      const [status, body] = answers[Math.min(calls.length, answers.length - 1)] ?? [500, ''];
      calls.push(url);
      return new Response(JSON.stringify(body), { status });
    },
  };
  return { http, calls };
}

const granted = (token: string, expires_in: unknown = 1000) => ({
  access_token: token,
  token_type: 'Bearer',
  expires_in,
  scope: 'openid',
});

describe('the token request', () => {
  test('is a form with encoded values, and has only the four parameters of the flow', async () => {
    await using server = await localServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(granted('abc')));
    });
    const tokens = tokensFor(server.url);
    const result = await tokens.current();
    tokens.stop();
    expect(result.kind === 'token' && result.token.reveal()).toBe('abc');
    const [request] = server.received;
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/oauth/v2/token');
    expect(request?.headers.accept).toBe('application/json');
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.body).toContain('client_id=kiosk%40example.com');
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'kiosk@example.com',
      client_secret: SECRET,
      scope: 'openid',
    });
  });

  test('rejects an answer that is longer than main may read (rule 31)', async () => {
    const long = { ...granted('abc'), scope: 's'.repeat(MAX_TOKEN_BYTES) };
    await using server = await localServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(long));
    });
    const tokens = tokensFor(server.url);
    expect(await tokens.current()).toMatchObject({ kind: 'error', error: { code: 'too-large' } });
    tokens.stop();
  });

  test('keeps the path of the configured address', async () => {
    await using server = await localServer((_request, response) => {
      response.end(JSON.stringify(granted('abc')));
    });
    const tokens = tokensFor(`${server.url}/tenant`);
    expect((await tokens.current()).kind).toBe('token');
    tokens.stop();
    expect(server.received[0]?.path).toBe('/tenant/oauth/v2/token');
  });

  test('is made once for a hundred callers at the same time', async () => {
    await using server = await localServer((_request, response) => {
      response.end(JSON.stringify(granted('abc')));
    });
    const tokens = tokensFor(server.url);
    const results = await Promise.all(Array.from({ length: 100 }, () => tokens.current()));
    tokens.stop();
    expect(new Set(results.map((result) => result.kind === 'token' && result.token.reveal()))).toEqual(
      new Set(['abc']),
    );
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['an ID token of an unknown issuer', { ...granted('abc'), id_token: 'a.b.c' }],
    ['a lifetime in words', granted('abc', 'one hour')],
    ['a negative lifetime', granted('abc', -1)],
    ['a line break behind the token', granted('abc\n')],
    ['a token type in capitals', { ...granted('abc'), token_type: 'BEARER' }],
    ['no scope', { ...granted('abc'), scope: undefined }],
    ['a refresh token of a wrong type', { ...granted('abc'), refresh_token: 5 }],
  ])('takes an answer with %s', async (_name, body) => {
    const time = handTurnedTime();
    const tokens = tokensFor('https://auth.example.com', scripted(time, [200, body]));
    const result = await tokens.current();
    expect(result.kind === 'token' && result.token.reveal()).toBe('abc');
  });

  test('says of a wrong secret that a new one counts after a restart', async () => {
    const time = handTurnedTime();
    const { http } = scripted(time, [401, { error: 'invalid_client' }]);
    const warn = vi.fn<Log['warn']>();
    const tokens = tokensFor('http://127.0.0.1:1', { http, log: { ...silentLog, warn } });
    const advice = expect.stringContaining('restart the player');
    expect(await tokens.current()).toMatchObject({ error: { code: 'wrong-secret', advice } });
    const message = expect.stringContaining('does not accept the client ID and secret (401)');
    expect(warn.mock.calls).toEqual([
      ['no access token', expect.objectContaining({ code: 'wrong-secret', message, advice })],
    ]);
    expect(inspect(warn.mock.calls, { depth: 10 })).not.toContain(SECRET);
  });

  test.each<[string, number, string, string]>([
    ['a wrong secret', 401, '{"error":"invalid_client","error_description":"no"}', 'wrong-secret'],
    ['a wrong secret, the other way', 400, '{"error":"invalid_client"}', 'wrong-secret'],
    ["a gateway's 503 page", 503, '<html><body>Service Unavailable</body></html>', 'server-error'],
    ['a log-in page', 200, '<!doctype html><title>Store Wi-Fi</title>', 'web-page'],
    ['plain words', 200, 'OK', 'not-json'],
    ['JSON that is no object', 200, '["abc"]', 'not-json'],
    ['JSON that is a text', 200, '"abc"', 'not-json'],
    ['no token', 200, '{"token_type":"Bearer"}', 'malformed'],
    ['another type of token', 200, '{"access_token":"abc","token_type":"mac"}', 'malformed'],
    ['a token of two lines', 200, '{"access_token":"a\\nb","token_type":"Bearer"}', 'malformed'],
    ['a token in other letters', 200, '{"access_token":"токен","token_type":"Bearer"}', 'malformed'],
    [
      'JSON nested deeper than 64 levels',
      200,
      `{"access_token":"abc","token_type":"Bearer","x":${'['.repeat(64)}${']'.repeat(64)}}`,
      'not-json',
    ],
  ])('reports %s with its error code', async (_name, status, body, code) => {
    await using server = await localServer((_request, response) => {
      response.writeHead(status).end(body);
    });
    const tokens = tokensFor(server.url);
    expect(await tokens.current()).toMatchObject({
      kind: 'error',
      error: { code, operation: 'token', status },
    });
    tokens.stop();
  });
});

describe('renewal', () => {
  test('happens in the background at about 80 % of the lifetime', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [200, granted('one')], [200, granted('two')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    expect(tokens.inUse()).toBeNull();
    await tokens.current();
    await time.advance(799_000);
    expect(calls).toHaveLength(1);
    expect(tokens.inUse()).toEqual({ ageMs: 799_000, expiresInMs: 201_000 });
    await time.advance(1_000);
    expect(calls).toHaveLength(2);
    expect(tokens.inUse()).toEqual({ ageMs: 0, expiresInMs: 1_000_000 });
    const result = await tokens.current();
    expect(result.kind === 'token' && result.token.reveal()).toBe('two');
    expect(calls).toHaveLength(2);
  });

  test('that fails leaves the token in use until it expires, and none from then on', async () => {
    const time = handTurnedTime();
    const { http } = scripted(time, [200, granted('one')], [500, '']);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    await time.advance(999_999);
    expect(tokens.inUse()).toEqual({ ageMs: 999_999, expiresInMs: 1 });
    await time.advance(1);
    expect(tokens.inUse()).toBeNull();
  });

  test.each([
    [0, 750_000],
    [0.999, 849_900],
  ])('is spread: random %d renews after %d ms', async (random, ms) => {
    const time = handTurnedTime();
    const { http } = scripted(time, [200, granted('one')]);
    await tokensFor('https://auth.example.com', { http, random: () => random }).current();
    expect(time.waits()).toEqual([ms]);
  });

  test('that fails is tried again, and the old token stays in use until it expires', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(
      time,
      [200, granted('one')],
      [500, {}],
      [500, {}],
      [200, granted('two')],
    );
    const tell = vi.fn<NonNullable<TokenOptions['tell']>>();
    const tokens = tokensFor('https://auth.example.com', { http, tell });
    await tokens.current();
    await time.advance(800_000);
    expect(calls).toHaveLength(2);
    expect(tell).toHaveBeenLastCalledWith(
      expect.objectContaining({ error: expect.objectContaining({ code: 'server-error' }) }),
    );
    const still = await tokens.current();
    expect(still.kind === 'token' && still.token.reveal()).toBe('one');
    expect(calls).toHaveLength(2);
    await time.advance(60_000);
    const renewed = await tokens.current();
    expect(renewed.kind === 'token' && renewed.token.reveal()).toBe('two');
    expect(tell).toHaveBeenLastCalledWith({ kind: 'token' });
  });

  test('that never succeeds returns an error once the token expires', async () => {
    const time = handTurnedTime();
    const { http } = scripted(time, [200, granted('one')], [500, {}]);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    await time.advance(949_000);
    expect((await tokens.current()).kind).toBe('token');
    await time.advance(51_000);
    expect(await tokens.current()).toMatchObject({ kind: 'error', error: { code: 'server-error' } });
    // Without a valid token, the next caller requests one.
    expect(time.waits()).toEqual([]);
  });

  test('is planned once, also after a connection test', async () => {
    const time = handTurnedTime();
    const { http } = scripted(time, [200, granted('one')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    await tokens.renew();
    expect(time.waits()).toEqual([800_000]);
  });

  test('is not planned by a request that is under way at the stop', async () => {
    const time = handTurnedTime();
    const { http } = scripted(time, [200, granted('one')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    const underWay = tokens.renew();
    tokens.stop();
    await underWay;
    expect(time.waits()).toEqual([]);
  });

  test('does not go on after stop', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [200, granted('one')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    tokens.stop();
    await time.advance(10_000_000);
    expect(calls).toHaveLength(1);
    expect(time.waits()).toEqual([]);
  });

  test('of a token without a lifetime happens only when it is needed', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [200, granted('one', 0)]);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    await time.advance(5_000);
    await tokens.current();
    expect(calls).toHaveLength(2);
    await time.advance(3_600_000);
    expect(calls).toHaveLength(2);
  });

  test.each<[unknown, number]>([
    [43_199, 43_199_000],
    ['3600', 3_600_000],
    [0, 5_000],
    [-1, 5_000],
    [1, 5_000],
    [1e15, 86_400_000],
    [undefined, 300_000],
    [null, 300_000],
    ['soon', 300_000],
    [Number.NaN, 300_000],
  ])('expires_in %j is taken for %d ms', (expiresIn, ms) => {
    expect(lifetimeMs(expiresIn)).toBe(ms);
  });
});

describe('back-off', () => {
  test('a wrong secret does not cause frequent requests, however often a token is needed', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [401, { error: 'invalid_client' }]);
    const tokens = tokensFor('https://auth.example.com', { http });
    for (let second = 0; second < 3600; second += 1) {
      expect(await tokens.current()).toMatchObject({ error: { code: 'wrong-secret' } });
      await time.advance(1_000);
    }
    // 1–2 s, 2–4 s, … then every 2.5 to 5 minutes.
    expect(calls.length).toBeGreaterThan(12);
    expect(calls.length).toBeLessThan(35);
  });

  test('waits longer than Retry-After, because the service may have told all kiosks the same time', async () => {
    const time = handTurnedTime();
    const headers = { 'retry-after': '600' };
    const fetch = vi.fn(async () => new Response('', { status: 503, headers }));
    const tokens = tokensFor('https://auth.example', { http: { ...time, fetch } });
    await tokens.current();
    await time.advance(629_000);
    await tokens.current();
    expect(fetch).toHaveBeenCalledTimes(1);
    await time.advance(1_000);
    await tokens.current();
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  test('tells those who ask within the pause what is left of it, not the whole Retry-After again', async () => {
    const time = handTurnedTime();
    const headers = { 'retry-after': '600' };
    const fetch = async () => new Response('', { status: 503, headers });
    const tokens = tokensFor('https://auth.example', { http: { ...time, fetch } });
    expect(await tokens.current()).toMatchObject({ error: { retryAfterMs: 600_000 } });
    await time.advance(600_000);
    // The pause itself is 630 s.
    expect(await tokens.current()).toMatchObject({
      kind: 'error',
      error: { code: 'server-error', retryAfterMs: 30_000 },
    });
  });

  test.each([
    ['ends when the network is back, if there was no answer', 0, 2],
    ['stays when the network is back, if the service answered', 503, 1],
  ])('%s', async (_case, status, expected) => {
    const time = handTurnedTime();
    const fetch = vi.fn(async () => {
      if (status === 0) throw new SendError('connection', 'no', 'no connection (ENETUNREACH)');
      return new Response('', { status });
    });
    const tokens = tokensFor('https://auth.example.com', { http: { ...time, fetch } });
    await tokens.current();
    await tokens.networkIsBack();
    await tokens.current();
    expect(fetch).toHaveBeenCalledTimes(expected);
  });

  test('ends also if the network came back during the request that then got no answer', async () => {
    const time = handTurnedTime();
    const fetch = vi.fn(async () => {
      throw new SendError('timeout', 'no', 'the answer was not complete in time');
    });
    const tokens = tokensFor('https://auth.example.com', { http: { ...time, fetch } });
    const underWay = tokens.current();
    await Promise.all([underWay, tokens.networkIsBack()]);
    await tokens.current();
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  test('after refused tokens stays when the network is back', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [200, granted('one')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    for (const _time of [1, 2]) {
      const found = await tokens.current();
      if (found.kind === 'token') tokens.invalidate(found.token, 'playlist');
    }
    await tokens.networkIsBack();
    expect((await tokens.current()).kind).toBe('error');
    expect(calls).toHaveLength(2);
  });

  test('ends with the first token', async () => {
    const time = handTurnedTime();
    const { http } = scripted(time, [503, {}], [200, granted('one')]);
    const tell = vi.fn<NonNullable<TokenOptions['tell']>>();
    const tokens = tokensFor('https://auth.example.com', { http, tell });
    const first = await tokens.current();
    expect(first.kind).toBe('error');
    expect(await tokens.current()).toEqual(first);
    await time.advance(2_000);
    expect((await tokens.current()).kind).toBe('token');
    expect(tell.mock.calls.map(([{ kind }]) => kind)).toEqual(['error', 'token']);
  });

  test('is the shortest again after a token', async () => {
    const time = handTurnedTime();
    const failing = Array.from({ length: 5 }, (): [number, unknown] => [503, {}]);
    const { http } = scripted(time, ...failing, [200, granted('one')], [503, {}]);
    const tokens = tokensFor('https://auth.example.com', { http });
    for (let attempt = 0; attempt < 7; attempt += 1) await tokens.renew();
    expect(time.waits()).toEqual([1_500]);
  });

  test('ends with the token of a connection test, and those who ask wait for it', async () => {
    const time = handTurnedTime();
    const { http } = scripted(time, [503, {}], [200, granted('one')], [200, granted('two')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    const test = tokens.renew();
    const found = await tokens.current();
    expect(await test).toEqual(found);
    if (found.kind === 'token') tokens.invalidate(found.token, 'playlist');
    expect((await tokens.current()).kind).toBe('token');
  });

  test('does not hold back the connection test', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [401, {}]);
    const tokens = tokensFor('https://auth.example.com', { http });
    await tokens.current();
    await tokens.renew();
    expect(calls).toHaveLength(2);
  });
});

describe('a 401 of the service', () => {
  const answering = (accepts: (bearer: string) => boolean) => {
    let issued = 0;
    return localServer((request, response) => {
      if (request.path === '/oauth/v2/token') {
        issued += 1;
        response.end(JSON.stringify(granted(`token-${issued}`)));
      } else {
        response.writeHead(accepts(request.headers.authorization ?? '') ? 200 : 401).end('{}');
      }
    });
  };
  const inventory = (url: string, tokens: ReturnType<typeof tokensFor>) =>
    callInventory(realHttp, tokens, url, { 'X-Service-Namespace': 'project:p-1' });

  test('brings one new token and one more try', async () => {
    await using server = await answering((bearer) => bearer === 'Bearer token-2');
    const tokens = tokensFor(server.url);
    expect(await inventory(server.url, tokens)).toMatchObject({ kind: 'response' });
    tokens.stop();
    expect(server.received.map((request) => request.path)).toEqual([
      '/oauth/v2/token',
      '/v1alpha/inventory/devices',
      '/oauth/v2/token',
      '/v1alpha/inventory/devices',
    ]);
    const last = server.received[3];
    expect(last?.headers['x-service-namespace']).toBe('project:p-1');
    expect(last?.headers['content-type']).toBe('application/json');
    expect(last?.body).toBe('{}');
  });

  test('that repeats is an error, and further calls do not fetch more tokens', async () => {
    await using server = await answering(() => false);
    const still = { now: () => 0, monotonic: () => 0 };
    const tokens = tokensFor(server.url, { http: { ...realHttp, clock: still } });
    for (let call = 0; call < 5; call += 1) {
      expect((await inventory(server.url, tokens)).kind).toBe('error');
    }
    tokens.stop();
    const requests = server.received.filter((request) => request.path === '/oauth/v2/token');
    expect(requests.length).toBe(2);
    const last = await tokens.current();
    expect(last).toMatchObject({
      error: {
        code: 'tokens-refused',
        message: expect.stringContaining('gave new access tokens, but the service refuses them.'),
        advice: expect.stringContaining('service.authUrl and service.baseUrl'),
      },
    });
  });

  test('to the second token in a row begins a pause, with no request in the background', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [200, granted('one')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    /** Whether a new token may help after this operation rejected the present one. */
    const rejected = async () => {
      const found = await tokens.current();
      return found.kind === 'token' && tokens.invalidate(found.token, 'playlist');
    };
    const accepted = async (by: 'playlist' | 'inventory') => {
      const found = await tokens.current();
      if (found.kind === 'token') tokens.accepted(found.token, by);
    };
    // Others accept tokens, too, but this one accepted the token before the one that it rejects.
    expect(await rejected()).toBe(true);
    await accepted('playlist');
    await accepted('inventory');
    expect(await rejected()).toBe(true);
    await accepted('playlist');
    expect([await rejected(), await rejected()]).toEqual([true, true]);
    expect(time.waits()).toEqual([]);
    const requests = calls.length;
    await time.advance(1_499);
    expect((await tokens.current()).kind).toBe('error');
    await time.advance(1);
    expect((await tokens.current()).kind).toBe('token');
    expect(calls.length).toBe(requests + 1);
  });

  test('of one operation takes no token from the others, which accept it', async () => {
    let issued = 0;
    await using server = await localServer(({ path, headers }, response) => {
      if (path === '/oauth/v2/token') {
        issued += 1;
        response.end(JSON.stringify(granted(`token-${issued}`)));
      } else if (path.includes('/inventory/')) response.writeHead(401).end('{"code":16}');
      else response.writeHead(headers.authorization === `Bearer token-${issued}` ? 200 : 401).end();
    });
    const tell = vi.fn<NonNullable<TokenOptions['tell']>>();
    const tokens = tokensFor(server.url, { tell });
    const ads = () =>
      authorisedRequest(realHttp, tokens, {
        operation: 'playlist',
        method: 'GET',
        url: `${server.url}/ads`,
        headers: {},
        limits: { headersMs: 5_000, totalMs: 5_000, maxBytes: 1_000 },
        expects: [200],
        secrets: [],
      });
    for (let time = 0; time < 5; time += 1) {
      expect(await ads()).toMatchObject({ kind: 'response' });
      expect(await inventory(server.url, tokens)).toMatchObject({ error: { code: 'unauthorized' } });
    }
    expect(await ads()).toMatchObject({ kind: 'response' });
    // The first 401 of the inventory brings one new token.
    expect(tell.mock.calls).toEqual([[{ kind: 'token' }], [{ kind: 'token' }]]);
    // All tokens are withdrawn: the ads still get a new one, although the inventory may be the first to notice.
    issued += 1;
    await inventory(server.url, tokens);
    expect(await ads()).toMatchObject({ kind: 'response' });
    tokens.stop();
  });

  test('of all operations counts, although one accepted a token last', async () => {
    let accepts = true;
    await using server = await answering(() => true);
    const tell = vi.fn<NonNullable<TokenOptions['tell']>>();
    const tokens = tokensFor(server.url, { tell });
    const ask = async (operation: 'playlist' | 'inventory') => {
      const token = await tokens.current();
      if (token.kind === 'error') return;
      if (accepts) tokens.accepted(token.token, operation);
      else tokens.invalidate(token.token, operation);
    };
    await ask('playlist');
    await ask('inventory');
    accepts = false;
    for (let time = 0; time < 3; time += 1) await ask('playlist');
    expect(tell).toHaveBeenLastCalledWith(
      expect.objectContaining({ error: expect.objectContaining({ code: 'tokens-refused' }) }),
    );
    tokens.stop();
  });

  test('to an old token does not throw away the new one', async () => {
    const time = handTurnedTime();
    const { http, calls } = scripted(time, [200, granted('one')], [200, granted('two')]);
    const tokens = tokensFor('https://auth.example.com', { http });
    const first = await tokens.current();
    if (first.kind !== 'token') throw new Error('expected a token');
    tokens.invalidate(first.token, 'inventory');
    await tokens.current();
    expect(tokens.invalidate(first.token, 'inventory')).toBe(true);
    const second = await tokens.current();
    expect(second.kind === 'token' && second.token.reveal()).toBe('two');
    expect(calls).toHaveLength(2);
  });

  test('is reported as an error of the service if no new token is available', async () => {
    let issued = 0;
    await using server = await localServer((request, response) => {
      if (request.path !== '/oauth/v2/token') response.writeHead(401).end('{"message":"expired"}');
      else if (issued++ === 0) response.end(JSON.stringify(granted('one')));
      else response.writeHead(500).end();
    });
    const tokens = tokensFor(server.url);
    expect(await inventory(server.url, tokens)).toMatchObject({
      error: { code: 'unauthorized', operation: 'inventory', serviceMessage: 'expired' },
    });
    tokens.stop();
  });
});

test('neither token nor secret shows up in errors, logs or inspect output', async () => {
  const lines: unknown[] = [];
  const write = vi.fn((event: string, details?: unknown) => void lines.push(event, details));
  const log: Log = { debug: write, info: write, warn: write, error: write };
  await using server = await localServer((request, response) => {
    if (request.path === '/oauth/v2/token') response.end(JSON.stringify(granted('tok-en-1')));
    else
      response
        .writeHead(403)
        .end(JSON.stringify({ message: `no: ${request.headers.authorization} ${SECRET}` }));
  });
  const tokens = tokensFor(server.url, { log });
  const token = await tokens.current();
  const refused = await authorisedRequest(realHttp, tokens, {
    operation: 'inventory',
    method: 'POST',
    url: `${server.url}/`,
    headers: {},
    limits: { headersMs: 5_000, totalMs: 5_000, maxBytes: 1_000 },
    expects: [200],
    secrets: [SECRET],
  });
  tokens.stop();
  expect(refused).toMatchObject({
    error: { code: 'forbidden', serviceMessage: 'no: Bearer [secret] [secret]' },
  });
  const printed = inspect([lines, token, refused], { depth: 10 }) + JSON.stringify([lines, token, refused]);
  expect(printed).not.toContain('tok-en-1');
  expect(printed).not.toContain(SECRET);
  expect(write).toHaveBeenCalled();
});
