import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import type { CacheRoom } from './cache-room';
import { createRoomMaker, type RoomSeeker } from './make-room';
import type { StoredMedia } from './stored-media';
import { type Need, needsOf } from './want-list';

const needs = (...urls: string[]): ReadonlyMap<string, Need> =>
  needsOf({ online: [], native: [], upcoming: [], house: [], playlist: urls.map((url) => ({ url })) });
const seekerOf = (url: string): RoomSeeker => {
  const need = needs(url).get(url);
  if (!need) throw new Error('it is not needed');
  return { need, reservedBytes: 0, writtenBytes: 0 };
};

/** A cache of `quota` bytes with files, unfinished downloads and a disk that tests can fill. */
function world({ quota = 100, stored = {} as Record<string, number>, parts = {} as Record<string, number> }) {
  const files = new Map(Object.entries(stored));
  const unfinished = new Map(Object.entries(parts));
  const seekers: RoomSeeker[] = [];
  const done: string[] = [];
  let free = Number.POSITIVE_INFINITY;
  let seen = free;
  let wanted = needs();
  const sum = (bytes: Iterable<number>) => [...bytes].reduce((total, one) => total + one, 0);
  const room: CacheRoom = {
    shortage(bytes, seeker) {
      const reserved = sum(seekers.filter((other) => other !== seeker).map((other) => other.reservedBytes));
      const used = sum(files.values()) + sum(unfinished.values()) + reserved;
      return { quota: used + bytes - quota, disk: bytes - seen };
    },
    evictable(shortBy) {
      const gone: Array<{ url: string; key: string; bytes: number }> = [];
      for (const [url, bytes] of files) {
        if (sum(gone.map((one) => one.bytes)) >= shortBy) break;
        if (!wanted.has(url)) gone.push({ url, key: url, bytes });
      }
      return sum(gone.map((one) => one.bytes)) >= shortBy ? gone : null;
    },
    look: () => () => false,
  };
  const maker = createRoomMaker({
    room,
    stored: {
      byKey: (key: string) => ({ url: key, key }) as StoredMedia,
      async drop({ url }: StoredMedia) {
        await Promise.resolve();
        files.delete(url);
        done.push(`evicted ${url}`);
      },
    } as never,
    unfinished: {
      urls: () => [...unfinished.keys()],
      async drop(url: string) {
        unfinished.delete(url);
        done.push(`gave up ${url}`);
      },
    } as never,
    needs: () => wanted,
    async lookAtDisk() {
      await Promise.resolve();
      seen = free;
    },
    clock: { now: () => 0 },
    log: silentLog,
  });
  return {
    maker,
    done,
    want: (...urls: string[]) => {
      wanted = needs(...urls);
    },
    disk: (bytes: number) => {
      free = bytes;
    },
    reserve(url: string, bytes: number) {
      const seeker = seekerOf(url);
      seekers.push(seeker);
      return maker.reserve(seeker, bytes);
    },
  };
}

describe('making room', () => {
  it('uses the current free space of the disk, not an earlier value', async () => {
    const cache = world({ quota: 1_000 });
    cache.want('a', 'b');
    cache.disk(50);
    expect(await cache.reserve('a', 40)).toBe(true);
    cache.disk(30);
    expect(await cache.reserve('b', 40)).toBe(false);
    expect(cache.maker.lacking.get('b')).toEqual({ bytes: 40, code: 'disk-low' });
  });

  it('gives the same room to only one of two concurrent downloads', async () => {
    const cache = world({ quota: 100, stored: { old: 60 } });
    cache.want('a', 'b');
    expect(await Promise.all([cache.reserve('a', 70), cache.reserve('b', 70)])).toEqual([true, false]);
    expect(cache.done).toEqual(['evicted old']);
  });

  it('deletes abandoned partial downloads before files, but none that will be continued', async () => {
    const cache = world({ quota: 100, stored: { old: 30 }, parts: { half: 30, unwanted: 30 } });
    cache.want('a', 'half');
    expect(await cache.reserve('a', 40)).toBe(true);
    expect(cache.done).toEqual(['gave up unwanted']);
    expect(await cache.reserve('a', 60)).toBe(false);
    expect(cache.done).toEqual(['gave up unwanted']);
  });

  it('remembers the size of a file without room as long as it is wanted', async () => {
    const cache = world({ quota: 100, stored: { old: 60 } });
    cache.want('a');
    await cache.reserve('a', 70);
    expect(cache.maker.knownBytes('old')).toBe(0);
    cache.maker.foundNone('b', 90);
    cache.maker.keepOnly(needs('b'));
    expect(cache.maker.knownBytes('b')).toBe(90);
    cache.maker.keepOnly(needs());
    expect([...cache.maker.lacking]).toEqual([]);
  });
});
