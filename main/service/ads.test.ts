import { describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Context } from '../decisions/audience';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { Secret } from '../settings/secret';
import { type AdsClientOptions, createAdsClient, wrapperDocuments } from './ads';
import { localServer, realHttp } from './testing/local-server';
import { createAccessTokens } from './token';

function clientFor(baseUrl: string, changes: Partial<AdsClientOptions> = {}) {
  return createAdsClient({
    http: realHttp,
    baseUrl,
    tokens: null,
    projectHeader: { 'X-Brand-Namespace': 'project:p' },
    params: { playerid: 'player 1', key: 'retailer&co' },
    offlineParams: { offline: 'true', source: ['a', 'b'] },
    onlineParams: { w: '{weather.types}', gender: '{shopper.gender}', fixed: 'yes' },
    sendDemographics: true,
    ...changes,
  });
}

const vast = (body: string, headers: Record<string, string> = {}) =>
  localServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/xml', ...headers }).end(body);
  });

test('sensed age and gender are sent only with permission, all other parameters always (rule 20)', async () => {
  await using server = await vast('<VAST version="4.2"/>');
  const onlineParams = {
    gender: '{shopper.gender}',
    age: 'a-{shopper.ageRange}',
    both: '{shopper.gender}{shopper.groupSize}',
    people: '{shopper.groupSize}',
    activation: '{shopper.activationId}',
    weather: '{weather.types}',
  };
  const context: Context = {
    shopper: {
      people: [{ gender: 'GENDER_FEMALE', ageRange: 'AGE_RANGE_25_29' }],
      groupSize: 1,
      activationId: 'a-1',
    },
    cart: null,
    weather: { types: ['WEATHER_TYPE_SUNNY'] },
  };
  const names = ['gender', 'age', 'both', 'people', 'activation', 'weather'];
  for (const sendDemographics of [true, false]) {
    await clientFor(server.url, { onlineParams, sendDemographics }).requestOnline(context, 20_000);
    const sent = names.filter((name) => server.received.at(-1)?.query.has(name));
    expect(sent).toEqual(sendDemographics ? names : ['people', 'activation', 'weather']);
  }
});

test.each([401, 403])(
  'a %i to a request without a token is no error of a token or an account',
  async (status) => {
    await using server = await localServer((_request, response) => {
      response.writeHead(status, { 'retry-after': '7' }).end('{"message":"unknown player"}');
    });
    expect(await clientFor(server.url).requestPlaylist(null)).toMatchObject({
      error: {
        code: 'refused',
        status,
        retryAfterMs: 7_000,
        serviceMessage: 'unknown player',
        message: `The ads service at ${new URL(server.url).host} answered with an error (status ${status}).`,
      },
    });
  },
);

/** A service that answers after `ms` on the clock of `http`. */
function slowly(ms: number) {
  let elapsed = 0;
  const http = { ...realHttp, clock: { now: () => elapsed, monotonic: () => elapsed } };
  const server = localServer((_request, response) => {
    elapsed = ms;
    response.end('<VAST/>');
  });
  return { server, http };
}

test('a cache on the way passes a request for a wrapped document on, because its answer would hold beacons that are confirmed already', async () => {
  await using server = await localServer((_request, response) => void response.end('<VAST/>'));
  await wrapperDocuments(realHttp.fetch, (url) => url)(server.url, new AbortController().signal);
  expect(server.received[0]?.headers).toMatchObject({ 'cache-control': 'no-cache' });
});

describe('the time that an answer leaves for its wrappers', () => {
  test('is two minutes minus the time that the playlist took', async () => {
    const { server: started, http } = slowly(50_000);
    await using server = await started;
    expect(await clientFor(server.url, { http }).requestPlaylist(null)).toMatchObject({ leftMs: 70_000 });
  });

  test('is the deadline of the slot minus the time that the online answer took', async () => {
    const { server: started, http } = slowly(500);
    await using server = await started;
    const answer = await clientFor(server.url, { http }).requestOnline(EMPTY_CONTEXT, 2_000);
    expect(answer).toMatchObject({ leftMs: 1_500 });
  });
});

describe('the playlist request', () => {
  test('carries params and offlineParams; a list repeats its parameter', async () => {
    await using server = await vast('<VAST version="4.2"/>');
    const answer = await clientFor(server.url).requestPlaylist(null);
    expect(answer).toMatchObject({ kind: 'document', text: '<VAST version="4.2"/>', validators: null });
    const [request] = server.received;
    expect(request?.path).toBe('/v1alpha2/ads');
    expect([...(request?.query ?? [])]).toEqual([
      ['playerid', 'player 1'],
      ['key', 'retailer&co'],
      ['offline', 'true'],
      ['source', 'a'],
      ['source', 'b'],
    ]);
    expect(request?.method).toBe('GET');
    expect(request?.headers.accept).toBe('application/xml');
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.headers['x-brand-namespace']).toBeUndefined();
    expect(request?.headers['if-none-match']).toBeUndefined();
  });

  test('carries the access token and the project if ads need a token', async () => {
    await using server = await localServer((request, response) => {
      response.end(
        request.path === '/oauth/v2/token' ? '{"access_token":"abc","token_type":"Bearer"}' : '<VAST/>',
      );
    });
    const account = { authUrl: server.url, clientId: 'c', clientSecret: new Secret('s'), projectId: 'p' };
    const tokens = createAccessTokens({ account, http: realHttp, random: () => 0, log: silentLog });
    expect((await clientFor(server.url, { tokens }).requestPlaylist(null)).kind).toBe('document');
    tokens.stop();
    expect(server.received[1]?.headers.authorization).toBe('Bearer abc');
    expect(server.received[1]?.headers['x-brand-namespace']).toBe('project:p');
  });

  test('can be cancelled', async () => {
    await using server = await localServer(() => {});
    const controller = new AbortController();
    const answer = clientFor(server.url).requestPlaylist(null, controller.signal);
    controller.abort();
    expect(await answer).toMatchObject({ error: { code: 'cancelled' } });
  });

  test.each(['W/"1"', null])('sends the validators of the stored playlist unchanged (%s)', async (etag) => {
    await using server = await localServer((request, response) => {
      if (request.headers['if-modified-since'] && request.headers['if-none-match'] === (etag ?? undefined))
        response.writeHead(304).end();
      else {
        response
          .writeHead(200, { ...(etag && { etag }), 'last-modified': 'Mon, 05 Jan 2026 12:00:00 GMT' })
          .end('<VAST/>');
      }
    });
    const client = clientFor(server.url);
    const first = await client.requestPlaylist(null);
    const validators = first.kind === 'document' ? first.validators : null;
    expect(validators).toEqual({ etag, lastModified: 'Mon, 05 Jan 2026 12:00:00 GMT' });
    expect(await client.requestPlaylist(validators)).toMatchObject({
      kind: 'not-modified',
      serverTime: { at: expect.any(Number) },
    });
    expect(server.received[1]?.headers['if-modified-since']).toBe('Mon, 05 Jan 2026 12:00:00 GMT');
  });

  test('understands the encoding that the document declares', async () => {
    const document = '<?xml version="1.0" encoding="iso-8859-1"?><VAST><AdTitle>Käse</AdTitle></VAST>';
    await using server = await localServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' }).end(Buffer.from(document, 'latin1'));
    });
    expect(await clientFor(server.url).requestPlaylist(null)).toMatchObject({ text: document });
  });

  test.each([
    ['utf-8 with a mark', Buffer.from('\uFEFF<VAST>ä</VAST>'), 'application/xml'],
    ['utf-16', Buffer.from('\uFEFF<VAST>ä</VAST>', 'utf16le'), 'application/xml'],
    ['a charset in the header', Buffer.from('<VAST>ä</VAST>', 'latin1'), 'text/xml; charset="ISO-8859-1"'],
    ['nothing said', Buffer.from('<VAST>ä</VAST>'), 'application/xml'],
  ])('understands %s', async (_name, bytes, type) => {
    await using server = await localServer((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(bytes);
    });
    expect(await clientFor(server.url).requestPlaylist(null)).toMatchObject({ text: '<VAST>ä</VAST>' });
  });

  test.each([
    ['a log-in page', '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><html></html>', 'web-page'],
    ['an XHTML page', '<?xml version="1.0"?>\n<!-- hi -->\n<html xmlns="…"/>', 'web-page'],
    ['JSON', '{"message":"use v2"}', 'not-xml'],
    ['words', 'OK', 'not-xml'],
    ['nothing', '', 'empty'],
    ['spaces', ' \r\n ', 'empty'],
  ])('reports %s with its own error code', async (_name, body, code) => {
    await using server = await vast(body);
    expect(await clientFor(server.url).requestPlaylist(null)).toMatchObject({
      kind: 'error',
      error: { code },
    });
  });

  test('takes 204 as no fill', async () => {
    await using server = await localServer((_request, response) => {
      response.writeHead(204).end();
    });
    expect(await clientFor(server.url).requestPlaylist(null)).toMatchObject({ kind: 'no-fill' });
  });

  test('accepts a document that starts with a comment; the reader checks it', async () => {
    await using server = await vast('\n<!-- served by 7 --><VAST/>');
    expect((await clientFor(server.url).requestPlaylist(null)).kind).toBe('document');
  });
});

describe('the per-slot request', () => {
  test('carries params and the filled onlineParams, without parameters that have no value', async () => {
    await using server = await vast('<VAST/>');
    const context = { ...EMPTY_CONTEXT, weather: { types: ['WEATHER_TYPE_SUNNY', 'X'] } };
    expect((await clientFor(server.url).requestOnline(context, 5_000)).kind).toBe('document');
    expect([...(server.received[0]?.query ?? [])]).toEqual([
      ['playerid', 'player 1'],
      ['key', 'retailer&co'],
      ['w', 'WEATHER_TYPE_SUNNY'],
      ['w', 'X'],
      ['fixed', 'yes'],
    ]);
  });

  test('is given up at its deadline', async () => {
    await using server = await localServer(() => {});
    expect(await clientFor(server.url).requestOnline(EMPTY_CONTEXT, 20)).toMatchObject({
      error: { code: 'timeout', operation: 'online-ads' },
    });
  });

  test('is given up at its deadline even while a token is fetched', async () => {
    await using server = await localServer(() => {});
    const account = { authUrl: server.url, clientId: 'c', clientSecret: new Secret('s'), projectId: 'p' };
    const tokens = createAccessTokens({ account, http: realHttp, random: () => 0, log: silentLog });
    expect(await clientFor(server.url, { tokens }).requestOnline(EMPTY_CONTEXT, 20)).toMatchObject({
      error: { code: 'timeout' },
    });
    tokens.stop();
  });
});
