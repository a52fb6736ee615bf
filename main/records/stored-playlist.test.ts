import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { openDatabase, type RecordsDatabase } from '../../renderer/records/database';
import { silentLog } from '../../shared/log';
import { MAX_ADS_AT_ONCE, recordsCommands, type StoredPlaylist } from '../../shared/records';
import { anAd } from '../decisions/testing/ads-for-tests';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { BooksMirror } from './books-mirror';
import type { Records } from './records-client';
import { createStoredPlaylist } from './stored-playlist';

let database: RecordsDatabase;
let number = 0;
beforeEach(() => {
  number += 1;
  database = openDatabase(`playlist-store-${number}`);
});
afterEach(() => database.delete());

/** A store that notes its calls, and dies before call number `diesAt` or at those that `fails` names. */
function start(
  diesAt = Number.POSITIVE_INFINITY,
  environment = 'store',
  fails: (input: unknown) => boolean = () => false,
) {
  const commands = recordsCommandsOn(database);
  const calls: string[] = [];
  let versions = 0;
  const records: Records = {
    run: async (command, input) => {
      if (calls.length >= diesAt) throw new Error('the process ended');
      calls.push(command);
      if (fails(input)) throw new Error('no answer');
      recordsCommands[command].input.parse(input);
      return (commands[command] as (value: unknown) => Promise<never>)(input);
    },
  };
  number += 1;
  const { clock } = handTurnedTime();
  const store = createStoredPlaylist(
    {
      records,
      files: { writePlaylist: async () => {} },
      environment,
      clock,
      newId: () => `version-${number}-${versions++}`,
      pause: async () => {},
      log: silentLog,
    },
    new BooksMirror(clock),
  );
  const stored = async () => (await commands.openBooks({ environment, stillOpen: [] })).playlist;
  return { store, calls, stored };
}

/** A playlist of this many ads, all of them named after `name`. */
const playlistOf = (name: string, ads: number): StoredPlaylist => ({
  ads: Array.from({ length: ads }, (_, index) =>
    anAd({}, `https://media.test/${index}.mp4`, `${name}-${index}`),
  ),
  receivedAt: ads,
  etag: `"${name}"`,
  lastModified: null,
});

describe('the stored playlist', () => {
  it.each([0, 1, MAX_ADS_AT_ONCE, MAX_ADS_AT_ONCE + 1, 3 * MAX_ADS_AT_ONCE])(
    'is returned as it was stored, in its order, with %i ads',
    async (ads) => {
      const { store, stored } = start();
      await store.storePlaylist(playlistOf('new', ads));
      expect(await stored()).toEqual(playlistOf('new', ads));
    },
  );

  it('is the complete old or new one, whenever the process ends (rule 3)', async () => {
    const before = playlistOf('old', 2 * MAX_ADS_AT_ONCE);
    const after = playlistOf('new', 2 * MAX_ADS_AT_ONCE + 1);
    await start().store.storePlaylist(before);
    const found: string[] = [];
    for (let calls = 0; calls < 5; calls += 1) {
      const life = start(calls);
      const storing = life.store.storePlaylist(after);
      if (calls < 4) await expect(storing).rejects.toThrow('the process ended');
      else await storing;
      const stored = await life.stored();
      expect(stored).toEqual(stored?.etag === before.etag ? before : after);
      found.push(stored?.etag ?? '');
    }
    // Three parts, then the step that makes them the playlist.
    expect(found).toEqual(['"old"', '"old"', '"old"', '"old"', '"new"']);
  });

  it('leaves no part of an earlier or an interrupted one', async () => {
    await start().store.storePlaylist(playlistOf('old', 250));
    await expect(start(2).store.storePlaylist(playlistOf('broken', 250))).rejects.toThrow();
    const elsewhere = start(Number.POSITIVE_INFINITY, 'another store');
    await elsewhere.store.storePlaylist(playlistOf('other', 1));
    await start().store.storePlaylist(playlistOf('new', 150));
    expect(await database.playlistAds.count()).toBe(3);
    expect(await elsewhere.stored()).toEqual(playlistOf('other', 1));
  });

  it('is the newest one if several arrive at once', async () => {
    const { store, stored } = start();
    await Promise.all(
      ['first', 'between', 'newest'].map((name) => store.storePlaylist(playlistOf(name, 300))),
    );
    expect(await stored()).toEqual(playlistOf('newest', 300));
  });

  it('is renewed without being stored again', async () => {
    const { store, stored, calls } = start();
    await store.storePlaylist(playlistOf('one', 150));
    calls.length = 0;
    await store.renewPlaylist(7);
    expect(await stored()).toEqual({ ...playlistOf('one', 150), receivedAt: 7 });
    expect(calls).toEqual(['renewPlaylist']);
  });

  it('is stored in smaller parts if its ads are large, and is returned as stored', async () => {
    const { store, calls, stored } = start();
    const light = playlistOf('large', 6);
    const ads = light.ads.map((ad) => ({ ...ad, impressions: Array<string>(1_000).fill('u'.repeat(100)) }));
    await store.storePlaylist({ ...light, ads });
    expect(calls.filter((command) => command === 'storeAds')).toHaveLength(3);
    expect(await stored()).toEqual({ ...light, ads });
  });

  it('is stored whole after an answer that may not be stored, even if it is the one before again', async () => {
    const isNew = (input: unknown) => (input as { etag?: unknown }).etag === '"new"';
    const { store, calls } = start(Number.POSITIVE_INFINITY, 'store', isNew);
    await store.storePlaylist(playlistOf('old', 1));
    await store.storePlaylist(playlistOf('old', 1));
    await expect(store.storePlaylist(playlistOf('new', 1))).rejects.toThrow('no answer');
    await store.storePlaylist(playlistOf('old', 1));
    const stored = ['storeAds', 'storePlaylist'];
    expect(calls).toEqual([...stored, 'renewPlaylist', ...stored, ...stored]);
  });

  it('lets other work run after every part', async () => {
    const { store, calls } = start();
    await store.storePlaylist(playlistOf('large', 1_000));
    expect(calls.filter((command) => command === 'storeAds')).toHaveLength(1_000 / MAX_ADS_AT_ONCE);
  });
});
