import 'fake-indexeddb/auto';
import { Dexie } from 'dexie';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import { type Play, type Settlement, UNSEEN } from '../../shared/play';
import type { Answer } from '../../shared/rpc';
import { answerCalls, recordsCommandsOn } from './commands';
import { BooksConflict, openDatabase, type RecordsDatabase } from './database';
import { examplePlay } from './testing/example-play';

let database: RecordsDatabase;
let number = 0;

beforeEach(() => {
  number += 1;
  database = openDatabase(`endcap-test-${number}`);
});
afterEach(() => database.delete());

const at = Date.UTC(2026, 10, 20, 9, 30);

const play = (id: string, overrides: Partial<Play> = {}) =>
  examplePlay({ id, at, campaignId: null, ...UNSEEN, ...overrides });

function counters(total: number, overrides: Partial<FlightCounters> = {}): FlightCounters {
  return {
    flightId: 'flight-1',
    total,
    recent: Array.from({ length: total }, () => at),
    recentDroppedTo: null,
    hours: total === 0 ? [] : [Math.floor(at / 3_600_000)],
    hourPlays: total === 0 ? [] : [total],
    hoursDroppedTo: null,
    ...overrides,
  };
}

function ad(id: string): Ad {
  const metadata = { requestId: 'r', audience: null, campaignId: null, flightId: null, expiresAt: null };
  return {
    id,
    sequence: null,
    title: null,
    metadata: { ...metadata, frequencyCaps: [], source: null, sourceId: null },
    durationMs: null,
    mediaFiles: [],
    impressions: [],
    tracking: [],
    errors: [],
    clickThrough: null,
    clickTracking: [],
  };
}

const completed: Settlement = {
  outcome: 'completed',
  shownAt: at + 20,
  viewedMs: 8000,
  presentedFrames: 200,
  droppedFrames: 0,
  stalls: 0,
  endReason: 'ended',
};
const recency = { key: 'cms-1|flight-1|one', sequence: 1, at, adId: 'ad-1' };
const sourceMix = { credits: [{ sourceId: 'cms-1', credit: 0.5 }] };

describe('the schema', () => {
  it('is version 7 with these tables and keys; a change needs a new version', async () => {
    await database.open();
    expect(database.verno).toBe(7);
    expect(
      Object.fromEntries(database.tables.map((table) => [table.name, table.schema.primKey.src])),
    ).toEqual({
      environments: 'key',
      playlists: 'environment',
      playlistAds: '[environment+version+part]',
      plays: 'id',
      flights: '[environment+flightId]',
      recency: '[environment+key]',
      beacons: '++sequence',
      confirmations: '[instance+kind]',
      playBeacons: 'playId',
      outboxSize: 'key',
      hourTotals: '[environment+hour+origin]',
      sequences: 'epoch',
      sequenceEntries: '[epoch+seq]',
      segments: '[epoch+first]',
      segmentBodies: '[epoch+first]',
    });
    expect(
      Object.fromEntries(
        database.tables.map((table) => [table.name, table.schema.indexes.map(({ src }) => src)]),
      ),
    ).toEqual({
      environments: [],
      playlists: [],
      playlistAds: [],
      plays: ['at', '[environment+at]', '[environment+outcome]'],
      flights: [],
      recency: [],
      beacons: ['&id', '[state+host+dueAt]', '[state+expiresAt]', 'finishedAt', '[holder+expiresAt]'],
      confirmations: ['at'],
      playBeacons: ['at', 'pendingBytes'],
      outboxSize: [],
      hourTotals: [],
      sequences: [],
      sequenceEntries: ['playId'],
      segments: [],
      segmentBodies: [],
    });
  });

  it('migrates the plays of version 1', async () => {
    await database.delete();
    const old = new Dexie(database.name);
    old.version(1).stores({
      environments: '&key',
      playlists: '&environment',
      plays: '&id, at, [environment+at], [environment+outcome]',
      flights: '&[environment+flightId]',
      recency: '&[environment+key]',
    });
    await old.table('plays').add(play('a'));
    old.close();
    database = openDatabase(old.name);
    const commands = recordsCommandsOn(database);
    expect(await database.plays.toArray()).toEqual([play('a')]);
    expect(await commands.openOutbox({ now: at, stillSending: [] })).toEqual({
      pending: 0,
      interrupted: 0,
    });
  });
});

describe('the playlist', () => {
  it('of version 3, in one row, is migrated', async () => {
    await database.delete();
    const old = new Dexie(database.name);
    old.version(3).stores({ environments: '&key', playlists: '&environment' });
    const ads = [ad('a'), ad('b')];
    const rest = { receivedAt: at, etag: '"1"', lastModified: null };
    await old.table('playlists').add({ environment: 'store', ads, ...rest });
    old.close();
    database = openDatabase(old.name);
    const books = await recordsCommandsOn(database).openBooks({ environment: 'store', stillOpen: [] });
    expect(books.playlist).toEqual({ ads, ...rest });
  });

  it('stays the stored one if a part of the next is missing', async () => {
    const commands = recordsCommandsOn(database);
    const row = { environment: 'store', receivedAt: at, etag: null, lastModified: null };
    await commands.storeAds({ environment: 'store', version: 'old', part: 0, ads: [ad('a')] });
    await commands.storePlaylist({ ...row, version: 'old', parts: 1 });
    await commands.storeAds({ environment: 'store', version: 'new', part: 1, ads: [ad('b')] });
    await expect(commands.storePlaylist({ ...row, version: 'new', parts: 2 })).rejects.toThrow(BooksConflict);
    const { playlist } = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(playlist?.ads.map(({ id }) => id)).toEqual(['a']);
  });

  it('takes the place of all others of its environment, whatever their versions are', async () => {
    const commands = recordsCommandsOn(database);
    for (const version of ['a', 'b', 'bb', 'c'])
      await commands.storeAds({ environment: 'store', version, part: 0, ads: [ad(version)] });
    await commands.storeAds({ environment: 'another store', version: 'a', part: 0, ads: [] });
    const row = { environment: 'store', receivedAt: at, etag: null, lastModified: null };
    await commands.storePlaylist({ ...row, version: 'b', parts: 1 });
    const kept = await database.playlistAds.toArray();
    expect(kept.map(({ environment, version }) => [environment, version])).toEqual([
      ['another store', 'a'],
      ['store', 'b'],
    ]);
  });
});

describe('the books', () => {
  it('are empty for a new environment', async () => {
    const books = await recordsCommandsOn(database).openBooks({ environment: 'store', stillOpen: [] });
    expect(books).toEqual({
      playlist: null,
      flights: [],
      recency: [],
      sourceMix: null,
      lastPlayAt: null,
      playCount: 0,
      unsettled: 0,
    });
  });

  it('store a reservation in one transaction', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    await commands.settlePlay({
      id: 'a',
      settlement: completed,
      flight: null,
      recency: null,
      sourceMix: null,
    });
    const books = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(books).toMatchObject({
      flights: [counters(1)],
      recency: [recency],
      sourceMix,
      lastPlayAt: at,
      playCount: 1,
      unsettled: 0,
    });
  });

  it('are opened without their lists where main knows these', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    await commands.storeAds({ environment: 'store', version: 'v', part: 0, ads: [ad('a')] });
    const row = { environment: 'store', receivedAt: at, etag: null, lastModified: null };
    await commands.storePlaylist({ ...row, version: 'v', parts: 1 });
    const opening = { environment: 'store', stillOpen: ['a'] };
    const books = await commands.openBooks(opening);
    const lists = { playlist: null, hasPlaylist: undefined, flights: [], recency: [] };
    expect(await commands.openBooks({ ...opening, countsOnly: true })).toEqual({ ...books, ...lists });
  });

  it('belong to one environment (rule 26)', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    await commands.storeAds({ environment: 'store', version: 'v', part: 0, ads: [ad('a')] });
    const row = { environment: 'store', receivedAt: at, etag: null, lastModified: null };
    await commands.storePlaylist({ ...row, version: 'v', parts: 1 });
    const other = await commands.openBooks({ environment: 'another store', stillOpen: [] });
    const own = await commands.openBooks({ environment: 'store', stillOpen: ['a'] });
    expect(own.playlist?.ads.map(({ id }) => id)).toEqual(['a']);
    expect(other).toMatchObject({
      playlist: null,
      flights: [],
      recency: [],
      sourceMix: null,
      playCount: 0,
      lastPlayAt: null,
    });
    const everywhere = { environment: null, from: 0, to: at + 1, after: null, limit: 10 };
    const exported = await commands.provePlays({ ...everywhere, order: 'oldest-first' });
    expect(exported.plays.map((row) => row.play.id)).toEqual(['a']);
  });

  it('count an unsettled reservation as unknown, once (rule 8)', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    expect((await commands.openBooks({ environment: 'store', stillOpen: [] })).unsettled).toBe(1);
    const [found] = await database.plays.toArray();
    expect(found).toMatchObject({ outcome: 'unknown', endReason: 'process-ended' });
    const again = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(again).toMatchObject({ unsettled: 0, flights: [counters(1)] });
  });

  it('do not change a play that is still on the screen when the window returns', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    await commands.reservePlay({ play: play('b'), flight: counters(2), recency, sourceMix });
    expect((await commands.openBooks({ environment: 'store', stillOpen: ['b'] })).unsettled).toBe(1);
    const unchanged = { flight: null, recency: null, sourceMix: null };
    expect(await commands.settlePlay({ id: 'b', settlement: completed, ...unchanged })).toMatchObject({
      seq: 2,
    });
  });

  it('run a reservation before all waiting commands', async () => {
    const commands = recordsCommandsOn(database);
    await commands.openBooks({ environment: 'store', stillOpen: [] });
    const stored: string[] = [];
    const note = (name: string) => () => stored.push(name);
    const recencyOf = (keys: string[]) => commands.forgetRecency({ environment: 'store', keys });
    await Promise.all([
      recencyOf(['1']).then(note('under way')),
      recencyOf(['2']).then(note('waiting')),
      recencyOf(['3']).then(note('waiting')),
      commands
        .reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix })
        .then(note('reservation')),
    ]);
    expect(stored.slice(0, 2)).toContain('reservation');
  });

  it('restore the data of a snapshot', async () => {
    const commands = recordsCommandsOn(database);
    await commands.keepPart({ id: 'snapshot', part: 0, flights: [counters(3)], recency: [recency] });
    await commands.restoreBooks({ environment: 'store', id: 'snapshot', parts: 1, sourceMix });
    const books = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(books).toMatchObject({ flights: [counters(3)], recency: [recency], sourceMix, playCount: 0 });
  });

  it('list the newest plays first', async () => {
    const commands = recordsCommandsOn(database);
    for (const [id, when] of [
      ['a', at],
      ['b', at + 2],
      ['c', at + 1],
    ] as const) {
      await commands.reservePlay({
        play: play(id, { at: when, flightId: id }),
        flight: null,
        recency: null,
        sourceMix: null,
      });
    }
    const newest = { environment: 'store', after: null, order: 'newest-first', limit: 2 } as const;
    const { plays } = await commands.countedPlays(newest);
    expect(plays.map(({ flightId }) => flightId)).toEqual(['b', 'c']);
  });

  it('change nothing when a play is reserved twice', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    await expect(
      commands.reservePlay({ play: play('a'), flight: counters(2), recency, sourceMix }),
    ).rejects.toThrow(BooksConflict);
    expect((await commands.openBooks({ environment: 'store', stillOpen: [] })).flights).toEqual([
      counters(1),
    ]);
  });

  it('are as before the play if it becomes void', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    await commands.settlePlay({
      id: 'a',
      settlement: { ...completed, outcome: 'given-back', shownAt: null, viewedMs: 0, endReason: 'stopped' },
      flight: counters(0),
      recency: null,
      sourceMix: { credits: [] },
    });
    const books = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(books).toMatchObject({ flights: [counters(0)], sourceMix: { credits: [] } });
  });

  it('store the duration of a play that was reserved before it was known', async () => {
    const commands = recordsCommandsOn(database);
    const unchanged = { flight: null, recency: null, sourceMix: null };
    for (const id of ['a', 'b'])
      await commands.reservePlay({
        play: { ...play(id), durationMs: null },
        flight: null,
        recency,
        sourceMix,
      });
    await commands.settlePlay({ id: 'a', settlement: { ...completed, durationMs: 8_000 }, ...unchanged });
    // As older versions settled it; their journal may be read again.
    await commands.settlePlay({ id: 'b', settlement: completed, ...unchanged });
    const lengths = (await database.plays.toArray()).map(({ id, durationMs }) => [id, durationMs]);
    expect(lengths).toEqual([
      ['a', 8_000],
      ['b', null],
    ]);
  });

  it('settle a play once; a second settlement changes nothing', async () => {
    const commands = recordsCommandsOn(database);
    const unchanged = { flight: null, recency: null, sourceMix: null };
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    expect(await commands.settlePlay({ id: 'a', settlement: completed, ...unchanged })).toMatchObject({
      seq: 1,
    });
    const late: Settlement = { ...completed, outcome: 'given-back' };
    expect(
      await commands.settlePlay({ id: 'a', settlement: late, ...unchanged, flight: counters(0) }),
    ).toBeNull();
    expect((await commands.openBooks({ environment: 'store', stillOpen: [] })).flights).toEqual([
      counters(1),
    ]);
  });

  it.each([2 * 86_400_000, -86_400_000])(
    'move the plays since the last correct time by %i ms, once',
    async (by) => {
      const commands = recordsCommandsOn(database);
      for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) {
        const when = at + index * 60_000;
        await commands.reservePlay({
          play: play(id, { at: when, shownAt: id === 'd' ? null : when + 16 }),
          flight: counters(index + 1),
          recency,
          sourceMix,
        });
      }
      const move = { environment: 'store', parts: 1, id: 'move-1', after: at + 60_000, by, ranMs: 5_000 };
      const entry = { ...recency, at: at + 7 };
      await commands.keepPart({ id: 'move-1', part: 0, flights: [counters(4)], recency: [entry] });
      await commands.movePlays(move);
      // The answer was lost with its window, so the move is sent again to the next one.
      await commands.movePlays(move);
      const rows = await database.plays.orderBy('id').toArray();
      expect(rows.map((row) => row.at - at)).toEqual([0, 60_000, 120_000 + by, 180_000 + by]);
      expect(rows.map((row) => row.shownAt && row.shownAt - row.at)).toEqual([16, 16, 16, null]);
      const books = await commands.openBooks({ environment: 'store', stillOpen: [] });
      expect(books).toMatchObject({ flights: [counters(4)], recency: [{ at: at + 7 }], ranMs: 5_000 });
      await commands.movePlays({ ...move, id: 'move-2', parts: 0 });
      expect((await database.plays.get('d'))?.at).toBe(by > 0 ? at + 180_000 + 2 * by : at + 180_000 + by);
    },
  );

  it.each([2 * 86_400_000, 3_000, -3_000, -2 * 86_400_000])(
    'move very many plays by %i ms in steps, each play once, whatever runs and dies in between',
    async (by) => {
      // Three of each time, so that a step ends between plays of the same time.
      const all = Array.from({ length: 2_500 }, (_, index) =>
        play(`p${index}`, { at: at + Math.floor(index / 3) * 1_000, outcome: 'completed' }),
      );
      await recordsCommandsOn(database).openBooks({ environment: 'store', stillOpen: [] });
      await database.plays.bulkAdd([...all, play('of other books', { environment: 'other' })]);
      const whole = { environment: 'store', from: 0, to: Number.MAX_SAFE_INTEGER, limit: 10_000 };
      const move = { environment: 'store', id: 'move', parts: 0, after: at + 10_000, by, ranMs: 0 };
      let steps = 0;
      for (let isLeft = true; isLeft; steps += 1) {
        // Each step is of another window, and a report is made between two of them.
        const commands = recordsCommandsOn(database);
        isLeft = await commands.movePlays(move);
        expect((await commands.reportPlays(whole)).report?.totals.completed).toBe(2_500);
      }
      expect(steps).toBe(3);
      expect(await recordsCommandsOn(database).movePlays(move)).toBe(false);
      const moved = new Map((await database.plays.toArray()).map((row) => [row.id, row.at]));
      for (const { id, at: before } of all)
        expect(moved.get(id)).toBe(before > at + 10_000 ? before + by : before);
      expect(moved.get('of other books')).toBe(at);
      const hour = { environment: 'store', from: at, to: at + 3_600_000, limit: 10_000 };
      const inHour = [...moved].filter(
        ([id, when]) => id !== 'of other books' && when >= hour.from && when < hour.to,
      );
      const { report } = await recordsCommandsOn(database).reportPlays(hour);
      expect(report?.totals.completed ?? 0).toBe(inHour.length);
    },
  );

  it('say with each page of plays whether plays moved since another page was read', async () => {
    const commands = recordsCommandsOn(database);
    const rows = Array.from({ length: 1_500 }, (_, index) => play(`p${index}`, { at: at + index }));
    await commands.openBooks({ environment: 'store', stillOpen: [] });
    await database.plays.bulkAdd(rows.map((row) => ({ ...row, outcome: 'completed' })));
    const page = { from: 0, to: at + 60_000, after: null, order: 'oldest-first', limit: 1 } as const;
    const moves = async () => (await commands.provePlays({ environment: null, ...page })).moves;
    const before = await moves();
    const none = { parts: 0, ranMs: 0 };
    const move = { environment: 'store', id: 'move', after: 0, by: 60_000, ...none };
    expect(await commands.movePlays(move)).toBe(true);
    const between = await moves();
    expect(await commands.movePlays(move)).toBe(false);
    const after = await moves();
    expect(between).toBeNull();
    expect(after).not.toBe(before);
    expect(after).not.toBeNull();
    expect(await moves()).toBe(after);
    // In books that the kiosk left before it was ended, it never goes on, and their plays can still be exported (rule 26).
    expect(await commands.movePlays({ ...move, id: 'another' })).toBe(true);
    await commands.openBooks({ environment: 'another store', stillOpen: [] });
    const left = await moves();
    expect(left).not.toBeNull();
    expect(await moves()).toBe(left);
  });

  it('name a move that was not ended, until another play was reserved, whatever is pruned', async () => {
    const commands = recordsCommandsOn(database);
    const opened = () => commands.openBooks({ environment: 'store', stillOpen: [] });
    await commands.reservePlay({ play: play('a'), flight: null, recency, sourceMix });
    const many = Array.from({ length: 1_500 }, (_, index) => play(`p${index}`, { at: at + index }));
    await database.plays.bulkAdd(many.map((row) => ({ ...row, outcome: 'completed' })));
    const none = { parts: 0, ranMs: 0 };
    const move = { id: 'move', after: at, by: -60_000 };
    expect(await commands.movePlays({ environment: 'store', ...move, ...none })).toBe(true);
    expect(await opened()).toMatchObject({ moving: move, lastPlayAt: at + 1_499 - 60_000 });
    const prune = () => commands.prunePlays({ before: at, keep: 0, limit: 1 });
    expect(await prune()).toEqual({ store: 1 });
    expect(await opened()).toMatchObject({ moving: move });
    const page = { from: 0, to: at, after: null, order: 'oldest-first', limit: 1 } as const;
    const moves = async () => (await commands.provePlays({ environment: null, ...page })).moves;
    expect(await moves()).toBeNull();
    await commands.reservePlay({ play: play('b'), flight: null, recency, sourceMix });
    expect(await moves()).not.toBeNull();
    expect(await opened()).not.toHaveProperty('moving');
    expect(await prune()).toEqual({ store: 1 });
    expect(await opened()).not.toHaveProperty('moving');
  });

  it.each([60_000, -60_000])('name the time of the last play while plays are moved by %i ms', async (by) => {
    const commands = recordsCommandsOn(database);
    const opened = () => commands.openBooks({ environment: 'store', stillOpen: [] });
    await opened();
    const many = Array.from({ length: 1_500 }, (_, index) => play(`p${index}`, { at: at + index }));
    await database.plays.bulkAdd(many.map((row) => ({ ...row, outcome: 'completed' })));
    const move = { environment: 'store', id: 'move', after: 0, by, parts: 0, ranMs: 0 };
    for (const isLeft of [true, false]) {
      expect(await commands.movePlays(move)).toBe(isLeft);
      expect((await opened()).lastPlayAt).toBe(at + 1_499 + by);
    }
  });

  it('move plays with all parts that were sent before, or none', async () => {
    const named = (flightId: string) => ({ ...counters(1), flightId });
    const entry = (key: string) => ({ ...recency, key });
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a'), flight: counters(1), recency, sourceMix });
    const move = { environment: 'store', id: 'move-1', parts: 2, after: at - 1, by: 60_000, ranMs: 0 };
    await commands.keepPart({ id: 'an older move', part: 0, flights: [], recency: [] });
    await commands.keepPart({ id: 'move-1', part: 0, flights: [named('first')], recency: [entry('k')] });
    await expect(commands.movePlays(move)).rejects.toThrow('expected 2 parts sent before, got 1');
    expect((await database.plays.get('a'))?.at).toBe(at);

    const rest = [named('second'), named('third')];
    await commands.keepPart({ id: 'move-1', part: 1, flights: rest, recency: [] });
    await commands.movePlays(move);
    // The answer was lost with its window. The next window has no parts of the move, and does not need them.
    await recordsCommandsOn(database).movePlays(move);
    expect((await database.plays.get('a'))?.at).toBe(at + 60_000);
    const books = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(books.flights.map(({ flightId }) => flightId)).toEqual(
      expect.arrayContaining(['first', 'second', 'third']),
    );
    expect(books.recency.map(({ key }) => key)).toContain('k');
  });

  it('store the parts that are sent while those before them are stored', async () => {
    const commands = recordsCommandsOn(database);
    const named = (flightId: string) => ({ flights: [{ ...counters(1), flightId }], recency: [] });
    const none = { environment: 'store', parts: 1 };
    await commands.keepPart({ id: 'move', part: 0, ...named('first') });
    const moving = commands.movePlays({ ...none, id: 'move', after: at, by: 60_000, ranMs: 0 });
    await commands.keepPart({ id: 'snapshot', part: 0, ...named('second') });
    await moving;
    await commands.restoreBooks({ ...none, id: 'snapshot', sourceMix });
    const { flights } = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(flights.map(({ flightId }) => flightId)).toEqual(['first', 'second']);
  });

  it('move every play if the clock was never right', async () => {
    const commands = recordsCommandsOn(database);
    await commands.reservePlay({ play: play('a', { at: 5_000 }), flight: null, recency, sourceMix });
    await commands.movePlays({
      environment: 'store',
      id: 'move-1',
      after: Number.MIN_SAFE_INTEGER,
      by: at,
      parts: 0,
      ranMs: 0,
    });
    expect((await database.plays.get('a'))?.at).toBe(at + 5_000);
  });

  it('return the running time of the last reservation', async () => {
    const commands = recordsCommandsOn(database);
    const open = () => commands.openBooks({ environment: 'store', stillOpen: [] });
    expect((await open()).ranMs).toBeUndefined();
    await commands.reservePlay({ play: play('a'), flight: null, recency, sourceMix, ranMs: 7_000 });
    await commands.reservePlay({ play: play('b'), flight: null, recency, sourceMix });
    expect((await open()).ranMs).toBe(7_000);
  });

  it('prune only the oldest plays, and no counter', async () => {
    const commands = recordsCommandsOn(database);
    for (let index = 0; index < 10; index += 1) {
      await commands.reservePlay({
        play: play(`p${index}`, { at: at + index }),
        flight: counters(index + 1),
        recency,
        sourceMix,
      });
    }
    expect(await commands.prunePlays({ before: at + 8, keep: 4, limit: 100 })).toEqual({ store: 6 });
    expect(await commands.prunePlays({ before: at + 8, keep: 4, limit: 100 })).toEqual({});
    const books = await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect(books).toMatchObject({ playCount: 4, flights: [counters(10)] });
  });

  it('prune the oldest plays of all books together, and count what is left of each', async () => {
    const commands = recordsCommandsOn(database);
    for (const [index, environment] of ['store', 'other', 'store', 'other', 'other'].entries()) {
      const row = play(`p${index}`, { at: at + index, environment });
      await commands.reservePlay({ play: row, flight: null, recency, sourceMix });
    }
    const left = async (environment: string) =>
      (await commands.openBooks({ environment, stillOpen: [], countsOnly: true })).playCount;
    expect(await commands.prunePlays({ before: at + 9, keep: 2, limit: 100 })).toEqual({
      store: 2,
      other: 1,
    });
    expect([await left('store'), await left('other')]).toEqual([0, 2]);
  });
});

describe('the port', () => {
  function connect() {
    const answers: Answer[] = [];
    let ask: (message: unknown) => void = () => {};
    answerCalls(
      { send: (answer) => answers.push(answer as Answer), onMessage: (listener) => (ask = listener) },
      recordsCommandsOn(database),
    );
    return { answers, ask: (message: unknown) => ask(message) };
  }

  it.each([
    ['an unknown command', { call: 1, command: 'toString', input: null }, 'unknown-command'],
    ['input of the wrong shape', { call: 1, command: 'openBooks', input: { environment: 5 } }, 'invalid'],
    [
      'a settlement without a reservation',
      {
        call: 1,
        command: 'settlePlay',
        input: { id: 'x', settlement: completed, flight: null, recency: null, sourceMix: null },
      },
      'conflict',
    ],
  ])('refuses %s with a code', async (_case, message, code) => {
    const { answers, ask } = connect();
    ask(message);
    await expect.poll(() => answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ call: 1, ok: false, code });
  });

  it('answers every valid call once, with its number', async () => {
    const { answers, ask } = connect();
    for (const call of [7, 8, 9]) ask({ call, command: 'bookNames', input: {} });
    await expect.poll(() => answers.map((answer) => answer.call).sort()).toEqual([7, 8, 9]);
    expect(answers.every((answer) => answer.ok)).toBe(true);
  });
});
