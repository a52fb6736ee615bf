import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { silentLog } from '../../shared/log';
import { UNSEEN } from '../../shared/play';
import { createDecider } from '../decisions/decider';
import { countPlay, noPlays, recount } from '../decisions/flight-counters';
import { anAd, onlyMedia } from '../decisions/testing/ads-for-tests';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { keepBooks } from './book-keeping';
import { createBooks } from './books';

const CAPS = [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2 }];
const time = handTurnedTime();
let database: RecordsDatabase;
let number = 0;

beforeEach(() => {
  database = openDatabase('book-keeping');
});
afterEach(() => database.delete());

/** A kiosk with one ad, whose cap is two plays a day. It has no snapshot. */
async function kiosk() {
  const ad = anAd({ flightId: 'f', frequencyCaps: CAPS });
  const commands = recordsCommandsOn(database);
  const nothing = async () => null;
  const books = createBooks({
    records: { run: (command, input) => (commands[command] as (value: unknown) => Promise<never>)(input) },
    files: {
      read: nothing,
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
    countPlay: (counters, flightId, at) => countPlay(counters ?? noPlays(flightId), at),
  });
  const { flights: counters, recency } = await books.open();
  const start = { mediaUrl: onlyMedia, weights: {}, sourceMix: { credits: [] } };
  const decider = createDecider({ ...start, ads: [ad], counters, recency });
  decider.mediaReady(onlyMedia(ad) ?? '');
  return {
    books,
    decider,
    keep: () =>
      keepBooks({
        ...{ books, decider, recount, clock: time.clock, schedule: time.schedule, log: silentLog },
        ...{ pause: async () => {}, environment: 'store', deliversProof: false },
      }),
    /** Reserves a play; null: none may play. */
    play(): Promise<unknown> | null {
      const at = time.clock.now();
      const choice = decider.choose(at);
      const reservation = choice && decider.reserve(choice, at);
      if (!reservation) return null;
      number += 1;
      return books.run('reservePlay', {
        play: {
          ...{ id: `play-${number}`, environment: 'store', at, adId: ad.id, requestId: 'r', flightId: 'f' },
          ...{ mediaUrl: 'm', delivery: 'offline', durationMs: 1000, source: null, sourceId: null },
          ...{ campaignId: null, ...UNSEEN },
        },
        ...reservation.books,
      });
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
