import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright';
import { countPlay, noPlays } from '../../main/decisions/flight-counters';
import { type Play, UNSEEN } from '../../shared/play';
import type { RecordsInput } from '../../shared/records';
import type { Kiosk } from '../kiosk';
import type { MainAsking } from '../records-port';

/** Reservations of one batch. */
export const AT_ONCE = 20;

/** Reservations in books of their own, in batches as the player makes them; one batch more than asked for. */
export function reservations(count: number): Array<Array<RecordsInput<'reservePlay'>>> {
  const at = Date.now();
  let counters = noPlays('flight');
  const one = (index: number): RecordsInput<'reservePlay'> => {
    counters = countPlay(counters, at + index * 10_000);
    const play: Play = {
      id: randomUUID(),
      environment: 'bench',
      at: at + index * 10_000,
      adId: `ad-${index % 20}`,
      requestId: 'request-5d1c0c52-5bb4-4d2b-a7e2-9a15c3b0f6d1',
      flightId: 'flight',
      campaignId: 'campaign',
      source: 'SOURCE_TYPE_CMS',
      sourceId: 'cms',
      mediaUrl: `https://media.example/creative-${index % 20}.mp4`,
      delivery: 'offline',
      durationMs: 10_000,
      ...UNSEEN,
    };
    return {
      play,
      flight: counters,
      recency: { key: `cms|flight|${play.mediaUrl}`, sequence: index, at: play.at, adId: play.adId },
      sourceMix: { credits: [{ sourceId: 'cms', credit: 0 }] },
    };
  };
  return Array.from({ length: count / AT_ONCE + 1 }, (_, batch) =>
    Array.from({ length: AT_ONCE }, (_, index) => one(batch * AT_ONCE + index)),
  );
}

/** Round trips from main to the acknowledged transaction and back, one after the other, ms. */
export function reserve(kiosk: Kiosk, inputs: ReadonlyArray<RecordsInput<'reservePlay'>>): Promise<number[]> {
  return kiosk.app.evaluate(async (_electron, asked) => {
    const ask = (globalThis as MainAsking).askRecords;
    const took: number[] = [];
    for (const input of asked) {
      const started = performance.now();
      const answer = await ask?.('reservePlay', input);
      took.push(performance.now() - started);
      if (!answer?.ok) throw new Error(`a reservation was refused: ${JSON.stringify(answer)}`);
      // A pause, as between slots, so that the last reservation is complete.
      await new Promise((resume) => setTimeout(resume, 5));
    }
    return took;
  }, inputs);
}

/** Writes the same rows with bare IndexedDB, equally durable, without messages or a library; ms each. */
export function plainTransactions(
  records: Page,
  inputs: ReadonlyArray<RecordsInput<'reservePlay'>>,
): Promise<number[]> {
  return records.evaluate(async (asked) => {
    const database = await new Promise<IDBDatabase>((done, failed) => {
      const opening = indexedDB.open('endcap-bench', 1);
      opening.onerror = () => failed(opening.error);
      opening.onupgradeneeded = () => {
        const plays = opening.result.createObjectStore('plays', { keyPath: 'id' });
        plays.createIndex('at', 'at');
        plays.createIndex('environment+at', ['environment', 'at']);
        plays.createIndex('environment+outcome', ['environment', 'outcome']);
        for (const name of ['environments', 'flights', 'recency']) opening.result.createObjectStore(name);
      };
      opening.onsuccess = () => done(opening.result);
    });
    const took: number[] = [];
    for (const { play, flight, recency, sourceMix } of asked) {
      const started = performance.now();
      await new Promise<void>((done, failed) => {
        const transaction = database.transaction(
          ['plays', 'environments', 'flights', 'recency'],
          'readwrite',
          {
            durability: 'strict',
          },
        );
        transaction.onerror = () => failed(transaction.error);
        transaction.oncomplete = () => done();
        transaction.objectStore('plays').add(play);
        transaction.objectStore('environments').put({ sourceMix, playCount: 1 }, play.environment);
        transaction.objectStore('flights').put(flight, play.flightId ?? '');
        transaction.objectStore('recency').put(recency, recency?.key ?? '');
      });
      took.push(performance.now() - started);
      await new Promise((resume) => setTimeout(resume, 5));
    }
    database.close();
    return took;
  }, inputs);
}
