import 'fake-indexeddb/auto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { FlightCounters } from '../../shared/books';
import { silentLog } from '../../shared/log';
import { UNSEEN } from '../../shared/play';
import { createDecider, type Entry } from '../decisions/decider';
import { recount } from '../decisions/flight-counters';
import { anAd, emptyBooks, explainAll, onlyMedia } from '../decisions/testing/ads-for-tests';
import { openPlaces } from '../fleet/proof-places';
import { createBooks } from '../records/books';
import { RecordsError } from '../records/records-client';
import { snapshotFiles } from '../records/snapshot';
import { timers } from '../schedule';
import { createDecidedClock } from '../shell/decided-clock';
import { followClock } from './follow-clock';
import type { Playlist } from './playlist';
import { playlistAnswers } from './playlist-answers';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const noon = Date.UTC(2026, 10, 18, 12);
let database: RecordsDatabase;
let folder: string;
let number = 0;
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(async () => {
  number += 1;
  database = openDatabase(`follow-clock-${number}`);
  folder = await mkdtemp(join(tmpdir(), 'endcap-clock-'));
});
afterEach(async () => {
  await database.delete();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** How often a move of plays fails from now on, because the disk does not take it. */
let failingMoves = 0;

/** A kiosk with one ad, whose cap is two plays a day, and with counters of `others`. */
async function kiosk(others: readonly FlightCounters[] = [], start = noon, storeId = 'a') {
  const ad = anAd({ flightId: 'f', frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2 }] });
  const time = { monotonic: 0 };
  const clock = createDecidedClock(
    () => start + time.monotonic,
    () => time.monotonic,
  );
  const commands = recordsCommandsOn(database);
  const books = createBooks({
    schedule: (ms, run) => {
      time.monotonic += ms;
      return timers(0, run);
    },
    records: {
      async run(command, input) {
        if (command === 'movePlays' && failingMoves > 0) {
          failingMoves -= 1;
          throw new RecordsError('storage', command, 'the disk is full');
        }
        return (commands[command] as (value: unknown) => Promise<never>)(input);
      },
    },
    files: snapshotFiles(join(folder, 'books.json'), async () => {}),
    environment: 'store',
    clock,
    log: silentLog,
    newId: () => `id-${Math.random()}`,
    pause,
  });
  const stored = await books.open();
  if (stored.lastPlayAt !== null) clock.booksOpened(stored.lastPlayAt);
  const places = await openPlaces({
    path: join(folder, 'places.json'),
    present: { playerId: null, store: { storeId, zone: null, screenId: null, labels: {} } },
    books: Promise.resolve({ environment: 'store', lastPlayAt: stored.lastPlayAt }),
    schedule: timers,
    log: silentLog,
  });
  const decider = createDecider({
    ...emptyBooks,
    ads: [ad],
    counters: [...stored.flights, ...others],
    recency: stored.recency,
    running: { at: clock.now(), ran: books.ranMs(), isTrusted: clock.lastTrustedAt() !== null },
  });
  decider.mediaReady(onlyMedia(ad) ?? '');
  const askedAgain: number[] = [];
  /** Files that may not play by the time to which the clock is set next. */
  const struckThen: string[] = [];
  const lines: unknown[] = [];
  followClock({
    clock,
    decider,
    media: { clockSet: () => struckThen.forEach(decider.mediaGone) },
    books,
    places,
    askAgain: (inMs) => askedAgain.push(inMs),
    pause,
    log: { ...silentLog, warn: (event, details) => void lines.push([event, details]) },
    changed: () => {},
  });
  const answer = (off: number) =>
    clock.trust({ at: start + time.monotonic + off, monotonic: time.monotonic });
  /** An answer, until clock and books follow it: at once, unless the machine is busy. */
  const settle = async (off: number) => {
    answer(off);
    await clock.settled();
  };
  const pass = (ms: number) => {
    time.monotonic += ms;
  };
  function reserve() {
    const at = clock.now();
    const choice = decider.choose(at);
    const entry = choice && decider.enter(choice, at);
    return entry && { at, ...entry };
  }
  const store = ({ at, books: changes }: Pick<Entry, 'books'> & { readonly at: number }) => {
    number += 1;
    const id = `play-${number}`;
    const play = examplePlay({ id, at, adId: ad.id, flightId: 'f', sourceId: null, ...UNSEEN });
    return books.run('reservePlay', { play, ...changes });
  };
  return {
    answer,
    settle,
    pass,
    reserve,
    store,
    askedAgain,
    struckThen,
    lines,
    ad,
    books,
    places,
    decider,
    clock,
  };
}

it('a clock that is set is in the log, with times that people can read', async () => {
  const { settle, pass, lines } = await kiosk();
  await settle(0);
  pass(1_000);
  await settle(DAY);
  pass(MINUTE);
  await settle(DAY);
  expect(lines.at(-1)).toEqual([
    'the clock was set',
    {
      before: '2026-11-18T12:01:01.000Z',
      now: '2026-11-19T12:01:01.000Z',
      isJump: true,
      movesPlaysAfter: '2026-11-18T12:00:00.000Z',
    },
  ]);
});

it('a jump requests another answer, and keeps decisions and books consistent', async () => {
  const { settle, pass, reserve, store, askedAgain, books, decider, clock } = await kiosk();
  await settle(0);
  pass(1_000);
  const first = reserve();
  if (first === null) throw new Error('nothing could be reserved');
  const storing = store(first);
  await settle(DAY);
  expect(askedAgain).toEqual([MINUTE]);
  pass(MINUTE);
  await settle(DAY);
  // The day is a new one, and still only one play of two is left.
  const second = reserve();
  if (second === null) throw new Error('nothing could be reserved');
  expect(reserve()).toBeNull();
  await Promise.all([storing, store(second)]);
  await expect.poll(async () => (await database.environments.get('store'))?.lastMove).toBeDefined();

  const stamps = (await database.plays.orderBy('at').toArray()).map(({ at }) => at - noon - DAY);
  expect(stamps).toEqual([1_000, 1_000 + MINUTE]);
  expect(clock.now()).toBe(noon + DAY + MINUTE + 1_000);
  const kept = decider.countersOf('f');
  expect(await database.flights.toArray()).toEqual([{ ...kept, environment: 'store' }]);
  await expect.poll(() => books.counters('f')).toEqual(kept);

  // The next start, from what is stored.
  const next = await kiosk();
  await next.settle(DAY);
  expect(next.reserve()).toBeNull();
  expect(explainAll(next.decider, [next.ad], next.clock.now())[0]?.caps).toMatchObject([{ used: 2 }]);
});

it.each([
  // Chromium closes the database after an error, and only a new window opens it again.
  ['for half a minute', 30, [1_000, 2_000].map((at) => at + DAY)],
  ['at all', 100, [1_000, 2_000]],
])(
  'a jump that the disk does not take %s frees no cap, not even after a restart',
  async (_when, fails, at) => {
    const { settle, pass, reserve, store, books } = await kiosk();
    await settle(0);
    for (let plays = 0; plays < 2; plays += 1) {
      pass(1_000);
      const play = reserve();
      if (play === null) throw new Error('nothing could be reserved');
      await store(play);
    }
    failingMoves = fails;
    await settle(DAY);
    pass(MINUTE);
    await settle(DAY);
    expect(reserve()).toBeNull();
    // As `keepBooks` does within a minute.
    await books.verify();
    expect(books.isUnsure()).toBe(false);
    failingMoves = 0;
    expect((await database.plays.orderBy('at').toArray()).map((play) => play.at - noon)).toEqual(at);
    const next = await kiosk();
    await next.settle(DAY);
    expect(next.reserve()).toBeNull();
  },
);

it('plays keep their store where the first trusted time of a run moves those of the run before, too', async () => {
  /** A run whose clock is a day ahead, with one play. */
  const run = async (storeId: string, start: number) => {
    const running = await kiosk([], start + DAY, storeId);
    running.pass(1_000);
    const play = running.reserve();
    if (play === null) throw new Error('nothing could be reserved');
    await running.store(play);
    return running;
  };
  await run('a', noon);
  const { settle, places, clock } = await run('b', noon + HOUR);
  const stores = async () =>
    (await database.plays.orderBy('at').toArray()).map((play) => [
      play.at - noon,
      places.of(play).store.storeId,
    ]);
  await settle(-DAY);
  await expect.poll(stores).toEqual([
    [1_000, 'a'],
    [HOUR + 1_000, 'b'],
  ]);
  expect(places.of({ environment: 'store', at: clock.now() }).store.storeId).toBe('b');
});

it('a jump back that proves wrong leaves earlier plays where they are', async () => {
  const { settle, pass, reserve, store, books, clock } = await kiosk();
  const lastMove = async () => (await database.environments.get('store'))?.lastMove;
  await settle(0);
  // Eleven hours before the service is wrong for an hour.
  pass(1_000);
  const right = reserve();
  if (right === null) throw new Error('nothing could be reserved');
  await store(right);
  pass(11 * HOUR);
  await settle(0);
  // Two answers that are a day behind agree.
  pass(1_000);
  await settle(-DAY);
  pass(MINUTE);
  await settle(-DAY);
  expect(clock.now()).toBe(noon + 11 * HOUR + MINUTE + 2_000 - DAY);
  await expect.poll(lastMove).toBeDefined();
  const moveBack = await lastMove();
  // The service agrees with the wrong time, and is right an hour later.
  pass(HOUR - MINUTE);
  await settle(-DAY);
  pass(MINUTE);
  await settle(0);
  pass(MINUTE);
  await settle(0);
  expect(clock.now()).toBe(noon + 12 * HOUR + 2 * MINUTE + 2_000);
  await expect.poll(lastMove).not.toBe(moveBack);
  expect((await database.plays.toArray()).map(({ at }) => at)).toEqual([right.at]);
  expect(books.lastPlayAt()).toBe(right.at);
});

it('an ad whose file may not play by the new time is not chosen after a jump', async () => {
  const { settle, pass, reserve, struckThen, ad } = await kiosk();
  await settle(0);
  struckThen.push(onlyMedia(ad) ?? '');
  await settle(-DAY);
  pass(MINUTE);
  expect(reserve()).not.toBeNull();
  await settle(-DAY);
  expect(reserve()).toBeNull();
});

it('no calendar period ends before the service has sent the time', async () => {
  const evening = await kiosk([], noon - 16 * HOUR);
  await evening.settle(0);
  for (let plays = 0; plays < 2; plays += 1) {
    evening.pass(1_000);
    const play = evening.reserve();
    if (play === null) throw new Error('nothing could be reserved');
    await evening.store(play);
  }
  const morning = await kiosk();
  expect(morning.reserve()).toBeNull();
  expect(explainAll(morning.decider, [morning.ad], morning.clock.now())[0]?.caps).toMatchObject([
    { used: 2 },
  ]);
  await morning.settle(0);
  expect(morning.reserve()).not.toBeNull();
  expect(explainAll(morning.decider, [morning.ad], morning.clock.now())[0]?.caps).toMatchObject([
    { used: 1 },
  ]);
});

it('slots use the old time until a jump over many flights is prepared', async () => {
  const others = Array.from({ length: 1_000 }, (_, index) => recount(`other-${index}`, [noon + 500]));
  const { answer, pass, reserve, store, books, decider, clock } = await kiosk(others);
  answer(0);
  pass(1_000);
  const first = reserve();
  if (first === null) throw new Error('nothing could be reserved');
  await store(first);
  answer(DAY);
  pass(MINUTE);
  answer(DAY);
  // The clock and the decider still use the old time.
  expect(clock.now()).toBe(noon + MINUTE + 1_000);
  const second = reserve();
  if (second === null) throw new Error('nothing could be reserved');
  expect(second.at).toBe(clock.now());
  expect(reserve()).toBeNull();
  clock.playStored(second.at);
  pass(5_000);
  const storing = store(second);
  await expect.poll(() => clock.now()).toBe(noon + DAY + MINUTE + 6_000);
  expect(clock.lastTrustedAt()).toBe(clock.now());
  expect(reserve()).toBeNull();
  expect(decider.countersOf('f')).toMatchObject({
    recent: [1_000, 1_000 + MINUTE].map((at) => noon + DAY + at),
  });
  expect(decider.countersOf('other-999')).toMatchObject({ recent: [noon + DAY + 500] });

  await storing;
  await expect.poll(() => books.counters('other-999')).toEqual(decider.countersOf('other-999'));
  expect(books.counters('f')).toEqual(decider.countersOf('f'));
  expect(await database.flights.count()).toBe(1_001);
  const stamps = (await database.plays.orderBy('at').toArray()).map(({ at }) => at - noon - DAY);
  expect(stamps).toEqual([1_000, 1_000 + MINUTE]);
});

it.each([
  { clock: 'two hours ahead', off: 2 * HOUR },
  { clock: 'a year behind', off: -365 * DAY },
])('the first trusted time moves no play of a lost database, if the clock is $clock', async ({ off }) => {
  // Half past midnight; the daily cap of two plays is used up.
  const night = noon + 12 * HOUR + 30 * MINUTE;
  const first = await kiosk([], night);
  await first.settle(0);
  for (let plays = 0; plays < 2; plays += 1) {
    first.pass(1_000);
    const play = first.reserve();
    if (play === null) throw new Error('nothing could be reserved');
    await first.store(play);
  }
  await first.books.writeSnapshot();
  await database.delete();
  await database.open();
  const next = await kiosk([], night + 5 * MINUTE + off);
  expect(next.books.report().restoredFlights).toBe(1);
  expect(next.clock.now()).toBeGreaterThanOrEqual(night + 2_000);
  expect(next.reserve()).toBeNull();
  await next.settle(-off);
  expect(next.decider.countersOf('f')?.recent).toEqual([night + 1_000, night + 2_000]);
  expect(next.reserve()).toBeNull();
});

it('an answer that sets the clock is stored with the time that it told, even with many flights', async () => {
  const others = Array.from({ length: 1_000 }, (_, index) => recount(`other-${index}`, [noon + 500]));
  // The machine was off for three weeks, and its clock stood still.
  const { clock } = await kiosk(others);
  const told = { at: noon + 21 * DAY, monotonic: 0 };
  const receivedAt: number[] = [];
  const take = playlistAnswers({
    clock,
    log: silentLog,
    host: 'ads.example',
    onRead() {},
    onNoFill() {},
    read: () => Promise.reject(new Error('a 304 has no document')),
    playlist: { unchanged: async (at) => void receivedAt.push(at) } as Playlist,
    async trust(time) {
      if (time) clock.trust(time);
      await clock.settled();
    },
  });
  expect(await take({ kind: 'not-modified', serverTime: told })).toEqual({ kind: 'accepted' });
  expect(receivedAt).toEqual([told.at]);
});
