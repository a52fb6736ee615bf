import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EMPTY_CONTEXT } from '../decisions/audience';
import { startDemoService } from '../demo-service/demo-service';
import { readInPlace } from '../reading/testing/read-in-place';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { localServer, realHttp } from '../service/testing/local-server';
import { SettingsFile } from '../settings/settings';
import { readSettings } from '../settings/testing/read-settings';
import {
  configuredNativeClient,
  createNativeClient,
  type NativeClient,
  type NativeClientOptions,
} from './native-client';

const TOKEN = 'app-token-that-is-secret';

function client(
  nativeUrl: string,
  native: Record<string, unknown> = {},
  newId?: () => string,
  over: Partial<NativeClientOptions> = {},
): NativeClient {
  let answers = 0;
  return createNativeClient({
    http: realHttp,
    nativeUrl,
    tellsTime: true,
    settings: SettingsFile.parse({
      service: { baseUrl: 'https://ads.example' },
      native: { apptoken: TOKEN, zoneid: 'z', ...native },
    }).native,
    device: { os: 'linux', osver: '6.1', devicemodel: 'kiosk', userAgent: 'Browser/1' },
    language: 'en',
    wrappers: null,
    reading: readInPlace,
    newId: newId ?? (() => `answer-${++answers}`),
    ...over,
  });
}

const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  localServer((_request, response) => {
    response.writeHead(status, headers).end(body);
  });

describe('a native request', () => {
  test('requests the documented path without a token or extra headers', async () => {
    await using server = await answering(200, '{"status":"ok","ads":[]}');
    expect(await client(server.url).request(EMPTY_CONTEXT)).toMatchObject({ kind: 'no-fill', remarks: [] });
    const [request] = server.received;
    expect(request).toMatchObject({ method: 'GET', path: '/api/v3/native' });
    expect(request?.query.get('apptoken')).toBe(TOKEN);
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.headers.accept).toBe('application/json');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["the browser's", {}, 'Browser/1'],
    ['that of the settings', { params: { ua: 'Tablet/2 (Store)' } }, 'Tablet/2 (Store)'],
  ])('carries one user agent, %s (rule 19)', async (_, native, userAgent) => {
    await using server = await answering(200, '{"status":"ok","ads":[]}');
    await client(server.url, native).request(EMPTY_CONTEXT);
    expect(server.received[0]?.headers['user-agent']).toBe(userAgent);
  });

  test('gives each answer its own id, so that no instance repeats', async () => {
    const body = '{"status":"ok","ads":[{"assets":[{"type":"title","data":{"text":"x"}}]}]}';
    await using server = await answering(200, body);
    const asking = client(server.url);
    expect(await asking.request(EMPTY_CONTEXT)).toMatchObject({ ads: [{ instance: 'answer-1/0' }] });
    expect(await asking.request(EMPTY_CONTEXT)).toMatchObject({ ads: [{ instance: 'answer-2/0' }] });
  });

  test('ends after two minutes even if wrappers do not answer, and ads without them are shown', async () => {
    const wrapper =
      '<VAST><Ad><Wrapper><VASTAdTagURI>https://silent.example/</VASTAdTagURI><Error>e</Error></Wrapper></Ad></VAST>';
    const videos = Array.from({ length: 100 }, () => ({ type: 'vast2', data: { vast2: wrapper } }));
    const title = { type: 'title', data: { text: 'x' } };
    await using server = await answering(
      200,
      JSON.stringify({ status: 'ok', ads: [{ assets: [title, ...videos] }, { assets: videos }] }),
    );
    const { clock, schedule, advance } = handTurnedTime();
    let asked = 0;
    const wrappers: NativeClientOptions['wrappers'] = {
      schedule,
      // Less than the answer's limit, but there are many documents.
      deadlineMs: 119_000,
      readDocument: (text, how) => readInPlace.read('vast', text, how),
      fetchDocument: () => {
        asked += 1;
        return new Promise(() => {});
      },
    };
    const http = { ...realHttp, clock, schedule };
    const asking = client(server.url, { adcount: 2 }, undefined, { http, wrappers }).request(EMPTY_CONTEXT);
    await expect.poll(() => asked).toBe(2);
    await advance(120_000);
    expect(await asking).toMatchObject({
      kind: 'ads',
      ads: [{ assets: { title: 'x', video: null } }],
      videoErrors: expect.arrayContaining([
        expect.objectContaining({ instance: 'answer-1/1', errorCode: 301, errorUrls: ['e'] }),
      ]),
    });
    expect(asked).toBeLessThanOrEqual(4);
  });

  test('makes new instances of the same response after a restart', async () => {
    const body = '{"status":"ok","ads":[{"assets":[{"type":"title","data":{"text":"x"}}]}]}';
    await using server = await answering(200, body);
    const instances = new Set<string>();
    for (let process = 0; process < 3; process += 1) {
      const answer = await client(server.url, {}, randomUUID).request(EMPTY_CONTEXT);
      if (answer.kind !== 'ads') throw new Error(answer.kind);
      for (const { instance } of answer.ads) instances.add(instance);
    }
    expect(instances.size).toBe(3);
  });

  test.each([
    [204, '', 'no-fill'],
    [200, '{"status":"ok"}', 'no-fill'],
    [200, '{"status":"ok","ads":[{}]}', 'unusable'],
  ])('answered with %d %s is %s', async (status, body, kind) => {
    await using server = await answering(status, body);
    expect((await client(server.url).request(EMPTY_CONTEXT)).kind).toBe(kind);
  });

  test.each([
    [200, '{"status":"error","error_message":"Invalid app token"}', 'refused'],
    [200, '{"status":"","ads":[]}', 'refused'],
    [200, '{"status":"ok","ads":7}', 'malformed'],
    [200, 'ok', 'not-json'],
    [200, '', 'empty'],
    [200, '<!doctype html><title>Log in</title>', 'web-page'],
    [302, '', 'redirect'],
    [400, '{"status":"error","error_message":"Missing parameter os"}', 'unexpected-status'],
    // It takes no token and no service account, so these are about what the request says.
    [401, '{"status":"error","error_message":"Invalid app token"}', 'refused'],
    [403, '', 'refused'],
    [404, '', 'not-found'],
    [429, '', 'rate-limited'],
    [503, '', 'server-error'],
  ])('answered with %d %s is the error %s', async (status, body, code) => {
    await using server = await answering(status, body);
    expect(await client(server.url).request(EMPTY_CONTEXT)).toMatchObject({
      kind: 'error',
      error: { code, operation: 'native' },
    });
  });

  test('repeats the error message of the service, but not a token in it', async () => {
    const body = JSON.stringify({ status: 'error', error_message: `Invalid app token ${TOKEN}` });
    await using server = await answering(200, body);
    const answer = await client(server.url).request(EMPTY_CONTEXT);
    expect(answer).toMatchObject({ error: { serviceMessage: 'Invalid app token [secret]' } });
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });

  test.each([
    [200, { status: 'error', error_message: 'age=27 gender=female' }],
    [400, { message: 'age=27 gender=female' }],
  ])('keeps what was sensed of a person out of the message of a %d', async (status, body) => {
    await using server = await answering(status, JSON.stringify(body));
    const native = { params: { dnt: '0' }, sendSensorDemographics: true };
    const people = [{ ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE' }];
    const answer = await client(server.url, native).request({
      ...EMPTY_CONTEXT,
      shopper: { people, groupSize: 1 },
    });
    expect(server.received[0]?.query.get('age')).toBe('27');
    expect(answer).toMatchObject({ error: { serviceMessage: 'age=[secret] gender=[secret]' } });
  });

  test('reports when the service asks to wait', async () => {
    await using server = await answering(429, '', { 'retry-after': '7' });
    expect(await client(server.url).request(EMPTY_CONTEXT)).toMatchObject({ error: { retryAfterMs: 7_000 } });
  });

  test('reports a service that cannot be reached', async () => {
    const server = await answering(200, '');
    await server[Symbol.asyncDispose]();
    expect(await client(server.url).request(EMPTY_CONTEXT)).toMatchObject({
      error: { code: 'unreachable-connection' },
    });
  });

  // As over 64 kbit/s, while media fill the line.
  test('waits for an answer that takes twenty seconds', async () => {
    const time = handTurnedTime();
    const http = { ...realHttp, clock: time.clock, schedule: time.schedule };
    await using server = await localServer(async (_request, response) => {
      await time.advance(20_000);
      response.writeHead(204).end();
    });
    const answer = await client(server.url, {}, undefined, { http }).request(EMPTY_CONTEXT);
    expect(answer).toMatchObject({ kind: 'no-fill' });
  });

  test('can be cancelled', async () => {
    await using server = await localServer(() => {});
    const controller = new AbortController();
    const answer = client(server.url).request(EMPTY_CONTEXT, controller.signal);
    controller.abort();
    expect(await answer).toMatchObject({ error: { code: 'cancelled' } });
  });

  test('never goes out over plain http to another machine', async () => {
    expect(await client('http://ads.example').request(EMPTY_CONTEXT)).toMatchObject({
      error: { code: 'insecure-address' },
    });
  });
});

test.each([
  ['127.0.0.1', true],
  ['localhost', false],
])(
  'an answer of 127.0.0.1 tells the time to a kiosk whose ads come from %s: %j (rule 10)',
  async (host, tells) => {
    await using server = await answering(200, '{"status":"ok"}');
    const read = readSettings(
      {
        service: { baseUrl: server.url.replace('127.0.0.1', host), nativeUrl: server.url },
        ads: { authentication: 'none' },
        native: { apptoken: TOKEN, zoneid: 'z' },
      },
      'test',
    );
    if (read.kind === 'error') throw new Error(read.message);
    const asking = configuredNativeClient({
      settings: read.settings,
      http: realHttp,
      wrappers: null,
      reading: readInPlace,
      device: { os: 'linux', osver: '6.1', devicemodel: 'kiosk', userAgent: 'Browser/1' },
      newId: randomUUID,
    });
    const answer = await asking?.request(EMPTY_CONTEXT);
    expect(answer).toMatchObject({ kind: 'no-fill', serverTime: tells ? { at: expect.any(Number) } : null });
  },
);

test('the ads of the embedded service are read completely: all assets, meta and beacon kinds, without a warning', async () => {
  const service = await startDemoService();
  try {
    const { native } = service.settings();
    const answer = await client(service.origin, { ...native, adcount: 20 }).request(EMPTY_CONTEXT);
    if (answer.kind !== 'ads') throw new Error(JSON.stringify(answer));
    expect(answer.remarks).toEqual([]);
    const seen = new Set(
      answer.ads
        .flatMap(({ assets }) => Object.entries(assets).filter(([, value]) => value !== null))
        .map(([name]) => name),
    );
    expect([...seen].sort()).toEqual([
      'banner',
      'callToAction',
      'description',
      'htmlBanner',
      'icon',
      'rating',
      'standardBanner',
      'title',
      'video',
    ]);
    expect(new Set(answer.ads.flatMap(({ beacons }) => beacons.map(({ kind }) => kind)))).toEqual(
      new Set(['impression-url', 'impression-script', 'click']),
    );
    expect(new Set(answer.ads.map(({ meta }) => meta.revenueModel))).toEqual(new Set(['CPA', 'CPC', 'CPM']));
    expect(answer.serverTime).not.toBeNull();
  } finally {
    await service.close();
  }
});
