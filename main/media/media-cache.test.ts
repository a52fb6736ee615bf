import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../shared/log';
import { createAdFetch } from '../egress/ad-fetch';
import { createEgressPolicy } from '../egress/egress-policy';
import { keepMediaInUse } from '../playback/player-fact';
import { brandCard } from '../playback/slot-ad';
import { readInPlace } from '../reading/testing/read-in-place';
import { timers as realTimers } from '../schedule';
import { type HandTurnedTime, handTurnedTime } from '../service/testing/hand-turned-time';
import type { MediaCacheOptions } from './cache-base';
import { type Disk, realDisk } from './disk';
import { type CachedMedia, createMediaCache, type MediaCache } from './media-cache';
import { failingDisk } from './testing/failing-disk';
import { type MediaServer, startMediaServer } from './testing/media-server';
import { noQuarantine } from './testing/no-quarantine';
import { paddedPng, sizelessPng } from './testing/padded-png';
import { replaceInSecret } from './testing/replace-in-secret';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const png = paddedPng(5000);

let directory: string;
let server: MediaServer;
let time: HandTurnedTime;
const open: MediaCache[] = [];
const egressPolicy = createEgressPolicy({
  serviceUrls: [],
  allowPrivateHosts: ['127.0.0.1'],
  lookup: async () => [],
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'endcap-cache-'));
  server = await startMediaServer();
  time = handTurnedTime(Date.UTC(2026, 10, 20));
});

afterEach(async () => {
  for (const cache of open.splice(0)) await cache.close();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

async function openCache(overrides: Partial<MediaCacheOptions> = {}): Promise<MediaCache> {
  const cache = createMediaCache({
    directory,
    quotaBytes: 1e9,
    minFreeBytes: 0,
    fetch: createAdFetch({ egressPolicy, purpose: 'media', schedule: realTimers }),
    clock: time.clock,
    log: silentLog,
    reading: readInPlace,
    quarantine: noQuarantine,
    schedule: time.schedule,
    random: () => 0,
    bytesPerSecond: Number.POSITIVE_INFINITY,
    ...overrides,
  });
  open.push(cache);
  await cache.open();
  return cache;
}

const now = () => time.clock.now();
const pass = (ms: number) => time.pass(ms);

const eventually = <T>(look: () => T) => expect.poll(look, { interval: 5 });
const url = (name: string) => `${server.origin}/${name}`;
const wanted = (...names: string[]) => names.map((name) => ({ url: url(name) }));
const names = (cache: MediaCache, ...of: string[]) => of.filter((name) => cache.lookup(url(name)) !== null);
const stored = (cache: MediaCache, ...of: string[]) => eventually(() => names(cache, ...of)).toEqual(of);
const problemCodes = (cache: MediaCache) => cache.problems().map(({ code }) => code);
const problem = (cache: MediaCache, ...codes: string[]) =>
  eventually(() => problemCodes(cache)).toEqual(codes);
const serve = (...files: Array<[name: string, body?: Buffer]>) => {
  for (const [name, body = png] of files) server.put(`/${name}`, body);
};
const asked = () => server.asked.map(({ path }) => path.slice(1));
/**
 * The bytes of a URL as they would be played. For long files use `plays`: comparing them with `toEqual` takes
 * a second.
 */
async function played(cache: MediaCache, name: string): Promise<Buffer | null> {
  const media = await cache.verified(url(name));
  return media && readFile(cache.pathOf(media));
}

/** A disk on which the first removal of a file with such a name waits until the test releases it. */
function slowToRemove(name: RegExp) {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isWaiting = false;
  const disk: Disk = {
    ...realDisk,
    async remove(path) {
      if (!isWaiting && name.test(path)) {
        isWaiting = true;
        await gate;
      }
      return realDisk.remove(path);
    },
  };
  return { disk, isWaiting: () => isWaiting, letGo };
}
/** Resolves when the cache has been checked, and the next check waits. */
const checked = () => eventually(() => time.waits()).toContain(60_000);

const sha256Of = (body: Buffer) => createHash('sha256').update(body).digest('hex');
const plays = async (cache: MediaCache, name: string, body: Buffer) => {
  expect((await played(cache, name))?.equals(body)).toBe(true);
  expect(cache.lookup(url(name))?.sha256).toBe(sha256Of(body));
};

describe('the media cache', () => {
  it('leaves room for other lines in the log, however many files are missing', async () => {
    const lines: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void lines.push(message) };
    const cache = await openCache({ log });
    const missing = Array.from({ length: 150 }, (_, index) => `missing-${index}`);
    cache.want('playlist', wanted(...missing));
    await eventually(() => cache.problems().length).toBe(150);
    expect(lines.filter((line) => line === 'creative not stored')).toHaveLength(100);
  });

  it('combines no signal that outlives its download, because each combination would stay on it', async () => {
    const combine = vi.spyOn(AbortSignal, 'any');
    serve(['a'], ['b']);
    const cache = await openCache();
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    const combined = combine.mock.calls.flatMap(([signals]) => [...signals]);
    combine.mockRestore();
    expect(combined.length).toBeGreaterThan(0);
    expect(new Set(combined).size).toBe(combined.length);
  });

  it('stores a creative whole, with its length, type and checksum', async () => {
    serve(['a.png']);
    const cache = await openCache();
    expect(cache.lookup(url('a.png'))).toBeNull();
    cache.want('playlist', wanted('a.png'));
    await stored(cache, 'a.png');
    expect(await cache.verified(url('a.png'))).toMatchObject({
      type: 'image/png',
      bytes: png.length,
      sha256: sha256Of(png),
    });
    expect(await played(cache, 'a.png')).toEqual(png);
    expect((await readdir(directory)).filter((name) => /part|tmp/.test(name))).toEqual([]);
  });

  it('tells of each answer to a request for a creative whether it can be used', async () => {
    serve(['a'], ['page', Buffer.from('<html>Log in</html>')]);
    const told: unknown[] = [];
    const onAnswer: MediaCacheOptions['onAnswer'] = (of, bad) => void told.push([of, bad?.code ?? null]);
    const cache = await openCache({ onAnswer });
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    cache.want('playlist', wanted('page', 'missing'));
    await eventually(() => told).toHaveLength(3);
    expect(new Set(told)).toEqual(
      new Set([
        [url('a'), null],
        [url('page'), 'not-media'],
        [url('missing'), 'status'],
      ]),
    );
  });

  it('clears only what the disk removes, and says so; what it does not remove plays on', async () => {
    serve(['a'], ['b']);
    let keeps: (path: string) => boolean = () => true;
    const isKept = (operation: string, path: string) => operation === 'remove' && keeps(path);
    const disk = failingDisk((operation, path) => (isKept(operation, path) ? 'EROFS' : null));
    const cache = await openCache({ disk });
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    cache.want('playlist', []);
    await expect(cache.clear()).rejects.toMatchObject({ code: 'EROFS' });
    expect(names(cache, 'a', 'b')).toEqual(['a', 'b']);
    expect(await played(cache, 'a')).toEqual(png);

    const media = cache.lookup(url('a'));
    const path = media && cache.pathOf(media);
    keeps = (removed) => removed === path;
    expect(await cache.clear()).toEqual({ files: 1, bytes: png.length });
    expect(names(cache, 'a', 'b')).toEqual(['a']);

    keeps = () => false;
    expect(await cache.clear()).toEqual({ files: 1, bytes: png.length });
    expect((await readdir(directory)).filter((name) => !name.endsWith('.part'))).toEqual([]);
    expect(await cache.clear()).toEqual({ files: 0, bytes: 0 });
  });

  it('finds stored files after a restart, without the network', async () => {
    serve(['a']);
    const first = await openCache();
    first.want('playlist', wanted('a'));
    await stored(first, 'a');
    await first.close();
    const second = await openCache({ fetch: () => Promise.reject(new Error('no network')) });
    expect(await played(second, 'a')).toEqual(png);
  });

  it.each<[string, RequestListener, string]>([
    ['a missing file', (_q, r) => r.writeHead(404).end('no'), 'status'],
    [
      'a page of a captive portal that says what it is, which is no fault of the ad',
      (_q, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'),
      'unreachable',
    ],
    [
      'an empty page of a filter',
      (_q, r) => r.writeHead(200, { 'content-type': 'text/html' }).end(),
      'unreachable',
    ],
    [
      'a compressed page of a captive portal',
      (_q, r) => r.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end('x'),
      'unreachable',
    ],
    [
      'a page of a captive portal',
      (_q, r) =>
        r.writeHead(200, { 'content-type': 'video/mp4' }).end(`<html>Log in ${' '.repeat(5000)}</html>`),
      'not-media',
    ],
    ['an empty file', (_q, r) => r.writeHead(200).end(), 'not-media'],
    ['a picture without a size', (_q, r) => r.writeHead(200).end(sizelessPng(3000)), 'undecodable'],
    [
      'a picture of 400 megapixels',
      (_q, r) => {
        const bomb = Buffer.from(png);
        bomb.writeUInt32BE(20_000, 16);
        bomb.writeUInt32BE(20_000, 20);
        r.writeHead(200).end(bomb);
      },
      'too-many-pixels',
    ],
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
  ])('never offers %s, and reports the problem', async (_case, listener, code) => {
    server.instead = listener;
    const cache = await openCache({ maxFileBytes: 1_000_000 });
    cache.want('playlist', wanted('a'));
    await problem(cache, code);
    expect(cache.lookup(url('a'))).toBeNull();
    expect(await readdir(directory)).toEqual([]);
  });

  it.each(['gzip', 'br', 'gzip, gzip, gzip, gzip, gzip', 'aws-chunked'])(
    'refuses a creative with a content encoding (%s), and closes the connection',
    async (encoding) => {
      let isClosed = false;
      server.instead = (_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding, etag: '"1"' });
        response.write(gzipSync(png));
        response.once('close', () => {
          isClosed = true;
        });
      };
      const cache = await openCache();
      cache.want('playlist', wanted('a'));
      await problem(cache, 'encoded');
      expect(cache.problems()[0]?.detail).toContain(encoding);
      await eventually(() => isClosed).toBe(true);
      expect(server.asked[0]?.acceptEncoding).toBe('identity');
      expect(cache.lookup(url('a'))).toBeNull();
    },
  );

  it.each(['Identity', 'UTF-8', 'none'])(
    'takes a creative whose content encoding is none (%s), as browsers do',
    async (encoding) => {
      server.instead = (_request, response) =>
        void response.writeHead(200, { 'content-encoding': encoding }).end(png);
      const cache = await openCache();
      cache.want('playlist', wanted('a'));
      await stored(cache, 'a');
    },
  );

  it('takes a picture whose server calls it a page', async () => {
    server.instead = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html; charset=UTF-8' }).end(png);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    await plays(cache, 'a', png);
  });

  it.each([404, 500])('closes the connection of an answer %i that never ends', async (status) => {
    let isClosed = false;
    server.instead = (_request, response) => {
      response.writeHead(status).write(png);
      response.once('close', () => {
        isClosed = true;
      });
    };
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await problem(cache, 'status');
    await eventually(() => isClosed).toBe(true);
  });

  it('closes the connection of a file that there is no room for', async () => {
    let isClosed = false;
    server.instead = (_request, response) => {
      response.writeHead(200, { 'content-length': 900_000 }).write(png);
      response.once('close', () => {
        isClosed = true;
      });
    };
    const cache = await openCache({ quotaBytes: 100_000 });
    cache.want('playlist', wanted('a'));
    await problem(cache, 'no-room');
    await eventually(() => isClosed).toBe(true);
  });

  it.each([
    ['its own host', 'media.example', true],
    ['another host, as a log-in page comes from', 'portal.example', false],
  ])('takes a page from %s: %s', async (_what, host, isTaken) => {
    const asked = 'https://media.example/a.html';
    const page = '<!doctype html><html><body>A creative</body></html>';
    const cache = await openCache({
      fetch: async () =>
        Object.defineProperty(new Response(page), 'url', { value: `https://${host}/somewhere.html` }),
    });
    cache.want('playlist', [{ url: asked, form: 'page' }]);
    await eventually(() => cache.lookup(asked) !== null || cache.problems().length > 0).toBe(true);
    expect(cache.lookup(asked) !== null).toBe(isTaken);
    expect(problemCodes(cache)).toEqual(isTaken ? [] : ['not-media']);
  });

  it('tries a page again soon, however often a log-in page comes from its host', async () => {
    const page = 'https://media.example/a.html';
    let html = '<!doctype html><html><form></form></html>';
    const cache = await openCache({
      fetch: async () => Object.defineProperty(new Response(html), 'url', { value: page }),
    });
    cache.want('playlist', [{ url: page, form: 'page' }]);
    for (const failures of [1, 2, 3]) {
      await eventually(() => cache.failures(page)).toBe(failures);
      pass(60_000);
    }
    html = '<!doctype html><html><body>A creative</body></html>';
    pass(60_000);
    await eventually(() => cache.lookup(page)).not.toBeNull();
  });

  it('passes over pages, but no other files, until there is a place for one, and for a minute at most', async () => {
    const page = 'https://media.example/a.html';
    const fetch = createAdFetch({ egressPolicy, purpose: 'media', schedule: realTimers });
    const html = '<!doctype html><html><body>A creative</body></html>';
    serve(['a']);
    const cache = await openCache({
      fetch: async (from, options) =>
        from === page
          ? Object.defineProperty(new Response(html), 'url', { value: page })
          : fetch(from, options),
    });
    cache.want('playlist', [{ url: page, form: 'page' }, ...wanted('a')]);
    const mayPlay = () => [page, url('a')].map((one) => cache.lookup(one) !== null);
    await eventually(mayPlay).toEqual([true, true]);
    const told: [url: string, ready: boolean][] = [];
    cache.onChange((...change) => told.push(change));

    let free = () => {};
    cache.passOverPages(
      new Promise<void>((resolve) => {
        free = resolve;
      }),
    );
    expect([mayPlay(), cache.problems(), cache.waitMs(page)]).toMatchObject([
      [false, true],
      [{ url: page, code: 'no-guest' }],
      0,
    ]);
    free();
    await eventually(mayPlay).toEqual([true, true]);
    expect(cache.problems()).toEqual([]);

    for (const place of [() => new Promise(() => {}), () => Promise.reject(new Error('no proxy'))]) {
      cache.passOverPages(place());
      pass(59_999);
      await time.settle();
      expect(mayPlay()).toEqual([false, true]);
      pass(1);
      expect(mayPlay()).toEqual([true, true]);
    }
    expect(told).toEqual([false, true, false, true, false, true].map((ready) => [page, ready]));
  });

  it('refuses a file that is longer than its declared length', async () => {
    const cache = await openCache({
      fetch: async () =>
        new Response(new Uint8Array(png), { headers: { 'content-length': String(png.length - 1) } }),
    });
    cache.want('playlist', wanted('a'));
    await problem(cache, 'short');
    expect(cache.problems()[0]?.detail).toBe(`expected ${png.length - 1} bytes, got ${png.length}`);
  });

  it('refuses a file that ends with the connection, because it may be cut', async () => {
    server.instead = (_request, response) => {
      response.removeHeader('transfer-encoding');
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200).end(png.subarray(0, 4_000));
    };
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await problem(cache, 'short');
    expect(cache.lookup(url('a'))).toBeNull();
  });

  it.each([100, 50_000])('gives up a server that falls silent after %i bytes', async (bytes) => {
    server.instead = (_request, response) =>
      void response.writeHead(200).write(paddedPng(60_000, 1).subarray(0, bytes));
    const cache = await openCache({ idleMs: 1000 });
    cache.want('playlist', wanted('a'));
    await eventually(async () => {
      const [part] = (await readdir(directory)).filter((name) => name.endsWith('.part'));
      return part && (await stat(join(directory, part))).size;
    }).toBe(bytes);
    await eventually(() => {
      pass(1000);
      return problemCodes(cache);
    }).toContain('short');
  });

  it('does not count the wait for an answer as slow', async () => {
    const waiting: Array<() => void> = [];
    server.instead = (_request, response) =>
      void waiting.push(() => {
        response.writeHead(200, { 'content-length': png.length });
        response.write(png.subarray(0, 100));
        waiting.push(() => response.end(png.subarray(100)));
      });
    const cache = await openCache({ idleMs: 1000 });
    cache.want('playlist', wanted('a'));
    await eventually(() => waiting.length).toBe(1);
    pass(900);
    waiting.shift()?.();
    // A window that begins with the answer.
    await eventually(() => time.waits()).toContain(1000);
    pass(900);
    waiting.shift()?.();
    await stored(cache, 'a');
    expect(server.asked).toHaveLength(1);
  });

  it('tries again after a growing pause, and reports each result', async () => {
    serve(['a']);
    server.instead = (_request, response) => response.writeHead(503).end();
    const cache = await openCache();
    const told: Array<[string, boolean]> = [];
    cache.onChange((which, ready) => told.push([which, ready]));
    const start = now();
    cache.want('playlist', wanted('a'));
    const nextTry = (ms: number) => eventually(() => time.waits()).toContain(start + ms - now());
    await nextTry(2_000);
    pass(2_000);
    await nextTry(6_000);
    server.instead = null;
    pass(4_000);
    await stored(cache, 'a');
    expect(told).toEqual([
      [url('a'), false],
      [url('a'), false],
      [url('a'), true],
    ]);
    expect(cache.problems()).toEqual([]);
  });

  it('respects Retry-After', async () => {
    serve(['a']);
    server.instead = (_request, response) => response.writeHead(503, { 'retry-after': '120' }).end();
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await problem(cache, 'status');
    server.instead = null;
    expect(cache.waitMs(url('a'))).toBe(120_000);
    pass(119_000);
    expect(cache.waitMs(url('a'))).toBe(1_000);
    expect(server.asked).toHaveLength(1);
    pass(1_000);
    await stored(cache, 'a');
  });

  it('counts a date in Retry-After from the Date of the answer, whatever the clock of the kiosk', async () => {
    const headers = {
      date: 'Mon, 05 Jan 2026 12:00:00 GMT',
      'retry-after': 'Mon, 05 Jan 2026 12:02:00 GMT',
    };
    server.instead = (_request, response) => response.writeHead(503, headers).end();
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await problem(cache, 'status');
    expect(cache.waitMs(url('a'))).toBe(120_000);
  });

  it('removes half-written files of a crash, and nothing else', async () => {
    await writeFile(join(directory, 'x.part'), 'half');
    await writeFile(join(directory, 'y.json'), '{"key":"y"}');
    await writeFile(join(directory, 'y.bin'), 'orphan');
    await writeFile(join(directory, 'z.json.tmp'), '{');
    await writeFile(join(directory, 'README'), 'not ours');
    await openCache();
    expect(await readdir(directory)).toEqual(['README']);
  });

  it.each(['readText', 'stamp'] as const)(
    'keeps the files that it knows nothing of while %s fails',
    async (operation) => {
      serve(['a'], ['b']);
      const first = await openCache();
      first.want('playlist', wanted('a', 'b'));
      await stored(first, 'a', 'b');
      await first.close();
      server.instead = (request) => void request.socket.destroy();
      const name = createHash('sha256').update(url('a')).digest('hex').slice(0, 24);
      const disk = failingDisk((failing, path) =>
        failing === operation && path.includes(name) ? 'EIO' : null,
      );
      const second = await openCache({ disk });
      expect(names(second, 'a', 'b')).toEqual(['b']);
      await second.close();
      expect(names(await openCache(), 'a', 'b')).toEqual(['a', 'b']);
    },
  );
});

describe('the order of downloads', () => {
  /** Holds requests back; each returned function answers one. */
  function holdRequests(): Array<() => void> {
    const waiting: Array<() => void> = [];
    server.instead = (_request, _response, answer) => void waiting.push(answer);
    return waiting;
  }

  it('is the order of need, at most two at once', async () => {
    serve(['a'], ['b'], ['c'], ['d']);
    const waiting = holdRequests();
    const cache = await openCache();
    cache.want('playlist', wanted('b', 'c', 'd'));
    cache.want('upcoming', wanted('a'));
    await eventually(() => waiting.length).toBe(2);
    for (let done = 0; done < 4; done += 1) {
      await eventually(() => server.asked.length).toBe(Math.min(4, done + 2));
      await eventually(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.();
      await eventually(() => cache.usage().files).toBe(done + 1);
    }
    // The first two were already under way when "a" was wanted.
    expect(asked()).toEqual(['b', 'c', 'a', 'd']);
  });

  it('puts the file of the next slot before a running download', async () => {
    serve(['a'], ['b'], ['next']);
    const waiting = holdRequests();
    const cache = await openCache();
    cache.want('playlist', wanted('a', 'b'));
    await eventually(() => waiting.length).toBe(2);
    cache.want('online', wanted('next'));
    await eventually(asked).toEqual(['a', 'b', 'next']);
    server.instead = null;
    for (const answer of waiting) answer();
    await stored(cache, 'a', 'b', 'next');
    expect(asked()).toEqual(['a', 'b', 'next', 'b']);
    expect(cache.problems()).toEqual([]);
  });

  it('puts the file of the next slot before those of ads that came too late for theirs', async () => {
    serve(['late'], ['later'], ['next'], ['playlist']);
    const waiting = holdRequests();
    const cache = await openCache();
    cache.want('online', wanted('late'));
    cache.want('late', wanted('late'));
    cache.want('online', wanted('later'));
    await eventually(() => waiting.length).toBe(2);
    cache.want('late', wanted('later', 'late'));
    cache.want('playlist', wanted('playlist'));
    cache.want('online', wanted('next'));
    await eventually(asked).toEqual(['late', 'later', 'next']);
    server.instead = null;
    for (const answer of waiting) answer();
    await stored(cache, 'late', 'later', 'next', 'playlist');
    // A file that had begun for a slot is not put behind the whole playlist.
    expect(asked()).toEqual(['late', 'later', 'next', 'later', 'playlist']);
  });

  it('gives the places of servers that never finish to others after ten minutes, and goes on later', async () => {
    const slow = paddedPng(200_000, 1);
    for (const name of ['/slow', '/slower']) server.put(name, slow, { etag: '"1"' });
    serve(['next'], ['last']);
    server.instead = (request, response, answer) => {
      if (!request.url?.startsWith('/slow') || request.headers.range) return answer();
      response.writeHead(200, { etag: '"1"', 'content-length': slow.length });
      response.write(slow.subarray(0, 50_000));
    };
    const partBytes = async () => {
      const parts = (await readdir(directory)).filter((name) => name.endsWith('.part'));
      return Promise.all(parts.map(async (name) => (await stat(join(directory, name))).size));
    };
    const cache = await openCache({ idleMs: DAY_MS });
    cache.want('playlist', wanted('slow', 'slower', 'next', 'last'));
    await eventually(partBytes).toEqual([50_000, 50_000]);
    pass(10 * 60_000 - 1);
    expect(asked()).toEqual(['slow', 'slower']);
    pass(1);
    await stored(cache, 'slow', 'slower', 'next', 'last');
    expect(asked().slice(0, 4)).toEqual(['slow', 'slower', 'next', 'last']);
    // Both read first what they have on disk, and which one has read it sooner is chance.
    const continued = server.asked.slice(4).map(({ path, range }) => `${path} ${range}`);
    expect(continued.sort()).toEqual(['/slow bytes=50000-', '/slower bytes=50000-']);
    await plays(cache, 'slow', slow);
    expect(cache.problems()).toEqual([]);
  });

  it('leaves out files that have expired or are no longer wanted', async () => {
    serve(['old'], ['new'], ['dropped']);
    let isEnded = false;
    server.instead = (_request, response) =>
      void response.once('close', () => {
        isEnded = true;
      });
    const cache = await openCache();
    cache.want('playlist', [{ url: url('old'), expiresAt: now() - 1 }, { url: url('dropped') }]);
    await eventually(() => server.asked.length).toBe(1);
    server.instead = null;
    cache.want('playlist', [{ url: url('new'), expiresAt: now() }]);
    await stored(cache, 'new');
    await eventually(() => isEnded).toBe(true);
    expect(asked()).toEqual(['dropped', 'new']);
    expect(names(cache, 'old', 'dropped')).toEqual([]);
  });
});

describe('a download that broke off', () => {
  const large = paddedPng(200_000, 1);
  const breakAfter = (bytes: number) => {
    server.instead = (_request, response, answer) => {
      const write = response.write.bind(response);
      response.end = ((body: Buffer) => {
        write(body.subarray(0, bytes), () => response.destroy());
        return response;
      }) as typeof response.end;
      answer();
    };
  };
  /** A cache whose download of `a` broke off; afterwards the server works again. */
  const cutShort = async () => {
    breakAfter(150_000);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await problem(cache, 'short');
    server.instead = null;
    return cache;
  };
  const ranges = () => server.asked.map(({ range }) => range);
  const partBytes = async () => {
    const name = (await readdir(directory)).find((file) => file.endsWith('.part'));
    return name === undefined ? 0 : (await stat(join(directory, name))).size;
  };

  it('goes on where it ended, with the same version only', async () => {
    serve(['a', large]);
    const cache = await cutShort();
    pass(2_000);
    await stored(cache, 'a');
    expect(ranges()).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d{4,}-$/)]);
    expect(server.asked[1]?.ifRange).toMatch(/^"/);
    await plays(cache, 'a', large);
  });

  it('goes on after a restart', async () => {
    serve(['a', large]);
    const first = await cutShort();
    await first.close();
    const second = await openCache();
    second.want('playlist', wanted('a'));
    await stored(second, 'a');
    expect(ranges()).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d{4,}-$/)]);
    await plays(second, 'a', large);
  });

  it('is kept for the first hours after a start, because the answer that wants it may come late', async () => {
    serve(['a', large], ['b']);
    const first = await cutShort();
    await first.close();
    const second = await openCache();
    second.want('playlist', wanted('b'));
    await stored(second, 'b');
    for (let hour = 0; hour < 3; hour++) {
      pass(HOUR_MS);
      await checked();
    }
    second.want('upcoming', wanted('a'));
    await stored(second, 'a');
    expect(ranges().at(-1)).toMatch(/^bytes=[1-9]\d{4,}-$/);
  });

  it.each([
    ['six hours after it', 6 * HOUR_MS, 100_000_000],
    ['at once where room is short', 60_000, 100_000],
  ])('of before a start goes %s', async (_when, ms, quotaBytes) => {
    serve(['a', large], ['b']);
    const first = await cutShort();
    await first.close();
    const second = await openCache({ quotaBytes });
    second.want('playlist', wanted('b'));
    await stored(second, 'b');
    pass(ms);
    await eventually(() => readdir(directory)).not.toContainEqual(expect.stringMatching(/\.part/));
    expect(names(second, 'b')).toEqual(['b']);
  });

  it('is read again no faster than it came, so that a server that breaks off on and on keeps main free', async () => {
    serve(['a', large]);
    const first = await cutShort();
    await first.close();
    const note = (await readdir(directory)).find((name) => name.endsWith('.part.json')) ?? '';
    const { safeBytes } = JSON.parse(await readFile(join(directory, note), 'utf8'));
    const second = await openCache({ bytesPerSecond: 1_000, idleMs: DAY_MS });
    second.want('playlist', wanted('a'));
    // At a byte in each ms.
    await eventually(() => time.waits()).toContain(safeBytes);
    expect(server.asked).toHaveLength(1);
    await eventually(() => {
      pass(60_000);
      return names(second, 'a');
    }).toEqual(['a']);
    expect(ranges()).toEqual([undefined, `bytes=${safeBytes}-`]);
  });

  it('goes on after an orderly stop', async () => {
    serve(['a', large]);
    server.instead = (_request, response) => {
      response.writeHead(200, { etag: '"1"', 'content-length': large.length });
      response.write(large.subarray(0, 100_000));
    };
    const first = await openCache();
    first.want('playlist', wanted('a'));
    await eventually(partBytes).toBe(100_000);
    await first.close();
    server.put('/a', large, { etag: '"1"' });
    server.instead = null;
    const second = await openCache();
    second.want('playlist', wanted('a'));
    await stored(second, 'a');
    expect(ranges()).toEqual([undefined, 'bytes=100000-']);
    await plays(second, 'a', large);
  });

  const HOUR_AGO = new Date(Date.now() - HOUR_MS).toUTCString();
  const SOON = new Date(Date.now() + HOUR_MS).toUTCString();
  it.each<[string, { etag: string | null; lastModified?: string }, string | null]>([
    ['a strong ETag', { etag: '"1"', lastModified: HOUR_AGO }, '"1"'],
    ['a date of change long before it was sent', { etag: null, lastModified: HOUR_AGO }, HOUR_AGO],
    ['a weak ETag', { etag: 'W/"1"', lastModified: HOUR_AGO }, null],
    ['a date of change at which it may have changed twice', { etag: null, lastModified: SOON }, null],
    ['nothing', { etag: null }, null],
  ])('with %s is continued only if that proves the same version', async (_what, validators, proof) => {
    server.put('/a', large, validators);
    const cache = await cutShort();
    pass(2_000);
    await stored(cache, 'a');
    expect(server.asked[1]?.ifRange ?? null).toBe(proof);
    expect(ranges()[1] !== undefined).toBe(proof !== null);
    await plays(cache, 'a', large);
  });

  it('loses at most the last few megabytes after a power failure', async () => {
    const huge = paddedPng(10_000_000, 4);
    server.put('/a', huge, { etag: '"1"' });
    server.instead = (_request, response) => {
      response.writeHead(200, { etag: '"1"', 'content-length': huge.length });
      response.write(huge.subarray(0, 9_500_000));
    };
    let isDead = false;
    let checkpoints = 0;
    const disk = failingDisk((operation) => {
      if (operation === 'replaceText') checkpoints += 1;
      return isDead ? 'EIO' : null;
    });
    const first = await openCache({ disk });
    first.want('playlist', wanted('a'));
    const safeBytes = async () => {
      const note = (await readdir(directory)).find((name) => name.endsWith('.part.json'));
      return note === undefined ? 0 : JSON.parse(await readFile(join(directory, note), 'utf8')).safeBytes;
    };
    await eventually(safeBytes).toBeGreaterThan(8_000_000);
    expect(checkpoints).toBe(2);
    isDead = true;
    await first.close();
    server.instead = null;
    const second = await openCache();
    second.want('playlist', wanted('a'));
    await stored(second, 'a');
    expect(ranges()).toEqual([undefined, expect.stringMatching(/^bytes=[89]\d{6}-$/)]);
    await plays(second, 'a', huge);
  });

  it('is kept if the cache closes before the part was read again', async () => {
    serve(['a', large]);
    const first = await cutShort();
    await first.close();
    let isReading = false;
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const disk: Disk = {
      ...realDisk,
      async openToRead(path) {
        isReading = true;
        await gate;
        return realDisk.openToRead(path);
      },
    };
    const second = await openCache({ disk });
    second.want('playlist', wanted('a'));
    await eventually(() => isReading).toBe(true);
    const closed = second.close();
    letGo();
    await closed;
    const third = await openCache();
    third.want('playlist', wanted('a'));
    await stored(third, 'a');
    expect(ranges()).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d{4,}-$/)]);
  });

  /** From now on the server has another file, and answers ranges of it with headers that the test chooses. */
  function sendsTheRest(
    of: Buffer,
    heads: (asked: { first: number; last: number; ifRange: string }) => {
      range: string;
      etag?: string;
      encoding?: string;
    },
  ): Buffer {
    server.put('/a', of);
    server.instead = (request, response, answer) => {
      const first = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? Number.NaN);
      if (Number.isNaN(first)) return answer();
      const { range, etag, encoding } = heads({
        first,
        last: of.length - 1,
        ifRange: String(request.headers['if-range']),
      });
      response.writeHead(206, {
        'content-range': range,
        ...(etag === undefined ? {} : { etag }),
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      });
      response.end(of.subarray(first));
    };
    return of;
  }

  it('goes on where the server names a content encoding that is none', async () => {
    serve(['a', large]);
    const cache = await cutShort();
    sendsTheRest(large, ({ first, last, ifRange }) => ({
      range: `bytes ${first}-${last}/${last + 1}`,
      etag: ifRange,
      encoding: 'UTF-8',
    }));
    pass(2_000);
    await stored(cache, 'a');
    expect(server.asked).toHaveLength(2);
    await plays(cache, 'a', large);
  });

  const newer = paddedPng(180_000, 2);
  const asLong = paddedPng(large.length, 3);
  it.each<[string, () => Buffer]>([
    [
      'the server has another version',
      () => {
        server.put('/a', newer);
        return newer;
      },
    ],
    [
      'the server sends the rest of another version that is as long, and does not say which',
      () => sendsTheRest(asLong, ({ first, last }) => ({ range: `bytes ${first}-${last}/${last + 1}` })),
    ],
    [
      'the server sends the rest of another version that is as long, and says so',
      () =>
        sendsTheRest(asLong, ({ first, last }) => ({
          range: `bytes ${first}-${last}/${last + 1}`,
          etag: '"another"',
        })),
    ],
    [
      'the server says that what it sends is from another place',
      () =>
        sendsTheRest(asLong, ({ last, ifRange }) => ({
          range: `bytes 7-${last}/${last + 1}`,
          etag: ifRange,
        })),
    ],
    [
      'the server says that what it sends is of a file of another length',
      () =>
        sendsTheRest(asLong, ({ first, last, ifRange }) => ({
          range: `bytes ${first}-${last}/${last + 2}`,
          etag: ifRange,
        })),
    ],
    [
      'the server does not say what part it sends',
      () => sendsTheRest(asLong, ({ ifRange }) => ({ range: 'bytes */*', etag: ifRange })),
    ],
    [
      'the server sends a part of what it compressed',
      () =>
        sendsTheRest(asLong, ({ first, last, ifRange }) => ({
          range: `bytes ${first}-${last}/${last + 1}`,
          etag: ifRange,
          encoding: 'gzip',
        })),
    ],
    [
      'the server ignores If-Range and sends the rest of another version',
      () => {
        server.put('/a', newer);
        server.instead = (request, _response, answer) => {
          if (request.headers.range) delete request.headers['if-range'];
          answer();
        };
        return newer;
      },
    ],
    [
      'the server sends another part than it was asked for',
      () => {
        server.put('/a', newer);
        server.instead = (request, response, answer) => {
          if (!request.headers.range) return answer();
          response.writeHead(206, {
            'content-range': `bytes 7-${newer.length - 1}/${newer.length}`,
            etag: String(request.headers['if-range']),
          });
          response.end(newer.subarray(7));
        };
        return newer;
      },
    ],
    [
      'the server says that there is nothing behind our end',
      () => {
        server.put('/a', newer);
        server.instead = (request, response, answer) => {
          if (!request.headers.range) return answer();
          response.writeHead(416, { 'content-range': 'bytes */100' }).end();
        };
        return newer;
      },
    ],
    ['what is on disk was cut', () => large],
    ['what is on disk decayed', () => large],
  ])('starts over when %s', async (name, change) => {
    serve(['a', large]);
    const cache = await cutShort();
    const whole = change();
    for (const file of (await readdir(directory)).filter((name) => name.endsWith('.part'))) {
      const path = join(directory, file);
      if (name === 'what is on disk was cut') await writeFile(path, 'cut');
      if (name === 'what is on disk decayed')
        await writeFile(path, (await readFile(path)).fill(9, 2_000, 2_010));
    }
    pass(2_000);
    await stored(cache, 'a');
    await plays(cache, 'a', whole);
  });

  it('starts over where a server without ranges calls the file a page', async () => {
    serve(['a', large]);
    const cache = await cutShort();
    server.instead = (_request, response) =>
      void response
        .writeHead(200, { etag: '"1"', 'content-type': 'text/html', 'content-length': large.length })
        .end(large);
    pass(2_000);
    await stored(cache, 'a');
    await plays(cache, 'a', large);
  });

  it.each(['known', 'unknown'])(
    'is not taken for whole if the server sends less than the rest, of a file of %s length',
    async (length) => {
      server.instead = (request, response) => {
        const { range } = request.headers;
        const first = Number(/\d+/.exec(range ?? '')?.[0] ?? 0);
        const last = Math.min(first + 20_000, large.length) - 1;
        const stated = length === 'known' ? { 'content-length': large.length } : {};
        const isFirst = server.asked.length === 1;
        if (range) {
          response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${first}-${last}/*` });
          response.end(large.subarray(first, last + 1));
        } else {
          response.writeHead(200, { etag: '"1"', ...stated });
          response.write(large.subarray(0, isFirst ? 150_000 : large.length), () =>
            isFirst ? response.destroy() : response.end(),
          );
        }
      };
      const cache = await openCache({ idleMs: DAY_MS });
      cache.want('playlist', wanted('a'));
      await eventually(() => {
        pass(2_000);
        return names(cache, 'a');
      }).toEqual(['a']);
      await plays(cache, 'a', large);
    },
  );

  it.each([
    ["behind a captive portal's page", 200, 'text/html; charset=utf-8', 'unreachable'],
    ['while the network wants a log-in', 511, 'text/html', 'unreachable'],
    ['while the server answers with an error', 503, 'text/plain', 'status'],
  ])('is kept %s', async (_case, status, type, code) => {
    serve(['a', large]);
    const cache = await cutShort();
    server.instead = (_request, response) =>
      void response.writeHead(status, { 'content-type': type }).end('<html>Log in</html>');
    pass(2_000);
    await problem(cache, code);
    server.instead = null;
    pass(cache.waitMs(url('a')));
    await stored(cache, 'a');
    expect(ranges()[2]).toMatch(/^bytes=[1-9]\d{4,}-$/);
    await plays(cache, 'a', large);
  });

  it.each([
    ['in pieces waits a short time for each', true, [2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000]],
    [
      'at the same byte waits longer each time',
      false,
      [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000],
    ],
  ])('%s', async (_case, isContinued, expected) => {
    // What the kiosk has not read when the connection ends is lost, up to a hundred KB.
    server.put('/a', paddedPng(3_000_000, 1), isContinued ? {} : { etag: null });
    breakAfter(300_000);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    const waits: number[] = [];
    for (const _wait of expected) {
      await eventually(() => cache.waitMs(url('a'))).toBeGreaterThan(0);
      waits.push(cache.waitMs(url('a')));
      pass(cache.waitMs(url('a')));
    }
    expect(waits).toEqual(expected);
    // A card does without a file after the third.
    expect(cache.failures(url('a'))).toBe(expected.length);
  });

  it('leaves its place to others for as long as it held it, although it gets further', async () => {
    serve(['a', large]);
    const cache = await cutShort();
    let breakOff = () => {};
    server.instead = (request, response) => {
      const first = Number(/\d+/.exec(request.headers.range ?? '')?.[0]);
      const range = `bytes ${first}-${large.length - 1}/${large.length}`;
      response.writeHead(206, { etag: String(request.headers['if-range']), 'content-range': range });
      response.write(large.subarray(first, first + 20_000));
      breakOff = () => void response.destroy();
    };
    const before = await partBytes();
    pass(2_000);
    await eventually(partBytes).toBe(before + 20_000);
    // Just before it would have to yield it.
    time.drift(590_000);
    breakOff();
    await eventually(() => cache.waitMs(url('a'))).toBe(590_000);
  });

  it('is removed once it is no longer wanted', async () => {
    serve(['a', large], ['b']);
    const cache = await cutShort();
    cache.want('playlist', wanted('b'));
    await stored(cache, 'b');
    expect((await readdir(directory)).some((name) => name.endsWith('.part'))).toBe(true);
    pass(60_000);
    await eventually(() => readdir(directory)).not.toContainEqual(expect.stringMatching(/\.part/));
  });

  it('is continued if it is wanted again while another is removed', async () => {
    serve(['a', large], ['b', large]);
    breakAfter(150_000);
    const slow = slowToRemove(/\.part\.json$/);
    const cache = await openCache({ disk: slow.disk });
    cache.want('playlist', wanted('a', 'b'));
    await problem(cache, 'short', 'short');
    cache.want('playlist', []);
    pass(60_000);
    await eventually(slow.isWaiting).toBe(true);
    let answerLater = () => {};
    server.instead = (_request, _response, answer) => {
      answerLater = answer;
    };
    cache.want('playlist', wanted('b'));
    await eventually(() => server.asked.length).toBe(3);
    slow.letGo();
    await checked();
    server.instead = null;
    answerLater();
    await stored(cache, 'b');
    expect([server.asked.length, cache.conditions()]).toEqual([3, []]);
  });
});

describe('a file that changes on the server', () => {
  const next = paddedPng(6000, 9);

  async function storedAndPlaying(): Promise<MediaCache> {
    serve(['a']);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    return cache;
  }

  it('is asked for at most once an hour, and not sent again while it is the same', async () => {
    const cache = await storedAndPlaying();
    pass(HOUR_MS - 1);
    cache.revalidate();
    expect(server.asked).toHaveLength(1);
    pass(1);
    cache.revalidate();
    await eventually(() => server.asked.length).toBe(2);
    expect(server.asked[1]?.ifNoneMatch).toMatch(/^"/);
    await eventually(() => cache.files()[0]?.checkedAt).toBe(now());
    pass(HOUR_MS - 1);
    cache.revalidate();
    serve(['b']);
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    expect(asked()).toEqual(['a', 'a', 'b']);
    expect(await played(cache, 'a')).toEqual(png);
  });

  it('is asked for once an hour while there is no room for its new version', async () => {
    serve(['a'], ['b']);
    const notes: string[] = [];
    const log = { ...silentLog, debug: (message: string) => void notes.push(message) };
    const cache = await openCache({ quotaBytes: 6_000_000, log });
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    server.put('/a', paddedPng(9_000_000, 2));
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => notes).toContain('a creative could not be revalidated');
    cache.revalidate();
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    expect(asked()).toEqual(['a', 'a', 'b']);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => asked().slice(3)).toContain('a');
    expect(await played(cache, 'a')).toEqual(png);
  });

  it('replaces the old version, which plays to its end', async () => {
    const cache = await storedAndPlaying();
    const old = await cache.verified(url('a'));
    cache.inUse([url('a')], [old?.sha256 ?? '']);
    server.put('/a', next);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(next.length);
    expect(await played(cache, 'a')).toEqual(next);
    expect(old && cache.byKey(old.key)).toMatchObject({ bytes: png.length });
    expect(old && (await readFile(cache.pathOf(old)))).toEqual(png);
    cache.inUse([], []);
    expect(old && cache.byKey(old.key)).toBeNull();
    await eventually(async () =>
      (await readdir(directory)).filter((name) => name.endsWith('.bin')),
    ).toHaveLength(1);
    expect(await played(cache, 'a')).toEqual(next);
  });

  it('keeps the old version that is prepared for the next slot', async () => {
    const cache = await storedAndPlaying();
    const old = await cache.verified(url('a'));
    cache.inUse([url('a')], []);
    server.put('/a', next);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(next.length);
    expect(old && cache.byKey(old.key)).not.toBeNull();
  });

  it('keeps the old version while it plays, even if the next slot is prepared again and again', async () => {
    const cache = await storedAndPlaying();
    const tell = keepMediaInUse(cache);
    const prepare = async () => {
      tell({ kind: 'next', showing: null, files: [url('a')] });
      const media = await cache.verified(url('a'));
      if (media === null) throw new Error('it is not there');
      return media;
    };
    const shows = ({ sha256 }: CachedMedia) =>
      tell({
        kind: 'showing',
        showing: brandCard(0),
        files: [url('a')],
        moving: false,
        drawn: [{ sha256, name: url('a'), guest: null }],
      });
    const old = await prepare();
    shows(old);
    server.put('/a', next);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(next.length);
    await prepare();
    await prepare();
    const newer = await prepare();
    expect(cache.byKey(old.key)).not.toBeNull();
    shows(newer);
    expect(cache.byKey(old.key)).toBeNull();
    expect(cache.byKey(newer.key)).not.toBeNull();
  });

  it('keeps the old version while it plays, even when the new one is damaged on disk', async () => {
    const cache = await storedAndPlaying();
    const old = await cache.verified(url('a'));
    cache.inUse([url('a')], [old?.sha256 ?? '']);
    server.put('/a', next);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(next.length);
    const newer = cache.lookup(url('a'));
    await writeFile(cache.pathOf({ key: newer?.key ?? '' }), paddedPng(next.length, 8));
    expect(await cache.verified(url('a'))).toBeNull();
    expect(await cache.verified(url('a'))).toBeNull();
    cache.inUse([url('a')], [old?.sha256 ?? '']);
    await stored(cache, 'a');
    expect(await played(cache, 'a')).toEqual(next);
    expect(old && cache.byKey(old.key)).not.toBeNull();
    expect(old && (await readFile(cache.pathOf(old)))).toEqual(png);
  });

  it('goes on playing in its old version when the new one cannot be shown', async () => {
    const cache = await storedAndPlaying();
    server.put('/a', sizelessPng(3000));
    pass(HOUR_MS);
    cache.revalidate();
    await problem(cache, 'undecodable');
    expect(await played(cache, 'a')).toEqual(png);
    server.put('/a', png);
    pass(HOUR_MS);
    cache.revalidate();
    await problem(cache);
  });

  it('is downloaded three times while its new version cannot be shown, and then asked for only', async () => {
    const cache = await storedAndPlaying();
    const broken = sizelessPng(3000);
    server.put('/a', broken);
    const statuses: number[] = [];
    server.instead = (_request, response, answer) => {
      response.once('finish', () => statuses.push(response.statusCode));
      answer();
    };
    for (const failures of [1, 2, 3, 0, 0]) {
      pass(HOUR_MS);
      cache.revalidate();
      // A refused version is a failure, and a confirmed one is noted.
      await eventually(() => [
        cache.failures(url('a')),
        failures > 0 || cache.files()[0]?.checkedAt === now(),
      ]).toEqual([failures, true]);
    }
    expect(problemCodes(cache)).toEqual(['undecodable']);
    expect(statuses).toEqual([200, 200, 200, 304, 304]);
    expect(await played(cache, 'a')).toEqual(png);
    serve(['a', next]);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(next.length);
    expect(cache.problems()).toEqual([]);
  });

  it('goes on playing when the server has lost it or cannot be reached', async () => {
    const cache = await storedAndPlaying();
    server.remove('/a');
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => server.asked.length).toBe(2);
    await cache.close();
    expect(cache.problems()).toEqual([]);
    expect(await played(cache, 'a')).toEqual(png);
  });

  it('is not sent again while its date of change is the same, where the server gives no ETag', async () => {
    server.put('/a', png, { etag: null, lastModified: new Date(0).toUTCString() });
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => server.asked.length).toBe(2);
    expect(server.asked[1]?.ifModifiedSince).toBe(new Date(0).toUTCString());
  });

  const DATE = new Date(0).toUTCString();
  it.each<[string, { etag: string | null; lastModified?: string }]>([
    ['ETag', { etag: '"1"' }],
    ['weak ETag', { etag: 'W/"1"', lastModified: DATE }],
    ['date of change and length', { etag: null, lastModified: DATE }],
  ])(
    'is not read again from a server that ignores conditions and sends the same %s',
    async (_what, validators) => {
      server.put('/a', png, validators);
      const cache = await openCache();
      cache.want('playlist', wanted('a'));
      await stored(cache, 'a');
      const storedAt = now();
      let isClosed = false;
      server.instead = (request, response, answer) => {
        delete request.headers['if-none-match'];
        delete request.headers['if-modified-since'];
        // Without an end: nothing waits for the bytes.
        response.end = ((body: Buffer) => {
          response.write(body.subarray(0, 100));
          return response;
        }) as typeof response.end;
        response.once('close', () => {
          isClosed = true;
        });
        answer();
      };
      pass(HOUR_MS);
      cache.revalidate();
      await eventually(() => cache.files()[0]).toMatchObject({ checkedAt: now(), storedAt });
      await eventually(() => isClosed).toBe(true);
    },
  );

  it.each<[string, { etag: string | null; lastModified?: string }]>([
    ['ETag', { etag: '"1"' }],
    ['date of change', { etag: null, lastModified: DATE }],
  ])('is fetched when its length is another, even with the same %s', async (_what, validators) => {
    server.put('/a', png, validators);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    server.put('/a', next, validators);
    server.instead = (request, _response, answer) => {
      delete request.headers['if-none-match'];
      delete request.headers['if-modified-since'];
      answer();
    };
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(next.length);
  });

  const asksForIt = () => asked().filter((name) => name === 'a').length;

  /** Whether its server is asked now if it has changed. The file that is fetched after it shows that it is not. */
  async function isAskedFor(cache: MediaCache): Promise<boolean> {
    const before = asksForIt();
    const other = `other-${server.asked.length}`;
    serve([other]);
    cache.revalidate();
    cache.want('playlist', wanted('a', other));
    await stored(cache, other);
    return asksForIt() > before;
  }

  async function revalidatedAfter(ms: number, cache: MediaCache): Promise<void> {
    pass(ms);
    cache.revalidate();
    await eventually(() => cache.files()[0]?.checkedAt).toBe(now());
  }

  it.each<[string, (body: Buffer, answer: number) => void]>([
    ['another ETag', (body, answer) => server.put('/a', body, { etag: `"node-${answer}"` })],
    [
      'the time of the answer as its date of change',
      (body, answer) =>
        server.put('/a', body, { etag: null, lastModified: new Date(answer * 1_000).toUTCString() }),
    ],
    [
      'neither validators nor a length',
      (body) => {
        server.instead = (_request, response) => {
          // In two pieces, so that Node sends no length.
          response.write(body.subarray(0, 100));
          response.end(body.subarray(100));
        };
      },
    ],
  ])('is downloaded once a day from a server that sends each time %s', async (_what, put) => {
    const lines: string[] = [];
    const log = {
      ...silentLog,
      info: (line: string, { url: of }: { url?: string } = {}) => {
        if (of === url('a')) lines.push(line);
      },
    };
    put(png, 1);
    const cache = await openCache({ log });
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    put(png, 2);
    await revalidatedAfter(HOUR_MS, cache);
    put(png, 3);
    pass(DAY_MS - 1);
    expect(await isAskedFor(cache)).toBe(false);
    await revalidatedAfter(1, cache);
    expect(asksForIt()).toBe(3);
    const again = 'creative downloaded again with the same bytes';
    expect(lines).toEqual(['creative stored', again, again]);
    put(next, 4);
    await revalidatedAfter(DAY_MS, cache);
    expect(await played(cache, 'a')).toEqual(next);
    expect(lines.slice(3)).toEqual(['creative replaced by its new version']);
    put(png, 5);
    await revalidatedAfter(HOUR_MS, cache);
    expect(await played(cache, 'a')).toEqual(png);
  });

  it('is asked for every hour again once its server confirms its version', async () => {
    const cache = await storedAndPlaying();
    server.put('/a', png, { etag: '"node-2"' });
    await revalidatedAfter(HOUR_MS, cache);
    await revalidatedAfter(DAY_MS, cache);
    pass(HOUR_MS);
    expect(await isAskedFor(cache)).toBe(true);
  });

  it('is downloaded once a day while its new version cannot be shown and comes with another ETag', async () => {
    const cache = await storedAndPlaying();
    for (const failures of [1, 2, 3, 4]) {
      server.put('/a', sizelessPng(3000), { etag: `"node-${failures}"` });
      pass(HOUR_MS);
      cache.revalidate();
      await eventually(() => cache.failures(url('a'))).toBe(failures);
    }
    pass(DAY_MS - 1);
    expect(await isAskedFor(cache)).toBe(false);
    server.put('/a', png, { etag: '"node-5"' });
    await revalidatedAfter(1, cache);
    expect(asksForIt()).toBe(1 + 4 + 1);
  });

  it.each([
    ['is not sent again while its length is the same', png, false],
    ['is fetched when its length is another', next, true],
  ])('%s, where the server gives no validators', async (_case, body, changed) => {
    const none = { etag: null };
    server.put('/a', png, none);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    server.put('/a', body, none);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => server.asked.length).toBe(2);
    const isAnother = () => cache.lookup(url('a'))?.sha256 !== sha256Of(png);
    // Closing aborts a running download.
    await eventually(isAnother).toBe(changed);
    await cache.close();
    expect(isAnother()).toBe(changed);
  });
});

describe('the note of a file that plays all day', () => {
  it('is written every six hours, not at each use and each answer of the server', async () => {
    serve(['a']);
    let writes = 0;
    const disk: Disk = {
      ...realDisk,
      replaceText(path, text) {
        writes += 1;
        return realDisk.replaceText(path, text);
      },
    };
    const cache = await openCache({ disk });
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    expect(writes).toBe(1);
    for (let hour = 1; hour <= 23; hour += 1) {
      pass(HOUR_MS);
      cache.revalidate();
      await eventually(() => cache.files()[0]?.checkedAt).toBe(now());
      expect(await played(cache, 'a')).toEqual(png);
    }
    expect(writes).toBe(1 + 4);
  });

  it('says when it was last used, give or take six hours, also without a network', async () => {
    serve(['a']);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    for (let tenMinutes = 1; tenMinutes <= 6 * 8; tenMinutes += 1) {
      pass(HOUR_MS / 6);
      expect(await played(cache, 'a')).toEqual(png);
    }
    await cache.close();
    const [noted] = (await openCache()).files();
    expect(now() - (noted?.usedAt ?? 0)).toBeLessThan(6 * HOUR_MS);
  });
});

describe('before a file plays', () => {
  async function restarted(
    change: (path: string) => Promise<void>,
    overrides: Partial<MediaCacheOptions> = {},
  ) {
    serve(['a']);
    const first = await openCache();
    first.want('playlist', wanted('a'));
    await stored(first, 'a');
    const media = first.lookup(url('a'));
    await first.close();
    if (media) await change(first.pathOf(media));
    return openCache(overrides);
  }

  it.each<[string, (path: string) => Promise<void>]>([
    ['other bytes of the same length', (path) => writeFile(path, Buffer.alloc(png.length, 1))],
    [
      'other bytes under the same dates',
      async (path) => {
        const { atime, mtime } = await stat(path);
        await writeFile(path, Buffer.alloc(png.length, 1));
        await utimes(path, atime, mtime);
      },
    ],
  ])('%s are noticed, and the file is fetched again', async (_case, change) => {
    const cache = await restarted(change);
    const told: boolean[] = [];
    cache.onChange((_url, ready) => told.push(ready));
    expect(await cache.verified(url('a'))).toBeNull();
    expect(told).toEqual([false]);
    expect(problemCodes(cache)).toEqual(['corrupt']);
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    expect(await played(cache, 'a')).toEqual(png);
    expect(problemCodes(cache)).toEqual([]);
  });

  it('a file that was cut or removed while the kiosk was off is not offered', async () => {
    const cache = await restarted((path) => writeFile(path, png.subarray(0, 100)));
    expect(cache.lookup(url('a'))).toBeNull();
    expect(await readdir(directory)).toEqual([]);
  });

  const replaced = (path: string) => replaceInSecret(path, Buffer.alloc(png.length, 1));

  it.each<[string, (path: string) => Promise<void>]>([
    ['a change', (path) => writeFile(path, Buffer.alloc(png.length, 1))],
    ['a change under the same dates', replaced],
  ])('%s while the kiosk runs is noticed', async (_case, change) => {
    const cache = await restarted(async () => {});
    const media = await cache.verified(url('a'));
    expect(media).not.toBeNull();
    if (media) await change(cache.pathOf(media));
    expect(await cache.verified(url('a'))).toBeNull();
    expect(problemCodes(cache)).toEqual(['corrupt']);
  });

  it('a file that vanished is noticed, and fetched again', async () => {
    const cache = await restarted(async () => {});
    cache.want('playlist', wanted('a'));
    const media = cache.lookup(url('a'));
    if (media) await rm(cache.pathOf(media));
    expect(await cache.verified(url('a'))).toBeNull();
    await stored(cache, 'a');
    expect(await played(cache, 'a')).toEqual(png);
  });

  it('a file that arrives while another is found missing stays', async () => {
    serve(['a'], ['b']);
    const slow = slowToRemove(/[0-9a-f]\.json$/);
    const cache = await openCache({ disk: slow.disk });
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    const media = cache.lookup(url('a'));
    if (media) await rm(cache.pathOf(media));
    pass(60_000);
    await eventually(slow.isWaiting).toBe(true);
    cache.want('playlist', wanted('b'));
    await stored(cache, 'b');
    slow.letGo();
    await checked();
    expect([names(cache, 'b'), problemCodes(cache), asked()]).toEqual([['b'], [], ['a', 'b']]);
  });

  /** A disk on which reading a creative waits until the test releases it. */
  function slowDisk() {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const disk: Disk = {
      ...realDisk,
      async openToRead(path) {
        await gate;
        return realDisk.openToRead(path);
      },
    };
    return { disk, letGo };
  }

  it('a file too large to be read in time plays if it did not change since its last check', async () => {
    const slow = slowDisk();
    const cache = await restarted(async () => {}, { disk: slow.disk });
    const answer = cache.verified(url('a'));
    await eventually(() => time.waits()).toContain(1000);
    pass(1000);
    expect(await answer).toMatchObject({ bytes: png.length });
    slow.letGo();
  });

  it('the rest of a file too large to be read in time is read slowly, while it plays', async () => {
    serve(['a', paddedPng(200_000, 3)]);
    const first = await openCache();
    first.want('playlist', wanted('a'));
    await stored(first, 'a');
    await first.close();
    const slow = slowDisk();
    const cache = await openCache({ disk: slow.disk });
    const answer = cache.verified(url('a'));
    await eventually(() => time.waits()).toContain(1000);
    pass(1000);
    expect(await answer).toMatchObject({ bytes: 200_000 });
    slow.letGo();
    await eventually(() => time.waits().filter((ms) => ms < 100).length).toBe(1);
    const closed = cache.close();
    pass(100);
    await closed;
  });

  it('a file that its new version replaced while it was read plays in that version', async () => {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    onTestFinished(() => letGo());
    let isOpened = false;
    const disk: Disk = {
      ...realDisk,
      async openToRead(path) {
        const file = await realDisk.openToRead(path);
        if (!path.endsWith('.bin')) return file;
        isOpened = true;
        return { ...file, read: (at, length) => gate.then(() => file.read(at, length)) };
      },
    };
    const cache = await restarted(async () => {}, { disk });
    cache.want('playlist', wanted('a'));
    server.put('/a', paddedPng(7000, 3));
    pass(HOUR_MS);
    const answer = cache.verified(url('a'));
    await eventually(() => isOpened).toBe(true);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(7000);
    letGo();
    const media = await answer;
    expect(media?.bytes).toBe(7000);
    expect(cache.byKey(media?.key ?? '')).not.toBeNull();
  });

  it.each<[string, (path: string) => Promise<void>]>([
    ['one that was touched', (path) => utimes(path, 1, 1)],
    [
      'one of an older version, which noted less',
      async () => {
        const note = (await readdir(directory)).find((name) => name.endsWith('.json')) ?? '';
        const { stamp, ...rest } = JSON.parse(await readFile(join(directory, note), 'utf8'));
        const { changedMs, ...older } = stamp;
        expect(changedMs).toBeGreaterThan(0);
        await writeFile(join(directory, note), JSON.stringify({ ...rest, stamp: older }));
      },
    ],
  ])('a file too large to be read in time waits until it is read, then plays: %s', async (_case, change) => {
    const slow = slowDisk();
    const cache = await restarted(change, { disk: slow.disk });
    const told: boolean[] = [];
    cache.onChange((_url, ready) => told.push(ready));
    const answer = cache.verified(url('a'));
    await eventually(() => time.waits()).toContain(1000);
    pass(1000);
    expect(await answer).toBeNull();
    expect(cache.lookup(url('a'))).toBeNull();
    slow.letGo();
    await eventually(() => told).toEqual([false, true]);
    expect(await played(cache, 'a')).toEqual(png);
  });

  it('a file that is read in time plays, although its note takes longer', async () => {
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isNoting = false;
    const disk: Disk = {
      ...realDisk,
      async replaceText(path, text) {
        isNoting = true;
        await gate;
        return realDisk.replaceText(path, text);
      },
    };
    const cache = await restarted((path) => utimes(path, 1, 1), { disk });
    const answer = cache.verified(url('a'));
    await eventually(() => isNoting).toBe(true);
    pass(1000);
    const got = await answer;
    letGo();
    expect(got).toMatchObject({ bytes: png.length });
    expect(cache.lookup(url('a'))).not.toBeNull();
  });

  it('a file too large to be read in time never plays if its bytes changed under the same dates', async () => {
    const slow = slowDisk();
    const cache = await restarted(replaced, { disk: slow.disk });
    const answer = cache.verified(url('a'));
    await eventually(() => time.waits()).toContain(1000);
    pass(1000);
    expect(await answer).toBeNull();
    expect(cache.lookup(url('a'))).toBeNull();
    slow.letGo();
    await problem(cache, 'corrupt');
    expect(cache.lookup(url('a'))).toBeNull();
  });

  describe('a file that cannot be read', () => {
    let error: string | null;
    let reads: number;
    const disk = failingDisk((operation, path) => {
      if (operation !== 'openToRead' || !path.endsWith('.bin')) return null;
      reads += 1;
      return error;
    });
    let lines: string[];
    const log = { ...silentLog, debug: (line: string) => void lines.push(line) };
    /** Resolves when the cache has taken the answer of a server that refuses, so that further time comes after it. */
    const refusalTaken = () => eventually(() => lines).toContain('a creative could not be revalidated');
    beforeEach(() => {
      error = null;
      reads = 0;
      lines = [];
    });
    const storedFiles = async () =>
      (await readdir(directory)).filter((name) => /^[^.]+[.](bin|json)$/.test(name));
    const round = async () => {
      pass(60_000);
      await checked();
    };

    it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EACCES', 'EBUSY', 'EIO'])(
      'because of %s does not play, is kept, and plays once it could be read',
      async (code) => {
        const cache = await restarted(async () => {}, { disk });
        cache.want('playlist', wanted('a'));
        const told: boolean[] = [];
        cache.onChange((_url, ready) => told.push(ready));
        error = code;
        expect(await cache.verified(url('a'))).toBeNull();
        expect(cache.problems()).toMatchObject([
          { code: 'unreadable', detail: expect.stringContaining(code) },
        ]);
        await round();
        expect(names(cache, 'a')).toEqual([]);
        expect(await storedFiles()).toHaveLength(2);
        error = null;
        // It was tried twice, so the next time is two minutes later.
        await round();
        await round();
        await stored(cache, 'a');
        expect(told).toEqual([false, true]);
        expect(await played(cache, 'a')).toEqual(png);
        expect([problemCodes(cache), asked()]).toEqual([[], ['a']]);
      },
    );

    it('at its daily check keeps no other file from playing, and is read less often each time', async () => {
      serve(['a'], ['b']);
      const cache = await openCache({ disk, log });
      // One after the other: the first that is stored is the first that is checked.
      cache.want('playlist', wanted('a'));
      await stored(cache, 'a');
      cache.want('playlist', wanted('a', 'b'));
      await stored(cache, 'a', 'b');
      pass(DAY_MS - 1);
      await checked();
      reads = 0;
      error = 'EMFILE';
      server.instead = (_request, response) => void response.writeHead(503).end();
      await round();
      await problem(cache, 'unreadable');
      expect(reads).toBe(1);
      // After one, two and four minutes.
      for (const times of [2, 2, 3, 3, 3, 3, 4]) {
        await round();
        await eventually(() => reads).toBe(times);
        await refusalTaken();
      }
      expect(names(cache, 'a', 'b')).toHaveLength(1);
      error = null;
      for (let minute = 9; minute <= 16; minute += 1) await round();
      await stored(cache, 'a', 'b');
      expect(asked().sort()).toEqual(['a', 'a', 'b']);
    });

    it.each<[string, (path: string) => Promise<void>]>([
      ['cannot be read', async () => {}],
      ['are wrong', replaced],
    ])(
      'plays once its bytes came again, though a slow read finds later that the old ones %s',
      async (found, change) => {
        let letGo = () => {};
        const gate = new Promise<void>((resolve) => {
          letGo = resolve;
        });
        onTestFinished(() => letGo());
        const slow: Disk = {
          ...disk,
          async openToRead(path) {
            const file = await disk.openToRead(path);
            if (!path.endsWith('.bin')) return file;
            const read = async (at: number, length: number) => {
              await gate;
              if (found === 'cannot be read') throw new Error('EIO: read');
              return file.read(at, length);
            };
            return { ...file, read };
          },
        };
        const cache = await restarted(change, { disk: slow, log });
        cache.want('playlist', wanted('a'));
        error = 'EIO';
        expect(await cache.verified(url('a'))).toBeNull();
        error = null;
        await round();
        await eventually(() => reads).toBe(2);
        pass(HOUR_MS);
        cache.revalidate();
        await stored(cache, 'a');
        const told: boolean[] = [];
        cache.onChange((_url, ready) => told.push(ready));
        letGo();
        await round();
        expect([told, problemCodes(cache)]).toEqual([[], []]);
        await plays(cache, 'a', png);
        expect(reads).toBe(2);
      },
    );

    it('and that nobody wants is not read again until it is wanted, and holds up no check of another', async () => {
      let bad = '';
      const read: string[] = [];
      const partly = failingDisk((operation, path) => {
        if (operation !== 'openToRead' || !path.endsWith('.bin')) return null;
        read.push(path);
        return path === bad ? 'EIO' : null;
      });
      serve(['a'], ['b']);
      const cache = await openCache({ disk: partly });
      const pathOf = (name: string) => cache.pathOf({ key: cache.lookup(url(name))?.key ?? '' });
      // One after the other: the first that is stored is the first that is checked.
      cache.want('playlist', wanted('a'));
      await stored(cache, 'a');
      cache.want('playlist', wanted('a', 'b'));
      await stored(cache, 'a', 'b');
      const [a, b] = [pathOf('a'), pathOf('b')];
      bad = a;
      pass(DAY_MS - 1);
      await checked();
      await round();
      await eventually(() => read).toEqual([a]);
      await checked();
      cache.want('playlist', wanted('b'));
      await round();
      await eventually(() => read).toEqual([a, b]);
      for (let minute = 0; minute < 12; minute += 1) await round();
      expect(read).toEqual([a, b]);
      bad = '';
      cache.want('playlist', wanted('a', 'b'));
      await round();
      await stored(cache, 'a', 'b');
    });

    it('for an hour is fetched again where there is a network, and kept until then', async () => {
      const renewing: Disk = {
        ...disk,
        async rename(from, to) {
          await disk.rename(from, to);
          error = null;
        },
      };
      const cache = await restarted(async () => {}, { disk: renewing, log });
      cache.want('playlist', wanted('a'));
      error = 'EIO';
      expect(await cache.verified(url('a'))).toBeNull();
      server.instead = (_request, response) => void response.writeHead(503).end();
      pass(HOUR_MS - 60_000);
      await round();
      await eventually(asked).toEqual(['a', 'a']);
      await refusalTaken();
      await round();
      expect(await storedFiles()).toHaveLength(2);
      expect(problemCodes(cache)).toEqual(['unreadable']);
      server.instead = null;
      pass(HOUR_MS - 60_000);
      await round();
      await stored(cache, 'a');
      expect(await played(cache, 'a')).toEqual(png);
      expect([problemCodes(cache), asked()]).toEqual([[], ['a', 'a', 'a']]);
      // The server did nothing wrong: all bytes were asked for.
      pass(HOUR_MS);
      cache.revalidate();
      await eventually(asked).toHaveLength(4);
    });
  });

  it('a file that decayed on disk is found in idle time, once a day', async () => {
    serve(['a'], ['b']);
    const cache = await openCache();
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    const media = cache.lookup(url('a'));
    if (media) {
      const { atime, mtime } = await stat(cache.pathOf(media));
      await writeFile(cache.pathOf(media), Buffer.alloc(png.length, 1));
      await utimes(cache.pathOf(media), atime, mtime);
    }
    pass(DAY_MS - 1);
    pass(60_000);
    await eventually(() => server.asked.length).toBe(3);
    await stored(cache, 'a', 'b');
    expect(await played(cache, 'a')).toEqual(png);
  });
});

it('a file that no list has is not read each day', async () => {
  serve(['a'], ['b']);
  const read: string[] = [];
  const disk: Disk = {
    ...realDisk,
    openToRead(path) {
      read.push(path);
      return realDisk.openToRead(path);
    },
  };
  const cache = await openCache({ disk });
  cache.want('playlist', wanted('a', 'b'));
  await stored(cache, 'a', 'b');
  const [a, b] = ['a', 'b'].map((name) => cache.lookup(url(name)));
  if (!a || !b) throw new Error('a file is missing');
  cache.want('playlist', wanted('b'));
  read.length = 0;
  pass(DAY_MS);
  pass(60_000);
  await eventually(() => read).toContain(cache.pathOf(b));
  await checked();
  expect(read).not.toContain(cache.pathOf(a));
});

it('tells at once that a quarantine counts again, or is over, because the clock was set', async () => {
  let isQuarantined = false;
  serve(['a']);
  const cache = await openCache({ quarantine: { ...noQuarantine, msFor: () => (isQuarantined ? 1 : 0) } });
  cache.want('playlist', wanted('a'));
  await stored(cache, 'a');
  const told: [string, boolean][] = [];
  cache.onChange((...of) => void told.push(of));
  for (isQuarantined of [true, false]) cache.clockSet();
  expect(told).toEqual([
    [url('a'), false],
    [url('a'), true],
  ]);
});

describe('strikes', () => {
  async function struckOnce(): Promise<MediaCache> {
    serve(['a']);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    await strikeAgain(cache);
    return cache;
  }
  const strike = (cache: MediaCache, detail = 'decode-failed: no frame') =>
    cache.strike(url('a'), cache.lookup(url('a'))?.sha256, detail);
  const strikeAgain = async (cache: MediaCache) => {
    await eventually(() => cache.verified(url('a'))).not.toBeNull();
    strike(cache);
  };

  it('are against the version that failed, not against a newer one', async () => {
    serve(['a']);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    const old = await cache.verified(url('a'));
    const newer = paddedPng(7000, 3);
    server.put('/a', newer);
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => cache.lookup(url('a'))?.bytes).toBe(newer.length);
    await cache.verified(url('a'));
    cache.strike(url('a'), old?.sha256, 'stalled: playback broke off');
    expect(cache.lookup(url('a'))?.bytes).toBe(newer.length);
    expect(cache.problems()).toEqual([]);
  });

  it('set a file aside, longer each time, without fetching it again', async () => {
    const cache = await struckOnce();
    const told: boolean[] = [];
    cache.onChange((_url, ready) => told.push(ready));
    expect(cache.lookup(url('a'))).toBeNull();
    expect(cache.problems()).toMatchObject([{ code: 'not-shown', detail: 'decode-failed: no frame' }]);
    pass(30_000);
    expect(names(cache, 'a')).toEqual(['a']);
    expect(told).toEqual([true]);
    expect(cache.problems()).toEqual([]);
    await strikeAgain(cache);
    pass(119_000);
    expect(names(cache, 'a')).toEqual([]);
    pass(1_000);
    expect(names(cache, 'a')).toEqual(['a']);
    await strikeAgain(cache);
    pass(DAY_MS - 1);
    expect(names(cache, 'a')).toEqual([]);
    pass(1);
    expect(names(cache, 'a')).toEqual(['a']);
    expect(asked()).toEqual(['a']);
  });

  it('are not counted for a file that was deleted, which is fetched again at once', async () => {
    serve(['a']);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    const media = await cache.verified(url('a'));
    await rm(cache.pathOf({ key: media?.key ?? '' }));
    strike(cache, 'load-failed: 404');
    await eventually(asked).toEqual(['a', 'a']);
    await stored(cache, 'a');
    expect(await played(cache, 'a')).toEqual(png);
    expect(cache.problems()).toEqual([]);
    // The first strike that counts has the first pause.
    strike(cache);
    expect(cache.waitMs(url('a'))).toBe(30_000);
  });

  it('are forgiven when the file changes', async () => {
    const cache = await struckOnce();
    for (const ms of [30_000, 120_000]) {
      pass(ms);
      await strikeAgain(cache);
    }
    server.put('/a', paddedPng(7000, 3));
    pass(HOUR_MS);
    expect(names(cache, 'a')).toEqual([]);
    cache.revalidate();
    await stored(cache, 'a');
    expect((await played(cache, 'a'))?.length).toBe(7000);
    expect(cache.problems()).toEqual([]);
  });

  it('are cleared by a full showing of the same bytes, and of no others', async () => {
    const cache = await struckOnce();
    for (const ms of [30_000, 120_000]) {
      pass(ms);
      cache.shownWhole([{ sha256: sha256Of(png) }]);
      await strikeAgain(cache);
      expect(cache.waitMs(url('a'))).toBe(30_000);
    }
    cache.shownWhole([{ sha256: sha256Of(paddedPng(7000, 3)) }]);
    pass(30_000);
    await strikeAgain(cache);
    expect(cache.waitMs(url('a'))).toBe(120_000);
  });

  it('against what is on the screen are over as soon as that was shown to its end, and so is the problem', async () => {
    const cache = await struckOnce();
    const told: boolean[] = [];
    cache.onChange((_url, ready) => void told.push(ready));
    cache.shownWhole([{ sha256: sha256Of(png) }]);
    expect([told, problemCodes(cache), cache.waitMs(url('a'))]).toEqual([[true], [], 0]);
  });

  it('are over after a restart, and what an earlier version of the kiosk stored of them is removed', async () => {
    const first = await struckOnce();
    await first.close();
    await writeFile(join(directory, 'strikes.json'), '{}');
    const second = await openCache();
    second.want('playlist', wanted('a'));
    await stored(second, 'a');
    expect(await readdir(directory)).not.toContain('strikes.json');
    await strikeAgain(second);
    expect(second.waitMs(url('a'))).toBe(30_000);
  });

  it('against the stored bytes, which came again and could not be read then, are told at once', async () => {
    let isBroken = false;
    const cache = await openCache({
      reading: {
        read: (name, content, options) =>
          isBroken
            ? Promise.resolve({ kind: 'unreadable', code: 'reading-too-long', message: 'too long' })
            : readInPlace.read(name, content, options),
      },
    });
    // Without validators and length: the bytes have to come again.
    server.instead = (_request, response) => {
      response.write(png);
      response.end();
    };
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    const told: boolean[] = [];
    cache.onChange((_url, ready) => void told.push(ready));
    isBroken = true;
    pass(HOUR_MS);
    cache.revalidate();
    await eventually(() => names(cache, 'a')).toEqual([]);
    expect(told).toEqual([false]);
  });

  it('set a file aside for a day even if the clock was years ahead', async () => {
    let ahead = 3 * 365 * DAY_MS;
    serve(['a']);
    const cache = await openCache({ clock: { ...time.clock, now: () => now() + ahead } });
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    for (const ms of [30_000, 120_000, 0]) {
      await strikeAgain(cache);
      pass(ms);
    }
    ahead = 0;
    await checked();
    pass(60_000);
    await checked();
    pass(DAY_MS - 60_000 - 1);
    expect(names(cache, 'a')).toEqual([]);
    pass(60_001);
    expect(names(cache, 'a')).toEqual(['a']);
  });

  it.each<['ifNoneMatch' | 'ifModifiedSince', RegExp, { etag?: null; lastModified?: string }]>([
    ['ifNoneMatch', /^"/, {}],
    ['ifModifiedSince', / GMT$/, { etag: null, lastModified: new Date(0).toUTCString() }],
  ])(
    'stop the downloads of an undecodable file after three, and then ask with %s',
    async (asks, value, validators) => {
      server.put('/a', sizelessPng(3000), validators);
      const cache = await openCache();
      cache.want('playlist', wanted('a'));
      for (const [tries, ms] of [
        [1, 30_000],
        [2, 120_000],
        [3, HOUR_MS],
      ] as const) {
        await eventually(() => server.asked.length).toBe(tries);
        // This try is over.
        await eventually(() => cache.failures(url('a'))).toBe(tries);
        expect(problemCodes(cache)).toEqual(['undecodable']);
        pass(ms);
      }
      await eventually(() => cache.problems()[0]?.code).toBe('undecodable');
      expect(server.asked).toHaveLength(3);
      expect(cache.waitMs(url('a'))).toBe(23 * HOUR_MS);
      cache.revalidate();
      await eventually(() => server.asked.length).toBe(4);
      expect(server.asked[3]?.[asks]).toMatch(value);
      serve(['a']);
      pass(HOUR_MS);
      cache.revalidate();
      await stored(cache, 'a');
    },
  );
});

describe('room', () => {
  const size = png.length;

  it('is made by evicting unwanted files, the least recently used first', async () => {
    serve(['a'], ['b'], ['c'], ['d']);
    const cache = await openCache({ quotaBytes: size * 3 });
    cache.want('playlist', wanted('a', 'b', 'c'));
    await stored(cache, 'a', 'b', 'c');
    time.drift(1000);
    await cache.verified(url('a'));
    cache.want('playlist', wanted('c', 'd'));
    await stored(cache, 'd');
    expect(names(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
    expect(cache.usage()).toMatchObject({ files: 3, bytes: size * 3 });
  });

  it('is not made by evicting files that play now or next', async () => {
    serve(['a'], ['b'], ['c']);
    const cache = await openCache({ quotaBytes: size * 2 });
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    await cache.verified(url('a'));
    cache.inUse([url('a'), url('b')], []);
    cache.want('playlist', wanted('c'));
    await problem(cache, 'no-room');
    expect(names(cache, 'a', 'b', 'c')).toEqual(['a', 'b']);
    cache.inUse([url('b')], []);
    pass(60_000);
    await stored(cache, 'c');
    expect(names(cache, 'a', 'b', 'c')).toEqual(['b', 'c']);
  });

  it('is for other files if one exceeds the cache, and that one is requested once and reported', async () => {
    serve(['large', paddedPng(30_000)], ['a'], ['b']);
    const cache = await openCache({ quotaBytes: size * 2 });
    cache.want('playlist', wanted('large', 'a', 'b'));
    await stored(cache, 'a', 'b');
    for (let day = 0; day < 3 * 24; day += 1) {
      pass(HOUR_MS);
      await cache.verified(url('a'));
      cache.revalidate();
      await eventually(() => cache.problems()).toMatchObject([{ url: url('large'), code: 'no-room' }]);
    }
    expect(asked().filter((name) => name === 'large')).toHaveLength(1);
    expect(cache.waitMs(url('large'))).toBe(Number.POSITIVE_INFINITY);
    expect(cache.waitMs(url('a'))).toBe(0);
    expect(names(cache, 'a', 'b')).toEqual(['a', 'b']);
  });

  it('that is too small for the playlist is reported, without constant eviction', async () => {
    serve(['a'], ['b'], ['c'], ['d']);
    const cache = await openCache({ quotaBytes: size * 2 });
    cache.want('playlist', wanted('a', 'b', 'c', 'd'));
    await eventually(() => problemCodes(cache)).toEqual(['no-room', 'no-room']);
    // The other two find no room as soon as one of these is stored and the other one's room is reserved.
    await stored(cache, 'a', 'b');
    expect(names(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'b']);
    expect(cache.conditions()).toMatchObject([
      { code: 'cache-too-small', advice: expect.stringMatching(/quotaBytes/) },
    ]);
    const before = server.asked.length;
    for (let minutes = 0; minutes < 30; minutes += 1) {
      pass(60_000);
      await cache.verified(url('a'));
    }
    expect(server.asked).toHaveLength(before);
    // "b" was not used for a day, so another file gets its place, once.
    pass(DAY_MS - 30 * 60_000);
    cache.want('playlist', wanted('a', 'b', 'c', 'd'));
    await stored(cache, 'a', 'c');
    expect(names(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'c']);
    expect(server.asked).toHaveLength(before + 1);
    // An answer that waits for "b" must not wait for ever.
    expect(cache.problems().map(({ url, code }) => [url, code])).toEqual([
      [url('d'), 'no-room'],
      [url('b'), 'no-room'],
    ]);
  });

  it('is made for the upcoming playlist by evicting files of the current one', async () => {
    serve(['a'], ['b'], ['new']);
    const cache = await openCache({ quotaBytes: size * 2 });
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    await cache.verified(url('a'));
    cache.inUse([url('a')], []);
    cache.want('upcoming', wanted('new'));
    await stored(cache, 'new');
    expect(names(cache, 'a', 'b', 'new')).toEqual(['a', 'new']);
  });

  it('is checked again when a file turns out larger than expected', async () => {
    serve(['a']);
    const cache = await openCache({ quotaBytes: 6_000_000 });
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    server.instead = (_request, response) => void response.writeHead(200).end(paddedPng(9_000_000));
    cache.want('playlist', wanted('a', 'endless'));
    await problem(cache, 'no-room');
    expect(cache.usage()).toMatchObject({ files: 1, bytes: size });
    expect((await readdir(directory)).filter((name) => name.includes('.part'))).toEqual([]);
  });

  it('on the disk stays free up to a minimum, and a lack of it is reported', async () => {
    serve(['a'], ['b']);
    let free = size + 100;
    const disk: Disk = { ...realDisk, freeBytes: async () => free };
    const cache = await openCache({ disk, minFreeBytes: 1000 });
    cache.want('playlist', wanted('a'));
    await problem(cache, 'no-room');
    expect(cache.conditions()).toMatchObject([{ code: 'disk-low' }]);
    expect(cache.usage().freeBytes).toBe(free);
    free = size + 1000;
    pass(60_000);
    await stored(cache, 'a');
    expect(cache.conditions()).toEqual([]);
  });

  it('on the disk is given back within a minute where something else fills it, as far as files are unwanted', async () => {
    serve(['old'], ['now']);
    let free = 1e9;
    const disk: Disk = { ...realDisk, freeBytes: async () => free };
    const cache = await openCache({ disk, minFreeBytes: 1000 });
    cache.want('playlist', wanted('old', 'now'));
    await stored(cache, 'old', 'now');
    cache.want('playlist', wanted('now'));
    free = 0;
    pass(60_000);
    await eventually(() => cache.usage()).toMatchObject({ files: 1, bytes: size });
    pass(60_000);
    await checked();
    expect((await played(cache, 'now'))?.equals(png)).toBe(true);
    expect((await readdir(directory)).filter((name) => name.endsWith('.bin'))).toHaveLength(1);
    expect(cache.conditions()).toMatchObject([{ code: 'disk-low' }]);
  });

  it('is given back where the quota is smaller after a restart, the least recently used files first', async () => {
    serve(['a'], ['b'], ['c'], ['d']);
    const before = await openCache();
    before.want('playlist', wanted('a', 'b', 'c', 'd'));
    await stored(before, 'a', 'b', 'c', 'd');
    // A note says when its file was used, give or take six hours.
    pass(6 * HOUR_MS);
    for (const name of ['a', 'c']) await before.verified(url(name));
    await before.close();
    const cache = await openCache({ quotaBytes: size * 3 });
    cache.inUse([url('b')], []);
    cache.want('playlist', wanted('a'));
    pass(60_000);
    await checked();
    expect(names(cache, 'a', 'b', 'c', 'd')).toEqual(['a', 'b', 'c']);
    expect(cache.conditions()).toEqual([]);
  });

  it('that wanted files exceed, because the quota is smaller after a restart, is reported', async () => {
    serve(['a'], ['b'], ['c']);
    const before = await openCache();
    before.want('playlist', wanted('a', 'b', 'c'));
    await stored(before, 'a', 'b', 'c');
    await before.close();
    const cache = await openCache({ quotaBytes: size * 2 });
    cache.want('playlist', wanted('a', 'b', 'c'));
    pass(60_000);
    await checked();
    expect(names(cache, 'a', 'b', 'c')).toEqual(['a', 'b', 'c']);
    expect(cache.conditions()).toMatchObject([
      { code: 'cache-too-small', message: expect.stringContaining(`${size * 3} bytes`) },
    ]);
    cache.want('playlist', wanted('a', 'b', 'c', 'd'));
    serve(['d']);
    await problem(cache, 'no-room');
    expect(cache.conditions()).toMatchObject([
      {
        message: expect.stringMatching(
          /^1 of 4 wanted files have no room .* Stored files that are wanted take/,
        ),
      },
    ]);
    cache.want('playlist', wanted('a', 'b'));
    expect(cache.conditions()).toEqual([]);
  });

  it('is not given back while no playlist is known, because the next answer may want any file', async () => {
    serve(['a'], ['b'], ['house']);
    const before = await openCache();
    before.want('playlist', wanted('a', 'b', 'house'));
    await stored(before, 'a', 'b', 'house');
    await before.close();
    const cache = await openCache({ quotaBytes: 1 });
    cache.want('house', wanted('house'));
    pass(60_000);
    await checked();
    expect(names(cache, 'a', 'b', 'house')).toEqual(['a', 'b', 'house']);
  });
});

describe('a disk that fails', () => {
  it('counts as a failure of each file, so that native ads give it up, and as no pause of its own', async () => {
    serve(['a']);
    const disk = failingDisk((what) => (what === 'openToAppend' ? 'EROFS' : null));
    const cache = await openCache({ disk });
    cache.want('native', wanted('a'));
    for (const failures of [1, 2, 3]) {
      await eventually(() => cache.failures(url('a'))).toBe(failures);
      expect(cache.waitMs(url('a'))).toBe(0);
      pass(60_000);
    }
  });

  it.each<[string, string, 'write' | 'sync' | 'rename' | 'replaceText' | 'openToAppend', string]>([
    ['is full', 'ENOSPC', 'write', 'disk-full'],
    ['is full at the last moment', 'ENOSPC', 'sync', 'disk-full'],
    ['is full when the note is written', 'ENOSPC', 'replaceText', 'disk-full'],
    ['is read-only', 'EROFS', 'openToAppend', 'disk-read-only'],
    ['cannot rename', 'EIO', 'rename', 'disk'],
  ])(
    'because it %s does not affect stored files, and downloads go on afterwards',
    async (_case, code, operation, says) => {
      serve(['a'], ['b']);
      let broken = false;
      const disk = failingDisk((what) => (broken && what === operation ? code : null));
      const cache = await openCache({ disk });
      cache.want('playlist', wanted('a'));
      await stored(cache, 'a');
      broken = true;
      cache.want('playlist', wanted('a', 'b'));
      await problem(cache, says);
      expect(cache.conditions()).toMatchObject([
        { code: says, advice: expect.stringMatching(/disk|folder/) },
      ]);
      expect(await played(cache, 'a')).toEqual(png);
      const left = (await readdir(directory)).filter((name) => /part|tmp/.test(name));
      expect((await readdir(directory)).filter((name) => name.endsWith('.bin'))).toHaveLength(1);
      if (operation !== 'openToAppend') expect(left).toEqual([]);
      broken = false;
      pass(10_000);
      await stored(cache, 'a', 'b');
      expect(cache.conditions()).toEqual([]);
      expect(cache.problems()).toEqual([]);
      // The written files are complete: a restart finds them.
      await cache.close();
      const again = await openCache();
      expect(await played(again, 'b')).toEqual(png);
    },
  );

  it('is tried while nothing is left to store, so that its error is over once it is', async () => {
    serve(['a'], ['b']);
    let broken = false;
    const disk = failingDisk((what) =>
      broken && (what === 'write' || what === 'replaceText') ? 'ENOSPC' : null,
    );
    const cache = await openCache({ disk });
    const codes = () => cache.conditions().map(({ code }) => code);
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    broken = true;
    cache.want('playlist', wanted('a', 'b'));
    await problem(cache, 'disk-full');
    cache.want('playlist', wanted('a'));
    pass(60_000);
    await checked();
    expect(codes()).toEqual(['disk-full']);
    broken = false;
    pass(60_000);
    await checked();
    expect(codes()).toEqual([]);
    expect((await readdir(directory)).filter((name) => !/^[0-9a-f-]+[.](bin|json)$/.test(name))).toEqual([]);
  });

  it('that did not take a file is left alone until that file is tried again', async () => {
    serve(['a']);
    const tried: string[] = [];
    const disk = failingDisk((what) => {
      if (what === 'replaceText') tried.push(what);
      return what === 'write' ? 'ENOSPC' : null;
    });
    const cache = await openCache({ disk });
    cache.want('playlist', wanted('a'));
    await problem(cache, 'disk-full');
    pass(60_000);
    await checked();
    await eventually(asked).toEqual(['a', 'a']);
    expect(tried).toEqual([]);
    expect(cache.conditions()).toMatchObject([{ code: 'disk-full' }]);
  });

  it('with its folder gone is filled again', async () => {
    serve(['a']);
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    await stored(cache, 'a');
    await rm(directory, { recursive: true });
    pass(60_000);
    await eventually(() => server.asked.length).toBe(2);
    await stored(cache, 'a');
    expect(await played(cache, 'a')).toEqual(png);
  });

  it('with its folder gone is filled again as soon as that is noticed, however many files it lost', async () => {
    serve(['a'], ['b']);
    const cache = await openCache();
    cache.want('playlist', wanted('a', 'b'));
    await stored(cache, 'a', 'b');
    await rm(directory, { recursive: true });
    // Both downloads find the folder missing at the same time.
    const waiting: Array<() => void> = [];
    server.instead = (_request, _response, answer) => {
      waiting.push(answer);
      if (waiting.length < 2) return;
      server.instead = null;
      for (const each of waiting) each();
    };
    // `verified` finds each file missing before its slot; no time passes.
    for (const name of ['a', 'b']) expect(await cache.verified(url(name))).toBeNull();
    await stored(cache, 'a', 'b');
    await eventually(() => cache.conditions()).toEqual([]);
  });

  it('without a usable folder does not stop the start, and is tried again', async () => {
    serve(['a']);
    await rename(directory, `${directory}-away`);
    await writeFile(directory, 'a file where the folder should be');
    const cache = await openCache();
    cache.want('playlist', wanted('a'));
    expect(cache.conditions()).toHaveLength(1);
    expect(cache.lookup(url('a'))).toBeNull();
    await rm(directory);
    await rename(`${directory}-away`, directory);
    pass(60_000);
    await stored(cache, 'a');
    expect(cache.conditions()).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)(
    'keeps stored files playable when its folder is read-only, and reports it',
    async () => {
      serve(['a'], ['b']);
      const cache = await openCache();
      cache.want('playlist', wanted('a'));
      await stored(cache, 'a');
      await chmod(directory, 0o500);
      try {
        cache.want('playlist', wanted('a', 'b'));
        await problem(cache, 'disk-read-only');
        expect(await played(cache, 'a')).toEqual(png);
      } finally {
        await chmod(directory, 0o700);
      }
      pass(10_000);
      await stored(cache, 'a', 'b');
    },
  );
});

describe('a kiosk that dies at any moment', () => {
  const old = paddedPng(5000, 1);
  const next = paddedPng(6000, 2);

  /** A disk that fails from its n-th operation on. @param touches operations before that */
  function dyingDisk(touches: number): { disk: Disk; died: () => boolean } {
    let left = touches;
    const disk = failingDisk((operation) => {
      if (operation === 'stamp' || operation === 'openToRead' || operation === 'freeBytes') return null;
      left -= 1;
      return left < 0 ? 'EIO' : null;
    });
    return { disk, died: () => left < 0 };
  }
  /** Waits until the cache is done, has a problem, or its disk has failed. */
  const settled = (cache: MediaCache, died: () => boolean, done: () => boolean) =>
    eventually(() => died() || done() || cache.problems().length > 0).toBe(true);

  it('has the whole file or none after its restart', async () => {
    serve(['a', old]);
    let outcomes = '';
    for (let touches = 0; ; touches += 1) {
      const { disk, died } = dyingDisk(touches);
      const first = await openCache({ disk });
      first.want('playlist', wanted('a'));
      await settled(first, died, () => first.lookup(url('a')) !== null);
      await first.close();
      const second = await openCache();
      const bytes = await played(second, 'a');
      if (bytes) expect(bytes).toEqual(old);
      expect((await readdir(directory)).filter((name) => /tmp$|\.part$/.test(name))).toEqual([]);
      await second.close();
      outcomes += bytes ? 'w' : '-';
      await rm(directory, { recursive: true });
      if (!died()) break;
    }
    expect(outcomes).toMatch(/^-+w+$/);
  });

  it('has the old or the new version of a changed file after its restart', async () => {
    let outcomes = '';
    for (let touches = 2; ; touches += 1) {
      server.put('/a', old);
      const before = await openCache();
      before.want('playlist', wanted('a'));
      await stored(before, 'a');
      await before.close();
      server.put('/a', next);
      time.drift(HOUR_MS);
      const { disk, died } = dyingDisk(touches);
      const first = await openCache({ disk });
      first.want('playlist', wanted('a'));
      first.revalidate();
      await settled(first, died, () => first.lookup(url('a'))?.bytes === next.length);
      await first.close();
      const second = await openCache();
      const bytes = await played(second, 'a');
      expect(bytes).not.toBeNull();
      const isNew = bytes?.equals(next) === true;
      expect(isNew || bytes?.equals(old)).toBe(true);
      await second.close();
      outcomes += isNew ? 'n' : 'o';
      await rm(directory, { recursive: true });
      if (!died()) break;
    }
    expect(outcomes).toMatch(/^o+n+$/);
  });
});
