import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import type { DemoService } from './demo-service';
import { accessToken, rawRequest, requestAds, serviceForTest } from './testing/client';
import { readVast } from './testing/read-vast';

const put = (service: DemoService, path: string, body: unknown) =>
  rawRequest(service, path, { method: 'PUT', body: JSON.stringify(body) });
const remove = (service: DemoService, path: string) => rawRequest(service, path, { method: 'DELETE' });
const get = async (service: DemoService, path: string) =>
  JSON.parse((await rawRequest(service, path)).body.toString());

describe('the control API', () => {
  it('sets, shows and clears faults', async () => {
    const service = await serviceForTest();
    expect((await put(service, '/control/faults', { media: { kind: 'hang' }, dateless: true })).status).toBe(
      204,
    );
    expect(await get(service, '/control/faults')).toEqual({ media: [{ kind: 'hang' }], dateless: true });
    expect((await remove(service, '/control/faults')).status).toBe(204);
    expect(await get(service, '/control/faults')).toEqual({});
  });

  it('replaces the playlist and restores it', async () => {
    const service = await serviceForTest();
    const usual = (await get(service, '/control/ads')) as unknown[];
    expect(usual.length).toBeGreaterThanOrEqual(8);
    expect((await put(service, '/control/ads', [{ id: 'mine' }])).status).toBe(204);
    const answer = await requestAds(service, [['offline', 'true']]);
    expect(readVast(await answer.text()).map(({ id }) => id)).toEqual(['mine']);
    await remove(service, '/control/ads');
    expect(await get(service, '/control/ads')).toEqual(usual);
  });

  it('switches online answers of the embedded demo on and off', async () => {
    const service = await serviceForTest({ embedded: true });
    expect(service.settings().ads.delivery).toBe('online');
    const online = async () => readVast(await (await requestAds(service, [['item', 'Basil']])).text()).length;
    expect([await get(service, '/control/online'), await online()]).toEqual([{ fills: false }, 0]);
    expect((await put(service, '/control/online', { fills: true })).status).toBe(204);
    expect([await get(service, '/control/online'), await online()]).toEqual([{ fills: true }, 1]);
    expect((await put(service, '/control/online', { fills: 'yes' })).status).toBe(400);
  });

  it('says what is wrong with a body, and changes nothing', async () => {
    const service = await serviceForTest();
    const wrong = await put(service, '/control/ads', [{ id: 'a', media: [{ type: 'x/y' }] }]);
    expect(wrong.status).toBe(400);
    expect(JSON.parse(wrong.body.toString()).error).toContain('expected exactly one of name and url');
    const noJson = await rawRequest(service, '/control/faults', { method: 'PUT', body: '{' });
    expect(noJson.status).toBe(400);
    expect(((await get(service, '/control/ads')) as unknown[]).length).toBeGreaterThanOrEqual(8);
  });

  it.each([
    ['a clock offset beyond all dates', '/control/faults', { clockOffsetSeconds: 1e15 }],
    [
      'a header name with a space',
      '/control/faults',
      { ads: { kind: 'status', status: 503, headers: { 'bad name': 'x' } } },
    ],
    [
      'a header value with a line break',
      '/control/faults',
      { ads: { kind: 'status', status: 503, headers: { 'X-Cause': 'a\nb' } } },
    ],
    [
      'a line break in retryAfter',
      '/control/faults',
      { ads: { kind: 'status', status: 503, retryAfter: 'morgen früh\n' } },
    ],
    [
      'a content type of a status that is not Latin-1',
      '/control/faults',
      { ads: { kind: 'status', status: 503, body: 'x', contentType: 'text/ä→' } },
    ],
    [
      'a content type that is not Latin-1',
      '/control/faults',
      { ads: { kind: 'content-type', contentType: 'text/ä→' } },
    ],
    [
      'half a surrogate pair in a name',
      '/control/ads',
      [{ id: 'a', media: [{ name: '\ud800', type: 'image/png' }] }],
    ],
  ])('rejects %s', async (_, path, body) => {
    const service = await serviceForTest();
    expect((await put(service, path, body)).status).toBe(400);
    expect((await requestAds(service, [['offline', 'true']])).status).toBe(200);
  });

  it.each([{}, { delayMs: 1 }])(
    'answers 500 if an answer cannot be sent, and goes on: %j',
    async (timing) => {
      const service = await serviceForTest();
      // Node sends this header only with a chunked body.
      const fault = { kind: 'status', status: 503, headers: { Trailer: 'Expires' }, times: 1, ...timing };
      expect((await put(service, '/control/faults', { media: fault })).status).toBe(204);
      const failed = await rawRequest(service, '/media/x');
      expect([failed.status, failed.body.toString()]).toEqual([500, expect.stringContaining('Trailer')]);
      expect((await rawRequest(service, '/media/x')).status).toBe(404);
    },
  );

  it('shows the beacons and the requests, all or the last few, and clears them', async () => {
    const service = await serviceForTest();
    for (const n of [1, 2, 3]) await rawRequest(service, `/collect/${n}`);
    const sequences = async (path: string) =>
      ((await get(service, path)) as { sequence: number }[]).map(({ sequence }) => sequence);
    expect(await sequences('/control/beacons')).toEqual([1, 2, 3]);
    expect(await sequences('/control/beacons?last=2')).toEqual([2, 3]);
    expect(await sequences('/control/requests')).toEqual([1, 2, 3]);
    await remove(service, '/control/beacons');
    await remove(service, '/control/requests');
    expect(await get(service, '/control/beacons')).toEqual([]);
    expect(await get(service, '/control/requests')).toEqual([]);
  });

  it('logs requests to the service, but not to the controls', async () => {
    const service = await serviceForTest();
    const token = await accessToken(service);
    await get(service, '/control/faults');
    await rawRequest(service, '/media/none?a=1&a=2', { headers: { Range: 'bytes=0-', 'X-Other': 'x' } });
    expect(token).not.toBe('');
    expect(service.requests().map(({ group, status }) => [group, status])).toEqual([
      ['token', 200],
      ['media', 404],
    ]);
    expect(service.requests()[1]).toMatchObject({
      method: 'GET',
      path: '/media/none',
      query: { a: ['1', '2'] },
      headers: { range: 'bytes=0-', host: `127.0.0.1:${service.port}` },
      fault: null,
    });
    expect(service.requests()[1]?.headers).not.toHaveProperty('x-other');
  });

  it('revokes the tokens', async () => {
    const service = await serviceForTest();
    const Authorization = `Bearer ${await accessToken(service)}`;
    expect((await requestAds(service, [], { Authorization })).status).toBe(200);
    await remove(service, '/control/tokens');
    expect((await requestAds(service, [], { Authorization })).status).toBe(401);
  });

  it('takes the service down for a while', async () => {
    const service = await serviceForTest();
    const idle = net.connect(service.port, '127.0.0.1').on('error', () => {});
    await once(idle, 'connect');
    const cut = once(idle, 'close');
    expect((await put(service, '/control/down', { seconds: 0.2 })).status).toBe(204);
    await cut;
    const state = () =>
      rawRequest(service, '/media/x').then(
        () => 'up',
        () => 'down',
      );
    await expect.poll(state).toBe('up');
    expect((await put(service, '/control/down', { seconds: -1 })).status).toBe(400);
  });

  it('rejects unknown methods and paths', async () => {
    const service = await serviceForTest();
    const wrong = await rawRequest(service, '/control/beacons', { method: 'POST' });
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, DELETE']);
    expect((await rawRequest(service, '/control/nothing')).status).toBe(404);
  });
});

describe('foreign web pages', () => {
  it.each([
    ['a re-bound name', { Host: 'ads.example:80' }],
    ['another port', { Host: '127.0.0.1:1' }],
    ['a page of another origin', { Origin: 'https://evil.example' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['a picture in another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of another port', { 'Sec-Fetch-Site': 'same-site' }],
  ])('cannot reach the controls: %s', async (_, headers: Record<string, string>) => {
    const service = await serviceForTest();
    for (const path of ['/control/faults', '/simulator', '/simulator/api/status']) {
      expect((await rawRequest(service, path, { headers })).status).toBe(403);
    }
    const wanted = { method: 'PUT', headers, body: '{"dateless":true}' };
    expect((await rawRequest(service, '/control/faults', wanted)).status).toBe(403);
    expect(service.faults()).toEqual({});
  });

  it('are refused, but pages of the service are allowed', async () => {
    const service = await serviceForTest();
    const own = { Origin: service.origin, 'Sec-Fetch-Site': 'same-origin' };
    expect((await rawRequest(service, '/control/faults', { headers: own })).status).toBe(200);
    const byName = { Host: `localhost:${service.port}` };
    expect((await rawRequest(service, '/control/faults', { headers: byName })).status).toBe(200);
  });
});
