import 'fake-indexeddb/auto';
import { Dexie } from 'dexie';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BooksConflict } from './database';
import { nextNumber, withDropped } from './sequence';
import { SequenceWorld, START, storedPlay } from './testing/sequence-world';

let world: SequenceWorld;
beforeEach(() => {
  world = new SequenceWorld();
});
afterEach(() => world.database.delete());

const read = async (limit = 100, after = { epoch: 0, seq: 0 }) =>
  world.commands.readSequence({ after, limit, now: world.now });
const position = () => world.position();

const digest = 'd'.repeat(64);
const segment = (first: number, last: number, epoch: number) => ({
  epoch,
  first,
  last,
  count: last - first + 1,
  digest,
  madeAt: START,
  bytes: new Uint8Array([first, last]),
});

const MANY = 1_200;

async function played(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = await world.reserve();
    await world.settle(id);
    ids.push(id);
  }
  return ids;
}

/** Stores very many plays with the next numbers of the current epoch; returns their ids. */
async function manyMore(name = 'm'): Promise<string[]> {
  const { sequences, plays, sequenceEntries } = world.database;
  const { epoch = 0, last = 0 } = (await sequences.reverse().first()) ?? {};
  const more = Array.from({ length: MANY }, (_, index) => storedPlay(`${name}${index}`, START + index));
  await plays.bulkAdd(more);
  await sequenceEntries.bulkAdd(
    more.map(({ id, at }, index) => ({
      epoch,
      seq: last + 1 + index,
      rev: 0,
      playId: id,
      settledAt: at,
    })),
  );
  await sequences.update(epoch, { last: last + MANY });
  return more.map(({ id }) => id);
}

describe('the sequence of settled plays', () => {
  it('starts at 1 and has every settled play, also void and unsettled ones', async () => {
    const [a, b] = [await world.reserve(), await world.reserve()];
    const c = await world.reserve();
    await world.settle(b, 'given-back');
    await world.settle(a);
    await world.restart();
    const { entries, more } = await read();
    expect(entries.map(({ seq, rev, play }) => [seq, rev, play.id, play.outcome])).toEqual([
      [1, 0, b, 'given-back'],
      [2, 0, a, 'completed'],
      [3, 0, c, 'unknown'],
    ]);
    expect(more).toBe(false);
    expect(await position()).toMatchObject({ epoch: entries[0]?.epoch, last: 3, waiting: 3 });
  });

  it('includes a row when its beacons are final, or ten minutes after its play settled', async () => {
    const [a = '', b = ''] = await played(2);
    await world.fire(b);
    world.now += 8_000;
    expect((await read()).entries.map(({ play }) => play.id)).toEqual([a]);
    world.now += 599_999;
    expect((await read()).entries).toHaveLength(1);
    world.now += 1;
    expect((await read()).entries.map(({ beacons }) => beacons)).toEqual([
      null,
      { sent: 0, unknown: 0, failed: 0, pending: 1 },
    ]);
  });

  it('gives a row that was cut one more revision once its last beacon is final', async () => {
    const [a = ''] = await played(1);
    for (let beacon = 0; beacon < 3; beacon += 1) await world.fire(a);
    world.now += 700_000;
    expect(await world.storeSegment(1)).toBe(1);
    const { readFrom } = await position();
    await world.endBeacons(1);
    await world.endBeacons(1, 'refused');
    expect((await read(100, readFrom)).entries).toEqual([]);
    await world.endBeacons(1);
    const { entries } = await read(100, readFrom);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ seq: 2, rev: 1, play: { id: a } });
    expect(entries[0]?.beacons).toEqual({ sent: 2, unknown: 0, failed: 1, pending: 0 });
  });

  it('gives a revision even to a row that was read, and changed before its segment was stored', async () => {
    const [a = ''] = await played(1);
    await world.fire(a);
    world.now += 700_000;
    const { entries: cut } = await read();
    await world.endBeacons(1);
    const { epoch } = await position();
    await world.commands.storeSegment(segment(1, 1, epoch));
    expect(cut).toMatchObject([{ seq: 1, rev: 0, beacons: { sent: 0, pending: 1 } }]);
    expect((await read(100, { epoch, seq: 1 })).entries).toMatchObject([
      { seq: 2, rev: 1, play: { id: a }, beacons: { sent: 1, pending: 0 } },
    ]);
  });

  it('continues only behind rows that this window read or a segment contains, because others may have changed', async () => {
    const [a = ''] = await played(4);
    await world.fire(a);
    world.now += 700_000;
    const { entries } = await read(2);
    await world.restart();
    await world.endBeacons(1);
    const { epoch } = await position();
    await expect(read(2, { epoch, seq: 2 })).rejects.toThrow(BooksConflict);
    await expect(world.commands.storeSegment(segment(1, 2, epoch))).rejects.toThrow('up to 0');
    expect((await read(2)).entries.map(({ beacons }) => beacons?.sent)).toEqual([1, undefined]);
    expect(entries[0]?.beacons).toMatchObject({ sent: 0, pending: 1 });
    expect((await read(2, { epoch, seq: 2 })).entries).toHaveLength(2);
  });

  it('starts again behind the last stored segment if its connection was closed', async () => {
    await played(3);
    const { epoch } = await position();
    expect((await read(3, { epoch, seq: 0 })).entries).toHaveLength(3);
    world.database.close({ disableAutoOpen: false });
    await expect(read(1, { epoch, seq: 2 })).rejects.toThrow(BooksConflict);
    expect((await read(3, { epoch, seq: 0 })).entries).toHaveLength(3);
    // The database lost its end, so it no longer has the rows that were read.
    await world.database.sequences.update(epoch, { last: 2 });
    await expect(world.commands.storeSegment(segment(1, 3, epoch))).rejects.toThrow('up to 2');
  });

  it('knows in the next window, too, that a row of a stored segment was cut', async () => {
    const [a = ''] = await played(1);
    for (let beacon = 0; beacon < 2; beacon += 1) await world.fire(a);
    world.now += 700_000;
    await world.storeSegment(1);
    const { readFrom } = await position();
    await world.endBeacons(1);
    await world.restart();
    await world.endBeacons(1);
    const { entries } = await read(100, readFrom);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ seq: 2, rev: 1, play: { id: a }, beacons: { sent: 2, pending: 0 } });
  });

  it('gives a revision only to rows that were read when the clock is set', async () => {
    const [a = '', b = ''] = await played(2);
    expect((await read(1)).entries.map(({ play }) => play.at - START)).toEqual([10_000]);
    await world.moveClock(86_400_000, 3_600_000);
    const after = (await read()).entries;
    expect(after.map(({ play, rev }) => [play.id, rev])).toEqual([
      [a, 0],
      [b, 0],
      [a, 1],
    ]);
    expect(after.slice(1).map(({ play }) => play.at - START)).toEqual([86_420_000, 86_410_000]);
  });

  it('numbers plays of older versions in steps, as epoch 0, oldest first', async () => {
    const name = world.database.name;
    await world.database.delete();
    const older = new Dexie(name);
    older.version(6).stores({
      environments: '&key',
      plays: '&id, at, [environment+at], [environment+outcome]',
    });
    const plays = [5, 3, 3, 1, 4].map((minute, index) => storedPlay(`old-${index}`, START + minute));
    await older.table('plays').bulkAdd(plays);
    await older.table('environments').add({ key: 'store', playCount: 5, sourceMix: null, ranMs: 1 });
    older.close();
    world = new SequenceWorld(name);
    await world.commands.openBooks({ environment: 'store', stillOpen: [] });
    await played(1);
    expect(await position()).toMatchObject({ isNumbering: true, waiting: 1, readFrom: { epoch: 0, seq: 0 } });
    expect((await read()).entries).toEqual([]);
    expect(await world.commands.numberPlays({ limit: 2 })).toEqual({ numbered: 2, done: false });
    expect((await read()).entries).toHaveLength(2);
    await world.numberAll();
    const { entries, more } = await read();
    expect(entries.map(({ epoch, seq, play }) => [epoch, seq, play.id])).toEqual([
      [0, 1, 'old-3'],
      [0, 2, 'old-1'],
      [0, 3, 'old-2'],
      [0, 4, 'old-4'],
      [0, 5, 'old-0'],
    ]);
    expect(more).toBe(true);
    expect((await read(100, { epoch: 0, seq: 5 })).entries).toMatchObject([{ seq: 1, play: { id: 'p0' } }]);
    await world.restart();
    expect(await world.commands.numberPlays({ limit: 2 })).toEqual({ numbered: 0, done: true });
  });

  it.each([
    ['', false],
    [', even if a new epoch begins then', true],
  ])('numbers the plays of an older version at the next start%s', async (_when, isNew) => {
    await played(2);
    await world.playByOlderVersion();
    await world.playByOlderVersion();
    await world.restart();
    if (isNew) await world.commands.beginEpoch({ now: world.now, forgetWaiting: false });
    expect(await position()).toMatchObject({ isNumbering: true });
    await world.numberAll();
    expect((await read()).entries.map(({ seq, play }) => [seq, play.id])).toEqual([
      [1, 'p0'],
      [2, 'p1'],
      [3, 'p2'],
      [4, 'p3'],
    ]);
    await played(1);
    await world.restart();
    expect(await position()).toMatchObject({ isNumbering: false });
  });

  it('keeps unsent plays until there are too many', async () => {
    await played(6);
    const prune = (keepUnsent?: number) =>
      world.commands.prunePlays({
        before: Number.MAX_SAFE_INTEGER,
        keep: 1,
        limit: 3,
        ...(keepUnsent === undefined ? {} : { keepUnsent }),
      });
    expect(await prune(5)).toEqual({});
    await world.storeSegment(1);
    expect(await prune(5)).toEqual({ store: 1 });
    expect(await prune(5)).toEqual({});
    expect(await prune(3)).toEqual({ store: 3 });
    expect(await position()).toMatchObject({
      dropped: [{ first: 2, last: 4 }],
      waiting: 3,
      pending: { first: 1, last: 1 },
    });
    await world.settleSegment('delivered');
    expect(await world.storeSegment(10)).toBe(2);
    expect(await position()).toMatchObject({ pending: { first: 5, last: 6, count: 2 } });
  });

  it('lists dropped numbers under the epoch that gave them, and none that was taken back', async () => {
    const all = { before: Number.MAX_SAFE_INTEGER, keep: 0, limit: 10 };
    await played(2);
    await world.storeSegment(2);
    await world.settleSegment('delivered');
    await played(2);
    const { epoch } = await world.commands.beginEpoch({ now: world.now, forgetWaiting: false });
    expect(await world.commands.prunePlays(all)).toEqual({ store: 4 });
    expect((await position()).dropped).toEqual([]);
    await played(2);
    expect(await world.commands.prunePlays(all)).toEqual({ store: 2 });
    expect((await position()).dropped).toEqual([{ epoch, first: 1, last: 2 }]);
  });

  it('keeps a play as long as its latest revision is unsent', async () => {
    const [a = ''] = await played(1);
    await world.fire(a);
    world.now += 700_000;
    await world.storeSegment(1);
    await world.settleSegment('delivered');
    await world.endBeacons(1);
    const oldest = { before: Number.MAX_SAFE_INTEGER, keep: 0, limit: 3, keepUnsent: 5 };
    expect(await world.commands.prunePlays(oldest)).toEqual({});
    await world.storeSegment(1);
    expect(await world.commands.prunePlays(oldest)).toEqual({ store: 1 });
  });

  it('reads no further than to a dropped number, and then goes on behind it', async () => {
    const [oldest, ...others] = [await world.reserve(), await world.reserve(), await world.reserve()];
    const [second = '', third = ''] = others;
    for (const id of [second, oldest, third]) await world.settle(id);
    const before = Number.MAX_SAFE_INTEGER;
    expect(await world.commands.prunePlays({ before, keep: 2, limit: 3 })).toEqual({ store: 1 });
    const { entries, more } = await read();
    expect([entries.map(({ seq, play }) => [seq, play.id]), more]).toEqual([[[1, second]], true]);
    const { epoch } = await position();
    expect((await read(100, { epoch, seq: 1 })).entries).toMatchObject([{ seq: 3, play: { id: third } }]);
  });

  it('starts a new epoch for undelivered plays', async () => {
    await played(3);
    await world.storeSegment(1);
    await world.settleSegment('delivered');
    await world.storeSegment(1);
    const { epoch } = await position();
    const draft = (await read(1, { epoch, seq: 1 })).entries;
    expect(draft).toHaveLength(1);
    const begun = await world.commands.beginEpoch({ now: START, forgetWaiting: false });
    expect(begun.epoch).toBeGreaterThan(epoch);
    await expect(world.commands.storeSegment(segment(2, 2, epoch))).rejects.toThrow('up to 1');
    await world.numberAll();
    const { entries } = await read(100, { epoch, seq: 1 });
    expect(entries.map(({ epoch: of, seq, play }) => [of, seq, play.id])).toEqual([
      [begun.epoch, 1, 'p1'],
      [begun.epoch, 2, 'p2'],
    ]);
    expect(await position()).toMatchObject({ pending: null, waiting: 2, cursor: { epoch: begun.epoch } });
    const fresh = new SequenceWorld();
    const { epoch: only } = await fresh.commands.beginEpoch({ now: 5, forgetWaiting: false });
    expect((await fresh.commands.beginEpoch({ now: 9, forgetWaiting: false })).epoch).toBe(only);
    await fresh.database.delete();
  });

  it.each([
    ['of an epoch without a segment', 0, undefined],
    ['behind delivered ones, with a revision of one of them', 2, undefined],
    ['behind those that were sent under a lost key', 2, 'another'],
  ])('numbers very many undelivered plays step by step: %s', async (_which, sent, kiosk) => {
    await played(4);
    await world.fire('p0');
    if (sent > 0) {
      world.now += 3_600_000;
      await world.storeSegment(sent);
      await world.settleSegment('delivered');
      await world.endBeacons(1);
    }
    const more = await manyMore();
    const how = kiosk === undefined ? {} : { kiosk };
    const begun = await world.commands.beginEpoch({ now: world.now, forgetWaiting: false, ...how });
    const numbered = world.database.sequenceEntries.where('[epoch+seq]').above([begun.epoch, 0]);
    expect(await numbered.count()).toBeLessThan(10);
    const waiting = (sent > 0 ? 3 : 4) + MANY;
    expect(await position()).toMatchObject({ waiting, isNumbering: false, dropped: [] });
    await world.numberAll(500);
    const entries = await world.database.sequenceEntries.toArray();
    const isNew = (entry: { epoch: number }) => entry.epoch === begun.epoch;
    const before = entries.filter((entry) => !isNew(entry)).map(({ playId, rev }) => [playId, rev]);
    expect(before).toEqual(
      [
        ['p0', 0],
        ['p1', 0],
      ].slice(0, sent),
    );
    const moved = entries.filter(isNew);
    expect(moved.map(({ seq }) => seq)).toEqual(moved.map((_, index) => index + 1));
    const revised = sent > 0 && kiosk === undefined ? ['p0 1'] : [];
    const first = ['p0', 'p1', 'p2', 'p3'].slice(sent).map((id) => `${id} 0`);
    expect(new Set(moved.map(({ playId, rev }) => `${playId} ${rev}`))).toEqual(
      new Set([...revised, ...first, ...more.map((id) => `${id} 0`)]),
    );
    expect(moved).toHaveLength(revised.length + first.length + MANY);
  });

  it('sends nothing again under the name of a new key that was sent under the name of a lost one', async () => {
    const [a = '', b = ''] = await played(4);
    for (const id of [a, b]) await world.fire(id);
    world.now += 700_000;
    await world.storeSegment(1);
    await world.settleSegment('delivered');
    await world.storeSegment(1);
    const { pending } = await position();
    // A revision of the first play waits when the key is lost, and one of the second would come later.
    await world.endBeacons(1);
    const { epoch } = await world.commands.beginEpoch({
      now: world.now,
      forgetWaiting: false,
      kiosk: 'new',
    });
    await world.endBeacons(1);
    await world.moveClock(86_400_000, 3_600_000);
    await world.numberAll();
    expect(await position()).toMatchObject({ pending, waiting: 3, epoch });
    await world.settleSegment('delivered');
    const { readFrom, waiting } = await position();
    expect(waiting).toBe(2);
    expect((await read(100, readFrom)).entries.map(({ seq, rev, play }) => [seq, rev, play.id])).toEqual([
      [1, 0, 'p2'],
      [2, 0, 'p3'],
    ]);
  });

  it('counts the undelivered plays at once when a new epoch begins, and while they are numbered', async () => {
    await played(6);
    world.now += 3_600_000;
    await world.storeSegment(3);
    await world.settleSegment('delivered');
    const { oldestSettledAt } = await position();
    await world.commands.beginEpoch({ now: world.now, forgetWaiting: false });
    const own = await world.reserve();
    await world.settle(own);
    expect(await position()).toMatchObject({ oldestSettledAt });
    for (const done of [false, false, true]) {
      expect(await position()).toMatchObject({ waiting: 4 });
      expect(await world.commands.numberPlays({ limit: 2 })).toMatchObject({ done });
    }
    const entries = await world.database.sequenceEntries.toArray();
    expect(entries.slice(3).map(({ playId }) => playId)).toEqual([own, 'p3', 'p4', 'p5']);
  });

  it('forgets the plays of another kiosk on a copy of its disk', async () => {
    const [a = ''] = await played(3);
    await world.fire(a);
    world.now += 700_000;
    await world.storeSegment(1);
    expect((await position()).waiting).toBe(3);
    const begun = await world.commands.beginEpoch({ now: world.now, forgetWaiting: true });
    await world.endBeacons(1);
    await world.moveClock(86_400_000, 3_600_000);
    expect(await position()).toMatchObject({ pending: null, waiting: 0, epoch: begun.epoch });
    await played(1);
    const { readFrom } = await position();
    expect((await read(100, readFrom)).entries.map(({ play }) => play.id)).toEqual(['p3']);
    expect(await world.database.plays.count()).toBe(4);
  });

  it('never numbers very many plays of another kiosk that its own epoch had left on the copied disk', async () => {
    await played(2);
    await manyMore();
    // The other kiosk lost a part of its database before its disk was copied.
    await world.commands.beginEpoch({ now: world.now, forgetWaiting: false });
    await world.commands.beginEpoch({ now: world.now, forgetWaiting: true, kiosk: 'copy' });
    const own = await played(2);
    const more = await manyMore('own');
    const begun = await world.commands.beginEpoch({ now: world.now, forgetWaiting: false });
    await world.numberAll(500);
    const entries = await world.database.sequenceEntries.where('epoch').equals(begun.epoch).toArray();
    expect(new Set(entries.map(({ playId }) => playId))).toEqual(new Set([...own, ...more]));
  });

  it('begins one epoch for a new key, even if it is begun again after a kill', async () => {
    await played(2);
    const begin = (kiosk: string) =>
      world.commands.beginEpoch({ now: world.now, forgetWaiting: true, kiosk });
    const { epoch } = await begin('copy');
    await played(1);
    expect(await begin('copy')).toEqual({ epoch });
    expect(await position()).toMatchObject({ waiting: 1, epoch });
    await begin('copy of the copy');
    expect((await position()).waiting).toBe(0);
  });
});

describe('stored segments', () => {
  it('follow each other without a gap, one pending at a time, for rows that were read', async () => {
    await played(5);
    const { epoch } = await position();
    const store = (first: number, last: number) => world.commands.storeSegment(segment(first, last, epoch));
    await read(4, { epoch, seq: 0 });
    await expect(store(2, 3)).rejects.toThrow(BooksConflict);
    await expect(store(1, 5)).rejects.toThrow('up to 4');
    await store(1, 2);
    await store(1, 2);
    await expect(store(3, 4)).rejects.toThrow('1 to 2 waits');
    await world.commands.settleSegment({ epoch, first: 1, how: 'delivered', at: START, status: 200 });
    await world.commands.settleSegment({ epoch, first: 1, how: 'delivered', at: START, status: 200 });
    await expect(store(4, 4)).rejects.toThrow(BooksConflict);
    await store(3, 4);
    expect(await position()).toMatchObject({
      cursor: { epoch, seq: 2 },
      readFrom: { epoch, seq: 4 },
      waiting: 3,
      heads: [{ epoch, digest }],
      oldestSettledAt: START + 38_000,
    });
  });

  it('that are set aside keep their bytes until they are delivered', async () => {
    await played(2);
    const { epoch } = await position();
    await read(2, { epoch, seq: 0 });
    await world.commands.storeSegment(segment(1, 1, epoch));
    const settle = (how: 'delivered' | 'set-aside', at: number, status: number) =>
      world.commands.settleSegment({ epoch, first: 1, how, at, status });
    await settle('set-aside', 1_000, 422);
    await world.restart();
    await settle('set-aside', 2_000, 400);
    const { setAside, pending, cursor } = await position();
    expect([pending, cursor]).toEqual([null, { epoch, seq: 1 }]);
    expect(setAside).toMatchObject([
      { first: 1, last: 1, digest, since: 1_000, triedAt: 2_000, status: 400 },
    ]);
    expect(await world.commands.readSegment({ epoch, first: 1 })).toEqual(new Uint8Array([1, 1]));
    await settle('delivered', 3_000, 200);
    expect(await world.commands.readSegment({ epoch, first: 1 })).toBeNull();
    expect((await position()).setAside).toEqual([]);
  });

  it('that are set aside are kept where the database went back, because their numbers are not given again', async () => {
    await played(2);
    await world.storeSegment(2);
    await world.settleSegment('set-aside');
    const { epoch } = await position();
    await world.commands.beginEpoch({ now: world.now, forgetWaiting: false });
    expect((await position()).setAside).toMatchObject([{ epoch, first: 1, last: 2 }]);
    expect(await world.commands.readSegment({ epoch, first: 1 })).not.toBeNull();
  });

  it('that were set aside count as delivered once they are, and make no later one wait again', async () => {
    await played(3);
    await world.storeSegment(2);
    await world.settleSegment('set-aside');
    await world.storeSegment(1);
    await world.settleSegment('delivered');
    await world.retrySetAside();
    expect(await position()).toMatchObject({ waiting: 0, setAside: [] });
  });

  it('that are set aside do not wait, and a copy of the disk forgets them as it does those that wait', async () => {
    await played(3);
    const { epoch } = await position();
    await read(3, { epoch, seq: 0 });
    await world.commands.storeSegment(segment(1, 2, epoch));
    await world.commands.settleSegment({ epoch, first: 1, how: 'set-aside', at: START, status: 422 });
    await world.commands.storeSegment(segment(3, 3, epoch));
    await world.commands.settleSegment({ epoch, first: 3, how: 'delivered', at: START, status: 200 });
    expect(await position()).toMatchObject({ waiting: 0, oldestSettledAt: null, setAside: [{ first: 1 }] });
    await world.commands.beginEpoch({ now: world.now, forgetWaiting: true, kiosk: 'copy' });
    expect(await position()).toMatchObject({ waiting: 0, setAside: [] });
    expect(await world.commands.readSegment({ epoch, first: 1 })).toBeNull();
  });
});

it('dropped numbers are kept as the fewest ranges, and are never the next number', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 30 }));
  fc.assert(
    fc.property(fc.array(numbers), fc.integer({ min: 0, max: 30 }), (steps, seq) => {
      const dropped = steps.reduce(withDropped, [] as Array<{ first: number; last: number }>);
      const all = new Set(steps.flat());
      let runs = 0;
      for (const number of all) if (!all.has(number - 1)) runs += 1;
      let next = seq + 1;
      while (all.has(next)) next += 1;
      expect(dropped).toHaveLength(runs);
      expect(nextNumber({ dropped }, seq)).toBe(next);
    }),
  );
});

describe('for any order of events', () => {
  const play = fc.integer({ min: 0, max: 30 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('play' as const), beacons: fc.nat(2) }) },
    fc.record({ kind: fc.constant('leave' as const) }),
    fc.record({ kind: fc.constant('give back' as const) }),
    fc.record({ kind: fc.constant('fire' as const), play }),
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), most: fc.nat(3) }) },
    fc.record({
      kind: fc.constant('move' as const),
      by: fc.constantFrom(86_400_000, -3_600_000, 200_000),
      back: fc.constantFrom(15_000, 100_000),
    }),
    fc.record({ kind: fc.constant('wait' as const) }),
    fc.record({ kind: fc.constant('restart' as const) }),
    fc.record({ kind: fc.constant('prune' as const), keep: fc.nat(5), unsent: fc.constantFrom(3, 1_000) }),
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('store' as const), rows: fc.integer({ min: 1, max: 6 }) }),
    },
    fc.record({
      kind: fc.constant('fail to store' as const),
      rows: fc.integer({ min: 1, max: 6 }),
      how: fc.constantFrom('window-dies' as const, 'not-stored' as const),
    }),
    fc.record({ kind: fc.constant('deliver' as const) }),
    fc.record({ kind: fc.constant('set aside' as const) }),
    fc.record({ kind: fc.constant('older version' as const) }),
    fc.record({ kind: fc.constant('number' as const) }),
    fc.record({ kind: fc.constant('copy' as const) }),
    fc.record({ kind: fc.constant('go back' as const) }),
  );
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  const setBack = { kind: 'move', by: -3_600_000, back: 15_000 } as const;
  const [copy, goBack] = [{ kind: 'copy' }, { kind: 'go back' }] as const;
  /** Goes back to the same copy twice: the second time must not begin the epoch that the first one began. */
  const TWICE_BACK: ReadonlyArray<readonly Step[]> = [
    [{ kind: 'play', beacons: 1 }, setBack, copy, goBack, { kind: 'store', rows: 6 }, goBack],
    [{ kind: 'play', beacons: 1 }, copy, goBack, { kind: 'store', rows: 1 }, goBack],
  ];
  /** Three of four plays are pruned, and the last is sent; then the database goes back to before that. */
  const PRUNED_THEN_BACK = (['set aside', 'deliver'] as const).map((kind): readonly Step[] => [
    ...Array.from({ length: 4 }, () => ({ kind: 'play', beacons: 0 }) as const),
    { kind: 'prune', keep: 0, unsent: 3 },
    copy,
    { kind: 'store', rows: 1 },
    { kind },
    goBack,
  ]);

  /** Returns whether the database went back. */
  async function take(happens: Step): Promise<boolean> {
    switch (happens.kind) {
      case 'play': {
        const id = await world.reserve();
        for (let beacon = 0; beacon < happens.beacons; beacon += 1) await world.fire(id);
        await world.settle(id);
        return false;
      }
      case 'leave':
        await world.reserve();
        return false;
      case 'give back':
        await world.settle(await world.reserve(), 'given-back');
        return false;
      case 'fire':
        if (happens.play < world.plays) await world.fire(`p${happens.play}`);
        return false;
      case 'end':
        await world.endBeacons(happens.most);
        return false;
      case 'move':
        await world.moveClock(happens.by, happens.back);
        return false;
      case 'wait':
        world.now += 400_000;
        return false;
      case 'restart':
        await world.restart();
        return false;
      case 'prune': {
        const { keep, unsent: keepUnsent } = happens;
        await world.commands.prunePlays({ before: Number.MAX_SAFE_INTEGER, keep, keepUnsent, limit: 3 });
        return false;
      }
      case 'store':
        await world.storeSegment(happens.rows);
        return false;
      case 'fail to store':
        await world.storeSegment(happens.rows, happens.how).catch((error: unknown) => {
          if (!(error instanceof BooksConflict)) throw error;
        });
        return false;
      case 'deliver':
        await world.settleSegment('delivered');
        return false;
      case 'set aside':
        await world.settleSegment('set-aside');
        return false;
      case 'older version':
        await world.playByOlderVersion();
        await world.restart();
        return false;
      case 'number':
        await world.commands.numberPlays({ limit: 2 });
        return false;
      case 'copy':
        await world.copyDatabase();
        return false;
      case 'go back':
        return world.goBack();
    }
  }

  it('no number is missing, none has two contents, and the last revision of each play is its state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
        await world.database.delete();
        world = new SequenceWorld();
        await world.commands.openBooks({ environment: 'store', stillOpen: [] });
        let wentBack = false;
        for (const happens of steps) wentBack = (await take(happens)) || wentBack;
        await world.restart();
        await world.finish();

        const rows = world.received.entries();
        const { dropped } = await position();
        for (const { epoch, last } of await world.database.sequences.toArray()) {
          const numbers = rows.filter((row) => row.epoch === epoch).map(({ seq }) => seq);
          // After a database went back, a reader knows of an epoch what reached it, and what manifests named.
          const highest = wentBack ? Math.max(last, ...numbers) : last;
          const known = wentBack ? [...dropped, ...world.refused, ...world.prunedBefore] : dropped;
          const gone = known.filter((range) => range.epoch === epoch);
          for (const { first, last: end } of gone)
            for (let seq = first; seq <= end; seq += 1) numbers.push(seq);
          const checked = wentBack ? numbers.filter((seq) => seq <= highest) : numbers;
          expect(new Set(checked).size).toBe(highest);
        }
        const plays = await world.database.plays.toArray();
        const results = new Map((await world.database.playBeacons.toArray()).map((row) => [row.playId, row]));
        for (const stored of plays) {
          const of = rows.filter(({ play: { id } }) => id === stored.id);
          const latest = of.at(-1);
          expect(latest?.play).toEqual(stored);
          const { sent, pending } = results.get(stored.id) ?? { sent: 0, pending: 0 };
          expect(latest?.beacons ?? { sent: 0, pending: 0 }).toMatchObject({ sent, pending });
          if (!wentBack) expect(of.map(({ rev }) => rev)).toEqual(of.map((_, index) => index));
        }
      }),
      { numRuns: 40, examples: [...TWICE_BACK, ...PRUNED_THEN_BACK].map((steps) => [[...steps]]) },
    );
  });
});
