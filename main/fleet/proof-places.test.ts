import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
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
/** A run of the kiosk in a store; resolves with the store of a play at a time. */
async function run(storeId: string, lastPlayAt: number | null, environment = 'books') {
  const placeOf = await openPlaces(file(), place(storeId), { environment, lastPlayAt }, silentLog);
  return (at: number, of = environment) => placeOf({ environment: of, at }).store.storeId;
}

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
    await run('a', null);
    await run('b', 30);
    const storeOf = await run('c', 30);
    expect([storeOf(30), storeOf(31)]).toEqual(['a', 'c']);
  });

  it('is the present one where nothing was known of it', async () => {
    const storeOf = await run('a', 30);
    expect([storeOf(10), storeOf(10, 'other books')]).toEqual(['a', 'a']);
  });

  it('is forgotten after fifty others', async () => {
    for (let change = 0; change < 60; change += 1) await run(`store ${change}`, change * 10);
    const storeOf = await run('now', 600);
    expect(JSON.parse(readFileSync(file(), 'utf8')).places).toHaveLength(50);
    expect([storeOf(600), storeOf(601)]).toEqual(['store 59', 'now']);
  });

  it('is the present one if the file is broken, which is replaced', async () => {
    writeFileSync(file(), 'broken');
    expect((await run('a', 30))(10)).toBe('a');
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ places: [place('a')] });
  });
});
