import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mediaResponse, readRange, type ShowableFile } from './media-response';

let folder: string;
const bytes = randomBytes(100_000);
const media: ShowableFile = { key: 'abc', type: 'video/mp4', bytes: bytes.length };
const files = {
  byKey: (key: string) => (key === 'abc' ? media : null),
  pathOf: () => join(folder, 'abc.bin'),
};
const ask = (path: string, { range = null }: { range?: string | null } = {}) => {
  const { status, headers, body } = mediaResponse({ url: `media://cache${path}`, range }, files);
  return { status, headers, read: async () => (body === null ? Buffer.alloc(0) : buffer(body)) };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-media-'));
  await writeFile(join(folder, 'abc.bin'), bytes);
});
afterAll(() => rm(folder, { recursive: true }));

describe('a media response', () => {
  it('is the whole file without a range', async () => {
    const response = ask('/abc');
    expect(response.status).toBe(200);
    expect(response.headers['content-length']).toBe('100000');
    expect(response.headers['content-type']).toBe('video/mp4');
    // Only the page of the kiosk window may read it.
    expect(response.headers['access-control-allow-origin']).toBe('endcap://kiosk');
    expect((await response.read()).equals(bytes)).toBe(true);
  });

  it.each([
    ['bytes=0-', 206, 'bytes 0-99999/100000', 100_000],
    ['bytes=0-0', 206, 'bytes 0-0/100000', 1],
    ['bytes=500-999', 206, 'bytes 500-999/100000', 500],
    ['bytes=99999-', 206, 'bytes 99999-99999/100000', 1],
    ['bytes=500-9999999', 206, 'bytes 500-99999/100000', 99_500],
    ['bytes=100000-', 416, 'bytes */100000', 0],
    ['bytes=-500', 200, null, 100_000],
    ['bytes=9-5', 200, null, 100_000],
    ['bytes=0-1,5-6', 200, null, 100_000],
    ['lines=0-1', 200, null, 100_000],
    ['bytes=x-1', 200, null, 100_000],
  ])('to "%s" is %i with %s', async (range, status, contentRange, length) => {
    const response = ask('/abc', { range });
    expect(response.status).toBe(status);
    expect(response.headers['content-range'] ?? null).toBe(contentRange);
    expect((await response.read()).byteLength).toBe(length);
  });

  it.each(['/unknown', '/x/..%2fabc', '/abc%00', '/abc/', '/'])('to %s is not found', (path) => {
    expect(ask(path).status).toBe(404);
  });

  it('to another host is refused', () => {
    const to = (url: string) => mediaResponse({ url, range: null }, files);
    expect(to('media://elsewhere/abc').status).toBe(404);
    expect(to('media://constructor/abc').status).toBe(404);
  });

  it('whose read fails after the request was cancelled ends nothing', async () => {
    // A folder can be opened, but not read.
    const request = { url: 'media://cache/abc', range: null };
    const { body } = mediaResponse(request, { ...files, pathOf: () => folder });
    if (body === null) throw new Error('there is no body');
    const read = body._read;
    body._read = (size) => {
      read.call(body, size);
      body.destroy();
    };
    body.resume();
    await new Promise<void>((resolve, reject) => {
      body.once('close', resolve);
      process.once('uncaughtException', reject);
      onTestFinished(() => void process.off('uncaughtException', reject));
    });
    expect(body.errored).toMatchObject({ code: 'EISDIR' });
  });

  it('has exactly the requested bytes, for any range', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(120_000), fc.nat(120_000), async (a, b) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)];
        const response = ask('/abc', { range: `bytes=${first}-${last}` });
        const body = await response.read();
        expect(body.equals(response.status === 206 ? bytes.subarray(first, last + 1) : Buffer.alloc(0))).toBe(
          true,
        );
      }),
      { numRuns: 50 },
    );
  });

  it('is read as the bytes from one place to another', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(60), fc.nat(60), (length, from, to) => {
        const all = Array.from({ length }, (_, index) => index);
        const range = readRange(`bytes=${from}-${to}`, length);
        const expected =
          to < from ? null : from >= length ? 'unsatisfiable' : all.filter((at) => at >= from && at <= to);
        const isRange = range !== null && range !== 'unsatisfiable';
        expect(isRange ? all.slice(range.first, range.last + 1) : range).toEqual(expected);
      }),
    );
  });

  it('ignores an invalid range', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1 }), (header, size) => {
        const range = readRange(header, size);
        if (range === null || range === 'unsatisfiable') return;
        expect(range.first).toBeGreaterThanOrEqual(0);
        expect(range.last).toBeLessThan(size);
        expect(range.first).toBeLessThanOrEqual(range.last);
      }),
    );
  });
});
