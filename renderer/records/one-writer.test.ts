import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, type RecordsDatabase } from './database';
import { SequenceWorld } from './testing/sequence-world';

let database: RecordsDatabase;
let number = 0;

beforeEach(() => {
  number += 1;
  database = openDatabase(`one-writer-${number}`);
});
afterEach(() => database.delete());

/** Begins a transaction on a table, uses it a few times, and notes when it began and ended. */
async function use(table: 'plays' | 'beacons' | 'playlists', notes: string[]): Promise<void> {
  await database.write(async () => {
    for (let step = 0; step < 5; step += 1) {
      await database.table(table).count();
      if (step === 0) notes.push(`${table} begins`);
    }
    notes.push(`${table} ends`);
  });
}

/** The writing transactions of the commands, a reservation's first. */
async function writingTransactions() {
  const asked = vi.spyOn(IDBDatabase.prototype, 'transaction');
  const world = new SequenceWorld();
  const { commands } = world;
  await world.reserve();
  await commands.openBooks({ environment: 'store', stillOpen: ['p0'] });
  await world.settle('p0');
  await world.fire('p0');
  await world.endBeacons(1);
  await world.moveClock(1_000, 60_000);
  await world.storeSegment(1);
  await world.settleSegment('delivered');
  await world.numberAll();
  await commands.storeAds({ environment: 'store', version: 'v', part: 0, ads: [] });
  await commands.renewPlaylist({ environment: 'store', receivedAt: 0 });
  await commands.forgetRecency({ environment: 'store', keys: ['key'] });
  await commands.startSending({ ids: [] });
  await commands.prunePlays({ before: world.now, keep: 0, limit: 1 });
  const writing = asked.mock.calls.filter(([, mode]) => mode === 'readwrite');
  asked.mockRestore();
  await world.database.delete();
  expect(writing.length).toBeGreaterThan(11);
  return writing.map(([tables, , options]) => ({ tables: [...tables], durability: options?.durability }));
}

describe('the database', () => {
  it('has one writing transaction at a time, even on different tables', async () => {
    const notes: string[] = [];
    await Promise.all([use('plays', notes), use('beacons', notes), use('playlists', notes)]);
    expect(notes).toEqual([
      'plays begins',
      'plays ends',
      'beacons begins',
      'beacons ends',
      'playlists begins',
      'playlists ends',
    ]);
  });

  it('has no writing transaction that a reservation could overtake', async () => {
    for (const { tables } of await writingTransactions())
      expect(tables).toEqual(expect.arrayContaining(['environments', 'plays', 'flights', 'recency']));
  });

  it('answers no command before its data is on the disk: a power cut must not free a cap (rule 8)', async () => {
    for (const { durability } of await writingTransactions()) expect(durability).toBe('strict');
  });
});
