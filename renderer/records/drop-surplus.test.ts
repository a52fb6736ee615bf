import 'fake-indexeddb/auto';
import { Dexie } from 'dexie';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Beacon, beaconBytes } from '../../shared/beacon';
import { recordsCommandsOn } from './commands';
import { openDatabase } from './database';
import { exampleBeacon } from './testing/example-beacon';
import { resultsOf } from './testing/results-of';

const now = Date.UTC(2026, 10, 20, 9, 30);
let databases = 0;

interface Asked {
  readonly play: number | null;
  readonly urlLength: number;
  readonly expiresIn?: number;
}

function beacon(index: number, { play, urlLength, expiresIn = 1_000 }: Asked): Beacon {
  const host = `http://${index}.example`;
  return exampleBeacon({
    id: `b${index}`,
    policy: 'at-most-once',
    host,
    url: `${host}/`.padEnd(urlLength, 'x'),
    eventAt: now,
    expiresAt: now + expiresIn,
    playId: play === null ? null : `play-${play}`,
  });
}

async function world(beacons: readonly Beacon[]) {
  databases += 1;
  const database = openDatabase(`drop-surplus-${databases}`);
  const commands = recordsCommandsOn(database);
  for (let at = 0; at < beacons.length; at += 500)
    await commands.storeBeacons({ beacons: beacons.slice(at, at + 500) });
  const waiting = async () =>
    (await database.beacons.toArray()).filter(({ state }) => state === 'waiting').map(({ id }) => id);
  /** Expires beacons as the outbox does, until nothing is left to drop. */
  async function drop(bounds: { keep: number; keepBytes: number; inHand?: string[] }, limit = 200) {
    const asked = { now, inHand: [], ...bounds, limit };
    while ((await commands.expireBeacons(asked)) > 0);
    return waiting();
  }
  return { database, commands, waiting, drop };
}

/** Slow and obvious: drops one at a time, the last one made in the play that holds most bytes. */
function oracle(
  beacons: readonly Beacon[],
  keep: number,
  keepBytes: number,
  inHand: readonly string[],
): string[] {
  let left = [...beacons];
  const sum = (some: readonly Beacon[]) => some.reduce((bytes, { url }) => bytes + beaconBytes(url), 0);
  while (left.length > keep || sum(left) > keepBytes) {
    const holders = [...new Set(left.map(({ playId }) => playId ?? ''))]
      .filter((holder) => left.some(({ id, playId }) => (playId ?? '') === holder && !inHand.includes(id)))
      .map((holder) => ({ holder, bytes: sum(left.filter(({ playId }) => (playId ?? '') === holder)) }))
      .sort((a, b) => b.bytes - a.bytes || (a.holder < b.holder ? 1 : -1));
    const most = holders[0]?.holder;
    const victim = left
      .filter(({ id, playId }) => (playId ?? '') === most && !inHand.includes(id))
      .sort((a, b) => b.expiresAt - a.expiresAt || beacons.indexOf(b) - beacons.indexOf(a))[0];
    if (!victim) break;
    left = left.filter((other) => other !== victim);
  }
  return left.map(({ id }) => id);
}

describe('with too many waiting beacons', () => {
  it('an ad with megabytes for unreachable hosts loses its own, not those of others', async () => {
    const good = Array.from({ length: 20 }, (_, index) => beacon(index, { play: index, urlLength: 200 }));
    const hostile = Array.from({ length: 200 }, (_, index) =>
      beacon(100 + index, { play: 100 + (index % 4), urlLength: 32_000 }),
    );
    const { drop, database } = await world([...good, ...hostile]);
    const left = await drop({ keep: 300_000, keepBytes: 1_000_000 });
    expect(left).toEqual(expect.arrayContaining(good.map(({ id }) => id)));
    expect(left.length).toBeGreaterThan(good.length + 20);
    await database.delete();
  });

  it('those of the play with most bytes are dropped one at a time, those made last first', async () => {
    const asked = fc.record({
      play: fc.option(fc.nat(5)),
      urlLength: fc.constantFrom(30, 100, 2_000, 30_000),
      expiresIn: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(asked, { maxLength: 40, size: 'max' }),
        fc.nat(40),
        fc.nat(300_000),
        fc.array(fc.nat(39), { maxLength: 3 }),
        fc.integer({ min: 1, max: 20 }),
        async (all, keep, keepBytes, held, limit) => {
          const beacons = all.map((each, index) => beacon(index, each));
          const inHand = held.map((index) => `b${index}`);
          const { drop, database } = await world(beacons);
          expect(await drop({ keep, keepBytes, inHand }, limit)).toEqual(
            oracle(beacons, keep, keepBytes, inHand),
          );
          await database.delete();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('every impression is left while there is room for it, though its play made it first', async () => {
    const events = ['impression', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'];
    const beacons = Array.from({ length: 40 }, (_, play) =>
      events.map((event, at) => ({
        ...beacon(play, { play, urlLength: 100, expiresIn: play * 10_000 + Math.max(0, at - 1) * 2_500 }),
        id: `${play} ${event}`,
      })),
    ).flat();
    const { drop, database } = await world(beacons);
    const left = await drop({ keep: 60, keepBytes: 10_000_000 });
    const eventsLeft = left.map((id) => id.split(' ')[1]);
    expect(eventsLeft.filter((event) => event === 'impression')).toHaveLength(40);
    expect(eventsLeft.filter((event) => event === 'start')).toHaveLength(20);
    await database.delete();
  });

  it('the loss is shared by more plays than are compared at once', async () => {
    const beacons = Array.from({ length: 300 }, (_, index) =>
      beacon(index, { play: index % 100, urlLength: 2_000 }),
    );
    const { drop, database } = await world(beacons);
    const left = await drop({ keep: 100, keepBytes: 10_000_000 });
    expect(new Set(left.map((id) => Number(id.slice(1)) % 100)).size).toBe(100);
    await database.delete();
  });

  it('the bytes of a play are counted until its beacons end', async () => {
    const beacons = [1, 2].map((index) => beacon(index, { play: 1, urlLength: 2_000 }));
    const { commands, database } = await world(beacons);
    const held = async () => (await database.playBeacons.get('play-1'))?.pendingBytes;
    expect(await held()).toBe(2 * beaconBytes(beacons[0]?.url ?? ''));
    const sent = { state: 'sent' as const, attempts: 1, dueAt: now, lastError: null, finishedAt: now };
    await commands.settleBeacons({ settled: beacons.map(({ id }) => ({ id, ...sent })) });
    expect(await held()).toBeUndefined();
    expect(await database.beacons.filter(({ holder }) => holder !== undefined).count()).toBe(0);
    expect(await resultsOf(database, ['play-1'])).toEqual([
      { playId: 'play-1', sent: 2, unknown: 0, failed: 0, pending: 0 },
    ]);
    await database.delete();
  });

  it('those of an older version wait on, because the start would wait for an upgrade of very many', async () => {
    databases += 1;
    const name = `drop-surplus-${databases}`;
    const older = new Dexie(name);
    older.version(4).stores({
      environments: '&key',
      playlists: '&environment',
      playlistAds: '&[environment+version+part]',
      plays: '&id, at, [environment+at], [environment+outcome]',
      flights: '&[environment+flightId]',
      recency: '&[environment+key]',
      beacons: '++sequence, &id, [state+host+dueAt], [state+expiresAt], finishedAt',
      confirmations: '&[instance+kind], at',
      playBeacons: '&playId, at',
      outboxSize: '&key',
      playTotals: '&[environment+span+start], recountAt',
      countedPeriods: '&environment',
    });
    await older.table('beacons').bulkAdd([beacon(1, { play: 1, urlLength: 9_000 })]);
    await older.table('outboxSize').put({ key: 'outbox', pending: 1, ended: 0, pendingBytes: 9_000 });
    older.close();
    const database = openDatabase(name);
    const commands = recordsCommandsOn(database);
    expect((await database.beacons.toArray()).map(({ holder }) => holder)).toEqual([undefined]);
    const { due } = await commands.dueBeacon({ host: 'http://1.example', now, farAhead: now, inHand: [] });
    expect(due?.id).toBe('b1');
    await commands.storeBeacons({ beacons: [beacon(2, { play: 2, urlLength: 50 })] });
    await commands.expireBeacons({ now, keep: 1, keepBytes: 1_000_000, inHand: [], limit: 10 });
    expect((await database.beacons.toArray()).map(({ state }) => state)).toEqual(['waiting', 'expired']);
    await database.delete();
  });
});
