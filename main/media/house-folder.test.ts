import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { readInPlace } from '../reading/reading';
import { type HandTurnedTime, handTurnedTime } from '../service/testing/hand-turned-time';
import { realDisk } from './disk';
import { createHouseFolder, type HouseFolder, type HouseFolderOptions } from './house-folder';
import { paddedPng, sizelessPng } from './testing/padded-png';
import { replaceInSecret } from './testing/replace-in-secret';

const samples = join(__dirname, 'samples');
let base: string;
let folder: string;
let time: HandTurnedTime;
let touched: () => void;
const open: HouseFolder[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'endcap-house-'));
  folder = join(base, 'house');
  await mkdir(folder);
  time = handTurnedTime();
});
afterEach(async () => {
  for (const house of open.splice(0)) await house.close();
  await rm(base, { recursive: true, force: true });
});

async function openHouse(overrides: Partial<HouseFolderOptions> = {}): Promise<HouseFolder> {
  const house = createHouseFolder({
    folder,
    copies: join(base, 'copies'),
    minFreeBytes: 0,
    clock: time.clock,
    schedule: time.schedule,
    log: silentLog,
    reading: readInPlace,
    watch: (_folder, changed) => {
      touched = changed;
      return () => {};
    },
    ...overrides,
  });
  open.push(house);
  await house.open();
  return house;
}

const put = async (name: string, content: Buffer | string) => writeFile(join(folder, name), content);
const putSample = async (name: string, sample: string) => put(name, await readFile(join(samples, sample)));
const names = (house: HouseFolder) => house.files().map(({ name }) => name);
const problems = (house: HouseFolder) => house.problems().map(({ name, code }) => `${name}: ${code}`);
/** Lets seconds go by until it holds. */
const soon = <T>(look: () => T) =>
  expect.poll(
    async () => {
      await time.advance(1_000);
      return look();
    },
    { interval: 5, timeout: 15_000 },
  );
const rounds = (house: HouseFolder, count: number) => Array.from({ length: count }, () => house.next()?.name);

describe('the house folder', () => {
  it('offers its pictures and videos round and round, in the order of their names', async () => {
    await putSample('10-clip.webm', 'clip.webm');
    await putSample('2-poster.jpg', 'picture.jpg');
    await putSample('1-film.bin', 'index-last.mp4');
    await put('.hidden.png', paddedPng(500));
    await mkdir(join(folder, 'sub.png'));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['1-film.bin', '2-poster.jpg', '10-clip.webm']);
    expect(rounds(house, 4)).toEqual(['1-film.bin', '2-poster.jpg', '10-clip.webm', '1-film.bin']);
    const film = house.files()[0];
    expect(film).toMatchObject({ type: 'video/mp4', key: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(film && (await house.verified(film.key))).toBe(true);
    expect(film && (await readFile(house.pathOf(film)))).toEqual(
      await readFile(join(samples, 'index-last.mp4')),
    );
    expect(house.problems()).toEqual([]);
  });

  it('shows the same from the copies after a restart, also when the folder is away', async () => {
    await putSample('a.jpg', 'picture.jpg');
    const first = await openHouse();
    await soon(() => names(first)).toEqual(['a.jpg']);
    await first.close();
    await rename(folder, `${folder}-away`);
    const second = await openHouse();
    expect(second.next()?.name).toBe('a.jpg');
    await soon(() => problems(second)).toEqual(['null: folder-gone']);
    expect(second.next()?.name).toBe('a.jpg');
    await rename(`${folder}-away`, folder);
    await soon(() => problems(second)).toEqual([]);
    expect(second.next()?.name).toBe('a.jpg');
  });

  it('follows what is added, replaced and removed', async () => {
    await put('a.png', paddedPng(1000, 1));
    const house = await openHouse();
    let changes = 0;
    house.onChange(() => {
      changes += 1;
    });
    await soon(() => names(house)).toEqual(['a.png']);
    await put('b.png', paddedPng(1000, 2));
    touched();
    await soon(() => names(house)).toEqual(['a.png', 'b.png']);
    const old = house.files()[0]?.key;
    await put('a.png', paddedPng(2000, 3));
    await soon(() => house.files()[0]?.bytes).toBe(2000);
    expect(house.files()[0]?.key).not.toBe(old);
    await rm(join(folder, 'b.png'));
    await soon(() => names(house)).toEqual(['a.png']);
    await expect.poll(() => changes).toBe(4);
    await expect
      .poll(async () => (await readdir(join(base, 'copies'))).filter((name) => name.endsWith('.bin')).length)
      .toBe(1);
  });

  it('waits for a file until it holds still, and shows the last good one meanwhile', async () => {
    await put('a.png', paddedPng(1000, 1));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.png']);
    const [good] = house.files();
    await put('a.png', sizelessPng(3000));
    await soon(() => problems(house)).toEqual(['a.png: undecodable']);
    expect(house.files()).toEqual([good]);
    expect(good && (await house.verified(good.key))).toBe(true);
    await put('a.png', paddedPng(3000, 2));
    await soon(() => house.files()[0]?.bytes).toBe(3000);
    expect(house.problems()).toEqual([]);
  });

  it('keeps what plays on its way out', async () => {
    await putSample('a.jpg', 'picture.jpg');
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.jpg']);
    const playing = house.next();
    house.inUse(playing ? [playing.key] : []);
    await rm(join(folder, 'a.jpg'));
    await soon(() => names(house)).toEqual([]);
    expect(house.next()).toBeNull();
    // By the time the next look has brought something, the one before is over, clearing up included.
    await put('a.jpg', paddedPng(900));
    await soon(() => house.files().map(({ bytes }) => bytes)).toEqual([900]);
    expect(playing && house.byKey(playing.key)).toEqual(playing);
    expect(playing && (await house.verified(playing.key))).toBe(true);
    house.inUse([]);
    expect(playing && house.byKey(playing.key)).toBeNull();
  });

  it.each<[string, string, Buffer, string]>([
    ['a page', 'a.mp4', Buffer.from('<html></html>'), 'not-media'],
    ['nothing', 'a.png', Buffer.alloc(0), 'not-media'],
    ['a picture without a size', 'a.png', sizelessPng(5000), 'undecodable'],
    ['more than it takes', 'a.png', paddedPng(20_000), 'too-large'],
  ])('leaves out %s, and says so', async (_case, name, content, code) => {
    await put(name, content);
    await put('good.png', paddedPng(600));
    const house = await openHouse({ maxFileBytes: 10_000 });
    await soon(() => names(house)).toEqual(['good.png']);
    expect(problems(house)).toEqual([`${name}: ${code}`]);
  });

  it('takes no more than its share of the disk', async () => {
    await put('a.png', paddedPng(6000));
    await put('b.png', paddedPng(6000));
    const house = await openHouse({ maxBytes: 10_000 });
    await soon(() => names(house)).toEqual(['a.png']);
    expect(problems(house)).toEqual(['b.png: no-room']);
    const tight = await openHouse({
      copies: join(base, 'others'),
      disk: { ...realDisk, freeBytes: async () => 6500 },
      minFreeBytes: 1000,
    });
    await soon(() => problems(tight)).toEqual(['a.png: no-room', 'b.png: no-room']);
  });

  it('leaves out for a while what the screen could not show', async () => {
    await put('a.png', paddedPng(600));
    await put('b.png', paddedPng(700));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.png', 'b.png']);
    const struckFile = house.next();
    if (struckFile) house.strike(struckFile.key, 'decode-failed');
    expect(rounds(house, 2)).toEqual(['b.png', 'b.png']);
    expect(problems(house)).toEqual(['a.png: struck']);
    await time.advance(30_000);
    expect(rounds(house, 2)).toEqual(['a.png', 'b.png']);
  });

  it('shows no copy that was cut while the kiosk was off', async () => {
    await put('a.png', paddedPng(1000, 1));
    await put('b.png', paddedPng(1200, 2));
    const first = await openHouse();
    await soon(() => names(first)).toEqual(['a.png', 'b.png']);
    const [a] = first.files();
    if (!a) throw new Error('it is not there');
    await first.close();
    await writeFile(first.pathOf(a), paddedPng(1000, 1).subarray(0, 500));
    await rename(folder, `${folder}-away`);
    const second = await openHouse();
    expect(names(second)).toEqual(['b.png']);
    await rename(`${folder}-away`, folder);
    await soon(() => names(second)).toEqual(['a.png', 'b.png']);
  });

  it('notices a copy that was changed, and makes it again', async () => {
    await put('a.png', paddedPng(600));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.png']);
    const file = house.next();
    if (file) await utimes(house.pathOf(file), 1, 1);
    expect(file && (await house.verified(file.key))).toBe(false);
    await soon(() => names(house)).toEqual(['a.png']);
    const again = house.next();
    expect(again && (await house.verified(again.key))).toBe(true);
  });

  it('shows no copy whose bytes were replaced under the same dates', async () => {
    await put('a.png', paddedPng(600, 1));
    const house = await openHouse();
    await soon(() => names(house)).toEqual(['a.png']);
    const file = house.next();
    if (!file) throw new Error('it is not there');
    await replaceInSecret(house.pathOf(file), paddedPng(600, 2));
    expect(await house.verified(file.key)).toBe(false);
    await soon(() => names(house)).toEqual(['a.png']);
    const again = house.next();
    expect(again && (await house.verified(again.key))).toBe(true);
  });

  it('shows a copy that only got other rights, and one that an older version noted', async () => {
    await put('a.png', paddedPng(600, 1));
    const first = await openHouse();
    await soon(() => names(first)).toEqual(['a.png']);
    const file = first.next();
    if (!file) throw new Error('it is not there');
    await chmod(first.pathOf(file), 0o640);
    expect(await first.verified(file.key)).toBe(true);
    await first.close();
    const list = (await readdir(join(base, 'copies'))).find((name) => name.endsWith('.json')) ?? '';
    const noted = await readFile(join(base, 'copies', list), 'utf8');
    expect(noted).toContain('changedMs');
    await writeFile(join(base, 'copies', list), noted.replace(/,"changedMs":[\d.]+/g, ''));
    await rename(folder, `${folder}-away`);
    const second = await openHouse();
    expect(await second.verified(file.key)).toBe(true);
    expect(names(second)).toEqual(['a.png']);
  });

  it('does without being told of changes', async () => {
    const house = await openHouse({
      watch: () => {
        throw new Error('not here');
      },
    });
    await put('a.png', paddedPng(600));
    await soon(() => names(house)).toEqual(['a.png']);
  });

  it('hears of changes from the real file system', async () => {
    let looked = 0;
    const house = createHouseFolder({
      folder,
      copies: join(base, 'copies'),
      minFreeBytes: 0,
      clock: time.clock,
      // Of all that is scheduled, count what a change brings.
      schedule: (ms, run) => {
        if (ms === 500) looked += 1;
        return time.schedule(ms, run);
      },
      log: silentLog,
      reading: readInPlace,
    });
    open.push(house);
    await house.open();
    await time.settle();
    await expect
      .poll(
        async () => {
          await put('a.png', paddedPng(600 + looked));
          return looked;
        },
        { timeout: 15_000 },
      )
      .toBeGreaterThan(0);
  });
});
