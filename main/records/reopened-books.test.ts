import 'fake-indexeddb/auto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import type { FlightCounters } from '../../shared/books';
import { silentLog } from '../../shared/log';
import { type Play, UNSEEN } from '../../shared/play';
import { countPlay, noPlays } from '../decisions/flight-counters';
import { type Books, createBooks } from './books';
import type { Records } from './records-client';
import { snapshotFiles } from './snapshot';

// What a new records window settles and stores again while slots go on (rules 8 and 25).

let folder: string;
let database: RecordsDatabase;
let books: Books;
let now: number;
let worlds = 0;

async function openWorld(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'endcap-reopened-'));
  worlds += 1;
  database = openDatabase(`reopened-books-${worlds}`);
  now = Date.UTC(2026, 10, 20, 9, 0);
  const commands = recordsCommandsOn(database);
  books = createBooks({
    records: { run: (command, input) => commands[command](input) } as Records,
    files: snapshotFiles(join(folder, 'books.json'), async () => {}),
    environment: 'store',
    clock: { now: () => now, monotonic: () => now },
    log: silentLog,
    newId: () => `id-${Math.random()}`,
    pause: async () => {},
    countPlay: (counters, flightId, at) => countPlay(counters ?? noPlays(flightId), at),
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
const playOf = (id: string, at: number): Play => ({
  ...{ id, environment: 'store', at, adId: 'ad', requestId: 'r', flightId: 'f', campaignId: null },
  ...{ source: null, sourceId: 's', mediaUrl: 'http://127.0.0.1/m', delivery: 'offline', durationMs: 1000 },
  ...UNSEEN,
});

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
      fc.record({ do: fc.constantFrom('reopen' as const, 'verify' as const, 'store' as const) }),
    );
    const pause = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, pause), { maxLength: 14 }), async (steps) => {
        await closeWorld();
        await openWorld();
        let counters = noPlays('f');
        let slot: Promise<void> = Promise.resolve();
        const done: Promise<unknown>[] = [];
        const ids: string[] = [];
        for (const [{ do: what, ...more }, turns] of steps) {
          if (what === 'play') {
            // Slots follow one another, as in a kiosk.
            await slot;
            now += 1000;
            counters = countPlay(counters, now);
            ids.push(`play-${ids.length}`);
            slot = play(`play-${ids.length - 1}`, counters, 'turns' in more ? more.turns : 0);
            done.push(slot);
          } else if (what === 'store') done.push(storeSomething(done.length));
          else done.push(books[what]());
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(done);
        const stored = await database.plays.orderBy('at').toArray();
        expect(stored.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'completed']));
        expect((await database.flights.toArray()).map(({ environment: _, ...flight }) => flight)).toEqual(
          ids.length === 0 ? [] : [counters],
        );
        expect(books.report()).toMatchObject({ lostPlays: 0, correctedFlights: 0, unsettled: 0 });
      }),
      { numRuns: 60 },
    );
  });
});
