import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCacheRoom } from './cache-room';
import type { StoredMedia } from './stored-media';
import { type MediaUser, type Need, needsOf } from './want-list';

const DAY_MS = 86_400_000;
const now = 10 * DAY_MS;
const stored = (url: string, bytes: number, usedAt: number): StoredMedia => ({
  ...{ key: `${url}-1`, url, type: 'video/mp4', bytes, sha256: '', etag: null, lastModified: null },
  ...{ storedAt: 0, checkedAt: 0, verifiedAt: 0, usedAt, stamp: null },
});
const needing = (by: MediaUser, urls: readonly string[]): ReadonlyMap<string, Need> =>
  needsOf({
    online: [],
    native: [],
    upcoming: [],
    house: [],
    playlist: [],
    [by]: urls.map((url) => ({ url })),
  });

function roomFor(
  files: readonly StoredMedia[],
  needs: ReadonlyMap<string, Need>,
  { quotaBytes = 1e9, freeBytes = null as number | null, inUse = new Set<string>() } = {},
) {
  let looked = 0;
  const room = createCacheRoom({
    ...{ quotaBytes, minFreeBytes: 10, clock: { now: () => now } },
    stored: {
      byUrl: new Map(files.map((file) => [file.url, file])),
      bytes: () => files.reduce((sum, { bytes }) => sum + bytes, 0),
      isInUse({ url }) {
        looked += 1;
        return inUse.has(url);
      },
    },
    partBytes: () => 3,
    downloads: () => [{ reservedBytes: 7, writtenBytes: 2 }],
    needs: () => needs,
    freeBytes: () => freeBytes,
    isSetAside: () => false,
  });
  return { room, looked: () => looked };
}

describe('the room for a download', () => {
  const files = [stored('a', 40, now), stored('b', 20, now)];
  const needOf = (url: string) => {
    const need = needing('playlist', ['a', 'new']).get(url);
    if (!need) throw new Error('nobody needs it');
    return need;
  };

  it.each([
    // 60 stored, 3 in parts, 7 reserved by the other download.
    ['is what the quota leaves beside files, parts and other downloads', 'new', 30, 0],
    ['is short by what is more', 'new', 31, 1],
    ['counts nothing twice: a file that is replaced goes in the same moment', 'a', 70, 0],
  ])('%s', (_what, url, bytes, short) => {
    const { room } = roomFor(files, needing('playlist', ['a', 'b']), { quotaBytes: 100 });
    expect(room.shortage(bytes, null, needOf(url)).quota).toBe(short);
  });

  it('is the free disk space above the floor, less what other downloads still have to write', () => {
    const { room } = roomFor(files, needing('playlist', ['a', 'b']), { freeBytes: 50 });
    expect(room.shortage(35, null, needOf('new')).disk).toBe(0);
    const halfWritten = { reservedBytes: 36, writtenBytes: 6 };
    expect(room.shortage(41, halfWritten, needOf('new')).disk).toBe(0);
    expect(room.shortage(42, halfWritten, needOf('new')).disk).toBe(1);
  });
});

describe('a check of the available room', () => {
  it('gives the same result for each file as making room for it', () => {
    const files = fc.uniqueArray(
      fc.record({
        url: fc.constantFrom(...'abcdefgh'),
        bytes: fc.integer({ min: 1, max: 30 }),
        usedAt: fc.integer({ min: 0, max: now }),
      }),
      { selector: ({ url }) => url },
    );
    const setting = fc.record({
      quotaBytes: fc.integer({ min: 0, max: 200 }),
      freeBytes: fc.option(fc.integer({ min: 0, max: 200 })),
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
    fc.assert(
      fc.property(files, setting, newFiles, (here, { by, wanted, ...options }, news) => {
        const { room } = roomFor(
          here.map(({ url, bytes, usedAt }) => stored(url, bytes, usedAt)),
          needing(by, wanted),
          options,
        );
        const isTooTight = room.look();
        for (const { bytes, by: newBy } of news) {
          const need = [...needing(newBy, ['new']).values()][0];
          if (!need) throw new Error('nobody needs it');
          const { quota, disk } = room.shortage(bytes, null, need);
          expect(isTooTight(bytes, need)).toBe(room.evictable(Math.max(quota, disk), need) === null);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads the stored files once, however many files of the playlist find no room', () => {
    const urls = Array.from({ length: 5_000 }, (_none, index) => `${index}`);
    const files = urls.slice(0, 500).map((url) => stored(url, 10, now));
    const needs = needing('playlist', urls);
    const { room, looked } = roomFor(files, needs, { quotaBytes: 5_000 });
    const isTooTight = room.look();
    const missing = [...needs.values()].filter((_need, index) => index >= files.length);
    expect(missing.every((need) => isTooTight(10, need))).toBe(true);
    expect(looked()).toBe(files.length);
  });
});
