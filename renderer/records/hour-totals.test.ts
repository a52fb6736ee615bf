import 'fake-indexeddb/auto';
import { Dexie } from 'dexie';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Beacon } from '../../shared/beacon';
import { HOUR_MS } from '../../shared/clock';
import type { Play, PlayOutcome } from '../../shared/play';
import { type PlayReport, type ProvenPlay, playsIn } from '../../shared/play-report';
import type { RecordsCommands } from '../../shared/records';
import { recordsCommandsOn } from './commands';
import { BooksConflict, openDatabase, type RecordsDatabase } from './database';
import { exampleBeacon } from './testing/example-beacon';
import { examplePlay } from './testing/example-play';

let database: RecordsDatabase;
let commands: RecordsCommands;
let number = 0;
beforeEach(() => {
  number += 1;
  database = openDatabase(`endcap-hour-totals-${number}`);
  commands = recordsCommandsOn(database);
});
afterEach(() => database.delete());

const start = Date.UTC(2026, 10, 18, 0, 0);
const everything = { environment: 'store', from: 0, to: Number.MAX_SAFE_INTEGER };
const untouched = { flight: null, recency: null, sourceMix: null };

const play = (id: string, at: number, overrides: Partial<Play> = {}) => examplePlay({ id, at, ...overrides });

const beacon = (id: string, playId: string, overrides: Partial<Beacon> = {}) =>
  exampleBeacon({ id, playId, eventAt: start, ...overrides });

/** Stores a play as a kiosk does: reserved, then settled. */
async function played(id: string, at: number, overrides: Partial<Play> = {}): Promise<void> {
  const { outcome, shownAt, viewedMs, ...rest } = play(id, at, overrides);
  const { presentedFrames, droppedFrames, stalls, endReason } = rest;
  await commands.reservePlay({ play: { ...reserved(id, at), ...rest, outcome: 'reserved' }, ...untouched });
  const settlement = { outcome, shownAt, viewedMs, presentedFrames, droppedFrames, stalls, endReason };
  await commands.settlePlay({ id, settlement, ...untouched });
}

function reserved(id: string, at: number, overrides: Partial<Play> = {}): Play {
  return play(id, at, { outcome: 'reserved', shownAt: null, viewedMs: 0, endReason: null, ...overrides });
}

const report = async (from: number, to: number): Promise<PlayReport> => {
  for (let asked = 0; asked < 100; asked += 1) {
    const found = await commands.reportPlays({ environment: 'store', from, to, limit: 3 });
    if (found.report) return found.report;
  }
  throw new Error('counting does not come to an end');
};

/** Slow and obvious: counts every play of the store, one by one. */
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
        hour: Math.max(hour, from),
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
  it('has zeros for a period without plays', async () => {
    const empty = await report(start, start + HOUR_MS);
    expect(empty).toMatchObject({ hours: [], flights: { lines: [], more: { lines: 0 } } });
    expect(playsIn(empty.totals)).toBe(0);
  });

  it('equals a count of the stored plays, after any events', async () => {
    const outcomes: PlayOutcome[] = ['completed', 'interrupted', 'failed', 'unknown', 'given-back'];
    /** Minutes after the start; three days. */
    const minute = fc.integer({ min: 0, max: 3 * 24 * 60 });
    /** Most plays fall into a few hours, so that these have several. */
    const playMinute = fc.oneof(fc.integer({ min: 0, max: 90 }), minute);
    const which = fc.nat({ max: 12 });
    const states = fc.constantFrom<Beacon['state']>('waiting', 'sending', 'sent', 'unknown', 'refused');
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('reserve' as const),
          minute: playMinute,
          flight: fc.constantFrom('a', 'b', null),
        }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('settle' as const),
          which,
          outcome: fc.constantFrom(...outcomes),
        }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('beacons' as const), which, state: states }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), which, state: states }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const), limit: which }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('report' as const), to: playMinute }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('move' as const), minute: playMinute, by: minute }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('prune' as const),
          minute,
          limit: fc.integer({ min: 1, max: 5 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), stillOpen: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('upgrade' as const) }) },
    );
    let ids: string[] = [];
    let beacons: string[] = [];
    let moves = 0;
    const run = async (steps: ReadonlyArray<typeof step extends fc.Arbitrary<infer Step> ? Step : never>) => {
      const at = (minutes: number) => start + minutes * 60_000;
      for (const one of steps) {
        if (one.do === 'reserve') {
          const id = `p${ids.length}`;
          ids.push(id);
          const row = reserved(id, at(one.minute), { flightId: one.flight });
          await commands.reservePlay({ play: row, ...untouched });
        } else if (one.do === 'settle') {
          const id = ids[one.which % Math.max(1, ids.length)];
          if (id === undefined || !(await database.plays.get(id))) continue;
          const { outcome } = one;
          const seen = { shownAt: start, viewedMs: 10 * one.which, presentedFrames: 1, droppedFrames: 0 };
          const settlement = { ...seen, outcome, stalls: 0, endReason: 'ended' };
          // Its play may have been pruned meanwhile.
          await commands.settlePlay({ id, settlement, ...untouched }).catch((error) => {
            if (!(error instanceof BooksConflict)) throw error;
          });
        } else if (one.do === 'beacons') {
          const ended = one.state !== 'waiting' && one.state !== 'sending';
          const of = [one.which, one.which + 1].map(
            (index) => ids[index % Math.max(1, ids.length)] ?? 'none',
          );
          const added = of.map((playId, index) =>
            beacon(`b${beacons.length + index}`, playId, {
              state: one.state,
              finishedAt: ended ? start : null,
              playId: one.which > 11 ? null : playId,
            }),
          );
          beacons.push(...added.map(({ id }) => id));
          await commands.storeBeacons({ beacons: added });
        } else if (one.do === 'send') {
          const settled = [one.which, one.which + 3].flatMap((index) => {
            const id = beacons[index % Math.max(1, beacons.length)];
            const finishedAt = one.state === 'waiting' || one.state === 'sending' ? null : start;
            if (id === undefined) return [];
            return [{ id, state: one.state, attempts: 1, dueAt: start, lastError: null, finishedAt }];
          });
          const distinct = [...new Map(settled.map((progress) => [progress.id, progress])).values()];
          await commands.settleBeacons({ settled: distinct });
        } else if (one.do === 'expire') {
          const most = { keep: 5, keepBytes: 1e9, inHand: [], limit: 1 + one.limit };
          await commands.expireBeacons({ now: start, ...most });
        } else if (one.do === 'report') {
          await commands.reportPlays({
            environment: 'store',
            from: start,
            to: at(one.to) + HOUR_MS,
            limit: 20,
          });
        } else if (one.do === 'move') {
          moves += 1;
          const by = (one.by - one.minute) * 60_000;
          const move = { id: `move-${moves}`, after: at(one.minute), by, parts: 0, ranMs: 0 };
          await commands.movePlays({ environment: 'store', ...move });
        } else if (one.do === 'prune') {
          await commands.prunePlays({ before: at(one.minute), keep: 0, limit: one.limit });
        } else if (one.do === 'restart') {
          commands = recordsCommandsOn(database);
          await commands.openBooks({ environment: 'store', stillOpen: one.stillOpen ? ids.slice(-1) : [] });
          await commands.openOutbox({ now: start, stillSending: [] });
        } else await database.hourTotals.clear();
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30, size: 'max' }),
        // Steps that run at the same time, as the stage, the outbox and the housekeeping do.
        fc.array(step, { maxLength: 10 }),
        fc.array(fc.tuple(minute, minute), { minLength: 1, maxLength: 4 }),
        async (steps, together, periods) => {
          await Promise.all(database.tables.map((table) => table.clear()));
          commands = recordsCommandsOn(database);
          [ids, beacons, moves] = [[], [], 0];
          await run(steps);
          await Promise.all(together.map((one) => run([one])));
          for (const [one, other] of periods) {
            const [from, to] = one < other ? [one, other] : [other, one + 1];
            await expectEqualToRecount(start + from * 60_000, start + to * 60_000);
          }
          await expectEqualToRecount(0, Number.MAX_SAFE_INTEGER);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is correct if beacons are stored while the clock is set', async () => {
    const beaconsOf = (id: string) => ({ beacons: [beacon(`1 of ${id}`, id), beacon(`2 of ${id}`, id)] });
    await played('a', start);
    await Promise.all([
      commands.storeBeacons(beaconsOf('a')),
      commands.movePlays({
        environment: 'store',
        id: 'move',
        after: 0,
        by: 2,
        parts: 0,
        ranMs: 0,
      }),
      commands.storeBeacons(beaconsOf('b')),
    ]);
    await expectEqualToRecount(0, Number.MAX_SAFE_INTEGER);
    expect(await database.plays.toCollection().primaryKeys()).toEqual(['a']);
    expect((await database.plays.get('a'))?.at).toBe(start + 2);
  });

  it('no longer counts plays that were pruned', async () => {
    for (const [ms, id] of ['a', 'b', 'c'].entries()) await played(id, start + ms);
    const completed = async () => (await report(start, start + HOUR_MS)).totals.completed;
    expect(await completed()).toBe(3);
    await commands.prunePlays({ before: start + 1, keep: 0, limit: 10 });
    expect(await completed()).toBe(2);
  });

  it('reads totals, not plays', async () => {
    for (let hour = 0; hour < 60; hour += 1) await played(`p${hour}`, start + hour * HOUR_MS + 1);
    const period = [start, start + 60 * HOUR_MS] as const;
    const before = await report(...period);
    expect(before.totals.completed).toBe(60);
    expect(before.hours).toHaveLength(60);
    // Deletes all but one play of each day; a report needs one to find the hours with plays.
    await database.plays.filter(({ at }) => (at - 1 - start) % (24 * HOUR_MS) !== 0).delete();
    expect(await report(...period)).toEqual(before);
  });

  it('writes once for each hour with plays, and never for one without', async () => {
    const period = [start, start + 60 * HOUR_MS] as const;
    for (const hour of [1, 2, 40]) await played(`p${hour}`, start + hour * HOUR_MS);
    const begun = vi.spyOn(database, 'transaction');
    const writing = () => begun.mock.calls.filter(([mode]) => mode === 'rw').length;
    await report(...period);
    expect(writing()).toBe(3);
    await expectEqualToRecount(...period);
    expect(writing()).toBe(3);
  });

  it('includes each beacon at once, even long after its play', async () => {
    for (const id of ['a', 'b']) await played(id, start);
    await commands.storeBeacons({ beacons: [beacon('of a', 'a'), beacon('of b', 'b')] });
    const period = [start, start + HOUR_MS] as const;
    expect((await report(...period)).totals.beacons).toMatchObject({ pending: 2, sent: 0 });
    const sent = { state: 'sent' as const, attempts: 1, dueAt: start, lastError: null };
    const finishedAt = start + 30 * HOUR_MS;
    await commands.settleBeacons({
      settled: ['of a', 'of b'].map((id) => ({ id, ...sent, finishedAt })),
    });
    expect((await report(...period)).totals.beacons).toMatchObject({ pending: 0, sent: 2 });
  });

  it('counts an unsettled play as on the screen, and as unknown after the next start', async () => {
    await commands.reservePlay({ play: reserved('a', start), ...untouched });
    expect((await report(start, start + HOUR_MS)).totals).toMatchObject({ reserved: 1, unknown: 0 });
    await commands.openBooks({ environment: 'store', stillOpen: [] });
    expect((await report(start, start + HOUR_MS)).totals).toMatchObject({ reserved: 0, unknown: 1 });
  });

  it('counts plays of an older version once, some with each call', async () => {
    await database.delete();
    const older = new Dexie(database.name);
    older.version(5).stores({
      environments: '&key',
      plays: '&id, at, [environment+at], [environment+outcome]',
      playTotals: '&[environment+span+start], recountAt',
      countedPeriods: '&environment',
    });
    const count = 45;
    const slotMs = 20 * 60_000;
    await older
      .table('plays')
      .bulkAdd(Array.from({ length: count }, (_, index) => play(`p${index}`, start + index * slotMs)));
    await older.table('countedPeriods').add({ environment: 'store', from: start, to: start + HOUR_MS });
    older.close();
    database = openDatabase(database.name);
    commands = recordsCommandsOn(database);
    const end = start + count * slotMs;
    await commands.openBooks({ environment: 'store', stillOpen: [] });
    await played('new', end);
    const answers: number[] = [];
    const ask = async () => {
      const { report: found, done } = await commands.reportPlays({ ...everything, from: start, limit: 20 });
      answers.push(found?.totals.completed ?? done);
    };
    for (let asked = 0; asked < 3; asked += 1) await ask();
    expect(answers).toEqual([expect.closeTo(0.45, 1), expect.closeTo(0.93, 1), count + 1]);
  });

  it('sums up the flights after the first two hundred', async () => {
    for (let index = 0; index < 203; index += 1) {
      await commands.reservePlay({ play: play(`p${index}`, start, { flightId: `f${index}` }), ...untouched });
    }
    const { flights } = await report(start, start + 1);
    expect(flights.lines).toHaveLength(200);
    expect(flights.more).toMatchObject({ lines: 3, totals: { completed: 3 } });
  });
});

describe('a listing of plays', () => {
  const listed = async (order: 'oldest-first' | 'newest-first', limit: number) => {
    const found: ProvenPlay[] = [];
    let after: { at: number; id: string } | null = null;
    do {
      const query = { environment: null, from: start, to: start + 100, after, order, limit };
      const page = await commands.provePlays(query);
      found.push(...page.plays);
      after = page.next;
    } while (after);
    return found.map((row) => row.play.id);
  };

  it('has every play once, in order, even with many at the same time', async () => {
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

  it('starts with `from` and ends before `to`', async () => {
    for (const at of [start - 1, start, start + 99, start + 100]) {
      await commands.reservePlay({ play: play(`at ${at - start}`, at), ...untouched });
    }
    expect(await listed('oldest-first', 10)).toEqual(['at 0', 'at 99']);
    expect(await listed('newest-first', 10)).toEqual(['at 99', 'at 0']);
  });

  it('has the results of the beacons', async () => {
    await commands.reservePlay({ play: play('a', start), ...untouched });
    await commands.reservePlay({ play: play('b', start + 1), ...untouched });
    await commands.storeBeacons({ beacons: [beacon('x', 'a'), beacon('y', 'a', { state: 'refused' })] });
    const { plays } = await commands.provePlays({
      environment: 'store',
      from: start,
      to: start + 10,
      after: null,
      order: 'oldest-first',
      limit: 10,
    });
    expect(plays.map((row) => row.beacons)).toEqual([{ sent: 0, unknown: 0, failed: 1, pending: 1 }, null]);
  });
});

describe('a listing of beacons', () => {
  it('has open ones in the order of their next try, and ended ones latest first', async () => {
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
