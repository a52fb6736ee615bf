import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { Socket } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listening } from '../../tools/fleet/loopback-ports';
import { systemLookup } from '../egress/bounded-lookup';
import { createEgress } from '../egress/egress';
import { testCa } from '../egress/testing/test-ca';
import type { Schedule } from '../schedule';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { localServer, realHttp } from '../service/testing/local-server';
import { Secret } from '../settings/secret';
import type { Settings } from '../settings/settings';
import { readSettings } from '../settings/testing/read-settings';
import { createSegmentSender } from './send-segment';

const SEGMENT = { epoch: 7, first: 11, last: 20, count: 10, digest: '0'.repeat(64), madeAt: 0 };
const BODY = gzipSync('{"kind":"play"}\n{"kind":"segment"}\n');

function senderTo(
  proof: Partial<Settings['proof']> & { readonly url: string },
  {
    additionalCas = [],
    schedule = realHttp.schedule,
  }: { additionalCas?: string[]; schedule?: Schedule } = {},
) {
  // The service's own headers, which must not be sent to the receiver.
  const service = { baseUrl: 'https://ads.example', headers: { 'X-Retailer': 'acme' } };
  const read = readSettings({ service, ads: { authentication: 'none' } }, 'test');
  if (read.kind === 'error') throw new Error(read.message);
  const { settings } = read;
  const egress = createEgress(
    { ...settings, network: { ...settings.network, additionalCas } },
    {
      lookup: systemLookup,
      systemProxy: async () => 'DIRECT',
      clock: realHttp.clock,
      schedule,
      userAgent: 'Endcap/test',
    },
  );
  const whole = { ...settings.proof, ...proof };
  const send = createSegmentSender(whole, 'cafe', egress.httpTo(whole));
  return (signal = new AbortController().signal, body: Uint8Array = BODY) => send(SEGMENT, body, signal);
}

async function receiver(answer: Parameters<typeof localServer>[0]) {
  const server = await localServer(answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}
const answering = (status: number, headers: Record<string, string> = {}, body = '') =>
  receiver((_request, response) => void response.writeHead(status, headers).end(body));

describe('a segment goes in one request', () => {
  test.each(['POST', 'PUT'] as const)('by %s, gzipped, to the address of the segment', async (method) => {
    const server = await answering(200);
    const headers = [{ name: 'Authorization', value: new Secret('Bearer t'), isSecret: true }];
    const send = senderTo({ url: `${server.url}/{kiosk}/{epoch}?from={first}&to={last}`, method, headers });
    expect(await send()).toEqual({ status: 200, retryAfterMs: null, problem: null });
    const [request] = server.received;
    expect(request).toMatchObject({
      method,
      url: '/cafe/7?from=11&to=20',
      headers: {
        authorization: 'Bearer t',
        'content-encoding': 'gzip',
        'content-type': 'application/x-ndjson',
        'content-length': String(BODY.byteLength),
        'user-agent': 'Endcap/test',
      },
    });
    expect(request?.headers).not.toHaveProperty('x-retailer');
    expect(request?.bytes.equals(BODY)).toBe(true);
  });

  test('with the Content-Type from the settings', async () => {
    const server = await answering(204);
    const headers = [{ name: 'Content-Type', value: new Secret('text/plain'), isSecret: false }];
    await senderTo({ url: server.url, headers })();
    expect(server.received[0]?.headers['content-type']).toBe('text/plain');
  });

  test('that is never redirected', async () => {
    const other = await answering(200);
    const server = await answering(307, { location: other.url });
    expect(await senderTo({ url: server.url })()).toMatchObject({
      status: 307,
      problem: { code: 'redirect' },
    });
    expect(other.received).toHaveLength(0);
  });
});

describe('the result of a request', () => {
  test('has the status and Retry-After of the answer', async () => {
    const server = await answering(503, { 'retry-after': '30' });
    expect(await senderTo({ url: server.url })()).toMatchObject({ status: 503, retryAfterMs: 30_000 });
  });

  test.each([
    [401, /proof\.headers/],
    [403, /proof\.headers/],
    [404, /proof\.url/],
    [400, /proof-of-play\.md/],
    [413, /proof-of-play\.md/],
    [422, /proof-of-play\.md/],
    [408, /proof\.headers.*tried again by itself/],
    [415, /proof\.headers.*tried again by itself/],
    [431, /proof\.headers.*tried again by itself/],
  ])('has advice for status %i', async (status, advice) => {
    const server = await answering(status, {}, '{"message":"no"}');
    const { problem } = await senderTo({ url: server.url })();
    expect(problem).toMatchObject({
      message: `The receiver of proof of play at ${new URL(server.url).host} answered ${status}.`,
      advice: expect.stringMatching(advice),
    });
  });

  test('is success for status 200, even if the body never ends', async () => {
    const server = await receiver((_request, response) => {
      response.writeHead(200);
      const write = () => {
        if (response.destroyed) return;
        response.write('x'.repeat(65_536));
        setImmediate(write);
      };
      write();
    });
    expect(await senderTo({ url: server.url })()).toEqual({ status: 200, retryAfterMs: null, problem: null });
  });

  test.each([
    ['of an unknown encoding', { 'content-encoding': 'zstd' }],
    ['in an unknown character set', { 'content-type': 'text/plain; charset=klingon' }],
  ])('is success for status 200 with a body %s', async (_what, headers) => {
    const server = await answering(200, headers, 'ok');
    expect(await senderTo({ url: server.url })()).toEqual({ status: 200, retryAfterMs: null, problem: null });
  });

  test('is an error if the answer breaks off, because a repeat is counted only once', async () => {
    const server = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    expect(await senderTo({ url: server.url })()).toMatchObject({
      status: null,
      problem: { code: 'truncated' },
    });
  });

  test.each([
    ['in a header', { 'x-clickhouse-exception-code': '27' }, ''],
    ['in its words', {}, 'Code: 27. DB::Exception: Cannot parse input'],
    ['behind a mark', {}, '__exception__\r\nabcdefgh\r\nCode: 27. DB::Exception: Cannot parse input'],
  ])('is an error if ClickHouse reports one after its 200 %s', async (_name, headers, body) => {
    const server = await answering(200, headers, body);
    expect(await senderTo({ url: server.url })()).toMatchObject({
      status: null,
      problem: { code: 'not-stored' },
    });
  });

  test.each([
    ['a short one', '<!DOCTYPE html>\n<title>Sign in</title>'],
    ['one longer than what is read', `<html><body>${'x'.repeat(70_000)}</body></html>`],
  ])('is an error if 200 comes with a web page, because no receiver sends one: %s', async (_name, page) => {
    const server = await answering(200, { 'content-type': 'text/html; charset=utf-8' }, page);
    expect(await senderTo({ url: server.url })()).toMatchObject({
      status: null,
      problem: { code: 'web-page', advice: expect.stringContaining('proof.url') },
    });
  });

  test.each([
    ['a few', 'ok'],
    ['more than are read', 'ok '.repeat(30_000)],
  ])(
    'is success for status 200 with plain words that are only called a web page: %s',
    async (_name, words) => {
      const server = await answering(200, { 'content-type': 'text/html; charset=utf-8' }, words);
      expect(await senderTo({ url: server.url })()).toEqual({
        status: 200,
        retryAfterMs: null,
        problem: null,
      });
    },
  );

  test.each([
    ['a short one', ''],
    ['one longer than what is read', 'x'.repeat(70_000)],
  ])('is success for status 201 with a page, as WebDAV servers answer: %s', async (_name, more) => {
    const page = `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><title>201 Created</title>${more}`;
    const server = await answering(201, { 'content-type': 'text/html; charset=ISO-8859-1' }, page);
    expect(await senderTo({ url: server.url })()).toEqual({ status: 201, retryAfterMs: null, problem: null });
  });

  test('is an error if no receiver listens', async () => {
    const sent = await senderTo({ url: 'http://127.0.0.1:9' })();
    expect(sent).toMatchObject({ status: null, problem: { code: 'unreachable-connection' } });
  });

  // 5,000 plays after a day offline: over 32 kbit/s, as routers have left after a data cap, they take more than two minutes.
  test('may take as long as a slow line needs for a long segment, in silence where a proxy took it', async () => {
    const time = handTurnedTime();
    const timed = vi.spyOn(Socket.prototype, 'setTimeout');
    onTestFinished(() => timed.mockRestore());
    const waiting: ServerResponse[] = [];
    const server = await receiver((_request, response) => void waiting.push(response));
    const sent = senderTo({ url: server.url }, { schedule: time.schedule })(undefined, Buffer.alloc(800_000));
    await expect.poll(() => waiting.length).toBe(1);
    await time.advance(400_000);
    // Node's timer of a socket cannot be turned by hand.
    for (const socket of timed.mock.contexts as Socket[])
      if (socket.remotePort === Number(new URL(server.url).port)) socket.emit('timeout');
    waiting[0]?.end();
    expect(await sent).toMatchObject({ status: 200, problem: null });
  });

  test('is a timeout if the receiver does not answer for two minutes', async () => {
    const deadlines: Array<{ ms: number; run: () => void }> = [];
    const schedule: Schedule = (ms, run) => {
      if (ms >= 120_000) deadlines.push({ ms, run });
      return () => {};
    };
    const server = await receiver(() => {});
    const sent = senderTo({ url: server.url }, { schedule })();
    await expect.poll(() => server.received.length).toBe(1);
    for (const { run } of deadlines) run();
    expect(await sent).toMatchObject({ status: null, problem: { code: 'timeout' } });
  });

  test('is without a status if the kiosk ends meanwhile', async () => {
    const server = await receiver(() => {});
    const ending = new AbortController();
    const sent = senderTo({ url: server.url })(ending.signal);
    await expect.poll(() => server.received.length).toBe(1);
    ending.abort();
    expect(await sent).toMatchObject({ status: null });
  });
});

describe('a receiver that wants a certificate of the kiosk', () => {
  const ca = testCa('The CA of a fleet');
  const server = async (options: TlsOptions = { rejectUnauthorized: false }) => {
    const seen: string[] = [];
    const https = createServer(
      { ...ca.issue('127.0.0.1'), ca: ca.cert, requestCert: true, ...options },
      (request, response) => {
        const { subject } = (request.socket as TLSSocket).getPeerCertificate();
        seen.push((request.socket as TLSSocket).authorized ? String(subject.CN) : 'nobody');
        response.end();
      },
    );
    const { port, [Symbol.asyncDispose]: close } = await listening(https);
    onTestFinished(close);
    return { seen, url: `https://127.0.0.1:${port}/` };
  };
  const trusting = { additionalCas: [ca.cert] };

  test('gets the configured certificate', async () => {
    const { seen, url } = await server();
    const { cert, key } = ca.issue('kiosk-4.example');
    const clientCertificate = { cert, key: new Secret(key) };
    expect(await senderTo({ url, clientCertificate }, trusting)()).toMatchObject({ status: 200 });
    expect(seen).toEqual(['kiosk-4.example']);
  });

  test('gets no certificate if none is configured', async () => {
    const { seen, url } = await server();
    expect(await senderTo({ url }, trusting)()).toMatchObject({ status: 200 });
    expect(seen).toEqual(['nobody']);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'and refuses the kiosk without one, says so (%s)',
    async (version) => {
      const { seen, url } = await server({ rejectUnauthorized: true, maxVersion: version });
      expect(await senderTo({ url }, trusting)()).toMatchObject({
        status: null,
        problem: { code: 'client-certificate', advice: expect.stringContaining('proof.clientCertFile') },
      });
      expect(seen).toEqual([]);
    },
  );

  test('is not trusted without its CA', async () => {
    const { seen, url } = await server();
    expect(await senderTo({ url })()).toMatchObject({ status: null, problem: { code: 'unknown-ca' } });
    expect(seen).toEqual([]);
  });
});
