import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { createMediaCache, type MediaCacheOptions } from './media-cache';

const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.alloc(5000, 7),
]);

let directory: string;
let server: Server;
let origin: string;
let answer: RequestListener;
let requests: string[];
let time: number;
let timers: Array<{ at: number; run: () => void }>;
const open: Array<{ close(): Promise<void> }> = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'endcap-cache-'));
  requests = [];
  time = 0;
  timers = [];
  answer = (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const cache of open.splice(0)) await cache.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

async function openCache(overrides: Partial<MediaCacheOptions> = {}) {
  const cache = createMediaCache({
    directory,
    quotaBytes: 1e9,
    fetch,
    clock: { now: () => time, monotonic: () => time },
    log: silentLog,
    schedule: (ms, run) => {
      const timer = { at: time + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    ...overrides,
  });
  open.push(cache);
  await cache.open();
  return cache;
}

/** Moves the clock and runs what has come due. */
function pass(ms: number) {
  time += ms;
  const due = timers.filter((timer) => timer.at <= time);
  timers = timers.filter((timer) => timer.at > time);
  for (const timer of due) timer.run();
}

describe('the media cache', () => {
  it('stores a creative whole, with its length, type and checksum', async () => {
    const cache = await openCache();
    const url = `${origin}/a.png`;
    expect(cache.lookup(url)).toBeNull();
    cache.want('playlist', [url]);
    await expect.poll(() => cache.lookup(url)).not.toBeNull();
    const media = await cache.verified(url);
    expect(media).toMatchObject({
      type: 'image/png',
      bytes: png.length,
      sha256: createHash('sha256').update(png).digest('hex'),
    });
    if (media) expect((await readFile(cache.pathOf(media))).equals(png)).toBe(true);
    expect((await readdir(directory)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('finds after a restart what it stored, without the network', async () => {
    const url = `${origin}/a.png`;
    const first = await openCache();
    first.want('playlist', [url]);
    await expect.poll(() => first.lookup(url)).not.toBeNull();
    await first.close();
    const second = await openCache({ fetch: () => Promise.reject(new Error('no network')) });
    expect(second.lookup(url)).not.toBeNull();
    expect(await second.verified(url)).not.toBeNull();
  });

  it.each<[string, RequestListener, string]>([
    ['a missing file', (_q, r) => r.writeHead(404).end('no'), 'status'],
    [
      'a page of a captive portal',
      (_q, r) => r.writeHead(200, { 'content-type': 'video/mp4' }).end('<html>Log in</html>'),
      'not-media',
    ],
    ['an empty file', (_q, r) => r.writeHead(200).end(), 'not-media'],
    [
      'a file above the limit',
      (_q, r) => r.writeHead(200, { 'content-length': '99999999' }).end(png),
      'too-large',
    ],
    [
      'an endless file',
      (_q, r) => {
        r.writeHead(200);
        const more = () => {
          while (!r.destroyed && r.write(png));
        };
        r.on('drain', more);
        more();
      },
      'too-large',
    ],
    [
      'a connection that breaks half-way',
      (_q, r) => {
        r.writeHead(200, { 'content-length': String(png.length) });
        r.write(png.subarray(0, 1000), () => r.destroy());
      },
      'short',
    ],
  ])('never offers %s, and says %3$s', async (_case, listener, code) => {
    answer = listener;
    const cache = await openCache({ maxFileBytes: 1_000_000 });
    const url = `${origin}/a`;
    cache.want('playlist', [url]);
    await expect.poll(() => cache.problems().map((problem) => problem.code)).toEqual([code]);
    expect(cache.lookup(url)).toBeNull();
    expect(await readdir(directory)).toEqual([]);
  });

  it('gives up a server that falls silent', async () => {
    answer = (_request, response) => void response.writeHead(200).write(png.subarray(0, 100));
    const cache = await openCache({ idleMs: 1000 });
    const url = `${origin}/a`;
    cache.want('playlist', [url]);
    await expect.poll(() => requests.length).toBe(1);
    await expect
      .poll(() => {
        pass(1000);
        return cache.problems().map((problem) => problem.code);
      })
      .toEqual(['short']);
  });

  it('tries again after a growing pause, and tells who waits', async () => {
    let healthy = false;
    answer = (_request, response) =>
      healthy ? response.writeHead(200).end(png) : response.writeHead(503).end();
    const cache = await openCache({ retryMs: 5000 });
    const url = `${origin}/a`;
    const told: Array<[string, boolean]> = [];
    cache.onChange((which, ready) => told.push([which, ready]));
    cache.want('playlist', [url]);
    await expect.poll(() => timers.some((timer) => timer.at === 5000)).toBe(true);
    pass(5000);
    await expect.poll(() => timers.some((timer) => timer.at === 15_000)).toBe(true);
    healthy = true;
    pass(10_000);
    await expect.poll(() => told).toEqual([[url, true]]);
    expect(cache.problems()).toEqual([]);
  });

  it('never offers a file that changed on disk', async () => {
    const url = `${origin}/a`;
    const first = await openCache();
    first.want('playlist', [url]);
    await expect.poll(() => first.lookup(url)).not.toBeNull();
    const media = first.lookup(url);
    await first.close();
    if (media) await writeFile(first.pathOf(media), Buffer.alloc(media.bytes, 1));

    const second = await openCache();
    expect(await second.verified(url)).toBeNull();
    expect(second.lookup(url)).toBeNull();
    expect(second.problems().map((problem) => problem.code)).toEqual(['corrupt']);
  });

  it('clears away what a crash left half-written', async () => {
    await writeFile(join(directory, 'x.part'), 'half');
    await writeFile(join(directory, 'y.json'), '{"key":"y"}');
    await writeFile(join(directory, 'y.bin'), 'orphan');
    await openCache();
    expect(await readdir(directory)).toEqual([]);
  });

  it('downloads at most two files at once, in the order wanted', async () => {
    const waiting: Array<() => void> = [];
    answer = (_request, response) => void waiting.push(() => response.writeHead(200).end(png));
    const cache = await openCache();
    const urls = ['a', 'b', 'c', 'd'].map((name) => `${origin}/${name}`);
    cache.want('playlist', urls);
    for (let done = 0; done < urls.length; done += 1) {
      await expect.poll(() => requests.length).toBe(Math.min(urls.length, done + 2));
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.();
      await expect.poll(() => cache.usage().files).toBe(done + 1);
    }
    expect(requests).toEqual(['/a', '/b', '/c', '/d']);
  });

  it('evicts only what is no longer wanted, oldest first', async () => {
    const cache = await openCache({ quotaBytes: png.length * 2 });
    const url = (name: string) => `${origin}/${name}`;
    cache.want('playlist', [url('a')]);
    await expect.poll(() => cache.lookup(url('a'))).not.toBeNull();
    time += 1000;
    cache.want('playlist', [url('b'), url('c')]);
    await expect.poll(() => cache.lookup(url('a'))).toBeNull();
    await expect.poll(() => cache.usage().files).toBe(2);
    time += 1000;
    cache.want('playlist', [url('b'), url('c'), url('d')]);
    await expect.poll(() => cache.lookup(url('d'))).not.toBeNull();
    expect(cache.usage().files).toBe(3);
  });
});
