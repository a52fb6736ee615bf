import 'fake-indexeddb/auto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerCalls, recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { noResults } from '../../renderer/records/play-totals';
import { examplePlay } from '../../renderer/records/testing/example-play';
import type { PlayScript } from '../../shared/beacon';
import { silentLog } from '../../shared/log';
import { UNSEEN } from '../../shared/play';
import { countPlay, noPlays } from '../decisions/flight-counters';
import { anAd } from '../decisions/testing/ads-for-tests';
import { timers } from '../schedule';
import { createBooks } from './books';
import { exportFields } from './exported-plays';
import { createRecordsClient, type Records } from './records-client';
import { snapshotFiles } from './snapshot';

const start = Date.UTC(2026, 10, 20, 9, 0);
let folder: string;
let database: RecordsDatabase;
let number = 0;
let logged: string[];

beforeEach(async () => {
  logged = [];
  folder = await mkdtemp(join(tmpdir(), 'endcap-newer-rows-'));
  number += 1;
  database = openDatabase(`newer-rows-${number}`);
});
afterEach(async () => {
  await database.delete();
  // The journal may still be writing its last line.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** The records window behind its contract, which checks each answer as in a kiosk. */
function records(): Records {
  let toMain = (_message: unknown) => {};
  let toWindow = (_message: unknown) => {};
  const client = createRecordsClient(timers);
  answerCalls(
    {
      send: (message) => toMain(message),
      onMessage: (listener) => {
        toWindow = listener;
      },
    },
    recordsCommandsOn(database),
  );
  client.connect({
    send: (message) => toWindow(message),
    onMessage: (listener) => {
      toMain = listener;
    },
  });
  return client;
}

const books = () =>
  createBooks({
    schedule: (_ms, run) => timers(0, run),
    records: records(),
    files: snapshotFiles(join(folder, 'books.json'), async () => {}),
    environment: 'store',
    clock: { now: () => start, monotonic: () => 0 },
    log: { ...silentLog, warn: (event) => void logged.push(event) },
    newId: () => `id-${Math.random()}`,
    pause: async () => {},
  });

const counters = countPlay(noPlays('flight-1'), start);

/** Stores a playlist, and a play of it that has settled. */
async function playOne(): Promise<void> {
  const { run } = records();
  const environment = 'store';
  const ads = [anAd({}, 'https://media.test/a.mp4')];
  await run('openBooks', { environment, stillOpen: [] });
  await run('storeAds', { environment, version: 'v', part: 0, ads });
  const playlist = { receivedAt: start, etag: '"1"', lastModified: null };
  await run('storePlaylist', { environment, version: 'v', parts: 1, ...playlist });
  const { outcome, shownAt, viewedMs, presentedFrames, droppedFrames, stalls, endReason, ...of } =
    examplePlay({ at: start });
  const decision = { matchedGroup: null, peopleCount: null, signalAgeMs: null, caps: [] };
  const play = { ...of, ...UNSEEN, decision: { allowedBy: 'untargeted' as const, ...decision } };
  await run('reservePlay', { play, flight: counters, recency: null, sourceMix: null });
  const settlement = { outcome, shownAt, viewedMs, presentedFrames, droppedFrames, stalls, endReason };
  await run('settlePlay', { id: play.id, settlement, flight: null, recency: null, sourceMix: null });
}

it('the books open without a stored playlist of a newer version that this one cannot read, and say so', async () => {
  await playOne();
  const conditions = [{ kind: 'dwell', seconds: 3 }];
  await database.playlistAds.toCollection().modify((row) => {
    for (const { metadata } of row.ads) Object.assign(metadata, { audience: { groups: [{ conditions }] } });
  });
  const opened = await books().open();
  expect([opened.playlist, opened.flights, opened.playCount]).toEqual([null, [counters], 1]);
  expect(logged).toContain('the stored playlist cannot be read');
});

it('the books say nothing of a playlist that they can read, or do not have', async () => {
  await books().open();
  await playOne();
  expect((await books().open()).playlist?.ads).toHaveLength(1);
  expect(logged).not.toContain('the stored playlist cannot be read');
});

it('plays with words of a newer version are shipped and exported with these words', async () => {
  await playOne();
  await database.plays.toCollection().modify((play) => {
    Object.assign(play, { delivery: 'shelf' });
    Object.assign(play.decision ?? {}, { allowedBy: 'dwell' });
  });
  const scripts = [{ position: 0, result: 'paused', detail: null }] as unknown as PlayScript[];
  await database.playBeacons.put({ playId: 'play', at: start, ...noResults(), scripts });
  const client = records();
  const after = { epoch: 0, seq: 0 };
  const { entries } = await client.run('readSequence', { after, limit: 10, now: start });
  const all = { environment: null, from: 0, to: start + 1, after: null } as const;
  const { plays } = await client.run('provePlays', { ...all, order: 'oldest-first', limit: 10 });
  for (const found of [entries, plays]) {
    expect(found.map(({ play }) => [play.delivery, play.decision?.allowedBy])).toEqual([['shelf', 'dwell']]);
    const rows = found.map((each) => exportFields(each));
    expect(rows).toMatchObject([{ delivery: 'shelf', scripts: '0 paused' }]);
  }
});
