import { mkdir, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../shared/log';
import { NO_BLOCKS } from '../decisions/blocks';
import { createHouseAds } from '../playback/house-ads';
import { readInPlace } from '../reading/testing/read-in-place';
import { type HandTurnedTime, handTurnedTime } from '../service/testing/hand-turned-time';
import { reportHouseFolder } from '../status/report-kiosk';
import { createStatusBoard, type StatusBoard } from '../status/status-board';
import type { MediaCacheOptions } from './cache-base';
import type { Disk } from './disk';
import { fetchHouseFile, parseHouseUrl } from './house-file';
import { createHouseFolder, type HouseFolder, type HouseFolderOptions } from './house-folder';
import { createMediaCache, type MediaCache } from './media-cache';
import { countedDisk } from './testing/counted-disk';
import { noQuarantine } from './testing/no-quarantine';
import { paddedPng, sizelessPng } from './testing/padded-png';

const samples = join(__dirname, 'samples');
let base: string;
let folder: string;
let time: HandTurnedTime;
let warned: string[];
let board: StatusBoard;
const { disk: realDisk, awaited } = countedDisk();
const open: House[] = [];

interface House {
  readonly folder: HouseFolder;
  readonly cache: MediaCache;
  /** As the end of its process: it looks no more, and a look under way says nothing more. */
  readonly end: () => void;
}

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'endcap-house-'));
  folder = join(base, 'house');
  await mkdir(folder);
  time = handTurnedTime();
  warned = [];
  board = createStatusBoard(time.clock);
});
afterEach(async () => {
  for (const house of open.splice(0)) await close(house);
  await rm(base, { recursive: true, force: true });
});

async function openHouse({
  cached = {},
  disk = realDisk,
  ...overrides
}: Partial<Omit<HouseFolderOptions, 'disk'>> & {
  cached?: Partial<MediaCacheOptions>;
  disk?: Disk;
} = {}): Promise<House> {
  const { clock, schedule } = time;
  let hasEnded = false;
  const log = {
    ...silentLog,
    warn: (message: string) => {
      if (!hasEnded) warned.push(message);
    },
  };
  const fetchFile = fetchHouseFile(folder, disk);
  const cache = createMediaCache({
    directory: join(base, 'cache'),
    disk: realDisk,
    quotaBytes: 1e9,
    minFreeBytes: 0,
    fetch: async (url, init) => fetchFile(url, init) ?? Promise.reject(new Error('not of the house')),
    clock,
    schedule,
    log: silentLog,
    reading: readInPlace,
    random: () => 0,
    quarantine: noQuarantine,
    ...cached,
  });
  await cache.open();
  const house = createHouseFolder({
    folder,
    cache,
    schedule: (ms, run) =>
      schedule(ms, () => {
        if (!hasEnded) run();
      }),
    log,
    disk,
    onRead: reportHouseFolder(board.tell, folder),
    ...overrides,
  });
  const end = () => {
    hasEnded = true;
  };
  open.push({ folder: house, cache, end });
  house.open();
  return { folder: house, cache, end };
}

async function close(house: House): Promise<void> {
  house.end();
  await house.cache.close();
}

const put = async (name: string, content: Buffer | string) => writeFile(join(folder, name), content);
const putSample = async (name: string, sample: string) => put(name, await readFile(join(samples, sample)));
const rounds = ({ folder: house }: House, count: number) =>
  Array.from({ length: count }, () => house.next()?.name);
/** The names of one cycle, beginning with the first in order. */
function names(house: House): string[] {
  const round: string[] = [];
  for (let name = house.folder.next()?.name; name && !round.includes(name); name = house.folder.next()?.name)
    round.push(name);
  const first = [...round].sort((a, b) => Number.parseInt(a, 36) - Number.parseInt(b, 36))[0] ?? '';
  return [...round.slice(round.indexOf(first)), ...round.slice(0, round.indexOf(first))];
}
const problems = ({ cache }: House) =>
  cache.problems().map(({ url, code }) => `${parseHouseUrl(url)?.name}: ${code}`);
const attention = () => board.told().attention;
/** The bytes that would be shown now. */
async function shown(house: House): Promise<Buffer | null> {
  const file = house.folder.next();
  const cached = file && (await house.cache.verified(file.url));
  return cached && readFile(house.cache.pathOf(cached));
}

/** Advances the clock second by second, but not while the real disk has to answer, until the assertion holds. */
const soon = <T>(look: () => T) =>
  expect.poll(
    async () => {
      if (awaited() === 0) await time.advance(1_000);
      return look();
    },
    { interval: 5 },
  );

describe('the house folder', () => {
  it('offers its pictures and videos in a loop, in the order of their names', async () => {
    await putSample('10-clip.webm', 'clip.webm');
    await putSample('2-poster.jpg', 'picture.jpg');
    await putSample('1-film.bin', 'index-last.mp4');
    await put('.hidden.png', paddedPng(500));
    await mkdir(join(folder, 'sub.png'));
    const house = await openHouse();
    await soon(() => names(house)).toHaveLength(3);
    const inOrder = ['1-film.bin', '2-poster.jpg', '10-clip.webm'];
    const played = rounds(house, 5);
    const first = inOrder.indexOf(played[0] ?? '');
    expect(played).toEqual([...inOrder, ...inOrder, ...inOrder].slice(first, first + 5));
    while (house.folder.next()?.name !== '10-clip.webm');
    expect(await shown(house)).toEqual(await readFile(join(samples, 'index-last.mp4')));
    expect(problems(house)).toEqual([]);
  });

  it('shows the same files after a restart, even if the folder is missing', async () => {
    await putSample('a.jpg', 'picture.jpg');
    const first = await openHouse();
    await soon(() => names(first)).toEqual(['a.jpg']);
    const before = first.folder.next();
    await close(first);
    await rename(folder, `${folder}-away`);
    const second = await openHouse();
    // The folder cannot be read yet, so these are the cached files, with the keys that stored plays contain.
    expect(second.folder.next()).toEqual(before);
    await soon(() => warned).toEqual(['the house folder cannot be read']);
    expect(await shown(second)).toEqual(await readFile(join(samples, 'picture.jpg')));
    await rename(`${folder}-away`, folder);
    await put('b.png', paddedPng(700));
    await soon(() => names(second)).toEqual(['a.jpg', 'b.png']);
    expect(warned).toHaveLength(1);
  });

  it('shows nothing that was removed or replaced, even after a restart without the folder', async () => {
    for (const name of ['a.png', 'b.png', 'c.png']) await put(name, paddedPng(1000, 1));
    const first = await openHouse();
    await soon(() => names(first)).toEqual(['a.png', 'b.png', 'c.png']);
    await put('a.png', paddedPng(2000, 2));
    await rm(join(folder, 'b.png'));
    await soon(() => names(first)).toEqual(['a.png', 'c.png']);
    await soon(() => shown(first)).toEqual(paddedPng(2000, 2));
    expect(first.cache.files()).toHaveLength(2);
    await close(first);
    await rm(join(folder, 'c.png'));
    const second = await openHouse();
    await soon(() => names(second)).toEqual(['a.png']);
    await close(second);
    await rename(folder, `${folder}-away`);
    const third = await openHouse();
    await soon(() => warned).toEqual(['the house folder cannot be read']);
    expect(names(third)).toEqual(['a.png']);
    expect(await shown(third)).toEqual(paddedPng(2000, 2));
  });

  it.each<[string, () => Promise<void>]>([
    ['removed', () => rm(join(folder, 'a.png'))],
    ['replaced', () => put('a.png', paddedPng(2000, 2))],
  ])('takes the turn from a file that waits for it and is %s', async (_case, change) => {
    await put('a.png', paddedPng(1000, 1));
    await put('b.png', paddedPng(1000, 1));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.png', 'b.png']);
    const ads = createHouseAds({
      house: house.folder,
      media: house.cache,
      openPage: () => Promise.reject(new Error('no pages here')),
      imageMs: 8000,
      volume: () => 0,
      blocks: () => NO_BLOCKS,
    });
    while (house.folder.next()?.name !== 'b.png');
    const waiting = ads.choose(0);
    expect([waiting?.facts.adId, waiting?.mayPlay(0)]).toEqual(['a.png', true]);
    await change();
    await soon(() => waiting?.mayPlay(0)).toBe(false);
    expect(ads.choose(0)?.facts.adId).toBe('b.png');
  });

  it('is a problem with its path and the reason while it cannot be read', async () => {
    await rename(folder, `${folder}-away`);
    await openHouse();
    await soon(attention).toMatchObject([
      {
        code: 'house-folder',
        message: expect.stringContaining(`${folder} cannot be read (ENOENT)`),
        advice: expect.stringContaining('its drive'),
      },
    ]);
    await rename(`${folder}-away`, folder);
    await soon(attention).toEqual([]);
  });

  it('is a problem while its disk does not answer', async () => {
    let answer = (_names: readonly string[]) => {};
    const answered = new Promise<readonly string[]>((resolve) => {
      answer = resolve;
    });
    await openHouse({ disk: { ...realDisk, list: () => answered } });
    await time.advance(20_000);
    expect(attention()).toEqual([]);
    await soon(attention).toMatchObject([{ message: expect.stringContaining('no answer within 30 s') }]);
    answer([]);
    await soon(attention).toEqual([]);
  });

  it('is read to its end, however long that takes, while its disk answers within 30 s each time', async () => {
    const files = ['a.png', 'b.png', 'c.png', 'd.png'];
    for (const name of files) await put(name, paddedPng(1000, 1));
    const disk: Disk = {
      ...realDisk,
      async stamp(path) {
        if (path.startsWith(folder)) await new Promise<void>((resolve) => void time.schedule(9_000, resolve));
        return realDisk.stamp(path);
      },
    };
    const reads: (string | null)[] = [];
    const house = await openHouse({ disk, onRead: (error) => void reads.push(error) });
    await soon(() => names(house)).toEqual(files);
    expect(new Set(reads)).toEqual(new Set([null]));
  });

  it("shows nothing after a restart if the machine's clock is behind the trusted one", async () => {
    time = handTurnedTime(Date.now() + 3_600_000);
    await put('a.png', paddedPng(1000, 1));
    const first = await openHouse();
    await soon(() => names(first)).toEqual(['a.png']);
    await rm(join(folder, 'a.png'));
    await soon(() => names(first)).toEqual([]);
    await close(first);
    let reads = 0;
    const onRead = () => {
      reads += 1;
    };
    const second = await openHouse({ onRead });
    await soon(() => reads).toBeGreaterThan(2);
    expect(names(second)).toEqual([]);
  });

  describe('on a drive', () => {
    let isMounted: boolean;
    const disk: Disk = {
      ...realDisk,
      async folder(path) {
        const found = await realDisk.folder(path);
        return { ...found, device: path === folder && isMounted ? 2 : 1 };
      },
    };
    /** Leaves the folder empty, and a name in it as last changed `ms` after now, by the machine's clock. */
    async function unmount(ms: number): Promise<void> {
      isMounted = false;
      await rm(folder, { recursive: true });
      await mkdir(folder);
      const changed = (Date.now() + ms) / 1000;
      await utimes(folder, changed, changed);
    }

    it('shows what was copied while the drive is away and its mount point is empty', async () => {
      isMounted = true;
      await put('a.png', paddedPng(1000, 1));
      const house = await openHouse({ disk });
      await soon(() => names(house)).toEqual(['a.png']);
      await unmount(3_600_000);
      await soon(attention).toMatchObject([{ message: expect.stringContaining('drive is not mounted') }]);
      expect(names(house)).toEqual(['a.png']);
      isMounted = true;
      await soon(attention).toEqual([]);
      expect(names(house)).toEqual([]);
    });

    it('shows what was copied if the drive goes away between two answers of one read', async () => {
      isMounted = true;
      let isPulled = false;
      const list = async (path: string) => {
        const listed = await disk.list(path);
        if (isPulled && isMounted) await unmount(3_600_000);
        return listed;
      };
      await put('a.png', paddedPng(1000, 1));
      const house = await openHouse({ disk: { ...disk, list } });
      await soon(() => names(house)).toEqual(['a.png']);
      isPulled = true;
      await soon(attention).toMatchObject([{ message: expect.stringContaining('drive is not mounted') }]);
      expect(names(house)).toEqual(['a.png']);
    });

    it.each([
      [
        'shows it after a restart, too, because the mount point is older than the copy',
        -3_600_000,
        ['a.png'],
      ],
      ['shows nothing after a restart if files were removed from the folder meanwhile', 3_600_000, []],
    ])('%s', async (_case, ms, expected) => {
      isMounted = true;
      await put('a.png', paddedPng(1000, 1));
      const first = await openHouse({ disk });
      await soon(() => names(first)).toEqual(['a.png']);
      await close(first);
      await unmount(ms);
      let reads = 0;
      const onRead = () => {
        reads += 1;
      };
      const second = await openHouse({ disk, onRead });
      await soon(() => reads).toBeGreaterThan(2);
      expect(names(second)).toEqual(expected);
    });
  });

  it('sorts a large folder only when it has changed, up to a limit, of which it warns once', async () => {
    const crowd = Array.from({ length: 10_000 }, (_, at) => `${(at * 7919) % 10_000}.txt`);
    let listing: readonly string[] = [...crowd];
    const stamped = new Set<string>();
    const compare = vi.spyOn(Intl.Collator.prototype, 'compare', 'get');
    onTestFinished(() => compare.mockRestore());
    let reads = 0;
    const onRead = () => {
      reads += 1;
    };
    const disk: Disk = {
      ...realDisk,
      list: async () => [...listing],
      async stamp(path) {
        stamped.add(path);
        return null;
      },
    };
    await openHouse({ disk, onRead });
    const readAgain = () => soon(() => reads).toBeGreaterThan(2);
    await readAgain();
    // Sorting n names takes less than n times log2(n) comparisons.
    expect(compare.mock.calls.length).toBeLessThan(1_000 * 10);
    expect(stamped.size).toBe(1_000);
    compare.mockClear();
    reads = 0;
    await readAgain();
    expect(compare).not.toHaveBeenCalled();
    expect(warned).toEqual([expect.stringContaining('1000')]);
    listing = crowd.slice(1);
    reads = 0;
    await readAgain();
    expect(compare).toHaveBeenCalled();
    expect(warned).toHaveLength(1);
  });

  it('goes on with cached files that the folder lists and cannot read', async () => {
    await put('a.png', paddedPng(1000, 1));
    let isBroken = false;
    let broken = 0;
    const disk: Disk = {
      ...realDisk,
      async stamp(path) {
        if (!isBroken) return realDisk.stamp(path);
        broken += 1;
        throw Object.assign(new Error('input/output error'), { code: 'EIO' });
      },
    };
    const house = await openHouse({ disk });
    await soon(() => names(house)).toEqual(['a.png']);
    isBroken = true;
    await soon(() => broken).toBeGreaterThan(2);
    expect(names(house)).toEqual(['a.png']);
    await rm(join(folder, 'a.png'));
    isBroken = false;
    await soon(() => names(house)).toEqual([]);
  });

  it('follows what is added, replaced and removed', async () => {
    await put('a.png', paddedPng(1000, 1));
    const house = await openHouse();
    /** What may play at each change that the cache tells of: then the next ad is chosen again. */
    const told: string[][] = [];
    house.cache.onChange(() => void told.push(names(house)));
    await soon(() => names(house)).toEqual(['a.png']);
    await put('b.png', paddedPng(1000, 2));
    await soon(() => names(house)).toEqual(['a.png', 'b.png']);
    await put('a.png', paddedPng(2000, 3));
    await rm(join(folder, 'b.png'));
    await soon(() => names(house)).toEqual(['a.png']);
    await soon(() => shown(house)).toEqual(paddedPng(2000, 3));
    expect(names(house)).toEqual(['a.png']);
    const changes = told.filter((now, index) => now.join() !== told[index - 1]?.join());
    expect(changes).toEqual([['a.png'], ['a.png', 'b.png'], ['a.png']]);
  });

  it('is copied from once for each version of a file', async () => {
    const asked: (string | undefined)[] = [];
    const fetchFile = fetchHouseFile(folder, realDisk);
    const fetch: MediaCacheOptions['fetch'] = async (url, init) => {
      asked.push(parseHouseUrl(url)?.name);
      return fetchFile(url, init) ?? Promise.reject(new Error('not of the house'));
    };
    await put('a.png', paddedPng(1000, 1));
    const house = await openHouse({ cached: { fetch } });
    await soon(() => names(house)).toEqual(['a.png']);
    time.pass(3_600_000);
    house.cache.revalidate();
    await put('b.png', paddedPng(1000, 2));
    await soon(() => names(house)).toEqual(['a.png', 'b.png']);
    expect(asked).toEqual(['a.png', 'b.png']);
  });

  it('waits for a complete file, and shows its last good version meanwhile', async () => {
    await put('a.png', paddedPng(1000, 1));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.png']);
    await put('a.png', sizelessPng(3000));
    await soon(() => problems(house)).toEqual(['a.png: undecodable']);
    expect(await shown(house)).toEqual(paddedPng(1000, 1));
    await put('a.png', paddedPng(3000, 2));
    await soon(() => shown(house)).toEqual(paddedPng(3000, 2));
    await soon(() => problems(house)).toEqual([]);
  });

  it('takes no file that changes while it is copied', async () => {
    await put('a.png', paddedPng(400_000, 1));
    let reads = 0;
    const disk: Disk = {
      ...realDisk,
      async openToRead(path) {
        const file = await realDisk.openToRead(path);
        if (!path.startsWith(folder)) return file;
        return {
          ...file,
          async read(at, length) {
            reads += 1;
            // The second half comes from another picture.
            if (reads === 2) await put('a.png', paddedPng(400_000, 2));
            return file.read(at, length);
          },
        };
      },
    };
    const house = await openHouse({ disk });
    const seen: Array<Buffer | null> = [];
    await soon(async () => {
      seen.push(await shown(house));
      return seen.at(-1);
    }).not.toBeNull();
    expect(reads).toBeGreaterThan(2);
    expect(seen.find((content) => content !== null)?.equals(paddedPng(400_000, 2))).toBe(true);
  });

  it('keeps a removed file while it plays, however little room there is', async () => {
    await put('a.png', paddedPng(6000, 1));
    const house = await openHouse({ cached: { quotaBytes: 10_000 } });
    await soon(() => names(house)).toEqual(['a.png']);
    const playing = await house.cache.verified(house.folder.next()?.url ?? '');
    house.cache.inUse([], [playing?.sha256 ?? '']);
    await rm(join(folder, 'a.png'));
    await soon(() => names(house)).toEqual([]);
    await put('b.png', paddedPng(6000, 2));
    await soon(() => problems(house)).toEqual(['b.png: no-room']);
    expect(playing && (await readFile(house.cache.pathOf(playing)))).toEqual(paddedPng(6000, 1));
    house.cache.inUse([], []);
    await soon(() => shown(house)).toEqual(paddedPng(6000, 2));
  });

  it.each<[string, string, Buffer, string]>([
    ['a page', 'a.mp4', Buffer.from('<html></html>'), 'not-media'],
    ['nothing', 'a.png', Buffer.alloc(0), 'not-media'],
    ['a picture without a size', 'a.png', sizelessPng(5000), 'undecodable'],
    ['more than there is room for', 'a.png', paddedPng(20_000), 'no-room'],
  ])('leaves out %s, and says so', async (_case, name, content, code) => {
    await put(name, content);
    await put('good.png', paddedPng(600));
    const house = await openHouse({ cached: { quotaBytes: 10_000 } });
    await soon(() => names(house)).toEqual(['good.png']);
    await soon(() => problems(house)).toEqual([`${name}: ${code}`]);
  });

  it('takes a file that is larger than one of an ad may be', async () => {
    await put('film.png', paddedPng(20_000));
    const house = await openHouse({ cached: { maxFileBytes: 10_000 } });
    await soon(() => names(house)).toEqual(['film.png']);
    expect(await shown(house)).toEqual(paddedPng(20_000));
  });

  it('holds up no download, and no end, when its disk does not answer any more', async () => {
    await put('a.png', paddedPng(1000, 1));
    await put('b.png', paddedPng(1000, 2));
    let stuck = 0;
    const never = () => new Promise<never>(() => {});
    const disk: Disk = {
      ...realDisk,
      list: (path) => (stuck > 0 ? never() : realDisk.list(path)),
      stamp: (path) => (stuck > 0 ? never() : realDisk.stamp(path)),
      openToRead() {
        stuck += 1;
        return never();
      },
    };
    const fetchFile = fetchHouseFile(folder, disk);
    const house = await openHouse({
      disk,
      cached: {
        fetch: async (url, init) =>
          fetchFile(url, init) ??
          new Response(new Uint8Array(paddedPng(400)), {
            headers: { 'content-length': '400' },
          }),
      },
    });
    await soon(() => stuck).toBe(2);
    house.cache.want('online', [{ url: 'https://ads.example/400' }]);
    await soon(() => house.cache.lookup('https://ads.example/400')).not.toBeNull();
    await close(house);
  });

  it('says nothing of the files that Windows and macOS leave in every folder', async () => {
    for (const name of ['Thumbs.db', 'ehthumbs.db', 'Desktop.ini', '.DS_Store', '._a.jpg'])
      await put(name, 'not a picture');
    await put('b.txt', 'not a picture');
    const house = await openHouse();
    await soon(() => problems(house)).toEqual(['b.txt: not-media']);
  });

  it('takes pages too, by their names', async () => {
    await put('a.html', '<!doctype html><html><body>Hello</body></html>');
    const house = await openHouse();
    await soon(() => house.folder.next()?.type).toBe('text/html');
  });

  it('takes no more than the cache has room for', async () => {
    await put('a.png', paddedPng(6000));
    await put('b.png', paddedPng(6000));
    const house = await openHouse({ cached: { quotaBytes: 10_000 } });
    await soon(() => problems(house)).toEqual(['b.png: no-room']);
    await soon(() => names(house)).toEqual(['a.png']);
  });

  it('does not retry a file endlessly when an ad has no room either', async () => {
    const tries: string[] = [];
    const house = await openHouse({
      cached: {
        quotaBytes: 10_000,
        async fetch(url, init) {
          tries.push(url);
          const file = fetchHouseFile(folder, realDisk)(url, init);
          if (file !== null) return file;
          const bytes = Number(new URL(url).pathname.slice(1));
          return new Response(new Uint8Array(paddedPng(bytes)), {
            headers: { 'content-length': `${bytes}` },
          });
        },
      },
    });
    house.cache.want('playlist', [{ url: 'https://ads.example/5000' }]);
    await soon(() => house.cache.lookup('https://ads.example/5000')).not.toBeNull();
    await put('a.png', paddedPng(3000));
    await soon(() => names(house)).toEqual(['a.png']);
    house.cache.want('playlist', [{ url: 'https://ads.example/5000' }, { url: 'https://ads.example/9000' }]);
    await soon(() => problems(house)).toEqual(['undefined: no-room']);
    await put('b.png', paddedPng(4000));
    await soon(() => problems(house)).toContain('b.png: no-room');
    await time.advance(1_000);
    // Meanwhile the download line runs many times.
    for (let turn = 0; turn < 5; turn += 1) house.cache.want('online', [{ url: 'https://ads.example/400' }]);
    await soon(() => house.cache.lookup('https://ads.example/400')).not.toBeNull();
    expect(tries.filter((url) => parseHouseUrl(url)?.name === 'b.png')).toHaveLength(1);
  });

  it('leaves out a file for a while after the screen could not show it', async () => {
    await put('a.png', paddedPng(600));
    await put('b.png', paddedPng(700));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.png', 'b.png']);
    while (house.folder.next()?.name !== 'b.png');
    const struckFile = house.folder.next();
    if (!struckFile) throw new Error('it is not there');
    await house.cache.verified(struckFile.url);
    house.cache.strike(struckFile.url, struckFile.sha256, 'decode-failed');
    expect([struckFile.name, ...rounds(house, 2)]).toEqual(['a.png', 'b.png', 'b.png']);
    expect(problems(house)).toEqual(['a.png: not-shown']);
    await time.advance(30_000);
    expect(rounds(house, 2)).toEqual(['a.png', 'b.png']);
  });
});
