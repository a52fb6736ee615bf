import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Disk, realDisk } from './disk';
import { fetchHouseFile, houseUrl, parseHouseUrl } from './house-file';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-house-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

const stampOf = async (name: string) => {
  const stamp = await realDisk.stamp(join(folder, name));
  if (!stamp) throw new Error(`there is no ${name}`);
  return stamp;
};
const fetchFile = (url: string, signal: AbortSignal | null = null) =>
  fetchHouseFile(folder, realDisk)(url, { signal });

describe('the address of a house file', () => {
  const stamps = fc.record({
    bytes: fc.nat(),
    modifiedMs: fc.double({ min: 0, max: 1e13, noNaN: true }).map((ms) => Math.round(ms * 1e3) / 1e3),
    inode: fc.nat(),
  });

  it('names its file and version, and nothing outside the folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), stamps, (name, stamp) => {
        const isName = name !== '' && name !== '.' && name !== '..' && basename(name) === name;
        expect(parseHouseUrl(houseUrl(name, stamp))).toEqual(isName ? { name, stamp } : null);
      }),
    );
  });

  it.each([
    'house:..%2Fsecret?1&2&3',
    'house:%2Fetc%2Fpasswd?1&2&3',
    'house:..?1&2&3',
    'house:.?1&2&3',
    'house:%?1&2&3',
    'house:a.png',
    'https://ads.example/house:a.png?1&2&3',
  ])('is not %s', (url) => {
    expect(parseHouseUrl(url)).toBeNull();
    expect(fetchFile(url)).toBeNull();
  });
});

describe('a house file', () => {
  it('is read unchanged, with its length', async () => {
    const content = Buffer.alloc(600_000, 'picture');
    await writeFile(join(folder, 'a b.png'), content);
    const response = fetchFile(houseUrl('a b.png', await stampOf('a b.png')));
    expect(response?.headers.get('content-length')).toBe('600000');
    expect(content.equals(Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(true);
  });

  it('is refused if its version has changed', async () => {
    await writeFile(join(folder, 'c.png'), 'one');
    const url = houseUrl('c.png', await stampOf('c.png'));
    await utimes(join(folder, 'c.png'), 1, 1);
    await expect(fetchFile(url)?.arrayBuffer()).rejects.toThrow('changed while it was copied');
  });

  it('is cancelled when it is not wanted any more, even if the disk does not answer', async () => {
    await writeFile(join(folder, 'd.png'), 'content');
    const file = stuckFile();
    const ending = new AbortController();
    const coming = file.fetch('d.png', ending.signal);
    await expect.poll(() => file.asked()).toBe(1);
    ending.abort();
    await expect(coming).rejects.toThrow();
  });

  it('is not read while the disk has not answered a read that was given up', async () => {
    await writeFile(join(folder, 'e.png'), 'content');
    const file = stuckFile();
    for (let tries = 0; tries < 3; tries += 1) {
      const ending = new AbortController();
      const coming = file.fetch('e.png', ending.signal);
      await expect.poll(() => file.asked()).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      ending.abort();
      await expect(coming).rejects.toThrow();
    }
    expect([file.asked(), file.closed()]).toEqual([1, 0]);
    const next = file.fetch('e.png', new AbortController().signal);
    file.answer();
    expect(Buffer.from(await next).toString()).toBe('content');
    expect([file.asked(), file.closed()]).toEqual([2, 2]);
  });
});

it('nothing is kept of a read that was given up', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const ends: WeakRef<Error>[] = [];
  const disk: Pick<Disk, 'stamp' | 'openToRead'> = {
    ...realDisk,
    openToRead: async () => ({
      length: 9,
      read: async () => new Uint8Array(1),
      async close() {
        const end = new Error('the disk is gone');
        ends.push(new WeakRef(end));
        throw end;
      },
    }),
  };
  const fetchFailing = fetchHouseFile(folder, disk);
  for (let reads = 1; reads <= 3; reads += 1) {
    const ending = new AbortController();
    const url = houseUrl('f.png', { bytes: 9, modifiedMs: 1, inode: 1 });
    const reader = fetchFailing(url, { signal: ending.signal })?.body?.getReader();
    await reader?.read();
    ending.abort();
    await expect.poll(() => ends.length).toBe(reads);
  }
  await expect
    .poll(() => {
      collectGarbage();
      return ends.slice(0, 2).filter((end) => end.deref()).length;
    })
    .toBe(0);
});

/** A house file on a disk that does not answer until `answer`. */
function stuckFile() {
  let asked = 0;
  let closed = 0;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const disk: Pick<Disk, 'stamp' | 'openToRead'> = {
    ...realDisk,
    async openToRead(path) {
      asked += 1;
      await answered;
      const file = await realDisk.openToRead(path);
      return {
        ...file,
        close() {
          closed += 1;
          return file.close();
        },
      };
    },
  };
  const fetchStuck = fetchHouseFile(folder, disk);
  return {
    fetch: async (name: string, signal: AbortSignal) =>
      (await fetchStuck(houseUrl(name, await stampOf(name)), { signal })?.arrayBuffer()) ??
      Promise.reject(new Error('not of the house')),
    asked: () => asked,
    closed: () => closed,
    answer,
  };
}
