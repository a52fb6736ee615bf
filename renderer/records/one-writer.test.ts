import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type RecordsDatabase } from './database';

let database: RecordsDatabase;
let number = 0;

beforeEach(() => {
  number += 1;
  database = openDatabase(`one-writer-${number}`);
});
afterEach(() => database.delete());

/** Begins a transaction on a table, uses it a few times, and notes when it began and ended. */
async function use(table: 'plays' | 'beacons' | 'playlists', notes: string[]): Promise<void> {
  await database.transaction('rw', database.table(table), async () => {
    for (let step = 0; step < 5; step += 1) {
      await database.table(table).count();
      if (step === 0) notes.push(`${table} begins`);
    }
    notes.push(`${table} ends`);
  });
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
});
