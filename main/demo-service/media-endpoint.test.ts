import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DemoService } from './demo-service';
import { byteRange } from './media-endpoint';
import { rawRequest, serviceForTest } from './testing/client';

const BODY = Buffer.from('0123456789');

async function withDigits(): Promise<{ service: DemoService; path: string }> {
  const service = await serviceForTest();
  const url = service.setMedia('ten digits.bin', BODY, 'application/x-digits');
  return { service, path: url.slice(service.origin.length) };
}

describe('media', () => {
  it('come whole, with type, length and validators', async () => {
    const { service, path } = await withDigits();
    const answer = await rawRequest(service, path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(BODY);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-digits',
      'content-length': '10',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[\w-]+"$/),
      'last-modified': expect.stringMatching(/GMT$/),
    });
  });

  it('answer HEAD with the same headers and no body', async () => {
    const { service, path } = await withDigits();
    const answer = await rawRequest(service, path, { method: 'HEAD' });
    expect([answer.status, answer.headers['content-length'], answer.body.length]).toEqual([200, '10', 0]);
  });

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=3-2', 200, '0123456789', undefined],
    ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ['lines=0-3', 200, '0123456789', undefined],
  ])('answer Range: %s with %i', async (range, status, body, contentRange) => {
    const { service, path } = await withDigits();
    const answer = await rawRequest(service, path, { headers: { Range: range } });
    expect([answer.status, answer.body.toString(), answer.headers['content-range']]).toEqual([
      status,
      body,
      contentRange,
    ]);
    expect(answer.headers['content-length']).toBe(String(body.length));
  });

  it('ignore a range of another version', async () => {
    const { service, path } = await withDigits();
    const { etag = '', 'last-modified': modified = '' } = (await rawRequest(service, path)).headers;
    const status = async (ifRange: string) =>
      (await rawRequest(service, path, { headers: { Range: 'bytes=0-3', 'If-Range': ifRange } })).status;
    expect(await status(etag)).toBe(206);
    expect(await status(modified)).toBe(206);
    expect(await status('"old"')).toBe(200);
    expect((await rawRequest(service, path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  it('can be removed', async () => {
    const { service, path } = await withDigits();
    service.removeMedia('ten digits.bin');
    expect((await rawRequest(service, path)).status).toBe(404);
    expect((await rawRequest(service, '/media/%E0%A4%A')).status).toBe(404);
  });

  it('a range contains the same bytes as a slice', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(60), fc.nat(60), (length, from, to) => {
        const bytes = Array.from({ length }, (_, index) => index);
        const range = byteRange(`bytes=${from}-${to}`, length);
        const expected =
          to < from ? 'ignore' : from >= length ? 'unsatisfiable' : bytes.filter((b) => b >= from && b <= to);
        expect(typeof range === 'string' ? range : bytes.slice(range.first, range.last + 1)).toEqual(
          expected,
        );
      }),
    );
  });
});
