import 'fake-indexeddb/auto';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { BooksConflict, openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { exampleBeacon } from '../../renderer/records/testing/example-beacon';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { Ad } from '../../shared/ad';
import type { FlightCounters } from '../../shared/books';
import { silentLog } from '../../shared/log';
import { type Play, type Settlement, UNSEEN } from '../../shared/play';
import { MAX_COUNTERS_AT_ONCE, type RecordsInput, type StoredPlaylist } from '../../shared/records';
import { countPlay, movePlays, noPlays, recount, voidPlay } from '../decisions/flight-counters';
import { carryCounts } from '../decisions/judge-caps';
import { anAd } from '../decisions/testing/ads-for-tests';
import { timers } from '../schedule';
import { type Books, createBooks } from './books';
import { type Records, RecordsError } from './records-client';
import { snapshotFiles } from './snapshot';

const start = Date.UTC(2026, 10, 20, 9, 0);
let folder: string;
let database: RecordsDatabase;
let number = 0;
let now: number;
let warnings: string[];

beforeEach(async () => {
  warnings = [];
  folder = await mkdtemp(join(tmpdir(), 'endcap-books-'));
  number += 1;
  database = openDatabase(`books-${number}`);
  now = start;
});
afterEach(async () => {
  await database.delete();
  // The journal may still be writing its last line.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

const count = (counters: FlightCounters | null, flightId: string, at: number) =>
  countPlay(counters ?? noPlays(flightId), at);

/** When the records window dies: before it carries a command out, before it answers, or between two commands. */
type RecordsDeath = (command: string) => 'before' | 'after' | 'between' | null;

/** How long the books have waited between tries, ms. */
let waited = 0;

/** @param hold what a command waits for before it is carried out; null: nothing */
function books(
  environment = 'store',
  dies: RecordsDeath = () => null,
  hold: (command: string, input: unknown) => Promise<void> | null = () => null,
): Books {
  let commands = recordsCommandsOn(database);
  const records: Records = {
    async run(command, input) {
      const death = dies(command);
      const lost = new RecordsError('lost', command, 'the records window is gone');
      const { [command]: dying } = commands;
      await hold(command, input);
      // The window that takes over has none of the old one's memory.
      if (death !== null) commands = recordsCommandsOn(database);
      if (death === 'before') throw lost;
      const run = (death === 'after' ? dying : commands[command]) as (value: unknown) => Promise<never>;
      const output = await run(input).catch((error: unknown) => {
        if (error instanceof BooksConflict) throw new RecordsError('conflict', command, error.message);
        throw error;
      });
      if (death === 'after') throw lost;
      return output;
    },
  };
  return createBooks({
    schedule: (ms, run) => {
      waited += ms;
      return timers(0, run);
    },
    records,
    files: snapshotFiles(join(folder, 'books.json'), async () => {}),
    environment,
    clock: { now: () => now, monotonic: () => now + waited },
    log: {
      ...silentLog,
      warn: (event) => void warnings.push(event),
      error: (event) => void warnings.push(event),
    },
    newId: () => `id-${Math.random()}`,
    pause: async () => {},
  });
}

/** @param hold called before a command reaches the window, which waits for it; if it rejects, so does the command */
const booksHolding = (hold: Parameters<typeof books>[2]) => books(undefined, undefined, hold);

/** Deletes the database, as after a loss. */
async function wipe() {
  await database.delete();
  await database.open();
}

/** Waits until the journal has this number of entries. */
const journalled = (entries: number) =>
  expect
    .poll(
      async () =>
        (await snapshotFiles(join(folder, 'books.json'), async () => {}).read('store'))?.journal.length,
    )
    .toBe(entries);

let plays = 0;
async function reserve(
  to: Books,
  flightId: string,
  counters: FlightCounters,
  environment = 'store',
): Promise<Play> {
  plays += 1;
  const play = examplePlay({ id: `play-${plays}`, environment, at: now, flightId, ...UNSEEN });
  await to.run('reservePlay', {
    play,
    flight: counters,
    recency: { key: `k-${flightId}`, sequence: plays, at: now, adId: 'ad' },
    sourceMix: { credits: [{ sourceId: 's', credit: 0 }] },
  });
  return play;
}

/** Makes a play void: its flight has these counters again. */
const giveBack = (
  to: Books,
  id: string,
  flight: FlightCounters,
  endReason: Settlement['endReason'] = 'failed',
) =>
  to.run('settlePlay', {
    id,
    settlement: { ...UNSEEN, outcome: 'given-back', endReason },
    flight,
    recency: null,
    sourceMix: null,
  });

async function playSome(
  to: Books,
  number_: number,
  flightId = 'f',
  environment = 'store',
): Promise<FlightCounters> {
  let counters = noPlays(flightId);
  for (let index = 0; index < number_; index += 1) {
    now += 10_000;
    counters = countPlay(counters, now);
    await reserve(to, flightId, counters, environment);
  }
  return counters;
}

/** Three plays of a flight in the snapshot, and one more in its journal. */
async function playFour(): Promise<void> {
  const first = books();
  await first.open();
  const counters = await playSome(first, 3);
  await first.writeSnapshot();
  await reserve(first, 'f', countPlay(counters, now));
  await journalled(1);
}

/** Puts a link to itself, which cannot be read but replaced, in place of a file; returns what puts the file back. */
async function makeUnreadable(name: string): Promise<() => Promise<void>> {
  const file = join(folder, name);
  await rename(file, `${file}.kept`);
  await symlink(file, file);
  return () => rename(`${file}.kept`, file);
}

describe('the playlist of a service without validators', () => {
  const DAY_MS = 86_400_000;
  const answer = (
    request: string,
    change: Partial<Ad> = {},
    expiresAt = now + 30 * DAY_MS,
  ): StoredPlaylist => ({
    ads: [
      {
        ...anAd({ requestId: request, expiresAt }, 'https://media.test/a.mp4'),
        impressions: [`https://count.test/?of=${request}`],
        ...change,
      },
    ],
    receivedAt: now,
    etag: null,
    lastModified: null,
  });
  /** The request whose answer is stored, and when the last one came. */
  async function stored() {
    const { playlist } = await books().open();
    return [playlist?.ads[0]?.metadata.requestId, playlist?.receivedAt];
  }

  it('is stored whole once an hour while each answer has the same ads', async () => {
    const running = books();
    await running.open();
    await running.storePlaylist(answer('first'));
    const firstAt = now;
    now += 3_599_000;
    await running.storePlaylist(answer('second'));
    expect(await stored()).toEqual(['first', firstAt + 3_599_000]);
    now += 1_000;
    await running.storePlaylist(answer('third'));
    expect(await stored()).toEqual(['third', now]);
  });

  it('has the same ads where their files are only signed anew', async () => {
    const signed = (signature: string): Partial<Ad> => ({
      mediaFiles: anAd({}, `https://media.test/a.mp4?Expires=1&KeyName=key&Signature=${signature}`)
        .mediaFiles,
    });
    const running = books();
    await running.open();
    await running.storePlaylist(answer('first', signed('one')));
    await running.storePlaylist(answer('second', signed('two')));
    expect(await stored()).toEqual(['first', now]);
  });

  const { metadata: capped } = anAd({
    requestId: 'second',
    expiresAt: start + 30 * DAY_MS,
    frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 1 }],
  });
  it.each<[string, Partial<Ad>, number, number]>([
    ['has another file', { mediaFiles: [] }, 30, 30],
    ['has another order in its pod', { sequence: 2 }, 30, 30],
    ['has another cap', { metadata: capped }, 30, 30],
    ['ends earlier', {}, 30, 29],
    ['ends within a day', {}, 30, 0.9],
    ['goes on though it would have ended within a day', {}, 0.9, 30],
  ])('is stored at once when an ad %s', async (_what, change, daysBefore, days) => {
    const running = books();
    await running.open();
    await running.storePlaylist(answer('first', {}, now + daysBefore * DAY_MS));
    await running.storePlaylist(answer('second', change, now + days * DAY_MS));
    expect(await stored()).toEqual(['second', now]);
  });

  it('is stored at once when it has more ads', async () => {
    const running = books();
    await running.open();
    await running.storePlaylist(answer('first'));
    const next = answer('second');
    await running.storePlaylist({ ...next, ads: [...next.ads, ...next.ads] });
    expect(await stored()).toEqual(['second', now]);
  });
});

describe('books whose database was wiped', () => {
  it('are restored from the snapshot and its journal, to the last reservation', async () => {
    const first = books();
    await first.open();
    let counters = await playSome(first, 3);
    await first.writeSnapshot();
    now += 10_000;
    counters = countPlay(counters, now);
    await reserve(first, 'f', counters);
    const playlist = { ads: [], receivedAt: start, etag: '"1"', lastModified: null };
    await first.storePlaylist(playlist);
    await expect
      .poll(() => snapshotFiles(join(folder, 'books.json'), async () => {}).readPlaylist('store'))
      .toEqual(playlist);
    await wipe();

    const second = books();
    const opened = await second.open();
    expect(opened.flights).toEqual([counters]);
    expect(opened.lastPlayAt).toBe(now);
    expect(opened.playlist).toEqual(playlist);
    expect(second.report()).toMatchObject({
      lostPlays: 4,
      restoredFlights: 1,
      restoredFromJournal: 1,
      restoredFrom: start + 30_000,
    });
    // And they are stored again: a third start has nothing to restore.
    const third = books();
    await third.open();
    expect((await third.open()).flights).toEqual([counters]);
  });

  it('are restored even if the process was killed in its first minute', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 3);
    await journalled(3);
    await wipe();
    const second = books();
    expect((await second.open()).flights).toEqual([counters]);
    expect(second.report()).toMatchObject({ lostPlays: 3, restoredFromJournal: 3, restoredFrom: start });
  });

  it('are restored completely if the process was killed while it wrote to the journal', async () => {
    const first = books();
    await first.open();
    const counters = countPlay(await playSome(first, 2), now + 10_000);
    await journalled(2);
    await appendFile(join(folder, 'books.json.journal'), '{"id":"torn","fl');
    const second = books();
    await second.open();
    now += 10_000;
    await reserve(second, 'f', counters);
    await journalled(3);
    await wipe();
    expect((await books().open()).flights).toEqual([counters]);
  });

  it('keep the time of the last good answer, which left the playlist unchanged', async () => {
    const first = books();
    await first.open();
    await first.storePlaylist({ ads: [], receivedAt: start, etag: '"1"', lastModified: null });
    await playSome(first, 3);
    await first.writeSnapshot();
    now += 30 * 86_400_000;
    await first.renewPlaylist(now);
    await first.writeSnapshot();
    await wipe();
    expect((await books().open()).playlist?.receivedAt).toBe(now);
  });

  it.each(['books.json', 'books.json.journal'])(
    'are restored by the next start if this one could not read %s',
    async (name) => {
      await playFour();
      await wipe();
      const makeReadable = await makeUnreadable(name);
      const second = books();
      expect((await second.open()).flights).toEqual([]);
      await playSome(second, 1, 'g');
      await second.writeSnapshot();
      await makeReadable();
      const third = books();
      await third.open();
      expect([third.counters('f')?.total, third.counters('g')?.total]).toEqual([4, 1]);
    },
  );

  it.each(['books.json', 'books.json.journal'])(
    'are not restored, and are copied again, once a whole database could be read beside an unread %s',
    async (name) => {
      await playFour();
      const makeReadable = await makeUnreadable(name);
      const second = books();
      await second.open();
      await playSome(second, 2, 'g');
      expect(await second.writeSnapshot()).toBe(0);
      expect(second.snapshotProblem()?.message).toContain('cannot be read');
      await makeReadable();
      expect(await second.writeSnapshot()).toBeGreaterThan(0);
      expect(second.snapshotProblem()).toBeNull();
      const kept = await snapshotFiles(join(folder, 'books.json'), async () => {}).read('store');
      expect([kept?.snapshot.playCount, kept?.journal]).toEqual([6, []]);
    },
  );

  it('say that the snapshot cannot be read also where the database could not be opened', async () => {
    await playFour();
    await makeUnreadable('books.json');
    const second = booksHolding((command) =>
      command === 'openBooks' ? Promise.reject(new RecordsError('storage', command, 'EIO')) : null,
    );
    await expect(second.open()).rejects.toThrow('EIO');
    expect(second.snapshotProblem()?.message).toContain('cannot be read');
  });

  it('are left for the next start to restore where the snapshot can be read only later', async () => {
    const first = books();
    await first.open();
    await playSome(first, 3);
    await first.writeSnapshot();
    await wipe();
    const makeReadable = await makeUnreadable('books.json');
    const second = books();
    await second.open();
    await playSome(second, 2, 'g');
    await makeReadable();
    const file = join(folder, 'books.json');
    const kept = await readFile(file, 'utf8');
    for (const _ of [1, 2]) expect(await second.writeSnapshot()).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(kept);
    expect(second.snapshotProblem()?.advice).toContain('Restart');
    const third = books();
    await third.open();
    expect([third.counters('f')?.total, third.counters('g')?.total]).toEqual([3, 2]);
    expect(third.snapshotProblem()).toBeNull();
  });

  describe('with a snapshot that this version cannot read', () => {
    const kept = JSON.stringify({ version: 2 });
    const problem = { code: 'counts-lost', message: expect.stringContaining('books.json.unreadable') };
    const file = () => join(folder, 'books.json');
    beforeEach(async () => {
      await playFour();
      await writeFile(file(), kept);
    });

    it('keep it under another name, and write a new one', async () => {
      const second = books();
      expect((await second.open()).playCount).toBe(4);
      expect(await readFile(`${file()}.unreadable`, 'utf8')).toBe(kept);
      const next = snapshotFiles(file(), async () => {});
      await expect.poll(async () => (await next.read('store'))?.snapshot.playCount).toBe(4);
      expect(warnings).toContain(
        'the snapshot of the books is damaged or of a newer version; it was renamed',
      );
      expect(second.lossProblem()).toBeNull();
    });

    it('say that all counts are lost where the database is empty, too, and fails at first', async () => {
      await wipe();
      let isFailing = true;
      const second = books('store', () => (isFailing ? 'before' : null));
      await expect(second.open()).rejects.toThrow('the records window is gone');
      isFailing = false;
      await second.open();
      expect(second.lossProblem()).toMatchObject(problem);
      expect(await readFile(`${file()}.unreadable`, 'utf8')).toBe(kept);
    });
  });

  it('have a journal that grows no further where no start can read or replace the snapshot', async () => {
    await symlink(join(folder, 'books.json'), join(folder, 'books.json'));
    const journal = join(folder, 'books.json.journal');
    await writeFile(journal, ' '.repeat(4 * 1024 * 1024));
    const running = books();
    await running.open();
    await playSome(running, 30);
    await running.writeSnapshot();
    expect((await stat(journal)).size).toBe(4 * 1024 * 1024);
    // The log does not grow with each play either.
    expect(warnings.filter((event) => event === 'a reservation could not be journalled').length).toBeLessThan(
      25,
    );
  });

  it('keep what a snapshot that failed held, even if nothing changed after it', async () => {
    const first = books();
    await first.open();
    await first.storePlaylist({ ads: [], receivedAt: start, etag: '"1"', lastModified: null });
    await playSome(first, 3);
    await first.writeSnapshot();
    await first.renewPlaylist(now);
    const inTheWay = join(folder, 'books.json.tmp');
    await mkdir(inTheWay);
    await expect(first.writeSnapshot()).rejects.toThrow();
    await rmdir(inTheWay);
    await first.writeSnapshot();
    await wipe();
    expect((await books().open()).playlist?.receivedAt).toBe(now);
  });

  it('are copied only if something changed', async () => {
    const first = books();
    await first.open();
    await playSome(first, 3);
    expect(await first.writeSnapshot()).toBeGreaterThan(0);
    expect(await first.writeSnapshot()).toBe(0);
  });

  it.each(['the run that played', 'the next run'])(
    'count a play once if %s was killed between the snapshot and its journal',
    async (killed) => {
      const first = books();
      await first.open();
      const counters = await playSome(first, 3);
      await journalled(3);
      const journal = join(folder, 'books.json.journal');
      const entries = await readFile(journal);
      const second = books();
      if (killed === 'the next run') await second.open();
      await (killed === 'the next run' ? second : first).writeSnapshot();
      await writeFile(journal, entries);
      await wipe();
      const third = books();
      expect((await third.open()).flights).toEqual([counters]);
      expect(third.report()).toMatchObject({ lostPlays: 3, restoredFromJournal: 0 });
    },
  );

  it('have a snapshot that names only the plays since the one before', async () => {
    const running = books();
    await running.open();
    for (const number_ of [3, 2]) {
      await playSome(running, number_);
      await running.writeSnapshot();
      const { journalled: named } = JSON.parse(await readFile(join(folder, 'books.json'), 'utf8'));
      expect(named).toHaveLength(number_);
    }
  });

  it('report nothing if nothing was lost, also where the play on the screen was given back', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 3);
    const { id } = await reserve(first, 'f', countPlay(counters, now));
    await first.writeSnapshot();
    await giveBack(first, id, counters);
    const second = books();
    expect((await second.open()).flights).toEqual([counters]);
    expect(second.report()).toMatchObject({ lostPlays: 0, restoredFrom: null, unsettled: 3 });
  });

  it('are restored a second time, also with a single play and none since', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 1);
    await journalled(1);
    for (const _loss of ['first', 'second']) {
      await wipe();
      const next = books();
      expect((await next.open()).flights).toEqual([counters]);
      await journalled(0);
    }
  });

  it('are not mixed with those of another environment (rule 26)', async () => {
    const first = books();
    await first.open();
    await playSome(first, 3);
    await first.writeSnapshot();
    const other = books('another store');
    expect((await other.open()).flights).toEqual([]);
    expect(other.report()).toMatchObject({ lostPlays: 0, restoredFrom: null });
  });

  it('are stored again from memory if the window returns without them', async () => {
    const running = books();
    await running.open();
    const counters = await playSome(running, 3);
    await wipe();
    await running.reopen();
    expect(running.report().lostPlays).toBe(3);
    expect((await books().open()).flights).toEqual([counters]);
  });

  it('are stored again without the recency that was forgotten', async () => {
    const running = books();
    await running.open();
    for (const flight of ['f', 'g']) await playSome(running, 1, flight);
    await running.run('forgetRecency', { environment: 'store', keys: ['k-f'] });
    await wipe();
    await running.reopen();
    expect(await database.recency.toArray()).toMatchObject([{ key: 'k-g' }]);
  });
});

describe('the counters of hundreds of flights', () => {
  const flights = Array.from({ length: 2 * MAX_COUNTERS_AT_ONCE + 1 }, (_, index) => `f-${index}`);
  /** Most counters or recency entries in one message. */
  let most = 0;
  const measure = (_command: string, input: unknown) => {
    const { flights: some = [], recency = [] } = input as { flights?: unknown[]; recency?: unknown[] };
    most = Math.max(most, some.length, recency.length);
    return null;
  };

  /** Stores a play of each flight, and a snapshot of them. */
  async function playAll(): Promise<void> {
    const first = books();
    await first.open();
    for (const flight of flights) await reserve(first, flight, count(null, flight, now));
    await first.writeSnapshot();
    await wipe();
    most = 0;
  }

  it('are sent to the records window in parts, when the database lost them (rule 31)', async () => {
    await playAll();
    const second = books('store', () => null, measure);
    await second.open();
    expect(second.report()).toMatchObject({ restoredFlights: flights.length });
    expect(most).toBe(MAX_COUNTERS_AT_ONCE);
    expect((await books().open()).flights.map(({ flightId }) => flightId)).toEqual(flights.toSorted());
  });

  it.each([1, 2, 4])('are all restored by the next start if this one dies at part %i', async (part) => {
    await playAll();
    let parts = 0;
    const dying = booksHolding((_command, input) => {
      const isPart = input !== null && typeof input === 'object' && 'flights' in input;
      if (isPart) parts += 1;
      return parts === part ? Promise.reject(new RecordsError('lost', 'restoreBooks', 'gone')) : null;
    });
    await expect(dying.open()).rejects.toThrow('gone');
    expect(await database.flights.count()).toBe(0);
    const next = books();
    await next.open();
    expect(flights.every((flight) => next.counters(flight)?.total === 1)).toBe(true);
  });
});

describe('books beside older ones of another environment', () => {
  it('settle and number the play that was on the screen when the older ones were left', async () => {
    const older = books('older');
    await older.open();
    await playSome(older, 1, 'f', 'older');
    await older.writeSnapshot();
    const current = books();
    expect(await current.open()).toMatchObject({ unsettled: 1, sequence: { seq: 1 }, playCount: 0 });
    expect(await database.plays.toArray()).toMatchObject([{ outcome: 'unknown', environment: 'older' }]);
    expect(await database.sequenceEntries.count()).toBe(1);
  });

  it('keep their own number of plays when plays of the older ones are pruned (rule 26)', async () => {
    const older = books('older');
    await older.open();
    await playSome(older, 3, 'f', 'older');
    // Its process has ended: none of its writes comes after those of the next one.
    await older.writeSnapshot();
    const current = books();
    await current.open();
    await playSome(current, 1);
    await current.run('prunePlays', { before: now + 1, keep: 1, limit: 100 });
    expect(current.playCount()).toBe(1);
    await current.writeSnapshot();
    await wipe();
    const restored = books();
    await restored.open();
    expect(restored.report()).toMatchObject({ lostPlays: 1, restoredFlights: 1 });
  });
});

describe('the sequence of settled plays (rule 27)', () => {
  const settlement: Settlement = {
    outcome: 'completed',
    shownAt: start,
    viewedMs: 1_000,
    presentedFrames: 1,
    droppedFrames: 0,
    stalls: 0,
    endReason: 'ended',
  };
  const settle = (to: Books, id: string) =>
    to.run('settlePlay', { id, settlement, flight: null, recency: null, sourceMix: null });
  async function playWhole(to: Books, number_: number, flightId = 'f'): Promise<void> {
    for (let index = 0; index < number_; index += 1) {
      now += 10_000;
      const counters = count(to.counters(flightId), flightId, now);
      const { id } = await reserve(to, flightId, counters);
      await settle(to, id);
    }
  }
  const epochs = async () => (await database.sequences.toArray()).map(({ epoch, last }) => [epoch, last]);
  const copied = () =>
    Promise.all(database.tables.map(async (table) => ({ table, rows: await table.toArray() })));

  async function putBack(copy: Awaited<ReturnType<typeof copied>>): Promise<void> {
    for (const { table, rows } of copy) {
      await table.clear();
      await table.bulkAdd(rows);
    }
  }

  /** Makes a snapshot of an older version, which named no number: only counts can tell of a loss. */
  async function forgetNumber(): Promise<void> {
    const files = snapshotFiles(join(folder, 'books.json'), async () => {});
    const kept = await files.read('store');
    if (kept === null) throw new Error('there is no snapshot');
    const { sequence: _, ...older } = kept.snapshot;
    await files.write(older);
  }

  it('starts a new epoch if the database lost a single play', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 3);
    const [[epoch = 0] = []] = await epochs();
    const before = await copied();
    const second = books();
    await second.open();
    await playWhole(second, 1);
    await second.writeSnapshot();
    await putBack(before);
    const third = books();
    await third.open();
    expect(third.counters('f')?.total).toBe(4);
    await playWhole(third, 1);
    await third.run('numberPlays', { limit: 100 });
    const [old, begun] = await epochs();
    // Nothing was delivered yet: all four are numbered in the new one.
    expect([old, begun]).toEqual([
      [epoch, 0],
      [expect.any(Number), 4],
    ]);
    expect(begun?.[0]).toBeGreaterThan(epoch);
  });

  it.each(['named the number', 'is of an older version'])(
    'restores one play of each of several flights if the snapshot %s',
    async (snapshot) => {
      const first = books();
      await first.open();
      const flights = ['a', 'b', 'c'];
      for (const flight of flights) await playWhole(first, 1, flight);
      const before = await copied();
      for (const flight of flights) await playWhole(first, 1, flight);
      await first.writeSnapshot();
      if (snapshot.endsWith('older version')) await forgetNumber();
      await putBack(before);
      const second = books();
      const opened = await second.open();
      expect(opened.flights.map(({ total }) => total)).toEqual([2, 2, 2]);
      expect(second.report()).toMatchObject({ lostPlays: 3, restoredFlights: 3 });
      expect(await epochs()).toHaveLength(2);
    },
  );

  it('starts a new epoch if the database lost a single play of the first run', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 3);
    const before = await copied();
    await playWhole(first, 1);
    await first.writeSnapshot();
    await putBack(before);
    const second = books();
    await second.open();
    await second.run('numberPlays', { limit: 100 });
    const [old, begun] = await epochs();
    expect([old?.[1], begun?.[1]]).toEqual([0, 3]);
  });

  it('starts a new epoch if the database lost a single play after a revision', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 1);
    const second = books();
    await second.open();
    // A beacon ended after its play's row was cut, so the play has a second number.
    await database.sequences.toCollection().modify({ last: 2 });
    const before = await copied();
    await playWhole(second, 1);
    await second.writeSnapshot();
    await putBack(before);
    await books().open();
    expect(await epochs()).toHaveLength(2);
  });

  it('starts a new epoch if the database lost the settlement of a single play', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 1);
    const { id } = await reserve(first, 'f', count(first.counters('f'), 'f', now));
    const before = await copied();
    await settle(first, id);
    await first.writeSnapshot();
    await putBack(before);
    await books().open();
    expect(await epochs()).toHaveLength(2);
  });

  it('counts the play on the screen if the database lost it after the snapshot', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 1);
    const before = await copied();
    const counters = count(first.counters('f'), 'f', now);
    await reserve(first, 'f', counters);
    await first.writeSnapshot();
    await putBack(before);
    const second = books();
    expect((await second.open()).flights).toEqual([counters]);
    expect(second.report()).toMatchObject({ lostPlays: 1, restoredFlights: 1 });
  });

  it('counts the play of today if the database still has the void one of yesterday in its place', async () => {
    now = Date.UTC(2026, 10, 20, 23, 59, 55);
    const first = books();
    await first.open();
    const { id } = await reserve(first, 'f', count(null, 'f', now));
    const before = await copied();
    await giveBack(first, id, noPlays('f'));
    now += 10_000;
    const today = count(null, 'f', now);
    await reserve(first, 'f', today);
    await first.writeSnapshot();
    await putBack(before);
    const second = books();
    expect((await second.open()).flights).toEqual([today]);
  });

  it('starts a new epoch if the database lost plays that only the journal has, and restores them once', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 3);
    await first.writeSnapshot();
    const before = await copied();
    await playWhole(first, 1);
    await journalled(1);
    await putBack(before);
    const second = books();
    expect((await second.open()).flights).toMatchObject([{ total: 4 }]);
    expect(second.report()).toMatchObject({ lostPlays: 1, restoredFromJournal: 1 });
    const begun = await epochs();
    expect(begun).toHaveLength(2);
    // The loss is dealt with, even for a process that is killed at once.
    await journalled(0);
    const third = books();
    expect((await third.open()).flights).toMatchObject([{ total: 4 }]);
    expect(third.report()).toMatchObject({ lostPlays: 0, restoredFrom: null });
    expect(await epochs()).toEqual(begun);
  });

  const confirmed = { instance: 'response:0', kind: 'impression', by: 'this test' };

  it('does not send a native confirmation again that may have been sent before the database went back', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 1);
    const once = { policy: 'once', eventAt: now, expiresAt: now + 1_800_000 } as const;
    const waiting = exampleBeacon({ id: 'once', ...once });
    await first.run('confirmOnce', { ...confirmed, at: now, beacons: [waiting] });
    await first.run('storeBeacons', { beacons: [exampleBeacon({ id: 'proof', eventAt: now })] });
    const states = async () => (await database.beacons.toArray()).map(({ id, state }) => [id, state]);
    const before = await copied();
    await first.writeSnapshot();
    await books().open();
    expect(await states()).toEqual([
      ['once', 'waiting'],
      ['proof', 'waiting'],
    ]);
    await playWhole(first, 1);
    await first.writeSnapshot();
    await putBack(before);
    await books().open();
    expect(await states()).toEqual([
      ['once', 'unknown'],
      ['proof', 'waiting'],
    ]);
  });

  it('takes plays that a new window lacked for lost only once', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 3);
    await first.writeSnapshot();
    const before = await copied();
    await playWhole(first, 2);
    await journalled(2);
    await putBack(before);
    await first.reopen();
    await first.reopen();
    expect(first.report().lostPlays).toBe(2);
    const begun = await epochs();
    expect(begun).toHaveLength(2);
    await journalled(0);
    const second = books();
    expect((await second.open()).flights).toMatchObject([{ total: 5 }]);
    expect(second.report()).toMatchObject({ lostPlays: 0, restoredFrom: null });
    expect(await epochs()).toEqual(begun);
  });

  it('takes them for lost only once even if that window dies, and stores the counters at the next check', async () => {
    let deaths = 0;
    const some = books('store', (command) =>
      command === 'restoreBooks' && deaths++ === 0 ? 'before' : null,
    );
    await some.open();
    await playWhole(some, 3);
    const before = await copied();
    await playWhole(some, 2);
    await putBack(before);
    await some.reopen().catch(() => {});
    const begun = await epochs();
    expect(begun).toHaveLength(2);
    expect(some.isUnsure()).toBe(true);
    expect(await some.verify()).toEqual([]);
    expect(await database.flights.toArray()).toMatchObject([{ total: 5 }]);
    await some.reopen();
    expect(some.report().lostPlays).toBe(2);
    expect(await epochs()).toEqual(begun);
  });

  it('settles a play as it was shown once the disk takes it, not only at the next start', async () => {
    let isDiskFull = true;
    const full = new RecordsError('storage', 'settlePlay', 'QuotaExceededError');
    const sent: string[] = [];
    const some = booksHolding((command) => {
      sent.push(command);
      return command === 'settlePlay' && isDiskFull ? Promise.reject(full) : null;
    });
    await some.open();
    now += 10_000;
    const { id: lost } = await reserve(some, 'g', count(null, 'g', now));
    const { id } = await reserve(some, 'f', count(null, 'f', now));
    await expect(settle(some, lost)).rejects.toBe(full);
    await expect(settle(some, id)).rejects.toBe(full);
    await some.verify();
    expect([some.isUnsure(), await database.plays.get(id)]).toMatchObject([true, { outcome: 'reserved' }]);
    isDiskFull = false;
    // It can never be settled, and does not keep the other one from it.
    await database.plays.delete(lost);
    await some.verify();
    expect(some.isUnsure()).toBe(true);
    await some.verify();
    expect(some.isUnsure()).toBe(false);
    expect(await database.plays.get(id)).toMatchObject({ outcome: 'completed', shownAt: start });
    expect(await database.sequenceEntries.toArray()).toMatchObject([{ playId: id, rev: 0 }]);
    // Counters never depended on these settlements, so they were not all stored again.
    expect(sent).not.toContain('restoreBooks');
  });

  it('starts a new epoch if the database lost a play while one of earlier books was open', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 1);
    await playSome(books('older'), 1, 'f', 'older');
    const before = await copied();
    await playWhole(first, 1);
    await first.writeSnapshot();
    await putBack(before);
    await books().open();
    expect(await epochs()).toHaveLength(2);
  });

  it('continues if a play was on the screen when the process died', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 1);
    await first.writeSnapshot();
    await reserve(first, 'f', count(first.counters('f'), 'f', now));
    await books().open();
    expect(await epochs()).toEqual([[expect.any(Number), 2]]);
  });

  it.each([
    'the window dies at the start',
    'the process dies at the start',
    'the process dies after a new window',
  ])('starts a new epoch even if %s, before the epoch has begun', async (death) => {
    let deaths = 0;
    const dying = (command: string) => (command === 'beginEpoch' && deaths++ === 0 ? 'before' : null);
    const first = books('store', dying);
    await first.open();
    await playWhole(first, 1);
    const before = await copied();
    await playWhole(first, 3);
    await first.writeSnapshot();
    await putBack(before);
    const second = books('store', dying);
    const isLater = death.endsWith('a new window');
    if (!isLater) await forgetNumber();
    await expect(isLater ? first.reopen() : second.open()).rejects.toThrow('window is gone');
    if (isLater) await forgetNumber();
    await (death.startsWith('the window') ? second : books()).open();
    expect(await epochs()).toHaveLength(2);
  });

  it('continues if the records window crashed after it had pruned plays', async () => {
    const some = books('store', (command) => (command === 'prunePlays' ? 'after' : null));
    await some.open();
    await playWhole(some, 5);
    await expect(some.run('prunePlays', { before: now + 1, keep: 2, limit: 100 })).rejects.toThrow();
    await some.reopen();
    expect(some.report().lostPlays).toBe(0);
    expect(some.playCount()).toBe(2);
    expect(await epochs()).toHaveLength(1);
    // The prune explains no later loss.
    await wipe();
    await some.reopen();
    expect(some.report().lostPlays).toBe(2);
  });

  it('does not take a prune that was refused for the cause of a loss', async () => {
    const full = new RecordsError('storage', 'prunePlays', 'QuotaExceededError');
    const some = booksHolding((command) => (command === 'prunePlays' ? Promise.reject(full) : null));
    await some.open();
    await playWhole(some, 3);
    await expect(some.run('prunePlays', { before: now, keep: 2, limit: 100 })).rejects.toBe(full);
    await wipe();
    await some.reopen();
    expect(some.report().lostPlays).toBe(3);
  });

  it('is still named by the snapshot after a window died that had settled a play', async () => {
    let settled = 0;
    const some = books('store', (command) => (command === 'settlePlay' && ++settled === 2 ? 'after' : null));
    await some.open();
    await playWhole(some, 2);
    await some.writeSnapshot();
    const kept = await snapshotFiles(join(folder, 'books.json'), async () => {}).read('store');
    expect(kept?.snapshot.sequence).toMatchObject({ seq: 1 });
  });

  it('starts a later epoch than the one that was lost, even if the clock was set back', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 1);
    const before = await copied();
    for (const _loss of ['first', 'second']) {
      const next = books();
      await next.open();
      await playWhole(next, 1);
      await next.writeSnapshot();
      await putBack(before);
    }
    const lost: number = JSON.parse(await readFile(join(folder, 'books.json'), 'utf8')).sequence.epoch;
    now = start;
    await books().open();
    const [, [begun = 0] = []] = await epochs();
    expect(begun).toBeGreaterThan(lost);
  });

  it('continues if the records window crashed some time after it had pruned plays', async () => {
    const some = books();
    await some.open();
    await playWhole(some, 5);
    await some.run('prunePlays', { before: now + 1, keep: 2, limit: 100 });
    expect(some.playCount()).toBe(2);
    await some.reopen();
    expect(some.report().lostPlays).toBe(0);
    expect(await epochs()).toHaveLength(1);
  });

  it('continues if nothing was lost, even after a restart of the records window', async () => {
    const first = books();
    await first.open();
    await playWhole(first, 2);
    await first.reopen();
    await first.writeSnapshot();
    const second = books();
    await second.open();
    await playWhole(second, 2);
    await second.writeSnapshot();
    await second.reopen();
    const third = books();
    await third.open();
    await playWhole(third, 1);
    expect(await epochs()).toEqual([[expect.any(Number), 5]]);
    expect(warnings).not.toContain('the records window came back without all of its plays');
  });
});

describe('verifying', () => {
  it('raises counters with fewer plays than are stored, and no others', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 5, 'low');
    const right = await playSome(first, 2, 'right');
    await database.flights.put({
      ...voidPlay(voidPlay(counters, start + 10_000), start + 20_000),
      environment: 'store',
    });

    const second = books();
    await second.open();
    expect(await second.verify()).toEqual(
      [20, 10].map((seconds) => ({ flightId: 'low', at: start + seconds * 1000 })),
    );
    expect(second.counters('low')).toEqual(
      recount(
        'low',
        [10, 20, 30, 40, 50].map((seconds) => start + seconds * 1000),
      ),
    );
    expect(second.report().correctedFlights).toBe(1);
    const stored = (await books().open()).flights;
    expect(stored).toContainEqual(right);
    expect(await second.verify()).toEqual([]);
  });

  it('takes the copy of a playlist that the database cannot read, and loses nothing else', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 3);
    await first.storePlaylist({
      ads: [anAd({}, undefined, 'a')],
      receivedAt: start,
      etag: null,
      lastModified: null,
    });
    const playlist = { ads: [{ id: 'a' }], receivedAt: start };
    const files = snapshotFiles(join(folder, 'books.json'), async () => {});
    await expect.poll(() => files.readPlaylist('store')).toMatchObject(playlist);
    // Chromium keeps large values in files of their own.
    database.playlistAds.hook('reading', () => {
      throw new Error('Failed to read large IndexedDB value');
    });
    const second = books();
    expect(await second.open()).toMatchObject({ playlist, flights: [counters], playCount: 3 });
    expect(second.report()).toMatchObject({ lostPlays: 0, restoredFrom: null });
  });

  it('stores no older playlist over a new one that is being stored', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 2, 'low');
    const playlist = (etag: string) => ({ ads: [], receivedAt: now, etag, lastModified: null });
    await first.storePlaylist(playlist('old'));
    await database.flights.put({ ...voidPlay(counters, start + 10_000), environment: 'store' });
    let verifying: Promise<unknown> | null = null;
    const second: Books = booksHolding(async (command) => {
      if (command !== 'storePlaylist') return;
      verifying ??= second.verify();
      await verifying;
    });
    await second.open();
    await second.storePlaylist(playlist('new'));
    expect(second.report().correctedFlights).toBe(1);
    // Later than the playlist that the correction stores again.
    await second.renewPlaylist(now);
    expect((await books().open()).playlist).toMatchObject({ etag: 'new' });
  });

  it.each([
    ['', false],
    [', also if the window came back meanwhile', true],
  ])('does not count a play that is about to be made void, and is due again%s', async (_, comesBack) => {
    let verifying: Promise<unknown> | null = null;
    const some: Books = booksHolding(async (command, input) => {
      if (command !== 'reservePlay') return;
      await recordsCommandsOn(database).reservePlay(input as RecordsInput<'reservePlay'>);
      verifying = some.verify();
      throw new RecordsError('timeout', command, 'no answer');
    });
    await some.open();
    const one = countPlay(noPlays('f'), now);
    await expect(reserve(some, 'f', one)).rejects.toMatchObject({ mayBeDone: true });
    const back = comesBack ? some.reopen() : null;
    const giving = giveBack(some, `play-${plays}`, voidPlay(one, now), 'not-confirmed');
    expect(await verifying).toEqual([]);
    await back;
    await giving;
    expect(some.isUnsure()).toBe(true);
    expect(await some.verify()).toEqual([]);
    expect([some.isUnsure(), some.counters('f')?.total]).toEqual([false, 0]);
    expect(some.report().correctedFlights).toBe(0);
  });

  it('returns what counters lack even if the correction cannot be stored', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 2, 'low');
    await database.flights.put({ ...voidPlay(counters, start + 10_000), environment: 'store' });
    const second = books('store', (command) => (command === 'restoreBooks' ? 'before' : null));
    await second.open();
    expect(await second.verify()).toEqual([{ flightId: 'low', at: start + 10_000 }]);
    expect(second.counters('low')?.total).toBe(2);
  });

  it('never raises a correct counter, for any plays', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ flight: fc.constantFrom('a', 'b'), pass: fc.nat(5_000_000) }), {
          maxLength: 12,
        }),
        async (script) => {
          await wipe();
          const some = books();
          await some.open();
          const counters = new Map<string, FlightCounters>();
          for (const { flight, pass } of script) {
            now += pass;
            const next = count(counters.get(flight) ?? null, flight, now);
            counters.set(flight, next);
            await reserve(some, flight, next);
          }
          expect(await some.verify()).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('plays that move because the clock was set', () => {
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  /** Moves and carries the counters of a flight over a jump, as the decider does. */
  function moved(counters: FlightCounters, after: number, by: number, ranMs: number) {
    const carried = carryCounts(counters, now + by, { at: now, ran: ranMs, isTrusted: true });
    return movePlays(carried, after, by).counters;
  }

  it.each(['before', 'after', null] as const)(
    'are the same in books and memory if the window crashes %s the move',
    async (when) => {
      let isAlive = true;
      const some = books('store', (command) => {
        if (command !== 'movePlays' || !isAlive) return null;
        isAlive = false;
        return when;
      });
      await some.open();
      const counters = await playSome(some, 3);
      const flight = moved(counters, start + 10_000, DAY_MS, some.ranMs());
      const move = { after: start + 10_000, by: DAY_MS, flights: [flight] };
      await some.movePlays(move);
      now += DAY_MS;
      expect(some.lastPlayAt()).toBe(now);
      expect(some.counters('f')).toEqual(flight);
      const rows = await database.plays.orderBy('at').toArray();
      expect(rows.map(({ at }) => at - start)).toEqual([10_000, DAY_MS + 20_000, DAY_MS + 30_000]);

      const next = books();
      const opened = await next.open();
      expect(opened).toMatchObject({ flights: [flight], lastPlayAt: now, unsettled: 3 });
      expect(await next.verify()).toEqual([]);
      expect(next.report()).toMatchObject({ lostPlays: 0, restoredFrom: null });
    },
  );

  it('are moved if the window crashes at each of several tries', async () => {
    let tries = 0;
    const some = books('store', (command) => (command === 'movePlays' && tries++ < 4 ? 'before' : null));
    await some.open();
    const flight = moved(await playSome(some, 3), start, DAY_MS, some.ranMs());
    await some.movePlays({ after: start, by: DAY_MS, flights: [flight] });
    const times = (await database.plays.orderBy('at').toArray()).map(({ at }) => at - start - DAY_MS);
    expect(times).toEqual([10_000, 20_000, 30_000]);
    expect((await books().open()).flights).toEqual([flight]);
  });

  it.each(
    ['keepPart 1', 'keepPart 2', 'movePlays 1'].flatMap((over) =>
      (['before', 'after', 'between'] as const).map((when) => [over, when] as const),
    ),
  )('of hundreds of flights are moved once if the window crashes during %s (%s)', async (over, when) => {
    const calls = new Map<string, number>();
    const some = books('store', (command) => {
      calls.set(command, (calls.get(command) ?? 0) + 1);
      return over === `${command} ${calls.get(command)}` ? when : null;
    });
    await some.open();
    const counters = await playSome(some, 3);
    const flight = moved(counters, start + 10_000, DAY_MS, some.ranMs());
    const flights = Array.from({ length: 2 * MAX_COUNTERS_AT_ONCE + 1 }, (_, index) => ({
      ...flight,
      flightId: index === 0 ? 'f' : `f-${index}`,
    }));
    await some.movePlays({ after: start + 10_000, by: DAY_MS, flights });
    expect(calls.get('keepPart')).toBeGreaterThan(1);
    now += DAY_MS;
    const rows = await database.plays.orderBy('at').toArray();
    expect(rows.map(({ at }) => at - start)).toEqual([10_000, DAY_MS + 20_000, DAY_MS + 30_000]);
    expect(flights.every(({ flightId }, index) => some.counters(flightId) === flights[index])).toBe(true);
    const stored = await books().open();
    const byId = new Map(stored.flights.map((known) => [known.flightId, known]));
    expect(flights.map(({ flightId }) => byId.get(flightId))).toEqual(flights);
  });

  it.each(['before', 'after'] as const)(
    'are moved in steps where they are very many, even if the window crashes %s the second step',
    async (when) => {
      let steps = 0;
      const some = books('store', (command) => {
        if (command === 'movePlays') steps += 1;
        return command === 'movePlays' && steps === 2 ? when : null;
      });
      await some.open();
      await playSome(some, 1);
      const [row] = await database.plays.toArray();
      if (!row) throw new Error('nothing was stored');
      const times = Array.from({ length: 2_200 }, (_, index) => start + 20_000 + index);
      await database.plays.bulkAdd(
        times.map((at) => ({ ...row, id: `many-${at}`, at, outcome: 'completed' })),
      );
      await some.movePlays({ after: start + 10_000, by: DAY_MS, flights: [] });
      expect(steps).toBeGreaterThanOrEqual(3);
      const stored = (await database.plays.orderBy('at').toArray()).map(({ at }) => at);
      expect(stored).toEqual([start + 10_000, ...times.map((at) => at + DAY_MS)]);
    },
  );

  it.each([DAY_MS, -DAY_MS])(
    'are moved by %i ms to the last one at the next start if the kiosk ended between two steps',
    async (by) => {
      let steps = 0;
      const ended = booksHolding((command) => {
        if (command === 'movePlays') steps += 1;
        return steps < 2 ? null : new Promise(() => {});
      });
      await ended.open();
      await playSome(ended, 1);
      const [row] = await database.plays.toArray();
      if (!row) throw new Error('nothing was stored');
      const times = Array.from({ length: 2_200 }, (_, index) => start + 20_000 + index);
      await database.plays.bulkAdd(
        times.map((at) => ({ ...row, id: `many-${at}`, at, outcome: 'completed' })),
      );
      void ended.movePlays({ after: start + 10_000, by, flights: [] });
      await expect.poll(() => steps).toBe(2);

      const next = books();
      const { lastPlayAt } = await next.open();
      expect(lastPlayAt).toBe(start + 20_000 + 2_199 + by);
      now = (lastPlayAt ?? 0) + 1;
      await reserve(next, 'f', countPlay(noPlays('f'), now));
      const stored = (await database.plays.orderBy('at').toArray()).map(({ at }) => at);
      const expected = [start + 10_000, ...times.map((at) => at + by), now];
      expect(stored).toEqual(expected.sort((a, b) => a - b));
      expect(await books().open()).not.toHaveProperty('moving');
    },
  );

  it('stay moved if a new window stores its memory meanwhile', async () => {
    let reopening: Promise<void> | null = null;
    const some: Books = books('store', (command) => {
      if (command !== 'movePlays' || reopening !== null) return null;
      reopening = some.reopen();
      return 'after';
    });
    await some.open();
    const counters = await playSome(some, 3);
    const flight = moved(counters, start, DAY_MS, some.ranMs());
    await some.movePlays({ after: start, by: DAY_MS, flights: [flight] });
    await reopening;
    expect((await books().open()).flights).toEqual([flight]);
  });

  it('are recounted only after they and their counters have moved', async () => {
    const some = books();
    await some.open();
    await playSome(some, 3);
    const moving = some.movePlays({ after: start, by: DAY_MS, flights: [] });
    const { plays: found } = await some.run('countedPlays', {
      environment: 'store',
      after: null,
      order: 'oldest-first',
      limit: 10,
    });
    expect(found.map(({ at }) => at - start)).toEqual([10_000, 20_000, 30_000].map((at) => at + DAY_MS));
    await moving;
  });

  it('are unchanged if the process is killed before the move is complete', async () => {
    const some = books('store', (command) => (command === 'movePlays' ? 'before' : null));
    await some.open();
    const counters = await playSome(some, 3);
    const flight = moved(counters, start, DAY_MS, some.ranMs());
    const move = { after: start, by: DAY_MS, flights: [flight] };
    await expect(some.movePlays(move)).rejects.toMatchObject({ code: 'lost' });
    const next = books();
    expect(await next.open()).toMatchObject({ flights: [counters], lastPlayAt: now });
    expect(await next.verify()).toEqual([]);
  });

  it('have their counters stored at the next check if the move failed', async () => {
    const some = books('store', (command) => (command === 'movePlays' ? 'before' : null));
    await some.open();
    const counters = await playSome(some, 3);
    const flight = moved(counters, start, DAY_MS, some.ranMs());
    await expect(some.movePlays({ after: start, by: DAY_MS, flights: [flight] })).rejects.toThrow();
    expect(some.isUnsure()).toBe(true);
    await some.verify();
    expect((await books().open()).flights).toEqual([some.counters('f')]);
    expect(some.counters('f')?.carried).toEqual(flight.carried);
  });

  const complete = (to: Books, id: string, shownAt: number) =>
    to.run('settlePlay', {
      id,
      settlement: { ...UNSEEN, outcome: 'completed', shownAt, viewedMs: 0, endReason: 'ended' },
      flight: null,
      recency: null,
      sourceMix: null,
    });

  const MINUTE = 60_000;
  it.each([
    { shown: 'before a short move back', movedIn: MINUTE, by: -3 * MINUTE, shownAt: start + 20 },
    { shown: 'before a move back', movedIn: 3_000, by: -DAY_MS, shownAt: start + 20 },
    { shown: 'before a move ahead', movedIn: 3_000, by: DAY_MS, shownAt: start + 20 },
    { shown: 'after a move back', movedIn: 10, by: -DAY_MS, shownAt: start - DAY_MS + 20 },
    { shown: 'after a move ahead', movedIn: 10, by: DAY_MS, shownAt: start + DAY_MS + 20 },
  ])('include the play on the screen, if it was shown $shown', async ({ movedIn, by, shownAt }) => {
    const some = books();
    await some.open();
    const { id } = await reserve(some, 'f', countPlay(noPlays('f'), now));
    now += movedIn;
    await some.movePlays({ after: start - 1, by, flights: [] });
    now += 4 * MINUTE + by;
    await complete(some, id, shownAt);
    expect(await database.plays.get(id)).toMatchObject({ at: start + by, shownAt: start + by + 20 });
  });

  it('do not include a play on the screen that was stamped by a right clock', async () => {
    const some = books();
    await some.open();
    const { id } = await reserve(some, 'f', countPlay(noPlays('f'), now));
    await some.movePlays({ after: start, by: DAY_MS, flights: [] });
    expect(some.lastPlayAt()).toBe(start);
    await complete(some, id, start + 20);
    expect(await database.plays.get(id)).toMatchObject({ at: start, shownAt: start + 20 });
  });

  it.each<[string, number, number]>([
    ['moved', start, DAY_MS],
    ['only carried, forwards', start + HOUR_MS, DAY_MS],
    ['only carried, backwards', start + HOUR_MS, -DAY_MS],
  ])('keep counts that were %s when the database goes back to before the move', async (_how, after, by) => {
    const first = books();
    await first.open();
    const still = await playSome(first, 2, 'still');
    now = start + 2 * HOUR_MS;
    const playing = await playSome(first, 1, 'playing');
    const before = await Promise.all(
      database.tables.map(async (table) => [table, await table.toArray()] as const),
    );
    const flights = [still, playing].map((counters) => moved(counters, after, by, first.ranMs()));
    await first.movePlays({ after, by, flights });
    now += by;
    await reserve(first, 'playing', count(first.counters('playing'), 'playing', now));
    await first.writeSnapshot();
    for (const [table, rows] of before) {
      await table.clear();
      await table.bulkAdd(rows);
    }
    const second = books();
    await second.open();
    expect(second.counters('still')).toEqual(flights[0]);
    expect(second.report()).toMatchObject({ restoredFlights: 2 });
  });

  it('keep carried counts and running time through a lost database', async () => {
    const first = books();
    await first.open();
    const counters = await playSome(first, 3);
    await journalled(3);
    const flight = moved(counters, start, DAY_MS, first.ranMs());
    await first.movePlays({ after: start, by: DAY_MS, flights: [flight] });
    // Even for a process that is killed at once: the journal has the times from before the move.
    await journalled(0);
    // Without a play, the running time is still stored: carried counts end by it.
    now += 3_600_000;
    await first.writeSnapshot();
    const ran = first.ranMs();
    await wipe();
    now += DAY_MS;
    const second = books();
    const opened = await second.open();
    expect(opened).toMatchObject({ flights: [flight], ranMs: ran });
    expect(ran).toBe(30_000 + 3_600_000);
    // The running time was not stored with the counters again. Without the snapshot, they tell its least value.
    await second.writeSnapshot();
    await rm(join(folder, 'books.json'));
    expect(await books().open()).toMatchObject({ flights: [flight], ranMs: 30_000 });
  });
});

describe('books whose records window crashes during a command', () => {
  /** Dies once, at the command `which`. */
  const once = (which: string, when: 'before' | 'after'): RecordsDeath => {
    let isAlive = true;
    return (command) => {
      if (!isAlive || command !== which) return null;
      isAlive = false;
      return when;
    };
  };
  const completed: Settlement = {
    ...UNSEEN,
    outcome: 'completed',
    shownAt: start,
    viewedMs: 1000,
    endReason: 'ended',
  };

  for (const when of ['before', 'after'] as const) {
    it(`store the reservation in the next window if the crash was ${when} the command ran`, async () => {
      const kept = books('store', once('reservePlay', when));
      await kept.open();
      const counters = countPlay(noPlays('f'), now);
      const reserving = reserve(kept, 'f', counters);
      // While the window that takes over opens, it settles reserved plays that it is not told of.
      await Promise.all([reserving, kept.reopen()]);
      const { id } = await reserving;
      expect(await database.plays.toArray()).toMatchObject([{ id, outcome: 'reserved' }]);
      expect(kept.counters('f')).toEqual(counters);
      expect([kept.playCount(), kept.report().lostPlays]).toEqual([1, 0]);
      expect(await kept.verify()).toEqual([]);
    });

    it(`settle the play in the next window if the crash was ${when} it was settled`, async () => {
      const kept = books('store', once('settlePlay', when));
      await kept.open();
      const { id } = await reserve(kept, 'f', countPlay(noPlays('f'), now));
      await kept.run('settlePlay', {
        id,
        settlement: completed,
        flight: null,
        recency: null,
        sourceMix: null,
      });
      expect(await database.plays.toArray()).toMatchObject([{ id, outcome: 'completed' }]);
    });
  }

  it('do not say that a play is not recorded if the crashed window may have recorded it', async () => {
    const dies = once('reservePlay', 'after');
    let isFailing = true;
    const kept = books('store', (command) => {
      const death = dies(command);
      if (death !== null || command !== 'reservePlay' || !isFailing) return death;
      isFailing = false;
      throw new RecordsError('storage', command, 'the window that takes over cannot store yet');
    });
    await kept.open();
    const reserving = reserve(kept, 'f', countPlay(noPlays('f'), now));
    const reopening = kept.reopen();
    await expect(reserving).rejects.toMatchObject({ mayBeDone: true });
    await reopening;
    // Its slot was given up, so it is made void; only a play on the screen counts as shown (rule 8).
    const [stored] = await database.plays.toArray();
    expect(stored).toMatchObject({ outcome: 'reserved' });
    await giveBack(kept, stored?.id ?? '', noPlays('f'), 'not-confirmed');
    expect(await database.plays.toArray()).toMatchObject([{ outcome: 'given-back' }]);
    // The window counted it when it took over; the next one must not miss a play that never was.
    expect(kept.playCount()).toBe(1);
    await kept.reopen();
    expect(kept.report().lostPlays).toBe(0);
  });

  it.each(['storage', 'timeout'] as const)(
    'forget a play that was not stored after a %s error',
    async (code) => {
      let stillOpen: unknown;
      const error = new RecordsError(code, 'reservePlay', 'not stored');
      const kept = booksHolding((command, input) => {
        if (command === 'openBooks') ({ stillOpen } = input as { stillOpen: unknown });
        return command === 'reservePlay' ? Promise.reject(error) : null;
      });
      await kept.open();
      await expect(reserve(kept, 'f', countPlay(noPlays('f'), now))).rejects.toBe(error);
      // It may be stored, so it is made void.
      if (code === 'timeout')
        await expect(giveBack(kept, `play-${plays}`, noPlays('f'))).rejects.toMatchObject({
          code: 'conflict',
        });
      await kept.reopen();
      expect(stillOpen).toEqual([]);
    },
  );

  it('refuse a play that was already recorded', async () => {
    const kept = books();
    await kept.open();
    const counters = countPlay(noPlays('f'), now);
    const { id } = await reserve(kept, 'f', counters);
    plays -= 1;
    await expect(reserve(kept, 'f', counters)).rejects.toMatchObject({ code: 'conflict' });
    expect(await database.plays.toArray()).toMatchObject([{ id }]);
  });
});

describe('a settlement that gets no answer', () => {
  it('is repeated before another play is stored', async () => {
    const sent: string[] = [];
    const some = booksHolding((command) => {
      sent.push(command);
      const isLate = sent.length === 3;
      return isLate ? Promise.reject(new RecordsError('timeout', 'settlePlay', 'no answer')) : null;
    });
    await some.open();
    const one = countPlay(noPlays('f'), now);
    const { id } = await reserve(some, 'f', one);
    const giving = giveBack(some, id, voidPlay(one, now));
    await Promise.all([giving, reserve(some, 'g', countPlay(noPlays('g'), now))]);
    expect(sent).toEqual(['openBooks', 'reservePlay', 'settlePlay', 'settlePlay', 'reservePlay']);
    expect(await database.plays.get(id)).toMatchObject({ outcome: 'given-back' });
  });

  it('holds what rewrites the books as a whole, but no reservation', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const some = booksHolding((command) => (command === 'settlePlay' ? answered : null));
    await some.open();
    const { id } = await reserve(some, 'f', countPlay(noPlays('f'), now));
    const settlement: Settlement = {
      ...UNSEEN,
      outcome: 'completed',
      shownAt: start,
      viewedMs: 1000,
      endReason: 'ended',
    };
    const settling = some.run('settlePlay', { id, settlement, flight: null, recency: null, sourceMix: null });
    now += 10_000;
    const counters = count(some.counters('f'), 'f', now);
    await reserve(some, 'f', counters);
    expect(some.counters('f')).toEqual(counters);
    const moving = some.movePlays({ after: start - 1, by: 60_000, flights: [] });
    // Takes longer than sending a move would.
    expect(await database.plays.get(id)).toMatchObject({ at: start });
    answer();
    await Promise.all([settling, moving]);
    expect(await database.plays.get(id)).toMatchObject({ at: start + 60_000, shownAt: start + 60_000 });
  });
});

describe('a play given back', () => {
  it('never undoes the next one of its flight, however busy the records window is', async () => {
    const some = books();
    await some.open();
    now += 1_000;
    const one = countPlay(noPlays('f'), now);
    const { id } = await reserve(some, 'f', one);
    const none = voidPlay(one, now);
    const busy = [0, 1, 2].map((part) =>
      some.run('storeAds', { environment: 'store', version: 'v', part, ads: [] }),
    );
    const giving = giveBack(some, id, none);
    now += 100;
    const again = countPlay(none, now);
    await Promise.all([reserve(some, 'f', again), ...busy, giving]);
    expect(some.counters('f')).toEqual(again);
    expect((await books().open()).flights).toEqual([again]);
  });
});
