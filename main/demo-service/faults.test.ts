import http from 'node:http';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import type { DemoService } from './demo-service';
import { Fault, Faults, type RouteGroup } from './faults';
import { rawRequest, requestAds, requestToken, serviceForTest } from './testing/client';

const BODY = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(40));

async function withText(): Promise<{ service: DemoService; path: string }> {
  const service = await serviceForTest();
  service.setMedia('text', BODY, 'text/plain');
  return { service, path: '/media/text' };
}

/** Everything that comes over one connection, and whether it was reset. */
function overTheWire(service: DemoService, path: string): Promise<{ bytes: Buffer; error: string | null }> {
  return new Promise((resolve) => {
    const socket = net.connect(service.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let error: string | null = null;
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (cause: NodeJS.ErrnoException) => {
      error = cause.code ?? cause.message;
    });
    socket.on('close', () => resolve({ bytes: Buffer.concat(chunks), error }));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\nConnection: close\r\n\r\n`);
  });
}

describe('each fault switch, over a real socket', () => {
  it('status: another status, with a body and Retry-After where wanted', async () => {
    const { service, path } = await withText();
    service.setFaults({
      media: {
        kind: 'status',
        status: 503,
        retryAfter: 7,
        body: '{"a":1}',
        contentType: 'application/json',
        headers: { 'X-Cause': 'test' },
      },
    });
    const answer = await rawRequest(service, path);
    expect([answer.status, answer.body.toString()]).toEqual([503, '{"a":1}']);
    expect(answer.headers).toMatchObject({
      'retry-after': '7',
      'content-type': 'application/json',
      'x-cause': 'test',
    });
    service.setFaults({
      media: { kind: 'status', status: 429, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    });
    const bare = await rawRequest(service, path);
    expect([bare.status, bare.body.length, bare.headers['retry-after']]).toEqual([
      429,
      0,
      'Wed, 21 Oct 2026 07:28:00 GMT',
    ]);
  });

  it('delay: the right answer comes after the answer to a later request', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'delay', delayMs: 1500, match: 'late' } });
    const order: string[] = [];
    const late = rawRequest(service, `${path}?late`).then(({ body }) => {
      order.push('late');
      return body;
    });
    await rawRequest(service, path).then(() => order.push('prompt'));
    expect(await late).toEqual(BODY);
    expect(order).toEqual(['prompt', 'late']);
  });

  it('another fault can be delayed, too', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'status', status: 500, delayMs: 500, match: 'late' } });
    const order: number[] = [];
    const late = rawRequest(service, `${path}?late`).then(({ status }) => order.push(status));
    await rawRequest(service, path).then(({ status }) => order.push(status));
    await late;
    expect(order).toEqual([200, 500]);
  });

  it('hang: no byte comes until the connection closes', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'hang', match: 'x=1' } });
    const outcome = overTheWire(service, `${path}?x=1`);
    let over = false;
    void outcome.then(() => {
      over = true;
    });
    for (let asked = 0; asked < 5; asked += 1) await rawRequest(service, path);
    expect(over).toBe(false);
    expect(service.requests().filter(({ fault }) => fault === 'hang')).toHaveLength(1);
    await service.goDown();
    expect((await outcome).bytes).toHaveLength(0);
  });

  it('truncate: the declared length is not reached', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'truncate', afterBytes: 100 } });
    const { bytes } = await overTheWire(service, path);
    const [head = '', ...rest] = bytes.toString().split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${BODY.length}`);
    expect(rest.join('')).toBe(BODY.subarray(0, 100).toString());
    await expect(rawRequest(service, path)).rejects.toThrow('aborted');
  });

  it('truncate, well-formed: the declared length is that of the cut body', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'truncate', afterBytes: 100, wellFormed: true } });
    const answer = await rawRequest(service, path);
    expect([answer.headers['content-length'], answer.body.toString()]).toEqual([
      '100',
      BODY.subarray(0, 100).toString(),
    ]);
  });

  it('garbage: the right headers over the wrong bytes', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'garbage' } });
    const answer = await rawRequest(service, path);
    expect([answer.status, answer.headers['content-type'], answer.body.length]).toEqual([
      200,
      'text/plain',
      BODY.length,
    ]);
    expect(answer.body.equals(BODY)).toBe(false);
  });

  it('html: a captive portal says 200', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'html' } });
    const answer = await rawRequest(service, path);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.body.toString()).toContain('accept the terms');
  });

  it('reset: the connection is reset, not closed', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'reset' } });
    expect(await overTheWire(service, path)).toEqual({ bytes: Buffer.alloc(0), error: 'ECONNRESET' });
  });

  it('content-type: the right body under another name', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'content-type', contentType: 'video/ogg' } });
    const answer = await rawRequest(service, path);
    expect([answer.headers['content-type'], answer.body.equals(BODY)]).toEqual(['video/ogg', true]);
  });

  it('oversize: more bytes follow the answer, without a declared length', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'oversize', bytes: 3_000_000 } });
    const answer = await rawRequest(service, path);
    expect(answer.headers['content-length']).toBeUndefined();
    expect(answer.body.length).toBe(3_000_000);
    expect(answer.body.subarray(0, BODY.length)).toEqual(BODY);
    expect(answer.body.subarray(BODY.length).every((byte) => byte === 0x20)).toBe(true);
  });

  it('oversize: sends more than 100 MB by default, and stops when the client disconnects', async () => {
    expect(Fault.parse({ kind: 'oversize' })).toEqual({ kind: 'oversize', bytes: 120_000_000 });
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'oversize', times: 1 } });
    await new Promise<void>((resolve, reject) => {
      const request = http.get(service.origin + path, { agent: false }, (response) => {
        response.once('data', () => {
          request.destroy();
          resolve();
        });
      });
      request.on('error', reject);
    });
    expect((await rawRequest(service, path)).body).toEqual(BODY);
  });

  it('drip: the right answer in small pieces', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'drip', bytesPerSecond: 4000 } });
    const answer = await rawRequest(service, path);
    expect(answer.body).toEqual(BODY);
    expect(answer.pieces).toBeGreaterThan(1);
  });
});

describe('a fault applies to', () => {
  it('requests of its group only', async () => {
    const service = await serviceForTest();
    service.setFaults({ ads: { kind: 'status', status: 500 } });
    expect((await requestToken(service)).status).toBe(200);
    expect((await requestAds(service, [])).status).toBe(500);
  });

  it.each<[RouteGroup, string]>([
    ['token', '/oauth/v2/token'],
    ['inventory', '/v1alpha/inventory/devices'],
    ['ads', '/v1alpha2/ads'],
    ['native', '/api/v3/native'],
    ['media', '/media/x'],
    ['collector', '/collect/x'],
    ['landing', '/landing/kiosko'],
  ])('%s requests: %s', async (group, path) => {
    const service = await serviceForTest();
    service.setFaults({ [group]: { kind: 'status', status: 418 } });
    expect((await rawRequest(service, path)).status).toBe(418);
  });

  it('as many requests as it says, then the next fault in the list applies', async () => {
    const { service, path } = await withText();
    service.setFaults({
      media: [
        { kind: 'status', status: 500, times: 2 },
        { kind: 'status', status: 404, match: 'gone' },
      ],
    });
    const statuses: number[] = [];
    for (const query of ['', '?gone', '?gone', ''])
      statuses.push((await rawRequest(service, path + query)).status);
    expect(statuses).toEqual([500, 500, 404, 200]);
    expect(service.faults()).toEqual({ media: [{ kind: 'status', status: 404, match: 'gone' }] });
  });

  it('no request once it is cleared', async () => {
    const { service, path } = await withText();
    service.setFaults({ media: { kind: 'hang' } });
    service.setFaults({});
    expect((await rawRequest(service, path)).status).toBe(200);
    expect(service.faults()).toEqual({});
  });
});

describe('the time that answers show', () => {
  it('is off by clockOffsetSeconds, left out with dateless, aged by ageSeconds', async () => {
    const { service, path } = await withText();
    const right = Date.parse((await rawRequest(service, path)).headers.date ?? '');
    service.setFaults({ clockOffsetSeconds: -86_400, ageSeconds: 30 });
    const shifted = await rawRequest(service, path);
    const behind = right - Date.parse(shifted.headers.date ?? '');
    expect(Math.round(behind / 60_000)).toBe(24 * 60);
    expect(shifted.headers.age).toBe('30');
    service.setFaults({ dateless: true });
    expect((await rawRequest(service, path)).headers.date).toBeUndefined();
  });
});

describe('an invalid fault', () => {
  it.each([
    { ads: { kind: 'explode' } },
    { ads: { kind: 'status' } },
    { ads: { kind: 'status', status: 99 } },
    { ads: { kind: 'hang', times: 0 } },
    { adds: { kind: 'hang' } },
    { ads: { kind: 'hang', color: 'red' } },
    { clockOffsetSeconds: 'tomorrow' },
  ])('is refused: %j', async (faults) => {
    const service = await serviceForTest();
    service.setFaults({ token: { kind: 'hang' } });
    expect(Faults.safeParse(faults).success).toBe(false);
    expect(() => service.setFaults(faults as never)).toThrow(ZodError);
    expect(service.faults()).toEqual({ token: [{ kind: 'hang' }] });
  });
});
