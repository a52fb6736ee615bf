import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { countPlay, noPlays } from '../../main/decisions/flight-counters';
import type { FlightCounters } from '../../shared/books';
import type { Play } from '../../shared/play';
import { readTables } from '../kiosk';

const FLIGHTS = 100;
const SLOT_MS = 10_000;
/** Plays per transaction. With more, the kiosk's own writes wait too long and its records window is taken to hang. */
const BATCH = 4_000;
/** The epoch of these plays; the kiosk's own epochs are later. */
const HISTORY_EPOCH = 1;

interface Books {
  readonly plays: readonly Play[];
  readonly environments: ReadonlyArray<{ readonly key: string; readonly playCount: number }>;
}

/**
 * Stores `count` plays in the books of the environment that played last: one every ten seconds up to that
 * play, from a hundred flights in turn, with the matching counters, recency and play numbers.
 */
export async function fillWithPlays(records: Page, count: number): Promise<void> {
  const read = await records.evaluate(readTables, [{ plays: null, environments: null }, true] as const);
  const { plays, environments }: Books = JSON.parse(read ?? '{}');
  const [pattern] = plays;
  if (!pattern) throw new Error('a kiosk that has not played has no books to fill');
  const first = pattern.at - count * SLOT_MS;
  const counters: FlightCounters[] = Array.from({ length: FLIGHTS }, (_, flight) =>
    noPlays(`old-flight-${flight}`),
  );
  for (let index = 0; index < count; index += 1) {
    const flight = index % FLIGHTS;
    const of = counters[flight];
    if (of) counters[flight] = countPlay(of, first + index * SLOT_MS);
  }
  const none = { cut: 0, stored: 0, delivered: 0, head: null, dropped: [] };
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(count, from + BATCH);
    const indices = Array.from({ length: to - from }, (_, index) => from + index);
    await store(records, {
      sequences: [{ epoch: HISTORY_EPOCH, last: to, ...none }],
      sequenceEntries: indices.map((index) => ({
        epoch: HISTORY_EPOCH,
        seq: index + 1,
        rev: 0,
        playId: idOf(index),
        settledAt: first + (index + 1) * SLOT_MS,
      })),
      plays: indices.map((index) => oldPlay(pattern, index, first + index * SLOT_MS)),
    });
  }
  const { environment, at } = pattern;
  const row = environments.find(({ key }) => key === environment);
  if (!row) throw new Error('the books have no environment');
  await store(records, {
    flights: counters.map((each) => ({ ...each, environment })),
    recency: counters.map(({ flightId }, index) => ({
      key: `old-source|${flightId}|old-media`,
      sequence: index,
      at,
      adId: `old-ad-${index}`,
      environment,
    })),
    environments: [{ ...row, playCount: row.playCount + count }],
  });
}

const idOf = (index: number) => `old-${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;

function oldPlay(pattern: Play, index: number, at: number): Play {
  const flight = index % FLIGHTS;
  return {
    ...pattern,
    id: idOf(index),
    at,
    adId: `old-ad-${flight}`,
    flightId: `old-flight-${flight}`,
    outcome: 'completed',
    shownAt: at + 20,
    viewedMs: SLOT_MS,
    endReason: 'ended',
  };
}

const BOOKS = 'IndexedDB/endcap_records_0.indexeddb.leveldb';
const SMALL_LOG_BYTES = 200_000;

/**
 * Writes filler data until the database has moved its write-ahead log into its tables and begun a new one.
 * Opening a database reads the whole log (up to 4 MB, whatever the history), so a newly filled folder would
 * otherwise be measured by its log.
 */
export async function startNewLog(records: Page, dataDir: string): Promise<void> {
  // Chromium writes a value of 64 KiB or more to a file of its own, beside the log.
  for (let round = 0; round < 100; round += 1) {
    if (round > 0 && newestLogBytes(dataDir) < SMALL_LOG_BYTES) return;
    const filler = ['one', 'two'].map((key) => ({ key, bytes: randomBytes(40_000).toString('base64') }));
    await store(records, { filler }, 'endcap-bench-filler');
  }
  throw new Error('the database did not begin another log');
}

const TIDY_LOOK_MS = 500;
const TIDY_AFTER_MS = 4_000;

/**
 * Waits until the database has compacted a million rows that were written at once. A kiosk that plays for
 * months never has this much compaction ahead of it.
 */
export async function tablesInOrder(dataDir: string): Promise<void> {
  let last = tableNames(dataDir);
  for (let quietMs = 0; quietMs < TIDY_AFTER_MS; quietMs += TIDY_LOOK_MS) {
    await new Promise((resume) => setTimeout(resume, TIDY_LOOK_MS));
    const now = tableNames(dataDir);
    if (now !== last) quietMs = 0;
    last = now;
  }
}

/** The names of the database's tables; a compaction changes them. */
export const tableNames = (dataDir: string): string =>
  readdirSync(join(dataDir, BOOKS))
    .filter((name) => name.endsWith('.ldb'))
    .sort()
    .join();

function newestLogBytes(dataDir: string): number {
  const folder = join(dataDir, BOOKS);
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  const newest = logs.sort().at(-1);
  return newest === undefined ? 0 : statSync(join(folder, newest)).size;
}

/**
 * Puts rows into tables in one transaction: of the books, or of a database of its own, which it makes. The rows
 * go as text, because Playwright would serialise every value of every row separately.
 */
function store(records: Page, rows: Readonly<Record<string, readonly object[]>>, name = 'endcap') {
  return records.evaluate(
    ([database, text]) =>
      new Promise<void>((done, failed) => {
        const tables = Object.entries(JSON.parse(text) as Record<string, object[]>);
        const opening = indexedDB.open(database);
        opening.onerror = () => failed(opening.error);
        // The books exist already.
        opening.onupgradeneeded = () => {
          for (const [table] of tables) opening.result.createObjectStore(table, { keyPath: 'key' });
        };
        opening.onsuccess = () => {
          const names = tables.map(([table]) => table);
          const writing = opening.result.transaction(names, 'readwrite', { durability: 'relaxed' });
          for (const [table, all] of tables) for (const row of all) writing.objectStore(table).put(row);
          writing.onerror = () => failed(writing.error);
          writing.oncomplete = () => {
            opening.result.close();
            done();
          };
        };
      }),
    [name, JSON.stringify(rows)] as const,
  );
}
