import { describe, expect, it } from 'vitest';
import { freePort } from '../../tools/fleet/loopback-ports';
import { type AdFetchOptions, createAdFetch } from '../egress/ad-fetch';
import type { OpenConnection } from '../egress/checked-target';
import { createEgressPolicy } from '../egress/egress-policy';
import { openConnection } from '../egress/open-connection';
import { timers } from '../schedule';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { type LocalServer, localServer } from '../service/testing/local-server';
import { createBeaconSender } from './beacon-sender';

/** Names that have an address of the store's network. */
const IN_THE_STORE = ['tracker.example', 'nas.local', 'nas'];

function senderFor(server: Pick<LocalServer, 'url'>, changes: Partial<AdFetchOptions> = {}) {
  const egressPolicy = createEgressPolicy({
    serviceUrls: [],
    allowPrivateHosts: [new URL(server.url).host],
    lookup: async (hostname) => {
      if (IN_THE_STORE.includes(hostname)) return [{ address: '192.168.1.1', family: 4 }];
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    },
  });
  const fetch = createAdFetch({ egressPolicy, purpose: 'beacon', schedule: timers, ...changes });
  return createBeaconSender({ fetch, now: () => Date.UTC(2026, 10, 20, 9, 30) });
}

describe('a beacon on the wire', () => {
  it('is a GET without cookies or credentials, with its query as it was', async () => {
    await using server = await localServer((_request, response) => void response.writeHead(204).end());
    const result = await senderFor(server)(`${server.url}/i.gif?a=%5B1%5D&b=x+y#part`);
    expect(result).toEqual({ kind: 'answered', status: 204, retryAfterMs: null, redirected: false });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({ method: 'GET', path: '/i.gif', body: '' });
    expect(server.received[0]?.query.toString()).toBe('a=%5B1%5D&b=x+y');
    for (const header of ['cookie', 'authorization', 'referer']) {
      expect(server.received[0]?.headers).not.toHaveProperty(header);
    }
  });

  it('asks caches on the way to pass it on, because each play may have the same address', async () => {
    await using server = await localServer((_request, response) => void response.writeHead(204).end());
    await senderFor(server)(server.url);
    expect(server.received[0]?.headers).toMatchObject({ 'cache-control': 'no-cache' });
  });

  it('stores no cookie for the next beacon', async () => {
    await using server = await localServer(
      (_request, response) => void response.writeHead(200, { 'set-cookie': 'shopper=1; Path=/' }).end('ok'),
    );
    const send = senderFor(server);
    await send(`${server.url}/1`);
    await send(`${server.url}/2`);
    expect(server.received[1]?.headers).not.toHaveProperty('cookie');
  });

  it('follows a redirect and says so', async () => {
    await using server = await localServer((request, response) => {
      if (request.path === '/from') response.writeHead(302, { location: '/to' }).end();
      else response.writeHead(503).end();
    });
    expect(await senderFor(server)(`${server.url}/from`)).toMatchObject({ status: 503, redirected: true });
    expect(await senderFor(server)(`${server.url}/to`)).toMatchObject({ status: 503, redirected: false });
  });

  it('says so even if the redirects lead back to its own address', async () => {
    let asked = 0;
    await using server = await localServer((request, response) => {
      asked += 1;
      if (asked === 3) response.writeHead(503).end();
      else response.writeHead(302, { location: request.path === '/i' ? '/other' : '/i' }).end();
    });
    expect(await senderFor(server)(`${server.url}/i`)).toMatchObject({ status: 503, redirected: true });
  });

  it.each([
    ['nowhere', ''],
    ['its own address', '/i?a=1'],
    ['its own address in full, with a fragment', 'http://HOST/i?a=1#top'],
  ])('is sent once if its redirect leads to %s', async (_where, location) => {
    await using server = await localServer(
      (request, response) =>
        void response
          .writeHead(302, { location: location.replace('HOST', request.headers.host ?? '') })
          .end(),
    );
    const sent = await senderFor(server)(`${server.url}/i?a=1#part`);
    expect(sent).toMatchObject({ kind: 'answered', status: 302, redirected: false });
    expect(server.received).toHaveLength(1);
  });

  it('may have arrived when redirects do not end', async () => {
    await using server = await localServer(
      (request, response) => void response.writeHead(302, { location: `${request.path}again` }).end(),
    );
    expect(await senderFor(server)(server.url)).toEqual({ kind: 'unknown', code: 'redirects' });
  });

  it.each([
    ['120', 120_000],
    ['Fri, 20 Nov 2026 09:31:00 GMT', 60_000],
    ['soon', null],
  ])('reads Retry-After: %s', async (header, retryAfterMs) => {
    await using server = await localServer((_request, response) => {
      response.sendDate = false;
      response.writeHead(503, { 'retry-after': header }).end();
    });
    expect(await senderFor(server)(server.url)).toMatchObject({ status: 503, retryAfterMs });
  });

  it('needs only the headers of the answer: an endless body is not read', async () => {
    let closed = false;
    await using server = await localServer((_request, response) => {
      response.writeHead(200);
      response.write('x'.repeat(100_000));
      response.once('close', () => (closed = true));
    });
    // No deadline closes it.
    const { schedule } = handTurnedTime();
    const sent = await senderFor(server, { schedule })(server.url);
    expect(sent).toMatchObject({ kind: 'answered', status: 200 });
    await expect.poll(() => closed).toBe(true);
  });

  it('may have arrived when no answer comes in time', async () => {
    const { schedule, advance } = handTurnedTime();
    await using server = await localServer(() => advance(3_000));
    expect(await senderFor(server, { schedule, totalMs: 3_000 })(server.url)).toEqual({
      kind: 'unknown',
      code: 'timeout',
    });
    expect(server.received).toHaveLength(1);
  });

  // As over 64 kbit/s, while media fill the line.
  it('is sent although the line took fifteen seconds for the connection, and ten for the answer', async () => {
    const { schedule, advance } = handTurnedTime();
    await using server = await localServer(async (_request, response) => {
      await advance(10_000);
      response.writeHead(204).end();
    });
    const slow: OpenConnection = async (...to) => {
      await advance(15_000);
      return openConnection(...to);
    };
    const sent = senderFor(server, { schedule, openConnection: slow })(server.url);
    expect(await sent).toMatchObject({ kind: 'answered', status: 204 });
  });

  it('may have arrived when the connection breaks', async () => {
    await using server = await localServer((_request, response) => void response.socket?.resetAndDestroy());
    expect(await senderFor(server)(server.url)).toEqual({ kind: 'unknown', code: 'answer' });
  });

  it('may have arrived after an error that says nothing about it', async () => {
    const send = createBeaconSender({ fetch: () => Promise.reject(new Error('unexpected')), now: () => 0 });
    expect(await send('https://ads.example/i')).toEqual({ kind: 'unknown', code: 'failed' });
  });

  it('was certainly not sent when its port is closed', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    expect(await senderFor({ url })(url)).toEqual({ kind: 'not-sent', code: 'connection' });
  });

  it('was certainly not sent when its host name is unknown', async () => {
    await using server = await localServer(() => {});
    expect(await senderFor(server)('http://ads.example/i')).toEqual({ kind: 'not-sent', code: 'name' });
  });

  it('was not sent while its name has an address of the store, as routers without internet tell for every name', async () => {
    await using server = await localServer(() => {});
    expect(await senderFor(server)('https://tracker.example/i')).toEqual({
      kind: 'not-sent',
      code: 'fenced',
    });
  });

  it.each([
    ...['http://nas.local/i', 'http://nas/i', 'http://tracker.example:22/i'],
    ...['http://127.0.0.1:1/i', 'http://[::1]/i', 'http://10.0.0.1/i', 'not a url', 'file:///etc/passwd'],
  ])('never goes to %s', async (url) => {
    await using server = await localServer(() => {});
    expect(await senderFor(server)(url)).toEqual({ kind: 'forbidden', code: 'fenced' });
  });
});
