import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { newEpoch } from '../../renderer/records/rows';
import { examplePlay } from '../../renderer/records/testing/example-play';
import { silentLog } from '../../shared/log';
import { UNSEEN } from '../../shared/play';
import type { RecordsCommand } from '../../shared/records';
import { createDecider } from '../decisions/decider';
import { countPlay, noPlays } from '../decisions/flight-counters';
import { anAd, anOnlineAd, emptyBooks, onlyMedia } from '../decisions/testing/ads-for-tests';
import { timers } from '../schedule';
import { type HandTurnedTime, handTurnedTime } from '../service/testing/hand-turned-time';
import type { Fact } from '../status/facts';
import { noFacts, withFact } from '../status/status-board';
import { keepBooks } from './book-keeping';
import { createBooks } from './books';
import { RecordsError } from './records-client';

const CAPS = [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2 }];
let time: HandTurnedTime;
let database: RecordsDatabase;
let number = 0;
let isSnapshotUnread: boolean;
let facts: Fact[];

beforeEach(() => {
  // Each test has its own: the timers of earlier kiosks would go on.
  time = handTurnedTime();
  isSnapshotUnread = false;
  facts = [];
  database = openDatabase('book-keeping');
});
afterEach(() => database.delete());

/**
 * A kiosk with one ad, whose cap is two plays a day. It has no snapshot.
 * @param lost whether a command gets no answer: a reservation is stored all the same, a settlement is not
 */
async function kiosk(lost: (command: RecordsCommand) => boolean = () => false) {
  const ad = anAd({ flightId: 'f', frequencyCaps: CAPS });
  const commands = recordsCommandsOn(database);
  const nothing = async () => null;
  const books = createBooks({
    schedule: (_ms, run) => timers(0, run),
    records: {
      async run(command, input) {
        const isLost = lost(command);
        const run = commands[command] as (value: unknown) => Promise<never>;
        const output = isLost && command === 'settlePlay' ? null : await run(input);
        if (isLost) throw new RecordsError('timeout', command, 'no answer');
        return output as never;
      },
    },
    files: {
      read: async () => {
        if (isSnapshotUnread) throw new Error('EIO');
        return null;
      },
      write: nothing,
      note: nothing,
      readPlaylist: nothing,
      writePlaylist: nothing,
    } as never,
    environment: 'store',
    clock: time.clock,
    log: silentLog,
    newId: () => `id-${Math.random()}`,
    pause: async () => {},
  });
  const { flights: counters, recency } = await books.open();
  const decider = createDecider({ ...emptyBooks, ads: [ad], counters, recency });
  decider.mediaReady(onlyMedia(ad) ?? '');
  return {
    books,
    decider,
    keep: (
      writeSnapshot = books.writeSnapshot,
      pause = async () => {},
      over: Partial<Parameters<typeof keepBooks>[0]> = {},
    ) =>
      keepBooks({
        books: { ...books, writeSnapshot },
        decider,
        clock: time.clock,
        schedule: time.schedule,
        log: silentLog,
        pause,
        environment: 'store',
        board: { tell: (fact) => void facts.push(fact) },
        deliversProof: false,
        ...over,
      }),
    /** Reserves a play, and makes it void if that gets no answer, or `isVoid`; null: none may play. */
    play(isVoid = false): Promise<unknown> | null {
      const at = time.clock.now();
      const choice = decider.choose(at);
      const reservation = choice && decider.enter(choice, at);
      if (!reservation) return null;
      number += 1;
      const id = `play-${number}`;
      const reserving = books.run('reservePlay', {
        play: examplePlay({ id, at, adId: ad.id, flightId: 'f', sourceId: null, ...UNSEEN }),
        ...reservation.books,
      });
      const makeVoid = () => {
        const settlement = { ...UNSEEN, outcome: 'given-back', endReason: 'not-confirmed' } as const;
        const back = { flight: null, recency: null, sourceMix: null, ...reservation.makeVoid() };
        return books.run('settlePlay', { id, settlement, ...back });
      };
      return isVoid ? reserving.then(makeVoid) : reserving.catch(makeVoid);
    },
  };
}

it('the check after the start keeps a play that is reserved meanwhile', async () => {
  await (await kiosk()).play();
  // The play is stored, and its counters are lost.
  await database.flights.clear();
  const { books, decider, keep, play } = await kiosk();
  keep();
  time.pass(5_000);
  await play();
  expect(books.report().correctedFlights).toBe(1);
  expect(decider.countersOf('f')?.total).toBe(2);
  expect(play()).toBeNull();
  await time.advance(5_000);
  await expect.poll(async () => (await database.flights.toArray()).map(({ total }) => total)).toEqual([2]);
  expect(books.counters('f')?.total).toBe(2);
});

it.each([
  ['forty flights', 40_000, 60],
  ['four thousand flights', 4_000_000, 4],
  ['so many flights that it is never small', 400_000_000, 1],
])('the snapshot of %s (%d bytes) is written %d times an hour', async (_of, bytes, times) => {
  const { keep } = await kiosk();
  let written = 0;
  keep(async () => {
    written += 1;
    return bytes;
  });
  await time.advance(3_600_000);
  expect(written).toBe(times);
});

it('a play that could not be made void counts within a minute, because it stays on the books', async () => {
  let isSilent = true;
  const { decider, keep, play } = await kiosk(
    (command) => isSilent && (command === 'reservePlay' || command === 'settlePlay'),
  );
  keep();
  await time.advance(5_000);
  await expect(play()).rejects.toThrow('no answer');
  isSilent = false;
  await play();
  expect(decider.countersOf('f')?.total).toBe(1);
  await time.advance(60_000);
  await expect.poll(() => decider.countersOf('f')?.total).toBe(2);
  expect(play()).toBeNull();
  await expect.poll(async () => (await database.flights.toArray()).map(({ total }) => total)).toEqual([2]);
});

it('a snapshot that cannot be read is a problem until it could be read and replaced', async () => {
  isSnapshotUnread = true;
  const { keep } = await kiosk();
  keep();
  await time.advance(180_000);
  const problems = () => facts.reduce((told, fact) => withFact(told, fact, 0), noFacts(0)).attention;
  const message = expect.stringContaining('cannot be read');
  expect(problems()).toMatchObject([{ code: 'snapshot-unread', message }]);
  isSnapshotUnread = false;
  await time.advance(120_000);
  expect(problems()).toEqual([]);
});

it('a stored play that could not be made void counts within a minute', async () => {
  let isSilent = true;
  const { decider, keep, play } = await kiosk((command) => isSilent && command === 'settlePlay');
  keep();
  await time.advance(5_000);
  await expect(play(true)).rejects.toThrow('no answer');
  isSilent = false;
  expect(decider.countersOf('f')?.total).toBe(0);
  await time.advance(60_000);
  await expect.poll(() => decider.countersOf('f')?.total).toBe(1);
  await play();
  expect(play()).toBeNull();
});

it('a play that was stored without an answer, and made void, is one of the stored plays', async () => {
  let isSilent = true;
  const { books, play } = await kiosk((command) => isSilent && command === 'reservePlay');
  await play();
  isSilent = false;
  expect(await database.plays.toArray()).toMatchObject([{ outcome: 'given-back' }]);
  expect(books.playCount()).toBe(1);
});

it('plays that an epoch left behind its end are numbered within a minute', async () => {
  const { books, keep, play } = await kiosk();
  keep();
  await time.advance(20_000);
  await play();
  const [row] = await database.plays.toArray();
  if (!row) throw new Error('nothing was stored');
  await database.plays.put({ ...row, outcome: 'completed' });
  await database.sequences.put({ ...newEpoch(0), numberedTo: null });
  await time.advance(60_000);
  await expect
    .poll(async () => (await database.sequenceEntries.toArray()).map(({ playId }) => playId))
    .toEqual([row.id]);
  expect((await books.run('proofPosition', {})).waiting).toBe(1);
});

it.each([
  ['', false, {}],
  [', and as many more until their proof is delivered', true, { keepUnsent: 1_000_000 }],
])('each hour plays older than 90 days are pruned, all but a million%s', async (_, deliversProof, kept) => {
  const { books, keep } = await kiosk();
  const asked: unknown[] = [];
  const pruned = [{ store: 100 }, { store: 3 }];
  const run: typeof books.run = async (command, input) => {
    if (command !== 'prunePlays') return books.run(command, input);
    asked.push(input);
    return (pruned.shift() ?? {}) as never;
  };
  keep(undefined, undefined, { deliversProof, books: { ...books, run } });
  await time.advance(3_600_000);
  const before = time.clock.now() - 90 * 86_400_000;
  const some = { before, keep: 1_000_000, ...kept, limit: 100 };
  expect(asked).toEqual([some, some, some]);
});

it('each hour the books forget what the decider forgets, and store what it shrinks', async () => {
  const { books, decider, keep } = await kiosk();
  const flights = [countPlay(noPlays('f'), time.clock.now())];
  await database.recency.put({ environment: 'store', key: 'old', sequence: 1, at: 0, adId: 'a' });
  keep(undefined, undefined, {
    decider: { ...decider, forgetRecency: () => ['old'], shrinkUnseen: () => flights },
  });
  await time.advance(3_600_000);
  await expect.poll(() => database.recency.count()).toBe(0);
  await expect.poll(() => database.flights.toArray()).toMatchObject(flights);
  expect(books.counters('f')).toEqual(flights[0]);
});

it('a flight of which fewer plays are stored than counted is recounted once a run, because that reads every play', async () => {
  await (await kiosk()).play();
  const [row] = await database.flights.toArray();
  if (!row) throw new Error('nothing was stored');
  // Plays of it were pruned, and a clock that was ahead made its counters drop this hour.
  await database.flights.put({ ...row, total: 9, hoursDroppedTo: Math.floor(time.clock.now() / 3_600_000) });
  const { books, decider, keep } = await kiosk();
  let reads = 0;
  expect(decider.flightsToRecount(time.clock.now())).toHaveLength(1);
  keep(books.writeSnapshot, async () => {
    reads += 1;
  });
  await time.advance(600_000);
  await expect.poll(() => reads).toBe(1);
  await expect.poll(() => time.waits()).toContain(600_000);
  await time.advance(600_000);
  expect([reads, decider.countersOf('f')?.total]).toEqual([1, 9]);
});

it('a flight that plays while its plays are read is recounted all the same', async () => {
  await (await kiosk()).play();
  const [row] = await database.flights.toArray();
  const [stored] = await database.plays.toArray();
  if (!row || !stored) throw new Error('nothing was stored');
  // More than one page.
  const earlier = Array.from({ length: 200 }, (_, index) => ({ ...stored, id: `earlier-${index}` }));
  await database.plays.bulkAdd(earlier);
  const hoursDroppedTo = Math.floor(time.clock.now() / 3_600_000);
  await database.flights.put({ ...row, total: 201, hoursDroppedTo });
  const { books, decider, keep } = await kiosk();
  expect(decider.flightsToRecount(time.clock.now())).toHaveLength(1);
  let pages = 0;
  keep(books.writeSnapshot, async () => {
    pages += 1;
    if (pages > 1) return;
    const at = time.clock.now();
    decider.countExternal(anOnlineAd('f'), at);
    await database.plays.add({ ...stored, id: 'meanwhile', at });
  });
  await time.advance(600_000);
  await expect.poll(() => decider.flightsToRecount(time.clock.now())).toEqual([]);
  expect([pages, decider.countersOf('f')?.total]).toEqual([2, 202]);
});

it('a flight whose plays are taken back in every recount is given up after three', async () => {
  await (await kiosk()).play();
  const [row] = await database.flights.toArray();
  if (!row) throw new Error('nothing was stored');
  await database.flights.put({ ...row, hoursDroppedTo: Math.floor(time.clock.now() / 3_600_000) });
  const { books, keep, play } = await kiosk();
  let reads = 0;
  keep(books.writeSnapshot, async () => {
    reads += 1;
    await play(true);
  });
  for (let round = 1; round <= 4; round += 1) {
    await time.advance(600_000);
    await expect.poll(() => [reads, time.waits().includes(600_000)]).toEqual([Math.min(round, 3), true]);
  }
});

it('a clock that nobody confirmed leaves two million plays, a confirmed one the newest million', async () => {
  const { books, decider, keep } = await kiosk();
  let isTrusted = false;
  const kept: unknown[] = [];
  const run: typeof books.run = async (command, input) => {
    if (command !== 'prunePlays') return books.run(command, input);
    kept.push(input);
    return {} as never;
  };
  keep(undefined, undefined, {
    decider: { ...decider, running: () => ({ at: 0, ran: 0, isTrusted }) },
    books: { ...books, run },
    deliversProof: true,
  });
  await time.advance(3_600_000);
  isTrusted = true;
  await time.advance(3_600_000);
  // With those that are not delivered, two million in both cases.
  expect(kept).toMatchObject([
    { keep: 2_000_000, keepUnsent: 0 },
    { keep: 1_000_000, keepUnsent: 1_000_000 },
  ]);
});
