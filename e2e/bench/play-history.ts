import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { countPlay, noPlays } from '../../main/decisions/flight-counters';
import type { FlightCounters } from '../../shared/books';
import type { Play } from '../../shared/play';

const FLIGHTS = 100;
const SLOT_MS = 10_000;
/** Plays per transaction. With more, the kiosk's own writes wait too long and its records window is taken to hang. */
const BATCH = 4_000;
/** The sequence number of these plays; the kiosk's own sequences are later. */
const HISTORY_EPOCH = 1;

/**
 * Stores `count` plays in the books of the environment that played last: one every ten seconds up to that
 * play, from a hundred flights in turn, with the matching counters, recency and play numbers.
 */
export async function fillWithPlays(records: Page, count: number): Promise<void> {
  const [pattern] = await records.evaluate(
    () =>
      new Promise<Play[]>((done, failed) => {
        const opening = indexedDB.open('endcap');
        opening.onerror = () => failed(opening.error);
        opening.onsuccess = () => {
          const reading = opening.result.transaction('plays').objectStore('plays').getAll(null, 1);
          reading.onerror = () => failed(reading.error);
          reading.onsuccess = () => done(reading.result as Play[]);
        };
      }),
  );
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
  for (let from = 0; from < count; from += BATCH) {
    await records.evaluate(storePlays, {
      pattern,
      from,
      to: Math.min(count, from + BATCH),
      first,
      slotMs: SLOT_MS,
      flights: FLIGHTS,
      epoch: HISTORY_EPOCH,
    });
  }
  await records.evaluate(storeBooks, { environment: pattern.environment, count, counters, at: pattern.at });
}

const BOOKS = 'IndexedDB/endcap_records_0.indexeddb.leveldb';
const SMALL_LOG_BYTES = 200_000;

/**
 * Writes filler data until the database has moved its write-ahead log into its tables and begun a new one.
 * Opening a database reads the whole log (up to 4 MB, whatever the history), so a newly filled folder would
 * otherwise be measured by its log.
 */
export async function startNewLog(records: Page, dataDir: string): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    if (round > 0 && newestLogBytes(dataDir) < SMALL_LOG_BYTES) return;
    await records.evaluate(storeFiller);
  }
  throw new Error('the database did not begin another log');
}

const TIDY_LOOK_MS = 500;
const TIDY_AFTER_MS = 4_000;

/**
 * Waits until the database has compacted a million rows that were written at once. A kiosk that plays for
 * months never has so much compaction ahead of it.
 */
export async function tablesInOrder(dataDir: string): Promise<void> {
  const folder = join(dataDir, BOOKS);
  const tables = () => readdirSync(folder).sort().join();
  let last = tables();
  for (let quietMs = 0; quietMs < TIDY_AFTER_MS; quietMs += TIDY_LOOK_MS) {
    await new Promise((resume) => setTimeout(resume, TIDY_LOOK_MS));
    const now = tables();
    if (now !== last) quietMs = 0;
    last = now;
  }
}

function newestLogBytes(dataDir: string): number {
  const folder = join(dataDir, BOOKS);
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  const newest = logs.sort().at(-1);
  return newest === undefined ? 0 : statSync(join(folder, newest)).size;
}

/** Runs in the records window: 100 kB under one key, in a database of its own. */
function storeFiller(): Promise<void> {
  return new Promise((done, failed) => {
    const opening = indexedDB.open('endcap-bench-filler', 1);
    opening.onerror = () => failed(opening.error);
    opening.onupgradeneeded = () => opening.result.createObjectStore('filler');
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('filler', 'readwrite');
      transaction.objectStore('filler').put(crypto.getRandomValues(new Uint8Array(50_000)), 'one');
      transaction.objectStore('filler').put(crypto.getRandomValues(new Uint8Array(50_000)), 'two');
      transaction.onerror = () => failed(transaction.error);
      transaction.oncomplete = () => {
        opening.result.close();
        done();
      };
    };
  });
}

/** Runs in the records window. */
function storePlays(batch: {
  pattern: Play;
  from: number;
  to: number;
  first: number;
  slotMs: number;
  flights: number;
  epoch: number;
}): Promise<void> {
  return new Promise((done, failed) => {
    const opening = indexedDB.open('endcap');
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const tables = ['plays', 'sequences', 'sequenceEntries'];
      const transaction = database.transaction(tables, 'readwrite', { durability: 'relaxed' });
      const plays = transaction.objectStore('plays');
      const entries = transaction.objectStore('sequenceEntries');
      const { epoch } = batch;
      const none = { cut: 0, stored: 0, delivered: 0, head: null, dropped: [] };
      transaction.objectStore('sequences').put({ epoch, last: batch.to, ...none });
      for (let index = batch.from; index < batch.to; index += 1) {
        const at = batch.first + index * batch.slotMs;
        const flight = index % batch.flights;
        const id = `old-${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;
        entries.put({ epoch, seq: index + 1, rev: 0, playId: id, settledAt: at + batch.slotMs });
        plays.put({
          ...batch.pattern,
          id,
          at,
          adId: `old-ad-${flight}`,
          flightId: `old-flight-${flight}`,
          outcome: 'completed',
          shownAt: at + 20,
          viewedMs: batch.slotMs,
          endReason: 'ended',
        });
      }
      transaction.onerror = () => failed(transaction.error);
      transaction.oncomplete = () => {
        database.close();
        done();
      };
    };
  });
}

/** Runs in the records window. */
function storeBooks(books: {
  environment: string;
  count: number;
  counters: FlightCounters[];
  at: number;
}): Promise<void> {
  return new Promise((done, failed) => {
    const opening = indexedDB.open('endcap');
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const { environment } = books;
      const transaction = database.transaction(['environments', 'flights', 'recency'], 'readwrite');
      for (const [index, counters] of books.counters.entries()) {
        transaction.objectStore('flights').put({ ...counters, environment });
        const key = `old-source|${counters.flightId}|old-media`;
        const entry = { key, sequence: index, at: books.at, adId: `old-ad-${index}`, environment };
        transaction.objectStore('recency').put(entry);
      }
      const environments = transaction.objectStore('environments');
      const reading = environments.get(environment);
      reading.onsuccess = () => {
        const row = reading.result as { playCount: number };
        environments.put({ ...row, playCount: row.playCount + books.count });
      };
      transaction.onerror = () => failed(transaction.error);
      transaction.oncomplete = () => {
        database.close();
        done();
      };
    };
  });
}
