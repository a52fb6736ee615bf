import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Beacon } from '../../shared/beacon';
import type { Play, PlayOutcome } from '../../shared/play';
import type { PlayReport, ProvenPlay } from '../../shared/proof-of-play';
import { type RecordsCommands, recordsCommandsOn } from './commands';
import { openDatabase, type RecordsDatabase } from './database';
import { HOUR_MS, playsIn } from './play-totals';

let database: RecordsDatabase;
let commands: RecordsCommands;
let number = 0;
beforeEach(() => {
  number += 1;
  database = openDatabase(`endcap-condensed-${number}`);
  commands = recordsCommandsOn(database);
});
afterEach(() => database.delete());

const start = Date.UTC(2026, 10, 18, 0, 0);
const everything = { environment: 'store', from: 0, to: Number.MAX_SAFE_INTEGER };
const untouched = { flight: null, recency: null, sourceMix: null };

function play(id: string, at: number, overrides: Partial<Play> = {}): Play {
  return {
    id,
    environment: 'store',
    at,
    adId: 'ad-1',
    requestId: 'request-1',
    flightId: 'flight-1',
    campaignId: 'campaign-1',
    source: 'SOURCE_TYPE_CMS',
    sourceId: 'cms-1',
    mediaUrl: 'http://127.0.0.1/one.mp4',
    delivery: 'offline',
    durationMs: 8000,
    outcome: 'completed',
    shownAt: at,
    viewedMs: 8000,
    presentedFrames: 200,
    droppedFrames: 0,
    stalls: 0,
    endReason: 'ended',
    ...overrides,
  };
}

function beacon(id: string, playId: string, overrides: Partial<Beacon> = {}): Beacon {
  return {
    id,
    environment: 'store',
    policy: 'at-least-once',
    url: `http://127.0.0.1/${id}`,
    host: 'http://127.0.0.1',
    event: 'impression',
    eventAt: start,
    expiresAt: start + 1e9,
    playId,
    instance: null,
    position: 0,
    state: 'waiting',
    attempts: 0,
    dueAt: start,
    lastError: null,
    finishedAt: null,
    ...overrides,
  };
}

const condenseAll = async (now: number) => {
  for (let round = 0; round < 1_000; round += 1) {
    if ((await commands.condensePlays({ environment: 'store', now, limit: 3 })).done) return;
  }
  throw new Error('condensing does not come to an end');
};
const hourRows = () =>
  database.playTotals
    .where('[environment+span+start]')
    .between(['store', 'hour', 0], ['store', 'hour', Number.MAX_SAFE_INTEGER])
    .count();
const dayRows = () =>
  database.playTotals
    .where('[environment+span+start]')
    .between(['store', 'day', 0], ['store', 'day', Number.MAX_SAFE_INTEGER])
    .count();
const report = async (from: number, to: number): Promise<PlayReport> => {
  const found = await commands.reportPlays({ environment: 'store', from, to });
  if (!found) throw new Error('too many plays were never counted');
  return found;
};

/** The slow and obvious way: every play of the store, one by one. */
async function recount(from: number, to: number) {
  const rows = (await database.plays.toArray()).filter(
    (row) => row.environment === 'store' && row.at >= from && row.at < to,
  );
  const results = new Map((await database.playBeacons.toArray()).map((row) => [row.playId, row]));
  const of = (some: readonly Play[]) => {
    const outcome = (which: PlayOutcome) => some.filter((row) => row.outcome === which).length;
    const beacons = (which: 'sent' | 'unknown' | 'failed' | 'pending') =>
      played.reduce((sum, row) => sum + (results.get(row.id)?.[which] ?? 0), 0);
    const played = some.filter((row) => row.outcome !== 'given-back');
    return {
      completed: outcome('completed'),
      interrupted: outcome('interrupted'),
      failed: outcome('failed'),
      unknown: outcome('unknown'),
      reserved: outcome('reserved'),
      givenBack: outcome('given-back'),
      viewedMs: played.reduce((sum, row) => sum + row.viewedMs, 0),
      beacons: {
        sent: beacons('sent'),
        unknown: beacons('unknown'),
        failed: beacons('failed'),
        pending: beacons('pending'),
      },
    };
  };
  const counted = rows.filter((row) => row.outcome !== 'given-back');
  const hours = [...new Set(counted.map((row) => Math.floor(row.at / HOUR_MS) * HOUR_MS))].sort(
    (a, b) => a - b,
  );
  const flights = new Map(rows.map((row) => [JSON.stringify([row.flightId, row.campaignId]), row]));
  return {
    totals: of(rows),
    hours: hours.map((hour) => {
      const inHour = counted.filter((row) => row.at >= hour && row.at < hour + HOUR_MS);
      return {
        hour,
        plays: inHour.length,
        completed: inHour.filter((row) => row.outcome === 'completed').length,
        viewedMs: inHour.reduce((sum, row) => sum + row.viewedMs, 0),
      };
    }),
    flights: new Map(
      [...flights].map(([key, { flightId, campaignId }]) => [
        key,
        of(rows.filter((row) => row.flightId === flightId && row.campaignId === campaignId)),
      ]),
    ),
  };
}

async function expectEqualToRecount(from: number, to: number): Promise<void> {
  const found = await report(from, to);
  const slow = await recount(from, to);
  expect(found.totals).toEqual(slow.totals);
  expect(found.hours).toEqual(slow.hours);
  expect(
    new Map(
      found.flights.lines.map((line) => [JSON.stringify([line.flightId, line.campaignId]), line.totals]),
    ),
  ).toEqual(slow.flights);
  const plays = found.flights.lines.map((line) => playsIn(line.totals));
  expect(plays).toEqual([...plays].sort((a, b) => b - a));
}

describe('a report', () => {
  it('is one of zeros for a period without plays', async () => {
    const empty = await report(start, start + HOUR_MS);
    expect(empty).toMatchObject({ hours: [], flights: { lines: [], more: { lines: 0 } } });
    expect(playsIn(empty.totals)).toBe(0);
  });

  it('equals a count of the stored plays, condensed or not, whatever happened in between', async () => {
    const outcomes: PlayOutcome[] = ['completed', 'interrupted', 'failed', 'unknown', 'given-back'];
    /** Minutes after the start; three days. */
    const minute = fc.integer({ min: 0, max: 3 * 24 * 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            {
              weight: 8,
              arbitrary: fc.record({
                do: fc.constant('play' as const),
                minute,
                outcome: fc.constantFrom(...outcomes),
                flight: fc.constantFrom('a', 'b', null),
                sent: fc.integer({ min: 0, max: 2 }),
              }),
            },
            { weight: 3, arbitrary: fc.record({ do: fc.constant('condense' as const), minute }) },
            { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), minute, by: minute }) },
            {
              weight: 1,
              arbitrary: fc.record({
                do: fc.constant('prune' as const),
                minute,
                limit: fc.integer({ min: 1, max: 5 }),
              }),
            },
            { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
          ),
          { maxLength: 30 },
        ),
        fc.array(fc.tuple(minute, minute), { minLength: 1, maxLength: 4 }),
        async (steps, periods) => {
          await Promise.all(database.tables.map((table) => table.clear()));
          commands = recordsCommandsOn(database);
          let [count, moves] = [0, 0];
          for (const step of steps) {
            if (step.do === 'play') {
              count += 1;
              const id = `p${count}`;
              const at = start + step.minute * 60_000;
              const row = play(id, at, { outcome: step.outcome, flightId: step.flight });
              await commands.reservePlay({ play: row, ...untouched });
              const beacons = Array.from({ length: step.sent }, (_, index) =>
                beacon(`${id}-${index}`, id, { state: 'sent', finishedAt: at }),
              );
              if (beacons.length > 0) await commands.storeBeacons({ beacons });
            } else if (step.do === 'condense') await condenseAll(start + step.minute * 60_000);
            else if (step.do === 'move') {
              moves += 1;
              await commands.movePlays({
                environment: 'store',
                id: `move-${moves}`,
                after: start + step.minute * 60_000,
                by: (step.by - step.minute) * 60_000,
                flights: [],
                recency: [],
                ranMs: 0,
              });
            } else if (step.do === 'prune')
              await commands.prunePlays({
                before: start + step.minute * 60_000,
                keep: 0,
                limit: step.limit,
              });
            else commands = recordsCommandsOn(database);
          }
          for (const [one, other] of periods) {
            const [from, to] = one < other ? [one, other] : [other, one + 1];
            await expectEqualToRecount(start + from * 60_000, start + to * 60_000);
          }
          await expectEqualToRecount(0, Number.MAX_SAFE_INTEGER);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads days and hours, not plays, once they were counted', async () => {
    for (let hour = 0; hour < 60; hour += 1) {
      await commands.reservePlay({ play: play(`p${hour}`, start + hour * HOUR_MS + 1), ...untouched });
    }
    await condenseAll(start + 60 * HOUR_MS);
    expect([await dayRows(), await hourRows()]).toEqual([2, 59]);
    const before = await report(start + 1, start + 59 * HOUR_MS);
    // Whatever it would read of them is gone now: it is derived from the rows alone.
    await database.plays
      .where('at')
      .between(start + HOUR_MS, start + 59 * HOUR_MS)
      .delete();
    expect(await report(start + 1, start + 59 * HOUR_MS)).toEqual(before);
    expect(before.totals.completed).toBe(59);
  });

  it('waits for beacons of an hour that were pending when it was counted', async () => {
    await commands.reservePlay({ play: play('a', start), ...untouched });
    await commands.storeBeacons({ beacons: [beacon('b', 'a')] });
    const later = start + 30 * HOUR_MS;
    await condenseAll(later);
    expect((await report(start, later)).totals.beacons).toMatchObject({ pending: 1, sent: 0 });
    expect(await dayRows()).toBe(0);
    await commands.settleBeacons({
      settled: [{ id: 'b', state: 'sent', attempts: 1, dueAt: start, lastError: null, finishedAt: later }],
    });
    await condenseAll(later + 11 * 60_000);
    expect((await report(start, later)).totals.beacons).toMatchObject({ pending: 0, sent: 1 });
    expect(await dayRows()).toBe(0);
    // A later play tells that the day is over.
    await commands.reservePlay({ play: play('c', later), ...untouched });
    await condenseAll(later + 2 * HOUR_MS);
    expect(await dayRows()).toBe(1);
  });

  it('counts a play that nobody settled as being on the screen, and as unknown after the next start', async () => {
    await commands.reservePlay({ play: play('a', start, { outcome: 'reserved' }), ...untouched });
    await condenseAll(start + 3 * HOUR_MS);
    expect((await report(start, start + HOUR_MS)).totals).toMatchObject({ reserved: 1, unknown: 0 });
    await commands.openBooks({ environment: 'store', stillOpen: [] });
    await condenseAll(start + 4 * HOUR_MS);
    expect((await report(start, start + HOUR_MS)).totals).toMatchObject({ reserved: 0, unknown: 1 });
  });

  it('takes in a play that comes into an hour being counted', async () => {
    for (let index = 0; index < 40; index += 1) {
      await commands.reservePlay({ play: play(`p${index}`, start + index), ...untouched });
    }
    await Promise.all([
      condenseAll(start + 2 * HOUR_MS),
      ...['x', 'y', 'z'].map((id) => commands.reservePlay({ play: play(id, start + 5), ...untouched })),
    ]);
    await expectEqualToRecount(start, start + HOUR_MS);
  });

  it('sums up what is beyond two hundred flights', async () => {
    for (let index = 0; index < 203; index += 1) {
      await commands.reservePlay({ play: play(`p${index}`, start, { flightId: `f${index}` }), ...untouched });
    }
    const { flights } = await report(start, start + 1);
    expect(flights.lines).toHaveLength(200);
    expect(flights.more).toMatchObject({ lines: 3, totals: { completed: 3 } });
  });

  it('says so when too many plays were never counted', async () => {
    await database.plays.bulkAdd(
      Array.from({ length: 2_001 }, (_, index) => play(`p${index}`, start + index)),
    );
    expect(await commands.reportPlays(everything)).toBeNull();
    expect(await commands.reportPlays({ ...everything, to: start + 10 })).not.toBeNull();
  });
});

describe('a listing of plays', () => {
  const listed = async (
    order: 'oldest-first' | 'newest-first',
    limit: number,
    flightId: string | null = null,
  ) => {
    const found: ProvenPlay[] = [];
    let after: { at: number; id: string } | null = null;
    do {
      const query = { environment: null, from: start, to: start + 100, flightId, after, order, limit };
      const page = await commands.provePlays(query);
      found.push(...page.plays);
      after = page.next;
    } while (after);
    return found.map((row) => row.play.id);
  };

  it('has every play once, in order, also where many have the same time', async () => {
    const ids = Array.from({ length: 23 }, (_, index) => `p${String(index).padStart(2, '0')}`);
    for (const [index, id] of ids.entries()) {
      const at = index < 15 ? start + 50 : start + index;
      await commands.reservePlay({ play: play(id, at), ...untouched });
    }
    const expected = [...ids.slice(15), ...ids.slice(0, 15)];
    for (const limit of [1, 2, 7, 100]) {
      expect(await listed('oldest-first', limit)).toEqual(expected);
      expect(await listed('newest-first', limit)).toEqual([...expected].reverse());
    }
  });

  it('has only the flight that was asked for', async () => {
    for (let index = 0; index < 10; index += 1) {
      const flightId = index % 4 === 0 ? 'rare' : 'often';
      await commands.reservePlay({ play: play(`p${index}`, start + index, { flightId }), ...untouched });
    }
    expect(await listed('oldest-first', 2, 'rare')).toEqual(['p0', 'p4', 'p8']);
  });

  it('begins with `from` and ends before `to`', async () => {
    for (const at of [start - 1, start, start + 99, start + 100]) {
      await commands.reservePlay({ play: play(`at ${at - start}`, at), ...untouched });
    }
    expect(await listed('oldest-first', 10)).toEqual(['at 0', 'at 99']);
    expect(await listed('newest-first', 10)).toEqual(['at 99', 'at 0']);
  });

  it('tells what became of the beacons', async () => {
    await commands.reservePlay({ play: play('a', start), ...untouched });
    await commands.reservePlay({ play: play('b', start + 1), ...untouched });
    await commands.storeBeacons({ beacons: [beacon('x', 'a'), beacon('y', 'a', { state: 'refused' })] });
    const { plays } = await commands.provePlays({
      environment: 'store',
      from: start,
      to: start + 10,
      flightId: null,
      after: null,
      order: 'oldest-first',
      limit: 10,
    });
    expect(plays.map((row) => row.beacons)).toEqual([{ sent: 0, unknown: 0, failed: 1, pending: 1 }, null]);
  });
});

describe('a listing of beacons', () => {
  it('has open ones by when they are due and ended ones the latest first', async () => {
    await commands.storeBeacons({
      beacons: [
        beacon('late', 'a', { dueAt: start + 9, host: 'http://a' }),
        beacon('soon', 'a', { dueAt: start + 1, host: 'http://z' }),
        beacon('old', 'a', { state: 'sent', finishedAt: start + 1 }),
        beacon('new', 'a', { state: 'sent', finishedAt: start + 2 }),
        beacon('refused', 'a', { state: 'refused', finishedAt: start + 3 }),
      ],
    });
    const ids = async (states: Beacon['state'][], limit = 10) =>
      (await commands.listBeacons({ states, limit })).map(({ id }) => id);
    expect(await ids(['waiting', 'sending'])).toEqual(['soon', 'late']);
    expect(await ids(['waiting', 'sending'], 1)).toEqual(['soon']);
    expect(await ids(['sent'])).toEqual(['new', 'old']);
    expect(await ids(['refused', 'expired'])).toEqual(['refused']);
  });
});
