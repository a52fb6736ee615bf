import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { openPlaces, type Place } from './proof-places';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-places-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'places.json');
const place = (storeId: string): Place => ({
  playerId: `player of ${storeId}`,
  store: { storeId, zone: null, screenId: null, labels: { aisle: '4' } },
});
const stored = () => JSON.parse(readFileSync(file(), 'utf8'));
const time = handTurnedTime();

/** A run of the kiosk in a store. */
async function start(storeId: string, lastPlayAt: number | null, environment = 'books') {
  const books = Promise.resolve({ environment, lastPlayAt });
  const { schedule } = time;
  const places = await openPlaces({
    path: file(),
    present: place(storeId),
    books,
    schedule,
    log: silentLog,
  });
  const storeOf = (at: number, of = environment) => places.of({ environment: of, at }).store.storeId;
  return { ...places, storeOf };
}

/** The same; resolves with the store of a play at a time. */
const run = async (...how: Parameters<typeof start>) => (await start(...how)).storeOf;

describe('the place of a play', () => {
  it('is the one where the kiosk stood when it played', async () => {
    const storeIn = async (storeId: string, lastPlayAt: number | null, ...times: number[]) => {
      const storeOf = await run(storeId, lastPlayAt);
      return times.map((at) => storeOf(at));
    };
    expect(await storeIn('a', null, 10)).toEqual(['a']);
    expect(await storeIn('a', 20, 10, 30)).toEqual(['a', 'a']);
    expect(await storeIn('b', 30, 10, 30, 31)).toEqual(['a', 'a', 'b']);
    expect(await storeIn('b', 40, 30, 31, 41)).toEqual(['a', 'b', 'b']);
    expect(await storeIn('c', 40, 30, 40, 41)).toEqual(['a', 'b', 'c']);
    expect(await storeIn('a', 50, 30, 40, 50, 51)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('is not known where the books do not open, however early they fail', async () => {
    const books = Promise.reject(new Error('the disk is full'));
    const parts = { path: file(), present: place('a'), schedule: time.schedule, log: silentLog };
    await expect(openPlaces({ ...parts, books })).rejects.toThrow('the disk is full');
  });

  it('is that of the books of its player, where the kiosk got another one', async () => {
    await run('a', null, 'player 1');
    const storeOf = await run('b', null, 'player 2');
    expect([storeOf(10, 'player 1'), storeOf(10, 'player 2')]).toEqual(['a', 'b']);
    const storeLater = await run('c', 20, 'player 1');
    expect([storeLater(20, 'player 1'), storeLater(21, 'player 1'), storeLater(21, 'player 2')]).toEqual([
      'a',
      'c',
      'b',
    ]);
  });

  it('is not one where nothing played', async () => {
    for (const store of ['nowhere', 'a']) await run(store, null);
    await run('b', 30);
    const storeOf = await run('c', 30);
    expect([storeOf(30), storeOf(31)]).toEqual(['a', 'c']);
    expect(stored().places).toHaveLength(2);
  });

  it('is the present one where nothing was known of it', async () => {
    const storeOf = await run('a', 30);
    expect([storeOf(10), storeOf(10, 'other books')]).toEqual(['a', 'a']);
  });

  it('is forgotten after fifty others', async () => {
    for (let change = 0; change < 60; change += 1) await run(`store ${change}`, change * 10);
    const storeOf = await run('now', 600);
    expect(stored().places).toHaveLength(50);
    expect([storeOf(600), storeOf(601)]).toEqual(['store 59', 'now']);
  });

  it('is the present one if the file is broken, which is replaced', async () => {
    writeFileSync(file(), 'broken');
    expect((await run('a', 30))(10)).toBe('a');
    expect(stored()).toMatchObject({ places: [place('a')] });
  });

  it('stays the same if the first trusted time moves plays of the run before, too', async () => {
    const hour = 3_600_000;
    await run('a', null);
    // The clock was a day ahead in both stores: the first plays in b are later than all in a.
    const kiosk = await start('b', 25 * hour);
    expect([kiosk.storeOf(25 * hour), kiosk.storeOf(25 * hour + 1)]).toEqual(['a', 'b']);
    await kiosk.playsMoved({ after: 2 * hour, by: -24 * hour });
    const times = [hour, hour + 1, 3 * hour, 25 * hour];
    expect(times.map((at) => kiosk.storeOf(at))).toEqual(['a', 'b', 'b', 'b']);
    const storeOf = await run('b', 3 * hour);
    expect(times.map((at) => storeOf(at))).toEqual(['a', 'b', 'b', 'b']);
    const storeLater = await run('c', 3 * hour);
    expect(times.map((at) => storeLater(at))).toEqual(['a', 'b', 'b', 'c']);
  });

  it.each([
    ['that move', 100, 300],
    ['a move of later plays', 500, 500],
  ])('stays the same if the file could not be read until after %s', async (_move, after, until) => {
    await run('a', null);
    renameSync(file(), `${file()}.good`);
    // A link to itself: reading fails, as from a bad disk.
    symlinkSync(file(), file());
    const kiosk = await start('b', 500);
    await kiosk.playsMoved({ after, by: -200 });
    await expect.poll(() => time.waits()).toHaveLength(1);
    renameSync(`${file()}.good`, file());
    time.pass(600_000);
    await expect.poll(() => stored().places).toHaveLength(2);
    const storeOf = await run('b', 600);
    expect([storeOf(until), storeOf(until + 1)]).toEqual(['a', 'b']);
  });

  it('is not moved with plays that are right, nor with those of other books', async () => {
    await run('a', null);
    await run('b', null, 'other books');
    await run('c', 500, 'other books');
    const kiosk = await start('b', 30);
    await kiosk.playsMoved({ after: 30, by: -20 });
    expect([kiosk.storeOf(30), kiosk.storeOf(31)]).toEqual(['a', 'b']);
    expect([kiosk.storeOf(500, 'other books'), kiosk.storeOf(501, 'other books')]).toEqual(['b', 'c']);
  });

  it('is stored later where the disk does not take it at first', async () => {
    await run('a', null);
    mkdirSync(`${file()}.tmp`);
    expect((await run('b', 30))(31)).toBe('b');
    await expect.poll(() => time.waits()).toHaveLength(1);
    rmdirSync(`${file()}.tmp`);
    time.pass(600_000);
    await expect.poll(() => stored().places).toHaveLength(2);
    const storeOf = await run('b', 40);
    expect([storeOf(30), storeOf(31)]).toEqual(['a', 'b']);
  });
});
