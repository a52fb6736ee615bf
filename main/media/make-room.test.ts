import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { createRoomMaker, type RoomSeeker } from './make-room';
import type { StoredMedia } from './stored-media';
import { type MediaUser, type Need, needsOf } from './want-list';

const DAY_MS = 86_400_000;
const now = 10 * DAY_MS;
const storedFile = (url: string, bytes: number, usedAt: number): StoredMedia => ({
  key: `${url}-1`,
  url,
  type: 'video/mp4',
  bytes,
  sha256: '',
  etag: null,
  lastModified: null,
  storedAt: 0,
  checkedAt: 0,
  verifiedAt: 0,
  usedAt,
  stamp: null,
});
const needing = (by: MediaUser, urls: readonly string[]): ReadonlyMap<string, Need> =>
  needsOf({
    online: [],
    native: [],
    upcoming: [],
    house: [],
    late: [],
    playlist: [],
    [by]: urls.map((url) => ({ url })),
  });
const needOf = (url: string, by: MediaUser = 'playlist'): Need => {
  const need = needing(by, [url]).get(url);
  if (!need) throw new Error('it is not needed');
  return need;
};

/** A cache of `quota` bytes with files, unfinished downloads and a disk that tests can fill. */
function world({
  quota = 100,
  stored = [] as readonly StoredMedia[],
  parts = {} as Record<string, number>,
  needs = needing('playlist', []),
  free = null as number | null,
  inUse = new Set<string>(),
}) {
  const files = new Map(stored.map((file) => [file.url, file]));
  const unfinished = new Map(Object.entries(parts));
  const seekers: RoomSeeker[] = [];
  const done: string[] = [];
  const disk = { free, seen: free };
  let wanted = needs;
  let looked = 0;
  const sum = (bytes: Iterable<number>) => [...bytes].reduce((total, one) => total + one, 0);
  const maker = createRoomMaker({
    quotaBytes: quota,
    minFreeBytes: 10,
    clock: { now: () => now },
    log: silentLog,
    stored: {
      byUrl: files,
      bytes: () => sum([...files.values()].map(({ bytes }) => bytes)),
      isInUse({ url }) {
        looked += 1;
        return inUse.has(url);
      },
      async drop({ url }) {
        await Promise.resolve();
        files.delete(url);
        done.push(`evicted ${url}`);
      },
    },
    unfinished: {
      urls: () => [...unfinished.keys()],
      bytes: () => sum(unfinished.values()),
      async drop(url: string) {
        if (disk.free !== null) disk.free += unfinished.get(url) ?? 0;
        unfinished.delete(url);
        done.push(`gave up ${url}`);
      },
    },
    downloads: () => seekers,
    needs: () => wanted,
    isSetAside: () => false,
    problems: new Map(),
    freeBytes: () => disk.seen,
    async lookAtDisk() {
      await Promise.resolve();
      disk.seen = disk.free;
    },
  });
  return {
    maker,
    done,
    disk,
    seekers,
    looked: () => looked,
    want(...urls: string[]) {
      wanted = needing('playlist', urls);
    },
    reserve(url: string, bytes: number, { by = 'playlist' as MediaUser, writtenBytes = 0 } = {}) {
      const seeker = { need: needOf(url, by), reservedBytes: 0, writtenBytes };
      seekers.push(seeker);
      return maker.reserve(seeker, bytes);
    },
  };
}

describe('the room for a download', () => {
  const files = [storedFile('a', 40, now), storedFile('b', 20, now)];
  const other: RoomSeeker = { need: needOf('other'), reservedBytes: 7, writtenBytes: 2 };
  const full = (free: number | null = null) => {
    const cache = world({
      stored: files,
      parts: { part: 3 },
      free,
      needs: needing('playlist', ['a', 'b', 'part']),
    });
    cache.seekers.push(other);
    return cache;
  };

  it.each([
    // 60 stored, 3 in parts, 7 reserved by the other download.
    ['is what the quota leaves beside files, parts and other downloads', 'new', 30],
    ['counts nothing twice: a file that is replaced goes in the same moment', 'a', 70],
  ])('%s', async (_what, url, bytes) => {
    expect(await full().reserve(url, bytes)).toBe(true);
    const cache = full();
    expect(await cache.reserve(url, bytes + 1)).toBe(false);
    expect(cache.maker.lacking.get(url)).toEqual({ bytes: bytes + 1, code: 'cache-too-small' });
  });

  it('is the free disk space above the floor, less what other downloads still have to write', async () => {
    const cache = (free: number) => {
      const one = world({ quota: 1_000, stored: files, free, needs: needing('playlist', ['a', 'b']) });
      one.seekers.push(other);
      return one;
    };
    expect(await cache(50).reserve('new', 35)).toBe(true);
    expect(await cache(50).reserve('new', 36)).toBe(false);
    expect(await cache(50).reserve('new', 41, { writtenBytes: 6 })).toBe(true);
    const short = cache(50);
    expect(await short.reserve('new', 42, { writtenBytes: 6 })).toBe(false);
    expect(short.maker.lacking.get('new')?.code).toBe('disk-low');
  });
});

describe('a check of the available room', () => {
  it('gives the same result for each file as making room for it', async () => {
    const files = fc.uniqueArray(
      fc.record({
        url: fc.constantFrom(...'abcdefgh'),
        bytes: fc.integer({ min: 1, max: 30 }),
        usedAt: fc.integer({ min: 0, max: now }),
      }),
      { selector: ({ url }) => url },
    );
    const setting = fc.record({
      quota: fc.integer({ min: 0, max: 200 }),
      free: fc.option(fc.integer({ min: 0, max: 200 })),
      inUse: fc.subarray([...'abcdefgh']).map((urls) => new Set(urls)),
      by: fc.constantFrom<MediaUser>('playlist', 'upcoming', 'online', 'house'),
      wanted: fc.subarray([...'abcdefgh']),
    });
    const newFiles = fc.array(
      fc.record({
        bytes: fc.integer({ min: 0, max: 120 }),
        by: fc.constantFrom<MediaUser>('playlist', 'upcoming', 'online', 'house'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(files, setting, newFiles, async (here, { by, wanted, ...options }, news) => {
        const cache = () =>
          world({
            stored: here.map(({ url, bytes, usedAt }) => storedFile(url, bytes, usedAt)),
            needs: needing(by, wanted),
            ...options,
          });
        const { maker } = cache();
        const found = news.map((_new, index) => `new ${index}`);
        for (const [index, { bytes }] of news.entries()) maker.foundNone(`new ${index}`, bytes);
        const isTooTight = maker.look();
        for (const [index, { bytes, by: newBy }] of news.entries()) {
          const url = found[index] ?? '';
          expect(isTooTight(needOf(url, newBy))).toBe(!(await cache().reserve(url, bytes, { by: newBy })));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads the stored files once, however many files of the playlist find no room', () => {
    const urls = Array.from({ length: 5_000 }, (_none, index) => `${index}`);
    const files = urls.slice(0, 500).map((url) => storedFile(url, 10, now));
    const needs = needing('playlist', urls);
    const { maker, looked } = world({ stored: files, needs, quota: 5_000 });
    const missing = [...needs.values()].filter((_need, index) => index >= files.length);
    for (const { url } of missing) maker.foundNone(url, 10);
    const isTooTight = maker.look();
    expect(missing.every(isTooTight)).toBe(true);
    expect(looked()).toBe(files.length);
  });
});

describe('making room', () => {
  it('uses the current free space of the disk, not an earlier value', async () => {
    const cache = world({ quota: 1_000 });
    cache.want('a', 'b');
    cache.disk.free = 100;
    expect(await cache.reserve('a', 40)).toBe(true);
    cache.disk.free = 80;
    expect(await cache.reserve('b', 40)).toBe(false);
    expect(cache.maker.lacking.get('b')).toEqual({ bytes: 40, code: 'disk-low' });
  });

  it.each([
    ['quota', { quota: 100, free: 1_000 }, 'cache-too-small'],
    ['disk', { quota: 1_000, free: 40 }, 'disk-low'],
  ] as const)(
    'says of a wanted file that made room whether the %s was short',
    async (_what, limits, code) => {
      const cache = world({ stored: [storedFile('old', 60, now - DAY_MS)], ...limits });
      cache.want('old', 'new');
      expect(await cache.reserve('new', 70)).toBe(true);
      expect(cache.maker.lacking.get('old')).toEqual({ bytes: 60, code });
    },
  );

  it('gives the same room to only one of two concurrent downloads', async () => {
    const cache = world({ quota: 100, stored: [storedFile('old', 60, now)] });
    cache.want('a', 'b');
    expect(await Promise.all([cache.reserve('a', 70), cache.reserve('b', 70)])).toEqual([true, false]);
    expect(cache.done).toEqual(['evicted old']);
  });

  it('deletes abandoned partial downloads before files, but none that will be continued', async () => {
    const cache = world({
      quota: 100,
      stored: [storedFile('old', 30, now)],
      parts: { half: 30, unwanted: 30 },
    });
    cache.want('a', 'half');
    expect(await cache.reserve('a', 40)).toBe(true);
    expect(cache.done).toEqual(['gave up unwanted']);
    expect(await cache.reserve('a', 60)).toBe(false);
    expect(cache.done).toEqual(['gave up unwanted']);
  });

  it('counts the disk space of a partial download that it deleted, and evicts no file for that', async () => {
    const cache = world({
      quota: 1_000,
      stored: [storedFile('old', 50, now)],
      parts: { abandoned: 50 },
      free: 20,
    });
    cache.want('a');
    expect(await cache.reserve('a', 40)).toBe(true);
    expect(cache.done).toEqual(['gave up abandoned']);
  });

  it('remembers the size of a file without room as long as it is wanted', async () => {
    const cache = world({ quota: 100, stored: [storedFile('old', 60, now)] });
    cache.want('a');
    await cache.reserve('a', 70);
    expect(cache.maker.knownBytes('old')).toBe(0);
    cache.maker.foundNone('b', 90);
    cache.maker.keepOnly(needing('playlist', ['b']));
    expect(cache.maker.knownBytes('b')).toBe(90);
    cache.maker.keepOnly(needing('playlist', []));
    expect([...cache.maker.lacking]).toEqual([]);
  });
});

it('drops the least recently used of more than 10,000 files that no list has, and keeps those in use', async () => {
  const stored = Array.from({ length: 10_100 }, (_, index) => storedFile(`file ${index}`, 1, index));
  const needs = needing('playlist', ['file 0']);
  const { maker, done } = world({ quota: 1e9, stored, needs, inUse: new Set(['file 1']) });
  await maker.keepBounds();
  expect(done).toEqual(Array.from({ length: 98 }, (_, index) => `evicted file ${index + 2}`));
  done.length = 0;
  await maker.keepBounds();
  expect(done).toEqual([]);
});
