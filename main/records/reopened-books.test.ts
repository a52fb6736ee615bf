import 'fake-indexeddb/auto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { FlightCounters } from '../../shared/books';
import { silentLog } from '../../shared/log';
import { UNSEEN } from '../../shared/play';
import type { RecordsInput } from '../../shared/records';
import { countPlay, noPlays, recount, voidPlay } from '../decisions/flight-counters';
import { anAd } from '../decisions/testing/ads-for-tests';
import { longestTurnMs } from '../reading/testing/turn-meter';
import { timers } from '../schedule';
import { type Books, createBooks } from './books';
import { createRecordsClient, type Records, RecordsError } from './records-client';
import { snapshotFiles } from './snapshot';

// What a new records window settles and stores again while slots go on (rules 8 and 25).

let folder: string;
let database: RecordsDatabase;
let books: Books;
let now: number;
let worlds = 0;
/** Plays whose reservation is stored but gets no answer. */
const unanswered = new Set<string>();

async function openWorld(): Promise<void> {
  unanswered.clear();
  folder = await mkdtemp(join(tmpdir(), 'endcap-reopened-'));
  worlds += 1;
  database = openDatabase(`reopened-books-${worlds}`);
  now = Date.UTC(2026, 10, 20, 9, 0);
  const commands = recordsCommandsOn(database);
  books = createBooks({
    schedule: (_ms, run) => timers(0, run),
    records: {
      async run(command, input) {
        const run = commands[command] as (value: unknown) => Promise<never>;
        const output = await run(input);
        if (command === 'reservePlay' && unanswered.has((input as RecordsInput<'reservePlay'>).play.id))
          throw new RecordsError('timeout', command, 'no answer');
        return output;
      },
    },
    files: snapshotFiles(join(folder, 'books.json'), async () => {}),
    environment: 'store',
    clock: { now: () => now, monotonic: () => now },
    log: silentLog,
    newId: () => `id-${Math.random()}`,
    pause: async () => {},
  });
  await books.open();
}

async function closeWorld(): Promise<void> {
  await database.delete();
  // The journal may still be writing its last line.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

beforeEach(openWorld);
afterEach(closeWorld);

const NO_CHANGE = { flight: null, recency: null, sourceMix: null };
const playOf = (id: string, at: number) => examplePlay({ id, at, flightId: 'f', ...UNSEEN });

/** A slot: reserves its play, and settles it as completed some turns later. */
async function play(id: string, flight: FlightCounters, turns: number): Promise<void> {
  const at = now;
  await books.run('reservePlay', { play: playOf(id, at), ...NO_CHANGE, flight });
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const shown = { shownAt: at, viewedMs: 1000, endReason: 'ended' };
  await books.run('settlePlay', {
    id,
    settlement: { ...UNSEEN, outcome: 'completed', ...shown },
    ...NO_CHANGE,
  });
}

/** A slot whose reservation is stored but gets no answer: its play is not shown, and made void. */
async function playVoid(id: string, flight: FlightCounters): Promise<void> {
  const at = now;
  unanswered.add(id);
  const reserving = books.run('reservePlay', { play: playOf(id, at), ...NO_CHANGE, flight });
  await expect(reserving).rejects.toMatchObject({ mayBeDone: true });
  const settlement = { ...UNSEEN, outcome: 'given-back', endReason: 'not-confirmed' } as const;
  await books.run('settlePlay', { id, settlement, ...NO_CHANGE, flight: voidPlay(flight, at) });
}

/** Gives the records window something to store first. */
const storeSomething = (part: number) =>
  books.run('storeAds', { environment: 'store', version: 'v', part, ads: [] });

describe('plays of slots that continue while another records window takes over', () => {
  it('do not count as plays of an earlier run', async () => {
    const busy = [storeSomething(1), storeSomething(2)];
    const reopening = books.reopen();
    await Promise.all([...busy, reopening, play('first', countPlay(noPlays('f'), now), 40)]);
    expect(await database.plays.toArray()).toMatchObject([
      { id: 'first', outcome: 'completed', shownAt: now },
    ]);
  });

  it('are all settled and counted, whatever else is stored or checked meanwhile', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('play' as const), turns: fc.nat(60) }),
      fc.record({
        do: fc.constantFrom('unanswered' as const, 'reopen' as const, 'verify' as const, 'store' as const),
      }),
    );
    const pause = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, pause), { maxLength: 14, size: 'max' }), async (steps) => {
        await closeWorld();
        await openWorld();
        let counters = noPlays('f');
        let slot: Promise<void> = Promise.resolve();
        const done: Promise<unknown>[] = [];
        const played: Array<[id: string, outcome: string]> = [];
        for (const [{ do: what, ...more }, turns] of steps) {
          if (what === 'play' || what === 'unanswered') {
            // Slots follow one another, as in a kiosk.
            await slot;
            now += 1000;
            const id = `play-${played.length}`;
            const one = countPlay(counters, now);
            counters = what === 'play' ? one : voidPlay(one, now);
            played.push([id, what === 'play' ? 'completed' : 'given-back']);
            slot = what === 'play' ? play(id, one, 'turns' in more ? more.turns : 0) : playVoid(id, one);
            done.push(slot);
          } else if (what === 'store') done.push(storeSomething(done.length));
          else done.push(books[what]());
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(done);
        const stored = await database.plays.orderBy('at').toArray();
        expect(stored.map(({ id, outcome }) => [id, outcome])).toEqual(played);
        expect((await database.flights.toArray()).map(({ environment: _, ...flight }) => flight)).toEqual(
          played.length === 0 ? [] : [counters],
        );
        expect(books.report()).toMatchObject({ lostPlays: 0, correctedFlights: 0, unsettled: 0 });
      }),
      { numRuns: 60 },
    );
  });
});

/** Longest time for which main may be blocked (rule 31), ms. */
const MAX_MS = 50;
/** How often it is measured; the shortest time counts, because other load on the machine only adds to it. */
const TRIES = 8;
const MANY = 10_000;

/** The other end of the records' port, in a thread of its own. */
const ANSWERING = `
  const { parentPort, workerData: { playlist, flights, recency, ...counts } } = require('node:worker_threads');
  parentPort.on('message', ({ call, command, input }) => {
    const lists = input.countsOnly
      ? { playlist: null, flights: [], recency: [] }
      : { playlist, flights, recency };
    parentPort.postMessage({ call, ok: true, output: command === 'openBooks' ? { ...counts, ...lists } : null });
  });`;

/** As many ads, counters and recency as there may be, in a records window that runs beside this thread. */
async function longBooks() {
  const ads = Array.from({ length: MANY }, (_, index) =>
    anAd({ flightId: `flight-${index}` }, `https://m.test/${index}`, `ad-${index}`),
  );
  const hours = Array.from({ length: 36 }, (_, hour) => now - hour * 3_600_000);
  const counters = recount('flight', hours);
  const stored = {
    playlist: { ads, receivedAt: now, etag: null, lastModified: null },
    flights: ads.map((_, index) => ({ ...counters, flightId: `flight-${index}` })),
    recency: ads.map(({ id }, index) => ({ key: `key-${index}`, sequence: index, at: now, adId: id })),
    sourceMix: null,
    lastPlayAt: now,
    playCount: 1,
    unsettled: 0,
  };
  const worker = new Worker(ANSWERING, { eval: true, workerData: stored });
  await once(worker, 'online');
  const client = createRecordsClient(timers);
  client.connect({
    send: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', listener),
  });
  const done: string[] = [];
  const records: Records = {
    async run(command, input) {
      const output = await client.run(command, input);
      done.push(command);
      return output;
    },
  };
  return { records, done, worker, ads };
}

it('a window that takes over blocks main for less than 50 ms, with 10,000 ads and counters', async () => {
  const { records, done, worker, ads } = await longBooks();
  const file = join(folder, 'long-books.json');
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const long = createBooks({
    schedule: (_ms, run) => timers(0, run),
    records,
    environment: 'store',
    log: silentLog,
    pause,
    files: snapshotFiles(file, pause),
    clock: { now: () => now, monotonic: () => now },
    newId: () => `id-${Math.random()}`,
  });
  expect((await long.open()).playlist?.ads).toHaveLength(ads.length);
  await expect.poll(() => existsSync(file)).toBe(true);
  let calmest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && calmest >= MAX_MS; tries += 1) {
    done.length = 0;
    const longest = await longestTurnMs(async () => {
      await long.reopen();
      await expect.poll(() => done, { interval: 5 }).toContain('storePlaylist');
    });
    calmest = Math.min(calmest, longest);
  }
  await worker.terminate();
  expect(calmest).toBeLessThan(MAX_MS);
});
